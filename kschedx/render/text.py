"""Text: a page of lines of text of a given width, with or without colour, the same bytes every time."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kschedx.render.theme import THEME

PIPE_WIDTH: Final = 100
"""Columns where there is no terminal."""
MIN_WIDTH: Final = 60
NARROW: Final = 80
"""Below this many columns a table's rows are written one under the other."""
_UNBROKEN: Final = 10_000
"""Columns in which any line fits."""
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
"""Control characters that a name or a message may hold."""
_CONTROL_IN_COLOUR: Final = re.compile(rf"\x1b(?!\[[0-9;]*m)|(?!\x1b){_CONTROL.pattern}")
"""The same where rich writes colours."""
_ASCII: Final = str.maketrans({"·": "|", "…": "~", "→": ">"})


@dataclass(frozen=True, slots=True)
class Style:
    """How a page looks."""

    width: int = PIPE_WIDTH
    colour: bool = False
    ascii_only: bool = False
    """The terminal knows no other characters."""


class Page:
    """Collects what is written and gives it as one text."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self._file = io.StringIO()
        self._console = Console(
            file=self._file,
            width=max(MIN_WIDTH, style.width),
            color_system="standard" if style.colour else None,
            force_terminal=style.colour,
            no_color=not style.colour,
            theme=THEME,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )

    @property
    def width(self) -> int:
        return self._console.width

    @property
    def narrow(self) -> bool:
        return self.width < NARROW

    def fits(self, made: Table, *, indent: int) -> bool:
        """Whether the table needs no more columns than there are, without breaking a line."""
        return self._measure(made).maximum + indent <= self.width

    def fits_words(self, made: Table, *, indent: int) -> bool:
        """Whether there are enough columns to break lines between words only."""
        return self._measure(made).minimum + indent <= self.width

    def _measure(self, made: Table) -> Measurement:
        options = self._console.options.update(max_width=_UNBROKEN)
        return made.__rich_measure__(self._console, options)

    def write(self, what: RenderableType, *, indent: int = 0) -> None:
        self._console.print(Padding(what, (0, 0, 0, indent)) if indent else what)

    def write_whole(self, what: Text, *, indent: int) -> None:
        """One line, however long: a command that is copied must not hold line breaks."""
        self._console.print(Text(" " * indent).append_text(what), soft_wrap=True)

    def gap(self) -> None:
        self._console.print()

    def paragraphs(self, items: Iterable[tuple[str, str]], *, indent: int = 0) -> None:
        """Headings with their texts beside them, which wrap under themselves."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        last = ""
        for heading, body in items:
            grid.add_row(Text("" if heading == last else heading, style="heading"), Text(body))
            last = heading
        if grid.rows:
            self.write(grid, indent=indent)

    def block(self, items: Iterable[tuple[str, str]]) -> None:
        """Paragraphs after an empty line; nothing at all where there are none."""
        found = list(items)
        if found:
            self.gap()
            self.paragraphs(found)

    def text(self) -> str:
        """All lines, without spaces at their ends, and nothing that could steer a terminal."""
        lines = (line.rstrip() for line in self._file.getvalue().split("\n"))
        control = _CONTROL_IN_COLOUR if self.style.colour else _CONTROL
        text = control.sub("?", "\n".join(lines))
        return text.translate(_ASCII) if self.style.ascii_only else text


def table(columns: Sequence[str], *, right: Sequence[str] = ()) -> Table:
    """A table without lines; columns named in `right` hold numbers."""
    made = Table(
        box=None,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="quiet",
        show_edge=False,
    )
    for name in columns:
        made.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return made
