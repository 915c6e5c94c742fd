from typing import Any

import msgspec
import pytest

from kschedx.api.meta import Object
from kschedx.api.workloads import (
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.defaults import defaulted

TEMPLATE = {
    "spec": {
        "schedulerName": "default-scheduler",
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
    }
}
STATEFUL = {
    "replicas": 1,
    "podManagementPolicy": "OrderedReady",
    "revisionHistoryLimit": 10,
    "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    "template": TEMPLATE,
}

CASES: dict[str, tuple[type[Object], Any, Any]] = {
    "a Deployment": (
        Deployment,
        {},
        {
            "replicas": 1,
            "strategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"},
            },
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 600,
            "template": TEMPLATE,
        },
    ),
    "a Deployment that is recreated, of no pods": (
        Deployment,
        {"replicas": 0, "strategy": {"type": "Recreate"}, "progressDeadlineSeconds": 5},
        {
            "replicas": 0,
            "strategy": {"type": "Recreate"},
            "revisionHistoryLimit": 10,
            "progressDeadlineSeconds": 5,
            "template": TEMPLATE,
        },
    ),
    "a StatefulSet": (
        StatefulSet,
        {},
        {
            **STATEFUL,
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
        },
    ),
    "a StatefulSet whose strategy is named stays without partition": (
        StatefulSet,
        {"updateStrategy": {"type": "RollingUpdate"}},
        {**STATEFUL, "updateStrategy": {"type": "RollingUpdate"}},
    ),
    "a StatefulSet that waits for deletion": (
        StatefulSet,
        {"updateStrategy": {"type": "OnDelete"}, "replicas": 3},
        {**STATEFUL, "updateStrategy": {"type": "OnDelete"}, "replicas": 3},
    ),
    "a StatefulSet's claims": (
        StatefulSet,
        {
            "updateStrategy": {"type": "OnDelete"},
            "volumeClaimTemplates": [{"metadata": {"name": "data"}}],
            "persistentVolumeClaimRetentionPolicy": {"whenScaled": "Delete"},
        },
        {
            **STATEFUL,
            "updateStrategy": {"type": "OnDelete"},
            "volumeClaimTemplates": [
                {"metadata": {"name": "data"}, "spec": {"volumeMode": "Filesystem"}}
            ],
            "persistentVolumeClaimRetentionPolicy": {
                "whenDeleted": "Retain",
                "whenScaled": "Delete",
            },
        },
    ),
    "a DaemonSet": (
        DaemonSet,
        {},
        {
            "updateStrategy": {
                "type": "RollingUpdate",
                "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0},
            },
            "template": TEMPLATE,
        },
    ),
    "a ReplicaSet": (ReplicaSet, {}, {"replicas": 1, "template": TEMPLATE}),
    "a Job of one pod": (
        Job,
        {},
        {"completions": 1, "parallelism": 1, "template": TEMPLATE},
    ),
    "a Job of several completions": (
        Job,
        {"completions": 3},
        {"completions": 3, "parallelism": 1, "template": TEMPLATE},
    ),
    "a Job that works off a queue": (
        Job,
        {"parallelism": 3},
        {"parallelism": 3, "template": TEMPLATE},
    ),
    "a template's requests wait for the pod": (
        ReplicaSet,
        {
            "replicas": 1,
            "template": {
                "spec": {
                    "hostNetwork": True,
                    "containers": [
                        {"resources": {"limits": {"cpu": 1}}, "ports": [{"containerPort": 1}]}
                    ],
                }
            },
        },
        {
            "replicas": 1,
            "template": {
                "spec": {
                    **TEMPLATE["spec"],
                    "hostNetwork": True,
                    "containers": [
                        {
                            "resources": {"limits": {"cpu": 1}},
                            "ports": [{"containerPort": 1, "protocol": "TCP"}],
                        }
                    ],
                }
            },
        },
    ),
}


@pytest.mark.parametrize(("kind", "raw", "expected"), CASES.values(), ids=CASES.keys())
def test_defaults(kind: type[Object], raw: Any, expected: Any) -> None:
    full = defaulted(msgspec.convert({"spec": raw}, kind), Release(35))

    assert full == msgspec.convert({"spec": expected}, kind)
    assert defaulted(full, Release(35)) == full


def test_replication_controller_selects_its_template() -> None:
    raw = {"spec": {"template": {"metadata": {"labels": {"app": "a"}}}}}
    full = defaulted(msgspec.convert(raw, ReplicationController), Release(35))

    assert full.spec.selector == {"app": "a"}
    assert full.metadata.labels == {"app": "a"}
    assert full.spec.replicas == 1


def test_max_unavailable_of_a_stateful_set_where_its_gate_is_on() -> None:
    full = defaulted(StatefulSet(), Release(37))

    assert full.spec.update_strategy.rolling_update is not None
    assert full.spec.update_strategy.rolling_update.max_unavailable == 1
