from typing import Any

import msgspec
import pytest

from kschedx.api.node import Node
from kschedx.snapshot.node_taints import with_condition_taints

CASES: dict[str, tuple[dict[str, str], dict[str, Any], list[str]]] = {
    "without conditions it is ready": ({}, {}, []),
    "ready": ({"Ready": "True", "MemoryPressure": "False"}, {}, []),
    "not ready": (
        {"Ready": "False"},
        {},
        ["node.kubernetes.io/not-ready:NoSchedule", "node.kubernetes.io/not-ready:NoExecute"],
    ),
    "unreachable": (
        {"Ready": "Unknown"},
        {},
        ["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"],
    ),
    "under pressure": (
        {"MemoryPressure": "True", "DiskPressure": "True", "PIDPressure": "True"},
        {},
        [
            "node.kubernetes.io/memory-pressure:NoSchedule",
            "node.kubernetes.io/disk-pressure:NoSchedule",
            "node.kubernetes.io/pid-pressure:NoSchedule",
        ],
    ),
    "pressure that is not known": ({"MemoryPressure": "Unknown"}, {}, []),
    "without a network": (
        {"NetworkUnavailable": "True"},
        {},
        ["node.kubernetes.io/network-unavailable:NoSchedule"],
    ),
    "cordoned": ({}, {"unschedulable": True}, ["node.kubernetes.io/unschedulable:NoSchedule"]),
    "its own taints come first and stay as they are": (
        {"DiskPressure": "True"},
        {
            "taints": [
                {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
                {"key": "node.kubernetes.io/disk-pressure", "value": "x", "effect": "NoSchedule"},
            ]
        },
        ["dedicated=gpu:NoSchedule", "node.kubernetes.io/disk-pressure=x:NoSchedule"],
    ),
}


@pytest.mark.parametrize(("conditions", "spec", "expected"), CASES.values(), ids=CASES.keys())
def test_taints(conditions: dict[str, str], spec: dict[str, Any], expected: list[str]) -> None:
    raw = {
        "spec": spec,
        "status": {"conditions": [{"type": t, "status": s} for t, s in conditions.items()]},
    }
    node = with_condition_taints(msgspec.convert(raw, Node))

    assert [str(taint) for taint in node.spec.taints] == expected
    assert with_condition_taints(node) is node
