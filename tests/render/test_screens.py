"""docs/screens: what `kschedx why` looks like in a light and in a dark terminal, and how wide.

To draw them anew: `python -m tests.render.test_screens`.
"""

import html
import io
import re
from pathlib import Path

import pytest
from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME, TerminalTheme
from rich.text import Text

from kschedx.answers.replay import choose_scheduler, release_for
from kschedx.answers.why import WhyQuestion, why
from kschedx.render.text import Style
from kschedx.render.why_text import render_text
from kschedx.snapshot.files import load

SCREENS = Path(__file__).parents[2] / "docs" / "screens"
LIGHT = TerminalTheme(
    (255, 255, 255), (36, 41, 46), [(36, 41, 46), (179, 29, 40), (34, 134, 58), (176, 136, 0),
    (3, 102, 214), (111, 66, 193), (27, 124, 131), (106, 115, 125)]
)  # fmt: skip
THEMES = {"light": LIGHT, "dark": SVG_EXPORT_THEME}
WEB_FONTS = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
WIDTHS = (80, 100, 200)
ROW = re.compile(
    r'<text class="(\S+)" x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+" clip-path="(\S+)">'
    r"([^<]*)</text>"
)
SPACE = "\u00a0"
COLUMN = 12.2
"""The width of a character in rich's pictures."""


def screen(width: int, *, colour: bool) -> str:
    snapshot = load(["example:pending"], release=release_for)
    question = WhyQuestion("prod/api-7", with_hints=True)
    return render_text(why(snapshot, question, choose_scheduler(snapshot)), Style(width, colour))


def shown() -> Console:
    """The coloured screen in a terminal, which breaks lines that are longer than it is wide."""
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True)
    for line in screen(100, colour=True).splitlines():
        text = Text.from_ansi(line)
        for part in text.divide(range(100, len(text), 100)):
            console.print(part)
    return console


def drawn(theme: TerminalTheme) -> str:
    """A picture of that terminal."""
    console = shown()
    picture = console.export_svg(title="kschedx why prod/api-7", theme=theme)
    positioned = ROW.sub(words_in_place, WEB_FONTS.sub("", picture)).replace("&#160;", " ")
    return "".join(f"{line.rstrip()}\n" for line in positioned.splitlines())


def words_in_place(row: re.Match[str]) -> str:
    """A row of text without its gaps, which some viewers close: each part at its own column."""
    style, x, y, clip, content = row.groups()
    text = html.unescape(content).replace("\n", SPACE)
    return "\n".join(
        f'<text class="{style}" x="{float(x) + part.start() * COLUMN:g}" y="{y}" '
        f'textLength="{len(part[0]) * COLUMN:g}" clip-path="{clip}">'
        f"{html.escape(part[0].replace(SPACE, ' '))}</text>"
        for part in re.finditer(rf"[^{SPACE}]+(?:{SPACE}[^{SPACE}]+)*", text)
    )


def screens() -> dict[str, str]:
    found = {f"why-{name}.svg": drawn(theme) for name, theme in THEMES.items()}
    return found | {f"why-{width}-columns.txt": screen(width, colour=False) for width in WIDTHS}


def test_the_screens_are_current() -> None:
    shown = {path.name: path.read_text(encoding="utf-8") for path in SCREENS.iterdir()}

    assert shown == screens()


@pytest.mark.parametrize("theme", THEMES)
def test_pictures_do_not_lean_on_spaces(theme: str) -> None:
    """Every part stands at the column in which the terminal has it."""
    picture = drawn(THEMES[theme])
    lines = shown().export_text().splitlines()
    parts = [
        (float(x), float(y), html.unescape(content)) for _, x, y, _, content in ROW.findall(picture)
    ]
    heights = sorted({y for _, y, _ in parts})
    rows = dict(zip(heights, filter(None, lines), strict=True))

    assert SPACE not in html.unescape(picture)
    assert "  " not in "".join(content for *_, content in parts)
    assert [
        (content, rows[y])
        for x, y, content in parts
        if not rows[y][round(x / COLUMN) :].startswith(content)
    ] == []


if __name__ == "__main__":
    SCREENS.mkdir(parents=True, exist_ok=True)
    for file, content in screens().items():
        (SCREENS / file).write_text(content, encoding="utf-8")
