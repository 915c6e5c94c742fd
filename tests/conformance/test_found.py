"""Differences that fuzzing once found, each with the real scheduler's verdict."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.replay import replay_line
from tests.oracle.compare import differences

FOUND = Path(__file__).parents[1] / "fixtures" / "conformance" / "found"
RECORDS = [
    pytest.param(json.loads(line), id=f"{path.stem}: {json.loads(line)['case']['id']}")
    for path in sorted(FOUND.glob("*.jsonl"))
    for line in path.read_text().splitlines()
]


@pytest.mark.parametrize("record", RECORDS)
def test_the_verdict_is_the_real_schedulers(record: dict[str, Any]) -> None:
    got = replay_line(json.dumps(record["case"]).encode(), record["version"])

    assert not record["want"].get("error")
    assert list(differences(record["case"], record["want"], got)) == []
