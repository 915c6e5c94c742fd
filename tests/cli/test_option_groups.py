"""A dataclass of options as one parameter of a command."""

import inspect
from dataclasses import dataclass
from typing import Annotated, get_type_hints

import typer

from kschedx.cli.option_groups import with_groups

Colour = Annotated[str, typer.Option("--colour")]


@dataclass(frozen=True, slots=True)
class Paint:
    colour: Colour = "red"
    coats: Annotated[int, typer.Option("--coats")] = 1


@with_groups
def paint(wall: str, *, paint: Paint, quick: bool = False) -> str:
    """Paint a wall."""
    return f"{wall}: {paint}, quick={quick}"


def test_typer_sees_every_option_in_its_place() -> None:
    signature = inspect.signature(paint)

    assert list(signature.parameters) == ["wall", "colour", "coats", "quick"]
    assert signature.parameters["coats"].default == 1
    assert get_type_hints(paint, include_extras=True)["colour"] == Colour
    assert paint.__doc__ == "Paint a wall."


def test_the_command_gets_them_as_one_value() -> None:
    painted = paint(wall="west", colour="blue", coats=2, quick=True)

    assert painted == "west: Paint(colour='blue', coats=2), quick=True"
