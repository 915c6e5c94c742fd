"""Every recorded rollout ends in the simulation as it ended on the real control plane."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.compare_rollouts import differences
from tests.conformance.rollouts import simulate

RECORDED = Path(__file__).parents[1] / "fixtures" / "conformance"


def _records(name: str) -> list[Mapping[str, Any]]:
    with gzip.open(RECORDED / name, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    "record",
    [*_records("rollouts-1.35.jsonl.gz"), *_records("rollouts-more-1.35.jsonl.gz")],
    ids=lambda record: record["id"],
)
def test_a_recorded_rollout_ends_alike(record: Mapping[str, Any]) -> None:
    assert differences(record, simulate(record, "1.35", {})) == []


@pytest.mark.parametrize(
    "record", _records("rollouts-gated-1.35.jsonl.gz"), ids=lambda record: record["id"]
)
def test_a_rollout_recorded_with_max_unavailable_ends_alike(record: Mapping[str, Any]) -> None:
    gates = {"MaxUnavailableStatefulSet": True}

    assert differences(record, simulate(record, "1.35", gates)) == []


@pytest.mark.parametrize(
    "record", _records("rollouts-gated-1.37.jsonl.gz"), ids=lambda record: record["id"]
)
def test_a_rollout_recorded_on_1_37_ends_alike(record: Mapping[str, Any]) -> None:
    assert differences(record, simulate(record, "1.37", {})) == []
