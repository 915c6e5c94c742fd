from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kschedx.api.devices import DeviceClass
from kschedx.api.errors import KschedxError
from kschedx.api.pod import Pod
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks, Verdict
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.plugins.node_resources_fit import (
    InsufficientResource,
    NodeResourcesFit,
    SidecarsDisabled,
    TooManyPods,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, rejections, scores, snapshot

MI = 1024 * 1024
GI = 1024 * MI
GPU = "nvidia.com/gpu"


def rule(minor: int = 35, **args: Any) -> NodeResourcesFit:
    return NodeResourcesFit.from_args(args, Release(minor))


def beyond(resource: str, requested: int, used: int, allocatable: int) -> InsufficientResource:
    return InsufficientResource(resource, requested, used, allocatable, preemptible=False)


USED = pod("used", node="n1", requests={"cpu": "1500m", "memory": "6Gi"})

CASES: dict[str, tuple[dict[str, str], dict[str, str], tuple[Reason, ...]]] = {
    "no requests": ({}, {}, ()),
    "exactly what is free": ({"cpu": "2500m", "memory": "2Gi"}, {}, ()),
    "one milli too much": (
        {"cpu": "2501m"},
        {},
        (InsufficientResource("cpu", 2501, 1500, 4000),),
    ),
    "fractions of a milli round up": (
        {"cpu": "2500500u"},
        {},
        (InsufficientResource("cpu", 2501, 1500, 4000),),
    ),
    "all that is lacking, in upstream's order": (
        {GPU: "1", "memory": "3Gi", "cpu": "3"},
        {GPU: "0"},
        (
            InsufficientResource("cpu", 3000, 1500, 4000),
            InsufficientResource("memory", 3 * GI, 6 * GI, 8 * GI),
            beyond(GPU, 1, 0, 0),
        ),
    ),
    "more than the node has": ({"cpu": "5"}, {}, (beyond("cpu", 5000, 1500, 4000),)),
    "a resource that the node does not report": (
        {"ephemeral-storage": "1Gi"},
        {},
        (beyond("ephemeral-storage", GI, 0, 0),),
    ),
    "zero fits a node without": ({GPU: "0", "cpu": "0"}, {}, ()),
    "no room for another pod": ({}, {"pods": "1"}, (TooManyPods(1, 1),)),
    "too many pods and too little cpu": (
        {"cpu": "3"},
        {"pods": "1"},
        (TooManyPods(1, 1), InsufficientResource("cpu", 3000, 1500, 4000)),
    ),
    "names that the scheduler does not count": (
        {"gpu": "9", "requests.nvidia.com/gpu": "9", "storage": "9Gi"},
        {},
        (),
    ),
    "names that it counts": (
        {"hugepages-2Mi": "4Mi", "a.kubernetes.io/b": "2", "attachable-volumes-x": "1"},
        {"hugepages-2Mi": "2Mi", "a.kubernetes.io/b": "2"},
        (beyond("attachable-volumes-x", 1, 0, 0), beyond("hugepages-2Mi", 4 * MI, 0, 2 * MI)),
    ),
}


@pytest.mark.parametrize(("requests", "room", "expected"), CASES.values(), ids=CASES.keys())
def test_room(requests: dict[str, str], room: dict[str, str], expected: tuple[Reason, ...]) -> None:
    view = cluster(node("n1", allocatable=room), USED)

    assert rejections(rule(), pod(requests=requests), view) == {"n1": expected}


@pytest.mark.parametrize(("minor", "outcome"), [(33, "UNSCHEDULABLE"), (34, "UNRESOLVABLE")])
def test_from_1_34_on_eviction_is_hopeless_where_the_node_is_too_small(
    minor: int, outcome: str
) -> None:
    view = cluster(node("n1", allocatable={"pods": "0"}))
    reasons = rejections(rule(minor), pod(requests={"cpu": "5"}), view)["n1"]

    assert Verdict("NodeResourcesFit", reasons).outcome is Outcome[outcome]


@pytest.mark.parametrize(
    "ignored",
    [{"ignoredResources": [GPU]}, {"ignoredResourceGroups": ["nvidia.com"]}],
    ids=["by name", "by group"],
)
def test_ignored_resources(ignored: dict[str, Any]) -> None:
    view = cluster(node("n1"))
    asking = pod(requests={GPU: "1", "example.com/fpga": "1"})

    assert rejections(rule(**ignored), asking, view) == {
        "n1": (beyond("example.com/fpga", 1, 0, 0),)
    }


def test_only_extended_resources_can_be_ignored() -> None:
    fit = rule(ignoredResources=["cpu", "hugepages-2Mi"])
    asking = pod(requests={"cpu": "5", "hugepages-2Mi": "2Mi"})

    assert rejections(fit, asking, cluster(node("n1"))) == {
        "n1": (beyond("cpu", 5000, 0, 4000), beyond("hugepages-2Mi", 2 * MI, 0, 0))
    }


def test_sidecars_where_their_gate_is_off() -> None:
    spec = {"initContainers": [{"name": "side", "restartPolicy": "Always"}]}
    off = NodeResourcesFit.from_args({}, Release(32, {"SidecarContainers": False}))
    view = cluster(node("n1"))

    assert rejections(off, pod(spec=spec), view) == {"n1": (SidecarsDisabled(),)}
    assert rejections(rule(), pod(spec=spec), view) == {"n1": ()}


def device_class(name: str, resource: str | None = None) -> DeviceClass:
    raw = {"metadata": {"name": name}, "spec": {"extendedResourceName": resource}}
    return msgspec.convert(raw, DeviceClass)


IMPLICIT = "deviceclass.resource.kubernetes.io/gpus"


@pytest.mark.parametrize(
    ("minor", "resource", "expected"),
    [
        pytest.param(35, GPU, (beyond(GPU, 2, 0, 0),), id="until 1.35 only nodes provide it"),
        pytest.param(36, GPU, (), id="from 1.36 on devices may"),
        pytest.param(36, IMPLICIT, (), id="under its implicit name"),
        pytest.param(36, "example.com/fpga", (beyond("example.com/fpga", 2, 0, 0),), id="no class"),
    ],
)
def test_devices_behind_a_resource(minor: int, resource: str, expected: tuple[Reason, ...]) -> None:
    view = cluster(
        node("none"), node("one", allocatable={resource: "1"}), device_class("gpus", GPU)
    )

    assert rejections(rule(minor), pod(requests={resource: "2"}), view) == {
        "none": expected,
        "one": (beyond(resource, 2, 0, 1),),
    }


def test_unread_device_classes_matter_where_no_node_offers_the_resource() -> None:
    asking = pod(requests={GPU: "2"})
    none, one = node("none"), node("one", allocatable={GPU: "1"})
    lacks = SnapshotLacks("DeviceClass", f"for resource {GPU}")

    def found(*nodes: Any, minor: int = 36) -> dict[str, tuple[Reason, ...]]:
        view = ClusterView.of(snapshot(*nodes, complete=False))
        return rejections(rule(minor), asking, view)

    assert found(none) == {"none": (lacks,)}
    assert found(none, one) == {"none": (beyond(GPU, 2, 0, 0),), "one": (beyond(GPU, 2, 0, 1),)}
    assert found(none, minor=35) == {"none": (beyond(GPU, 2, 0, 0),)}


@settings(deadline=None)
@given(
    request=st.integers(0, 9000),
    used=st.integers(0, 9000),
    room=st.integers(0, 9000),
    more=st.integers(0, 9000),
)
def test_more_room_never_rejects(request: int, used: int, room: int, more: int) -> None:
    def fits(cpu: int) -> bool:
        there = pod("there", node="n1", requests={"cpu": f"{used}m"})
        view = cluster(node("n1", allocatable={"cpu": f"{cpu}m"}), there)
        return rejections(rule(), pod(requests={"cpu": f"{request}m"}), view) == {"n1": ()}

    assert fits(room + more) or not fits(room)


def test_words() -> None:
    cpu = InsufficientResource("cpu", 9000, 9000, 12000)
    memory = beyond("memory", 3 * GI, 2 * GI, 2 * GI)
    pods = TooManyPods(110, 110)

    assert cpu.outcome is Outcome.UNSCHEDULABLE
    assert cpu.upstream_text(35) == "Insufficient cpu"
    assert cpu.sentence() == "needs 9 cpu, 3 of 12 free"
    assert cpu.subject() == "insufficient cpu"
    assert cpu.short_by() == 6000
    assert memory.outcome is Outcome.UNRESOLVABLE
    assert memory.sentence() == "needs 3Gi memory, 0 of 2Gi free"
    assert pods.outcome is Outcome.UNSCHEDULABLE
    assert pods.upstream_text(35) == "Too many pods"
    assert pods.sentence() == "holds 110 pods of at most 110"
    assert pods.subject() == "too many pods"
    assert pods.short_by() == 1


def test_words_on_disabled_sidecars() -> None:
    reason = SidecarsDisabled()

    assert reason.outcome is Outcome.UNRESOLVABLE
    assert reason.upstream_text(32) == (
        "Pod has a restartable init container and the SidecarContainers feature is disabled"
    )
    assert reason.sentence() == (
        "has a restartable init container; feature gate SidecarContainers is off"
    )


def strategy(kind: str, *resources: tuple[str, int], shape: Any = None) -> dict[str, Any]:
    written: dict[str, Any] = {
        "type": kind,
        "resources": [{"name": name, "weight": weight} for name, weight in resources],
    }
    if shape is not None:
        points = [{"utilization": u, "score": s} for u, s in shape]
        written["requestedToCapacityRatio"] = {"shape": points}
    return {"scoringStrategy": written}


CPU = ("cpu", 1)
ASKING = pod(requests={"cpu": "1", "memory": "2Gi", GPU: "1"})
SCORED = cluster(
    node("empty", allocatable={GPU: "4"}),
    node("half"),
    pod("there", node="half", requests={"cpu": "2", "memory": "2Gi"}),
)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        pytest.param({}, {"empty": 75, "half": 37}, id="by default the emptiest"),
        pytest.param(
            strategy("LeastAllocated", ("cpu", 3), ("memory", 1)),
            {"empty": 75, "half": 31},
            id="by weight",
        ),
        pytest.param(
            strategy("LeastAllocated", ("memory", 0), (GPU, 0)),
            {"empty": 75, "half": 50},
            id="a resource that the node lacks does not count",
        ),
        pytest.param(
            strategy("LeastAllocated", ("example.com/fpga", 1), ("gpu", 1)),
            {"empty": 0, "half": 0},
            id="none that counts",
        ),
        pytest.param(strategy("MostAllocated"), {"empty": 25, "half": 62}, id="the fullest"),
        pytest.param(
            strategy("RequestedToCapacityRatio", CPU, shape=[(0, 0), (50, 10), (100, 0)]),
            {"empty": 50, "half": 50},
            id="along a line",
        ),
        pytest.param(
            strategy("RequestedToCapacityRatio", CPU, ("memory", 1), shape=[(0, 10), (70, 3)]),
            {"empty": 75, "half": 40},
            id="falling, cut towards zero, rounded half up",
        ),
        pytest.param(
            strategy("RequestedToCapacityRatio", CPU, ("memory", 3), shape=[(50, 0), (75, 10)]),
            {"empty": 0, "half": 100},
            id="resources that score nothing are left out of the mean",
        ),
    ],
)
def test_scores(args: dict[str, Any], expected: dict[str, int]) -> None:
    assert scores(rule(**args), ASKING, SCORED) == expected


def without_requests(**spec: Any) -> Pod:
    return pod(spec={"containers": [{"name": "a"}, {"name": "b"}], **spec})


@pytest.mark.parametrize(
    ("minor", "asking", "expected"),
    [
        pytest.param(35, without_requests(), 80, id="stand-ins for every container"),
        pytest.param(
            35, pod(requests={"cpu": "0", "memory": "0"}), 100, id="an explicit zero is zero"
        ),
        pytest.param(
            35,
            without_requests(resources={"requests": {"cpu": "500m", "memory": "800Mi"}}),
            80,
            id="requests at pod level do not count",
        ),
    ],
)
def test_what_the_pod_adds(minor: int, asking: Pod, expected: int) -> None:
    view = cluster(node("n1", allocatable={"cpu": "1", "memory": "2000Mi"}))

    assert scores(rule(minor), asking, view) == {"n1": expected}


def test_pods_without_requests_fill_a_node_for_scoring() -> None:
    view = cluster(
        node("n1", allocatable={"cpu": "1", "memory": "2000Mi"}), pod("there", node="n1")
    )

    assert scores(rule(), pod(requests={"cpu": "0", "memory": "0"}), view) == {"n1": 90}


@pytest.mark.parametrize(
    "args",
    [
        pytest.param({"scoringStrategy": {"type": "Fullest"}}, id="unknown strategy"),
        pytest.param(strategy("RequestedToCapacityRatio", CPU), id="no shape"),
        pytest.param(strategy("RequestedToCapacityRatio", shape=[]), id="empty shape"),
        pytest.param(
            strategy("RequestedToCapacityRatio", shape=[(50, 1), (50, 2)]), id="shape not rising"
        ),
        pytest.param(strategy("RequestedToCapacityRatio", shape=[(0, 11)]), id="score above 10"),
        pytest.param(strategy("RequestedToCapacityRatio", shape=[(101, 1)]), id="beyond 100%"),
        pytest.param(strategy("LeastAllocated", ("cpu", 101)), id="weight above 100"),
        pytest.param(strategy("LeastAllocated", ("cpu", -1)), id="negative weight"),
        pytest.param({"ignoredResources": GPU}, id="no list"),
        pytest.param({"scoringStragety": {}}, id="unknown field"),
    ],
)
def test_arguments_that_the_scheduler_refuses(args: dict[str, Any]) -> None:
    with pytest.raises(KschedxError, match="arguments of NodeResourcesFit"):
        rule(**args)
