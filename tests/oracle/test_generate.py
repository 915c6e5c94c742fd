"""The same family and seed always draw the same cases: those of the recorded verdicts."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.oracle.generate.cases import cases
from tests.oracle.generate.draw import Object
from tests.oracle.generate.families import FAMILIES
from tests.oracle.generate.more_families import MORE_FAMILIES

ORACLE: Final = Path(__file__).parent
RECORDED: Final = ORACLE.parent / "fixtures" / "conformance" / "kube-1.35"
FIRST: Final = 40
PROGRAMS: Final = {"gen": FAMILIES, "gen_more": MORE_FAMILIES}


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "devices"])
def test_recorded_cases_are_those_of_seed_a(family: str) -> None:
    with gzip.open(RECORDED / f"{family}.cases.jsonl.gz", "rt") as file:
        recorded = [line for _, line in zip(range(FIRST), file, strict=False)]

    drawn = cases(family, FAMILIES[family], "a", len(recorded))

    assert [json.dumps(case, separators=(",", ":")) + "\n" for case in drawn] == recorded


def _startless_or_equal(objects: list[Object], node: str) -> tuple[int, int]:
    """How many pods of a node have not started, and how many share a start time."""
    running = [
        each["status"].get("startTime")
        for each in objects
        if each["kind"] == "Pod" and each["spec"].get("nodeName") == node
    ]
    started = [time for time in running if time]
    return len(running) - len(started), len(started) - len(set(started))


@pytest.mark.parametrize("family", MORE_FAMILIES)
def test_victims_have_one_order(family: str) -> None:
    for case in cases(family, MORE_FAMILIES[family], "order", FIRST):
        nodes = [each["metadata"]["name"] for each in case["objects"] if each["kind"] == "Node"]
        for node in nodes:
            startless, equal = _startless_or_equal(case["objects"], node)
            assert startless <= 1, case["id"]
            assert equal == 0, case["id"]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("as_module", [False, True])
def test_same_seed_same_bytes(program: str, as_module: bool) -> None:
    family = next(iter(PROGRAMS[program]))
    command = ["-m", f"tests.oracle.{program}"] if as_module else [str(ORACLE / f"{program}.py")]

    runs = [
        subprocess.run(
            [sys.executable, *command, family, "s", count],
            cwd=ORACLE.parents[1],
            capture_output=True,
            check=True,
        ).stdout.splitlines()
        for count in ("2", "3")
    ]

    assert runs[0] == runs[1][:2]
    assert [json.loads(line)["id"] for line in runs[1]] == [f"{family}-s-{i}" for i in range(3)]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("arguments", [[], ["x", "s"], ["nothing", "s", "1"], ["ports", "s", "x"]])
def test_wrong_arguments_name_the_families(program: str, arguments: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, f"{program}.py", *arguments],
        cwd=ORACLE,
        capture_output=True,
        check=False,
        text=True,
    )

    families = " ".join(PROGRAMS[program])
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == f"usage: FAMILY SEED COUNT, FAMILY one of {families}\n"
