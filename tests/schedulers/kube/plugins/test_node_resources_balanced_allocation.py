from typing import Any

import pytest

from kschedx.api.errors import KschedxError
from kschedx.api.pod import Pod
from kschedx.schedulers.kube.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, scores

NODES = cluster(
    node("empty"),
    node("cpu-heavy"),
    node("full"),
    node("no-memory", allocatable={"memory": "0"}),
    pod("a", node="cpu-heavy", requests={"cpu": "2"}),
    pod("b", node="full", requests={"cpu": "9", "memory": "9Gi"}),
)
"""Each node has 4 cpu and 8Gi."""

CPU = pod(requests={"cpu": "1"})
MEMORY = pod(requests={"memory": "4Gi"})
EVEN = pod(requests={"cpu": "1", "memory": "2Gi"})
BEST_EFFORT = pod()
AT_POD_LEVEL = pod(spec={"resources": {"requests": {"cpu": "1", "memory": "0"}}})


def rule(minor: int, *resources: str) -> NodeResourcesBalancedAllocation:
    args = {"resources": [{"name": name, "weight": 1} for name in resources]}
    return NodeResourcesBalancedAllocation.from_args(args, Release(minor))


def of(empty: int, cpu_heavy: int, full: int, no_memory: int) -> dict[str, int]:
    return {"empty": empty, "cpu-heavy": cpu_heavy, "full": full, "no-memory": no_memory}


@pytest.mark.parametrize(
    ("minor", "asking", "expected"),
    [
        pytest.param(32, BEST_EFFORT, of(100, 75, 100, 100), id="1.32: best effort is scored"),
        pytest.param(33, BEST_EFFORT, {}, id="1.33: best effort is skipped"),
        pytest.param(35, CPU, of(87, 62, 100, 100), id="1.35: the balance with the pod"),
        pytest.param(35, MEMORY, of(75, 100, 100, 100), id="1.35: a pod that evens out"),
        pytest.param(35, EVEN, of(100, 75, 100, 100), id="1.35: a pod that changes nothing"),
        pytest.param(36, CPU, of(68, 68, 75, 75), id="1.36: the change of balance"),
        pytest.param(36, MEMORY, of(62, 87, 75, 75), id="1.36: a pod that evens out"),
        pytest.param(37, EVEN, of(75, 75, 75, 75), id="1.37: a pod that changes nothing"),
        pytest.param(37, BEST_EFFORT, {}, id="1.37: best effort is skipped"),
        pytest.param(35, AT_POD_LEVEL, of(87, 62, 100, 100), id="requests at pod level count"),
    ],
)
def test_balance_of_cpu_and_memory(minor: int, asking: Pod, expected: dict[str, int]) -> None:
    assert scores(rule(minor), asking, NODES) == expected


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        pytest.param(("cpu",), 100, id="one resource is always balanced"),
        pytest.param(("cpu", "memory", "ephemeral-storage"), 79, id="three by deviation"),
        pytest.param(("cpu", "memory", "nvidia.com/gpu"), 75, id="not asked for, not counted"),
    ],
)
def test_other_resources(resources: tuple[str, ...], expected: int) -> None:
    room = {"ephemeral-storage": "10Gi", "nvidia.com/gpu": "1"}
    view = cluster(node("n1", allocatable=room))
    asking = pod(requests={"cpu": "2", "ephemeral-storage": "2Gi"})

    assert scores(rule(35, *resources), asking, view) == {"n1": expected}


@pytest.mark.parametrize(
    "resources",
    [
        pytest.param([{"name": "cpu", "weight": 2}], id="weight"),
        pytest.param([{"name": "cpu"}, {"name": "cpu"}], id="twice"),
        pytest.param("cpu", id="no list"),
    ],
)
def test_arguments_that_the_scheduler_refuses(resources: Any) -> None:
    with pytest.raises(KschedxError, match="arguments of NodeResourcesBalancedAllocation"):
        NodeResourcesBalancedAllocation.from_args({"resources": resources}, Release())
