from typing import Any

import msgspec
import pytest

from kschedx.api.pod import Toleration
from kschedx.snapshot.toleration_merge import merged

ALL = {"operator": "Exists"}
A = {"key": "a", "operator": "Exists"}
A_NO_SCHEDULE = {**A, "effect": "NoSchedule"}
A_EQUALS = {"key": "a", "operator": "Equal", "value": "x", "effect": "NoSchedule"}
A_BARE = {"key": "a", "value": "x", "effect": "NoSchedule"}
WAIT = {"key": "a", "operator": "Exists", "effect": "NoExecute"}

CASES: dict[str, tuple[list[Any], list[Any], list[Any]]] = {
    "different ones": ([A_EQUALS], [{"key": "b"}], [A_EQUALS, {"key": "b"}]),
    "equal ones stay once": ([A], [A], [A]),
    "a wider one later": ([A_NO_SCHEDULE, A_EQUALS], [A], [A]),
    "a wider one before": ([A], [A_NO_SCHEDULE], [A]),
    "one that covers all": ([A, {"key": "b"}], [ALL], [ALL]),
    "another effect": ([WAIT], [A_NO_SCHEDULE], [WAIT, A_NO_SCHEDULE]),
    "the same value, the operator spelled out": ([A_EQUALS], [A_BARE], [A_BARE]),
    "the same value, the operator left out": ([A_BARE], [A_EQUALS], [A_BARE]),
    "a longer wait": (
        [{**WAIT, "tolerationSeconds": 60}],
        [{**WAIT, "tolerationSeconds": 300}],
        [{**WAIT, "tolerationSeconds": 300}],
    ),
    "a wait without end": ([{**WAIT, "tolerationSeconds": 60}], [WAIT], [WAIT]),
    "nothing": ([], [], []),
    "an operator that is unknown covers nothing": (
        [{"key": "a", "operator": "Gt", "value": "1"}],
        [{"key": "a", "operator": "Gt", "value": "2"}],
        [
            {"key": "a", "operator": "Gt", "value": "1"},
            {"key": "a", "operator": "Gt", "value": "2"},
        ],
    ),
}


@pytest.mark.parametrize(("first", "second", "expected"), CASES.values(), ids=CASES.keys())
def test_merged(first: list[Any], second: list[Any], expected: list[Any]) -> None:
    one, two, three = (
        tuple(msgspec.convert(t, Toleration) for t in side) for side in (first, second, expected)
    )

    assert merged(one, two) == three
