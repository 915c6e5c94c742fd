"""A verdict that the scheduler doesn't stand by is replaced; one that it repeats is not."""

import sys
from pathlib import Path
from typing import Final

import pytest

from tests.oracle.compare import Object
from tests.oracle.settle import MOST, settled

ORACLE: Final = """\
import json, sys
for number, line in enumerate(sys.stdin):
    said = {said}
    print(json.dumps({{"id": json.loads(line)["id"], "selected": [said[number % len(said)]]}}))
"""


def _oracle(folder: Path, *said: str) -> str:
    program = folder / "oracle"
    program.write_text(f"#!{sys.executable}\n" + ORACLE.format(said=said))
    program.chmod(0o755)
    return str(program)


def _cases(count: int) -> tuple[list[Object], list[Object], list[Object]]:
    ids = [f"c{i}" for i in range(count)]
    return (
        [{"id": name, "objects": []} for name in ids],
        [{"id": name, "selected": ["n0"]} for name in ids],
        [{"id": name, "selected": ["n1"]} for name in ids],
    )


@pytest.mark.parametrize(("said", "count"), [(["n0", "n1"], 2), (["n0"], 0)])
def test_asked_until_it_agrees(tmp_path: Path, said: list[str], count: int) -> None:
    cases, want, got = _cases(2)

    assert settled(_oracle(tmp_path, *said), cases, want, got) == count
    assert [verdict["selected"] for verdict in want] == [["n1"] if count else ["n0"]] * 2


def test_too_many_differences_are_nothing_to_settle(tmp_path: Path) -> None:
    cases, want, got = _cases(MOST + 1)

    assert settled(_oracle(tmp_path, "n1"), cases, want, got) == 0


def test_a_case_without_a_verdict_stays_open(tmp_path: Path) -> None:
    cases, want, _ = _cases(1)

    assert settled(_oracle(tmp_path, "n1"), cases, want, []) == 0
