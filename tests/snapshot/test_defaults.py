from typing import Any

import msgspec
import pytest

from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.policy import LimitRange
from kschedx.api.scheduling import PriorityClass
from kschedx.api.storage import CSIDriver, PersistentVolume, PersistentVolumeClaim, StorageClass
from kschedx.api.workloads import Namespace
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.defaults import defaulted, with_defaults
from kschedx.snapshot.snapshot import Snapshot

RELEASE = Release(35)
FULL = {"schedulerName": "default-scheduler", "restartPolicy": "Always"}
FULL_SPEC = {**FULL, "terminationGracePeriodSeconds": 30}

CASES: dict[str, tuple[type[Object], Any, Any]] = {
    "an empty pod": (Pod, {}, {"spec": FULL_SPEC}),
    "what a pod states stays": (
        Pod,
        {
            "spec": {
                "schedulerName": "other",
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 0,
            }
        },
        {
            "spec": {
                "schedulerName": "other",
                "restartPolicy": "Never",
                "terminationGracePeriodSeconds": 0,
            }
        },
    ),
    "requests from limits, stated ones kept": (
        Pod,
        {
            "spec": {
                **FULL_SPEC,
                "containers": [
                    {
                        "resources": {
                            "requests": {"cpu": 0},
                            "limits": {"cpu": 2, "x.y/z": 1},
                        }
                    }
                ],
                "initContainers": [{"resources": {"limits": {"memory": "1Gi"}}}],
            }
        },
        {
            "spec": {
                **FULL_SPEC,
                "containers": [
                    {
                        "resources": {
                            "requests": {"cpu": 0, "x.y/z": 1},
                            "limits": {"cpu": 2, "x.y/z": 1},
                        }
                    }
                ],
                "initContainers": [
                    {"resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}}
                ],
            }
        },
    ),
    "ports are TCP": (
        Pod,
        {"spec": {**FULL_SPEC, "containers": [{"ports": [{"containerPort": 80}]}]}},
        {
            "spec": {
                **FULL_SPEC,
                "containers": [{"ports": [{"containerPort": 80, "protocol": "TCP"}]}],
            }
        },
    ),
    "ports on the host's network": (
        Pod,
        {
            "spec": {
                **FULL_SPEC,
                "hostNetwork": True,
                "containers": [
                    {"ports": [{"containerPort": 80}, {"containerPort": 1, "hostPort": 2}]}
                ],
                "initContainers": [{"ports": [{"containerPort": 3, "protocol": "UDP"}]}],
            }
        },
        {
            "spec": {
                **FULL_SPEC,
                "hostNetwork": True,
                "containers": [
                    {
                        "ports": [
                            {"containerPort": 80, "hostPort": 80, "protocol": "TCP"},
                            {"containerPort": 1, "hostPort": 2, "protocol": "TCP"},
                        ]
                    }
                ],
                "initContainers": [
                    {"ports": [{"containerPort": 3, "hostPort": 3, "protocol": "UDP"}]}
                ],
            }
        },
    ),
    "volumes": (
        Pod,
        {"spec": {**FULL_SPEC, "volumes": [{"rbd": {"image": "i"}}, {"azureDisk": {}}, {}]}},
        {
            "spec": {
                **FULL_SPEC,
                "volumes": [
                    {"rbd": {"image": "i", "pool": "rbd"}},
                    {"azureDisk": {"kind": "Shared"}},
                    {},
                ],
            }
        },
    ),
    "pod-level requests from pod-level limits": (
        Pod,
        {"spec": {**FULL_SPEC, "resources": {"limits": {"cpu": "2"}}}},
        {"spec": {**FULL_SPEC, "resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "2"}}}},
    ),
    "a node that reports only its capacity": (
        Node,
        {"status": {"capacity": {"cpu": "2"}}},
        {"status": {"capacity": {"cpu": "2"}, "allocatable": {"cpu": "2"}}},
    ),
    "a node's own taints are its own": (
        Node,
        {"spec": {"unschedulable": True}},
        {"spec": {"unschedulable": True}},
    ),
    "a namespace is labelled with its name": (
        Namespace,
        {"metadata": {"name": "a", "labels": {"x": "y", "kubernetes.io/metadata.name": "b"}}},
        {"metadata": {"name": "a", "labels": {"x": "y", "kubernetes.io/metadata.name": "a"}}},
    ),
    "a volume": (
        PersistentVolume,
        {},
        {
            "spec": {"volumeMode": "Filesystem", "persistentVolumeReclaimPolicy": "Retain"},
            "status": {"phase": "Pending"},
        },
    ),
    "a bound block volume": (
        PersistentVolume,
        {
            "spec": {"volumeMode": "Block", "persistentVolumeReclaimPolicy": "Delete"},
            "status": {"phase": "Bound"},
        },
        {
            "spec": {"volumeMode": "Block", "persistentVolumeReclaimPolicy": "Delete"},
            "status": {"phase": "Bound"},
        },
    ),
    "a claim": (
        PersistentVolumeClaim,
        {},
        {"spec": {"volumeMode": "Filesystem"}, "status": {"phase": "Pending"}},
    ),
    "a storage class": (
        StorageClass,
        {},
        {"volumeBindingMode": "Immediate", "reclaimPolicy": "Delete"},
    ),
    "a driver": (CSIDriver, {}, {"spec": {"storageCapacity": False}}),
    "a priority class": (PriorityClass, {}, {"preemptionPolicy": "PreemptLowerPriority"}),
    "limits of containers": (
        LimitRange,
        {
            "spec": {
                "limits": [
                    {
                        "type": "Container",
                        "max": {"cpu": 4},
                        "default": {"memory": 2},
                        "defaultRequest": {"memory": 1},
                        "min": {"cpu": 1, "storage": 3},
                    },
                    {"type": "Pod", "max": {"cpu": 8}},
                ]
            }
        },
        {
            "spec": {
                "limits": [
                    {
                        "type": "Container",
                        "max": {"cpu": 4},
                        "default": {"memory": 2, "cpu": 4},
                        "defaultRequest": {"memory": 1, "cpu": 4, "storage": 3},
                        "min": {"cpu": 1, "storage": 3},
                    },
                    {"type": "Pod", "max": {"cpu": 8}},
                ]
            }
        },
    ),
}


@pytest.mark.parametrize(("kind", "raw", "expected"), CASES.values(), ids=CASES.keys())
def test_defaults(kind: type[Object], raw: Any, expected: Any) -> None:
    assert defaulted(msgspec.convert(raw, kind), RELEASE) == msgspec.convert(expected, kind)


@pytest.mark.parametrize(("kind", "raw", "expected"), CASES.values(), ids=CASES.keys())
def test_defaults_are_given_once(kind: type[Object], raw: Any, expected: Any) -> None:
    full = msgspec.convert(expected, kind)

    assert defaulted(full, RELEASE) == full


def test_pod_that_lacks_nothing_is_not_made_anew() -> None:
    pod = msgspec.convert(
        {
            "spec": {
                **FULL_SPEC,
                "containers": [{"resources": {"requests": {"cpu": 1}, "limits": {"cpu": 2}}}],
                "volumes": [{"emptyDir": {}}],
            }
        },
        Pod,
    )

    assert defaulted(pod, RELEASE) is pod


@pytest.mark.parametrize(("minor", "derived"), {33: False, 34: True, 36: True, 37: False}.items())
def test_pod_level_requests_by_version(minor: int, derived: bool) -> None:
    """1.37 derives them when a pod is created, not whenever it is read."""
    pod = msgspec.convert({"spec": {"resources": {"limits": {"cpu": "2"}}}}, Pod)
    resources = defaulted(pod, Release(minor)).spec.resources

    assert resources is not None
    assert bool(resources.requests) is derived


def test_snapshot_keeps_its_order_and_all_else() -> None:
    pods = [
        msgspec.convert({"metadata": {"name": name, "namespace": "a"}, "spec": spec}, Pod)
        for name, spec in (("z", {}), ("b", FULL_SPEC), ("m", {}))
    ]
    before = Snapshot(version="v1.35.4", notes=("x",)).with_objects(pods)
    after = with_defaults(before, RELEASE)

    assert list(after.all(Pod)) == ["a/z", "a/b", "a/m"]
    assert after.all(Pod)["a/b"] is before.all(Pod)["a/b"]
    assert after.all(Pod)["a/m"].spec.scheduler_name == "default-scheduler"
    assert (after.version, after.notes) == ("v1.35.4", ("x",))
