"""What a user's words name, and what is said where they name nothing."""

import pytest

from kschedx.answers.targets import find_node, find_pod_named, find_target
from kschedx.api.errors import KschedxError
from kschedx.api.meta import ObjectMeta
from kschedx.api.workloads import Deployment, StatefulSet
from kschedx.snapshot.snapshot import Snapshot
from tests.builders import node, pod, snapshot

HELD = snapshot(
    node("worker-1"),
    node("worker-2"),
    pod("api-0", namespace="prod"),
    pod("api-1", namespace="prod"),
    pod("web", namespace="prod"),
    pod("web", namespace="test"),
    pod("deploy", namespace="odd"),
    Deployment(metadata=ObjectMeta(name="web", namespace="prod")),
    Deployment(metadata=ObjectMeta(name="web", namespace="test")),
    StatefulSet(metadata=ObjectMeta(name="api", namespace="prod")),
)

FOUND = {
    "a name": ("api-0", None, "prod/api-0"),
    "a name in a namespace": ("web", "test", "test/web"),
    "namespace and name": ("prod/web", None, "prod/web"),
    "pod and name": ("pod/api-1", None, "prod/api-1"),
    "pod, namespace and name": ("po/prod/web", None, "prod/web"),
    "a workload": ("sts/api", None, "prod/api"),
    "a workload by its whole kind": ("statefulset/api", "prod", "prod/api"),
    "a workload in a namespace": ("deploy/test/web", None, "test/web"),
    "a workload with its group": ("deployments.apps/web", "prod", "prod/web"),
}


@pytest.mark.parametrize(("target", "namespace", "key"), FOUND.values(), ids=FOUND.keys())
def test_found(target: str, namespace: str | None, key: str) -> None:
    found = find_target(HELD, target, namespace)

    assert f"{found.namespace}/{found.name}" == key


NOT_FOUND = {
    "a name that is near": (
        "api-2",
        None,
        ("no-such-pod", "no pod api-2", "near names: prod/api-1, prod/api-0"),
    ),
    "a name in another namespace": (
        "api-0",
        "test",
        ("no-such-pod", "no pod api-0 in namespace test", "near names: prod/api-0"),
    ),
    "a name near nothing": (
        "xyz",
        None,
        ("no-such-pod", "no pod xyz", "5 pods are in the snapshot"),
    ),
    "several pods": (
        "web",
        None,
        ("ambiguous-pod", "2 pods are named web: prod/web, test/web", "choose one: -n prod"),
    ),
    "several workloads": (
        "deploy/web",
        None,
        (
            "ambiguous-workload",
            "2 of kind Deployment are named web: prod/web, test/web",
            "choose one: -n prod",
        ),
    ),
    "a workload that is near": (
        "sts/apo",
        None,
        ("no-such-workload", "no StatefulSet apo", "near names: prod/api"),
    ),
    "a workload near nothing": (
        "ds/agent",
        None,
        ("no-such-workload", "no DaemonSet agent", "the snapshot holds 0 of kind DaemonSet"),
    ),
    "a namespace that is near": (
        "prd/web",
        None,
        (
            "no-such-pod",
            "no pod prd/web: prd is neither a kind nor a namespace with pods",
            "near names: prod",
        ),
    ),
    "a kind without pods": (
        "svc/web",
        None,
        (
            "not-a-workload",
            "Service is not a kind that has pods",
            "these have: deploy, sts, ds, job, rs and rc, such as deploy/web",
        ),
    ),
    "no kind at all": (
        "deployy/prod/web",
        None,
        ("unknown-kind", "'deployy' is not a kind that scheduling reads", "did you mean deploy?"),
    ),
}


@pytest.mark.parametrize(("target", "namespace", "error"), NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_not_found(target: str, namespace: str | None, error: tuple[str, str, str]) -> None:
    with pytest.raises(KschedxError) as raised:
        find_target(HELD, target, namespace)

    assert (raised.value.code, raised.value.message, raised.value.hint) == error


def test_an_empty_snapshot() -> None:
    with pytest.raises(KschedxError) as raised:
        find_target(Snapshot(), "p", None)

    assert raised.value.hint == (
        "the snapshot holds no pods at all: kubectl get pods,nodes -A -o json > FILE"
    )


def test_a_node() -> None:
    assert find_node(HELD, "worker-1").name == "worker-1"
    with pytest.raises(KschedxError) as raised:
        find_node(HELD, "worker1")
    assert (raised.value.message, raised.value.hint) == (
        "no node worker1",
        "near names: worker-1, worker-2",
    )


def test_a_pod_that_has_ended_is_not_scheduled_again() -> None:
    ended = snapshot(pod("batch-1", node="worker-1", status={"phase": "Succeeded"}))

    with pytest.raises(KschedxError) as raised:
        find_pod_named(ended, "batch-1", None)
    assert (raised.value.code, raised.value.message, raised.value.hint) == (
        "pod-has-ended",
        "pod default/batch-1 has succeeded: nothing is left to schedule",
        "kschedx why default/batch-1 says what became of it",
    )
