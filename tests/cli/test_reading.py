"""From the options to a scheduler."""

import pytest

from kschedx.api.errors import KschedxError
from kschedx.cli.reading import parse_gates

GATES: dict[str, tuple[tuple[str, ...], dict[str, bool]]] = {
    "none": ((), {}),
    "one": (("A=true",), {"A": True}),
    "several in one option": (("A=true,B=false",), {"A": True, "B": False}),
    "several options": (("A=true", "B=false"), {"A": True, "B": False}),
    "the later wins": (("A=true,B=true", "A=false"), {"A": False, "B": True}),
    "written as people do": ((" A = True , B=FALSE,",), {"A": True, "B": False}),
}
WRONG = {
    "no value": ("A", "'A'"),
    "no name": ("=true", "'=true'"),
    "neither true nor false": ("A=true,B=maybe", "'B=maybe'"),
    "two in one": ("A=true=false", "'A=true=false'"),
    "nothing but a space": ("A=true, ", "' '"),
}


@pytest.mark.parametrize(("texts", "expected"), GATES.values(), ids=GATES)
def test_gates(texts: tuple[str, ...], expected: dict[str, bool]) -> None:
    assert parse_gates(texts) == expected


@pytest.mark.parametrize(("text", "part"), WRONG.values(), ids=WRONG)
def test_the_part_that_sets_no_gate_is_named(text: str, part: str) -> None:
    with pytest.raises(KschedxError) as error:
        parse_gates([text])

    assert error.value.message == f"{part} does not set a feature gate"
    assert error.value.exit_code == 2
