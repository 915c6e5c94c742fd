"""A workload's pods: how many there are and why others were never created."""

from typing import Any

import msgspec
import pytest

from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.api.policy import ResourceQuota
from kschedx.api.scheduling import PriorityClass
from kschedx.api.workloads import DaemonSet, Deployment, Job, ReplicaSet, StatefulSet
from kschedx.diagnose.workload import NotCreated, Workload, pods_of, state_of
from kschedx.framework.accounting import Accounting
from tests.builders import pod, snapshot

TEMPLATE = {
    "spec": {
        "containers": [{"name": "main", "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]
    }
}


def make(kind: type[Any], name: str, spec: dict[str, Any] | None = None, **fields: Any) -> Any:
    metadata = {"name": name, "namespace": "default", **fields.pop("metadata", {})}
    raw = {"metadata": metadata, "spec": {"template": TEMPLATE, **(spec or {})}, **fields}
    return msgspec.convert(raw, kind)


def owned(name: str, kind: str, owner: str, **fields: Any) -> Pod:
    reference = {"kind": kind, "name": owner, "controller": True}
    return pod(name, metadata={"ownerReferences": [reference]}, **fields)


def replica_set(replicas: int, **fields: Any) -> ReplicaSet:
    reference = {"kind": "Deployment", "name": "web", "controller": True}
    made: ReplicaSet = make(
        ReplicaSet,
        "web-1",
        {"replicas": replicas},
        metadata={"ownerReferences": [reference]},
        **fields,
    )
    return made


def quota(name: str, hard: dict[str, str], used: dict[str, str], **spec: Any) -> ResourceQuota:
    raw = {
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"hard": hard, **spec},
        "status": {"hard": hard, "used": used},
    }
    return msgspec.convert(raw, ResourceQuota)


def obstacles(workload: Workload, *others: Object, complete: bool = True) -> tuple[NotCreated, ...]:
    held = snapshot(workload, *others, complete=complete)
    return state_of(held, workload, Accounting()).not_created


DEPLOYMENT: Deployment = make(Deployment, "web", {"replicas": 2})
PODS_OF: dict[str, tuple[Workload, tuple[Object, ...], list[str]]] = {
    "through the ReplicaSet": (
        DEPLOYMENT,
        (replica_set(2), owned("a", "ReplicaSet", "web-1"), owned("b", "ReplicaSet", "other-1")),
        ["a"],
    ),
    "by the name that a ReplicaSet would have": (
        DEPLOYMENT,
        (
            owned("a", "ReplicaSet", "web-9", labels={"pod-template-hash": "9"}),
            owned("b", "ReplicaSet", "web-2-9", labels={"pod-template-hash": "9"}),
        ),
        ["a"],
    ),
    "directly": (
        make(StatefulSet, "db"),
        (owned("db-0", "StatefulSet", "db"), owned("x", "ReplicaSet", "db"), pod("loose")),
        ["db-0"],
    ),
}


@pytest.mark.parametrize(("workload", "others", "names"), PODS_OF.values(), ids=PODS_OF.keys())
def test_pods_of(workload: Workload, others: tuple[Object, ...], names: list[str]) -> None:
    held = snapshot(workload, *others)

    assert [found.name for found in pods_of(held, workload)] == names


WANTED: dict[str, tuple[Workload, int]] = {
    "replicas": (make(StatefulSet, "db", {"replicas": 3}), 3),
    "one where nothing is said": (make(StatefulSet, "db"), 1),
    "what the DaemonSet's controller counts": (
        make(DaemonSet, "agent", status={"desiredNumberScheduled": 4}),
        4,
    ),
    "what is left of a Job": (
        make(Job, "load", {"parallelism": 5, "completions": 6}, status={"succeeded": 4}),
        2,
    ),
    "a Job that is suspended": (make(Job, "load", {"suspend": True}), 0),
    "a Job that has ended": (
        make(Job, "load", status={"conditions": [{"type": "Complete", "status": "True"}]}),
        0,
    ),
}


@pytest.mark.parametrize(("workload", "wanted"), WANTED.values(), ids=WANTED.keys())
def test_wanted(workload: Workload, wanted: int) -> None:
    assert state_of(snapshot(workload), workload, Accounting()).wanted == wanted


def test_a_rollout_wants_old_and_new_pods() -> None:
    state = state_of(snapshot(DEPLOYMENT, replica_set(3)), DEPLOYMENT, Accounting())

    assert (state.wanted, state.existing, state.missing) == (3, 0, 3)


DB: StatefulSet = make(StatefulSet, "db", {"replicas": 3})
READY = {"conditions": [{"type": "Ready", "status": "True"}]}
FORBIDDEN = 'pods "web-1-" is forbidden: exceeded quota: team'
OBSTACLES: dict[str, tuple[Workload, tuple[Object, ...], list[tuple[str, str]]]] = {
    "nothing is missing": (make(StatefulSet, "db"), (owned("db-0", "StatefulSet", "db"),), []),
    "nothing that the snapshot shows": (DB, (), []),
    "the next waits for one that is not ready": (
        DB,
        (
            owned("db-0", "StatefulSet", "db", node="n1", status=READY),
            owned("db-1", "StatefulSet", "db"),
        ),
        [("ordered-ready", "the next pod waits until db-1 is Ready (OrderedReady)")],
    ),
    "a priority class that does not exist": (
        make(
            StatefulSet,
            "db",
            {"template": {"spec": {"priorityClassName": "gold"}}},
        ),
        (),
        [
            (
                "priority-class-missing",
                "the template asks for PriorityClass gold, which does not exist",
            )
        ],
    ),
    "a priority class that exists": (
        make(StatefulSet, "db", {"template": {"spec": {"priorityClassName": "gold"}}}),
        (msgspec.convert({"metadata": {"name": "gold"}}, PriorityClass),),
        [],
    ),
    "a quota that is used up": (
        DB,
        (quota("team", {"requests.cpu": "10", "pods": "50"}, {"requests.cpu": "9", "pods": "4"}),),
        [
            (
                "quota-exceeded",
                "ResourceQuota team: requests.cpu 9 used of 10, the next pod needs 2",
            )
        ],
    ),
    "a quota of pods": (
        DB,
        (quota("team", {"count/pods": "4"}, {"count/pods": "4"}),),
        [("quota-exceeded", "ResourceQuota team: count/pods 4 used of 4, the next pod needs 1")],
    ),
    "a quota for certain pods only": (
        DB,
        (quota("team", {"pods": "4"}, {"pods": "4"}, scopes=["BestEffort"]),),
        [
            (
                "quota-not-compared",
                "ResourceQuota team counts certain pods only, and was not compared",
            )
        ],
    ),
    "a refusal that the ReplicaSet recorded": (
        DEPLOYMENT,
        (
            replica_set(
                2,
                status={
                    "conditions": [
                        {
                            "type": "ReplicaFailure",
                            "status": "True",
                            "reason": "FailedCreate",
                            "message": FORBIDDEN,
                        }
                    ]
                },
            ),
        ),
        [("creation-refused", f"FailedCreate: {FORBIDDEN}")],
    ),
    "a Job that is suspended": (
        make(Job, "load", {"suspend": True}),
        (),
        [("suspended", "the Job is suspended")],
    ),
}


@pytest.mark.parametrize(("workload", "others", "found"), OBSTACLES.values(), ids=OBSTACLES.keys())
def test_why_pods_were_not_created(
    workload: Workload, others: tuple[Object, ...], found: list[tuple[str, str]]
) -> None:
    assert [(o.code, o.message) for o in obstacles(workload, *others)] == found


def test_an_unread_priority_class_is_not_missing() -> None:
    workload = make(StatefulSet, "db", {"template": {"spec": {"priorityClassName": "gold"}}})

    assert obstacles(workload, complete=False) == ()
