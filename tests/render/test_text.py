"""The page that text is written on."""

import pytest
from rich.text import Text

from kschedx.render.text import Page, Style, table


def written(what: str, style: Style | None = None) -> str:
    page = Page(style or Style())
    page.write(Text(what))
    return page.text()


def test_at_least_60_columns() -> None:
    assert Page(Style(width=20)).width == 60
    assert Page(Style(width=200)).width == 200


def test_lines_end_without_spaces() -> None:
    assert written("a" * 99 + " b") == "a" * 99 + "\nb\n"


def test_without_colour_there_is_none() -> None:
    page = Page(Style())
    page.write(Text("red", style="wrong"))

    assert page.text() == "red\n"


def test_colours_are_the_terminals_own() -> None:
    page = Page(Style(colour=True))
    page.write(Text("red", style="wrong"))

    assert page.text() == "\x1b[1;31mred\x1b[0m\n"


@pytest.mark.parametrize("colour", [False, True])
def test_a_name_cannot_steer_the_terminal(colour: bool) -> None:
    hostile = "pod\x1b]0;title\x07\x1b[2J\x9b31m\x00\rx"

    assert set(written(hostile, Style(colour=colour))) & set("\x1b\x07\x9b\x00\r") == set()


def test_without_colour_a_name_brings_none() -> None:
    assert written("pod\x1b[31mred", Style()) == "pod?[31mred\n"


@pytest.mark.parametrize("text", ["[bold]x[/bold]", ":smile:", "[link=http://x]y[/link]", "a\\[b"])
def test_nothing_is_markup(text: str) -> None:
    made = table(["name"])
    made.show_header = False
    made.add_row(text)
    page = Page(Style())
    page.write(made)
    page.paragraphs([("", text)])

    assert [line.strip() for line in page.text().splitlines()] == [text, text]


def test_a_terminal_that_knows_ascii_only() -> None:
    assert written("a · b", Style(ascii_only=True)) == "a | b\n"


def test_a_heading_stands_once() -> None:
    page = Page(Style())
    page.block([("Drift", "one"), ("Drift", "two"), ("Note", "three")])

    assert page.text() == "\nDrift  one\n       two\nNote   three\n"


def test_no_block_without_paragraphs() -> None:
    page = Page(Style())
    page.block([])

    assert page.text() == ""


def test_whether_a_table_fits() -> None:
    made = table(["a", "b"])
    made.add_row("x" * 40, "y" * 50)

    assert Page(Style(width=94)).fits(made, indent=0)
    assert not Page(Style(width=94)).fits(made, indent=3)
