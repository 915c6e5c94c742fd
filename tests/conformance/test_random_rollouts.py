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
    ("version", "record"),
    [
        (version, record)
        for version in ("1.35", "1.37")
        for record in _records(f"rollouts-random-{version}.jsonl.gz")
    ],
    ids=lambda value: value if isinstance(value, str) else value["id"],
)
def test_a_random_rollout_ends_as_in_one_of_the_orders(
    version: str, record: Mapping[str, Any]
) -> None:
    orders = ends(record, version, {}, MOST_ORDERS)

    assert [] in (differences(record, end) for end in orders)
