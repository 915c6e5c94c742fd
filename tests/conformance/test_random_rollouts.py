"""Random rollouts end on the real control plane as they do here in one of the legal orders."""

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.conformance.compare_rollouts import differences
from tests.conformance.rollouts import ends

RECORDED = Path(__file__).parents[1] / "fixtures" / "conformance"
MOST_ORDERS: Final = 100
"""Orders that are played before a record counts as different."""


def _records(name: str) -> list[Mapping[str, Any]]:
    with gzip.open(RECORDED / name, "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.mark.parametrize(
    "record", _records("rollouts-random-1.35.jsonl.gz"), ids=lambda record: record["id"]
)
def test_a_random_rollout_ends_as_in_one_of_the_orders(record: Mapping[str, Any]) -> None:
    orders = ends(record, "1.35", {}, MOST_ORDERS)

    assert [] in (differences(record, end) for end in orders)
