"""Every recorded case gets the verdict that the real kube-scheduler gave it."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from tests.oracle.compare import Object, differences, lines

VECTORS: Final = Path(__file__).parents[1] / "fixtures" / "conformance"
CASES: Final = VECTORS / "kube-1.35"  # the other versions judge the first of the same cases
RECORDED: Final = [
    (path.parent.name.removeprefix("kube-"), path.name.removesuffix(".verdicts.jsonl.gz"))
    for path in sorted(VECTORS.glob("kube-*/*.verdicts.jsonl.gz"))
]
SHOWN_CASES: Final = 3
SHOWN_DIFFERENCES: Final = 4


def test_four_versions_judge_fourteen_families() -> None:
    versions = Counter(version for version, _ in RECORDED)

    assert versions == {"1.34": 14, "1.35": 14, "1.36": 14, "1.37": 14}


@pytest.mark.parametrize(("version", "family"), RECORDED)
def test_replayed_verdicts_equal_the_recorded(version: str, family: str) -> None:
    from tests.conformance.replay import replay_line

    wanted = lines(str(VECTORS / f"kube-{version}" / f"{family}.verdicts.jsonl.gz"))
    with gzip.open(CASES / f"{family}.cases.jsonl.gz", "rb") as file:
        cases = file.read().splitlines()
    failed = [
        report
        for want, line in zip(wanted, cases[: len(wanted)], strict=True)
        if (report := _report(line, want, replay_line(line, version)))
    ]

    if failed:
        shown = "\n".join(failed[:SHOWN_CASES])
        pytest.fail(f"{len(failed)} of {len(wanted)} cases differ\n{shown}", pytrace=False)


def _report(line: bytes, want: Object, got: Object) -> str:
    """What differs in one case, or nothing."""
    case = json.loads(line)
    assert want["id"] == case["id"] == got["id"]
    found = [
        f"  {field}\n    want {wanted}\n    got  {replayed}"
        for field, wanted, replayed in differences(case, want, got)
    ]
    return "\n".join([f"--- {case['id']}", *found[:SHOWN_DIFFERENCES]]) if found else ""
