"""What is added to raw objects, and what is said where a server would refuse.

What a real API server adds is compared in test_recorded_admission.py.
"""

from typing import Any

import msgspec
import pytest

from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod, Toleration
from kschedx.api.policy import LimitRange
from kschedx.api.scheduling import PriorityClass, RuntimeClass
from kschedx.api.storage import PersistentVolumeClaim, StorageClass
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.admission import with_admission
from kschedx.snapshot.defaults import with_defaults
from kschedx.snapshot.snapshot import Snapshot


def made(kind: type[Object], name: str, **fields: Any) -> Object:
    metadata = {"name": name, **fields.pop("metadata", {})}
    return msgspec.convert({"metadata": metadata, **fields}, kind)


def pod(**spec: Any) -> Object:
    return made(Pod, "p", metadata={"namespace": "default"}, spec=spec)


def admitted(*objects: Object, complete: bool = True, minor: int = 35) -> Snapshot:
    release = Release(minor)
    snapshot = Snapshot(complete=complete).with_objects(objects)
    return with_admission(with_defaults(snapshot, release), release)


def the_pod(snapshot: Snapshot) -> Pod:
    return snapshot.all(Pod)["default/p"]


WAITS = (
    Toleration("node.kubernetes.io/not-ready", "Exists", "", "NoExecute", 300),
    Toleration("node.kubernetes.io/unreachable", "Exists", "", "NoExecute", 300),
)
HIGH = made(PriorityClass, "high", value=1000, preemptionPolicy="Never")
USUAL = made(PriorityClass, "usual", value=50, globalDefault=True)
ALSO_USUAL = made(PriorityClass, "also-usual", value=40, globalDefault=True)
KATA = made(
    RuntimeClass,
    "kata",
    overhead={"podFixed": {"cpu": "250m"}},
    scheduling={
        "nodeSelector": {"kata": "yes"},
        "tolerations": [{"key": "kata", "operator": "Exists"}],
    },
)


def test_stored_pod_is_left_alone() -> None:
    stored = made(Pod, "p", metadata={"namespace": "default", "uid": "1"})
    snapshot = admitted(stored, USUAL)

    assert the_pod(snapshot).spec.tolerations == ()
    assert the_pod(snapshot).spec.priority is None


def test_pod_waits_five_minutes_on_a_lost_node() -> None:
    assert the_pod(admitted(pod())).spec.tolerations == WAITS


def test_pod_that_was_never_created_is_pending_and_a_placed_one_runs_on() -> None:
    running = made(Pod, "p", metadata={"namespace": "default"}, status={"phase": "Running"})

    assert the_pod(admitted(pod())).status.phase == "Pending"
    assert the_pod(admitted(running)).status.phase == "Running"


PRIORITIES: dict[
    str, tuple[dict[str, Any], tuple[Object, ...], tuple[int | None, str, str | None]]
] = {
    "no class": ({}, (), (0, "", "PreemptLowerPriority")),
    "a class": ({"priorityClassName": "high"}, (HIGH,), (1000, "high", "Never")),
    "the default class": ({}, (HIGH, USUAL), (50, "usual", "PreemptLowerPriority")),
    "of several default classes the lowest": (
        {},
        (USUAL, ALSO_USUAL),
        (40, "also-usual", "PreemptLowerPriority"),
    ),
    "a class that every cluster has": (
        {"priorityClassName": "system-node-critical"},
        (),
        (2000001000, "system-node-critical", "PreemptLowerPriority"),
    ),
    "a priority that it states itself": ({"priority": 7}, (HIGH,), (7, "", "PreemptLowerPriority")),
    "a class that is not there": ({"priorityClassName": "x"}, (HIGH,), (None, "x", None)),
}


@pytest.mark.parametrize(
    ("spec", "classes", "expected"), PRIORITIES.values(), ids=PRIORITIES.keys()
)
def test_priority(
    spec: dict[str, Any],
    classes: tuple[Object, ...],
    expected: tuple[int | None, str, str | None],
) -> None:
    given = the_pod(admitted(pod(**spec), *classes)).spec

    assert (given.priority, given.priority_class_name, given.preemption_policy) == expected


def test_runtime_class() -> None:
    wanted = pod(runtimeClassName="kata", nodeSelector={"disk": "ssd"})
    given = the_pod(admitted(wanted, KATA)).spec

    assert given.overhead == {"cpu": "250m"}
    assert given.node_selector == {"kata": "yes", "disk": "ssd"}
    assert given.tolerations == (*WAITS, Toleration("kata", "Exists"))


def test_equal_overhead_may_be_stated() -> None:
    snapshot = admitted(pod(runtimeClassName="kata", overhead={"cpu": "0.25"}), KATA)

    assert snapshot.notes == ()


REMARKS: dict[str, tuple[Object, tuple[Object, ...], bool, str]] = {
    "no such priority class": (
        pod(priorityClassName="x"),
        (),
        True,
        "an API server would refuse it: there is no PriorityClass x",
    ),
    "priority classes not read": (
        pod(priorityClassName="x"),
        (),
        False,
        "its priority is not known: the files hold no PriorityClass x",
    ),
    "another priority than its class has": (
        pod(priorityClassName="high", priority=5),
        (HIGH,),
        True,
        "an API server would refuse its priority 5: PriorityClass high has 1000",
    ),
    "a priority without a class": (
        pod(priority=5),
        (),
        True,
        "an API server would refuse its priority 5: a pod without a class has 0",
    ),
    "no such runtime class": (
        pod(runtimeClassName="x"),
        (),
        True,
        "an API server would refuse it: there is no RuntimeClass x",
    ),
    "runtime classes not read": (
        pod(runtimeClassName="x"),
        (),
        False,
        "what RuntimeClass x adds to it is not known: the files do not hold it",
    ),
    "another overhead": (
        pod(runtimeClassName="kata", overhead={"cpu": "1"}),
        (KATA,),
        True,
        "an API server would refuse its overhead: RuntimeClass kata has another",
    ),
    "another node selector": (
        pod(runtimeClassName="kata", nodeSelector={"kata": "no"}),
        (KATA,),
        True,
        "an API server would refuse it: RuntimeClass kata selects nodes with kata=yes, "
        "the pod kata=no",
    ),
}


@pytest.mark.parametrize(
    ("wanted", "others", "complete", "remark"), REMARKS.values(), ids=REMARKS.keys()
)
def test_remarks(wanted: Object, others: tuple[Object, ...], complete: bool, remark: str) -> None:
    assert admitted(wanted, *others, complete=complete).notes == (f"Pod default/p: {remark}",)


def test_limit_ranges_by_name_and_only_of_the_namespace() -> None:
    def limits(name: str, namespace: str, **item: Any) -> Object:
        return made(
            LimitRange,
            name,
            metadata={"namespace": namespace},
            spec={"limits": [{"type": "Container", **item}]},
        )

    snapshot = admitted(
        pod(
            containers=[{"name": "a"}, {"name": "b", "resources": {"limits": {"cpu": "3"}}}],
            initContainers=[{"name": "i"}],
        ),
        limits("z", "default", default={"cpu": "9"}, defaultRequest={"cpu": "9"}),
        limits("a", "default", default={"cpu": "2"}, defaultRequest={"cpu": "1"}),
        limits("a", "other", default={"memory": "1Gi"}),
        made(
            LimitRange,
            "pods",
            metadata={"namespace": "default"},
            spec={"limits": [{"type": "Pod", "max": {"cpu": "1"}}]},
        ),
    )
    spec = the_pod(snapshot).spec

    assert [
        (c.resources.requests, c.resources.limits)
        for c in (*spec.containers, *spec.init_containers)
    ] == [
        ({"cpu": "1"}, {"cpu": "2"}),
        ({"cpu": "3"}, {"cpu": "3"}),
        ({"cpu": "1"}, {"cpu": "2"}),
    ]


@pytest.mark.parametrize("minor", [36, 37])
def test_pod_level_requests_see_the_limit_range(minor: int) -> None:
    snapshot = admitted(
        pod(resources={"limits": {"cpu": "4"}}, containers=[{}]),
        made(
            LimitRange,
            "a",
            metadata={"namespace": "default"},
            spec={"limits": [{"type": "Container", "defaultRequest": {"memory": "1"}}]},
        ),
        minor=minor,
    )
    resources = the_pod(snapshot).spec.resources

    assert resources is not None
    assert resources.requests == {"cpu": "4", "memory": "1"}


def claim(**fields: Any) -> Object:
    return made(PersistentVolumeClaim, "c", **fields)


def storage_class(name: str, created: str | None = None, *, beta: bool = False) -> Object:
    prefix = "storageclass.beta" if beta else "storageclass"
    annotations = {f"{prefix}.kubernetes.io/is-default-class": "true"}
    return made(
        StorageClass, name, metadata={"annotations": annotations, "creationTimestamp": created}
    )


CLASSES: dict[str, tuple[Object, tuple[Object, ...], str | None]] = {
    "no default class": (claim(), (made(StorageClass, "slow"),), None),
    "the default class": (claim(), (made(StorageClass, "a"), storage_class("b")), "b"),
    "marked in the old way": (claim(), (storage_class("b", beta=True),), "b"),
    "the newest of several": (
        claim(),
        (storage_class("a", "2025-01-01T00:00:00Z"), storage_class("b", "2026-01-01T00:00:00Z")),
        "b",
    ),
    "of equally old ones the first by name": (
        claim(),
        (storage_class("b"), storage_class("a")),
        "a",
    ),
    "a claim that wants none": (claim(spec={"storageClassName": ""}), (storage_class("a"),), ""),
    "a claim that names one": (claim(spec={"storageClassName": "x"}), (storage_class("a"),), "x"),
    "a claim that names one in the old way": (
        claim(metadata={"annotations": {"volume.beta.kubernetes.io/storage-class": "x"}}),
        (storage_class("a"),),
        None,
    ),
    "a stored claim": (claim(metadata={"uid": "1"}), (storage_class("a"),), None),
}


@pytest.mark.parametrize(("wanted", "classes", "expected"), CLASSES.values(), ids=CLASSES.keys())
def test_storage_class(wanted: Object, classes: tuple[Object, ...], expected: str | None) -> None:
    (given,) = admitted(wanted, *classes).all(PersistentVolumeClaim).values()

    assert given.spec.storage_class_name == expected


@pytest.mark.parametrize(("uid", "taints"), {"": 1, "1": 0}.items())
def test_taints_of_raw_nodes_alone(uid: str, taints: int) -> None:
    node = made(Node, "n", metadata={"uid": uid}, spec={"unschedulable": True})

    assert len(admitted(node).all(Node)["n"].spec.taints) == taints
