"""What the comparison lets pass, and what it doesn't."""

import copy
from typing import Final

import pytest

from tests.oracle.compare import Object, differences

NOMINATES: Final = (
    "preemption: found a potential placement for pod on node {}, preempting 1 victims"
)
CASE: Final[Object] = {
    "id": "c",
    "objects": [
        {
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"priority": priority},
            "status": {"startTime": "2026-03-02T00:00:00Z"},
        }
        for name, priority in (("a", 0), ("b", 0), ("c", 5))
    ],
}
VERDICT: Final[Object] = {
    "id": "c",
    "nodes": {"n0": {"code": "Unschedulable", "plugin": "NodeResourcesFit", "reasons": ["x", "y"]}},
    "scores": {"n1": {"P": 5, "total": 5}, "n2": {"P": 5, "Q": 0, "total": 5}},
    "selected": ["n1"],
    "message": NOMINATES.format("n1"),
    "preemptionEligible": True,
    "candidates": {"n1": {"pods": ["default/a"], "pdbViolations": 0}},
    "nominated": ["n1", "n2"],
}
SAME: Final[dict[str, Object]] = {
    "nothing changed": {},
    "reasons in another order": {
        "nodes": {
            "n0": {"code": "Unschedulable", "plugin": "NodeResourcesFit", "reasons": ["y", "x"]}
        }
    },
    "a score of nothing left out": {
        "scores": {"n1": {"P": 5, "total": 5}, "n2": {"P": 5, "total": 5}},
        "selected": ["n1", "n2"],
    },
    "the message names another nominated node": {"message": NOMINATES.format("n2")},
    "a victim's equal": {"candidates": {"n1": {"pods": ["default/b"], "pdbViolations": 0}}},
    "more nodes that tie": {"nominated": ["n1", "n2", "n3"]},
}
DIFFERENT: Final[dict[str, tuple[Object, str]]] = {
    "one of the top scorers only": ({"selected": ["n2"]}, "selected"),
    "another plugin": (
        {"nodes": {"n0": {"code": "Unschedulable", "plugin": "NodePorts", "reasons": ["x", "y"]}}},
        "nodes",
    ),
    "a score": (
        {"scores": {"n1": {"P": 4, "total": 5}, "n2": {"P": 5, "total": 5}}},
        "scores",
    ),
    "a message that names a stranger": ({"message": NOMINATES.format("n9")}, "message"),
    "a more important victim": (
        {"candidates": {"n1": {"pods": ["default/c"], "pdbViolations": 0}}},
        "candidates",
    ),
    "violated budgets": (
        {"candidates": {"n1": {"pods": ["default/a"], "pdbViolations": 1}}},
        "candidates",
    ),
    "fewer nodes that tie": ({"nominated": ["n1"]}, "nominated"),
    "not eligible": ({"preemptionEligible": False}, "preemptionEligible"),
    "an error": ({"error": "no"}, "error"),
}


def _changed(change: Object) -> Object:
    return {**copy.deepcopy(VERDICT), "selected": ["n1", "n2"], **change}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_equal(change: Object) -> None:
    assert list(differences(CASE, VERDICT, _changed(change))) == []


@pytest.mark.parametrize(("change", "field"), DIFFERENT.values(), ids=DIFFERENT)
def test_different(change: Object, field: str) -> None:
    assert [found for found, _, _ in differences(CASE, VERDICT, _changed(change))] == [field]


def test_what_the_scheduler_could_not_judge_is_not_compared() -> None:
    assert list(differences(CASE, {"id": "c", "error": "panic"}, VERDICT)) == []
