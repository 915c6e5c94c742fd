"""Every rule: a cluster and manifests, and all that is found, word for word."""

from __future__ import annotations

from typing import Any

import pytest

from kschedx.gate.findings import RULE, Severity
from kschedx.gate.settings import Settings
from kschedx.snapshot.snapshot import Snapshot
from tests.gate.sets import (
    budget,
    cluster,
    document,
    existing_set,
    found,
    manifests,
    node,
    pod_spec,
    report,
    running,
    workload,
)

TWO = cluster(node("a"), node("b"))
CLAIM = {
    "accessModes": ["ReadWriteOnce"],
    "storageClassName": "disk",
    "resources": {"requests": {"storage": "1Gi"}},
}
USES_CLAIM = [{"name": "d", "persistentVolumeClaim": {"claimName": "c"}}]
SET = cluster(node("a"), node("b"), existing_set("db", "3", "a", "b"))


def bare(name: str, cpu: str) -> str:
    return document("v1", "Pod", {"name": name, "namespace": "prod"}, spec=pod_spec(cpu))


def quota(**hard: str) -> str:
    metadata = {"name": "q", "namespace": "prod", "uid": "q"}
    return document("v1", "ResourceQuota", metadata, spec={"hard": hard})


def limits(*items: dict[str, Any]) -> str:
    metadata = {"name": "l", "namespace": "prod", "uid": "l"}
    return document("v1", "LimitRange", metadata, spec={"limits": items})


def claim(name: str = "c") -> str:
    metadata = {"name": name, "namespace": "prod"}
    return document("v1", "PersistentVolumeClaim", metadata, spec=CLAIM)


def storage_class(mode: str, provisioner: str = "disk.csi.example.com") -> str:
    metadata = {"name": "disk", "uid": "disk"}
    api = "storage.k8s.io/v1"
    return document(api, "StorageClass", metadata, provisioner=provisioner, volumeBindingMode=mode)


def volume(size: str, mode: str = "ReadWriteOnce") -> str:
    spec = {"capacity": {"storage": size}, "accessModes": [mode], "storageClassName": "disk"}
    status = {"phase": "Available"}
    metadata = {"name": "pv", "uid": "pv"}
    return document("v1", "PersistentVolume", metadata, spec=spec, status=status)


def priority_class(name: str, value: int) -> str:
    return document("scheduling.k8s.io/v1", "PriorityClass", {"name": name}, value=value)


Case = tuple[Snapshot, list[str], list[tuple[str, str, str]]]
CASES: dict[str, Case] = {
    "all fits": (TWO, [workload("Deployment", "x", 2, "3")], []),
    "no node is large enough": (
        TWO,
        [workload("Deployment", "x", 2, "5")],
        [
            (
                "unschedulable",
                "Deployment prod/x",
                "2 of 2 replicas get no node: no node of 2 can take it",
            )
        ],
    ),
    "two workloads share the room": (
        TWO,
        [workload("Deployment", "x", 2, "3"), workload("Deployment", "y", 1, "3")],
        [
            (
                "unschedulable",
                "Deployment prod/y",
                "its only pod gets no node: no node of 2 can take it",
            )
        ],
    ),
    "ordered replicas wait behind the first that waits": (
        TWO,
        [workload("StatefulSet", "x", 4, "3")],
        [
            (
                "unschedulable",
                "StatefulSet prod/x",
                "2 of 4 replicas get no node: no node of 2 can take it",
            )
        ],
    ),
    "a daemon pod without room on its node": (
        cluster(node("a"), node("b", "1")),
        [workload("DaemonSet", "x", None, "2")],
        [
            (
                "unschedulable",
                "DaemonSet prod/x",
                "its pod has no place on 1 of 2 nodes: of 2 nodes only b may take it (DaemonSet x), and cannot",
            )
        ],
    ),
    "a job takes as many places as it runs at once": (
        TWO,
        [workload("Job", "x", None, "3", own={"parallelism": 3, "completions": 9})],
        [
            (
                "unschedulable",
                "Job prod/x",
                "1 of 3 replicas gets no node: no node of 2 can take it",
            )
        ],
    ),
    "a bare pod": (
        TWO,
        [bare("x", "9")],
        [("unschedulable", "Pod prod/x", "the pod gets no node: no node of 2 can take it")],
    ),
    "a larger size of what is there": (
        SET,
        [workload("StatefulSet", "db", 3, "3")],
        [
            (
                "unschedulable",
                "StatefulSet prod/db",
                "1 of 3 replicas gets no node: no node of 2 can take it",
            )
        ],
    ),
    "nothing changes": (SET, [workload("StatefulSet", "db", 2, "3")], []),
    "a quota for some of the replicas": (
        cluster(node("a"), quota(**{"requests.cpu": "3"})),
        [workload("Deployment", "x", 5, "1")],
        [
            (
                "not-created",
                "Deployment prod/x",
                "2 of 5 pods are not created: quota q allows 3 of requests.cpu; 3 in use, 1 wanted",
            )
        ],
    ),
    "a quota and a bare pod": (
        cluster(node("a"), quota(pods="1"), running("y", "1", "a")),
        [bare("x", "1")],
        [("not-created", "Pod prod/x", "quota q allows 1 of pods; 1 in use, 1 wanted")],
    ),
    "a container above what a LimitRange allows": (
        cluster(node("a"), limits({"type": "Container", "max": {"cpu": "1"}})),
        [
            workload(
                "Deployment", "x", 1, "1", resources={"requests": {"cpu": 2}, "limits": {"cpu": 2}}
            )
        ],
        [
            (
                "not-created",
                "Deployment prod/x",
                "LimitRange l allows container main at most 1 cpu, whose limit is 2",
            )
        ],
    ),
    "a pod below what a LimitRange wants": (
        cluster(node("a"), limits({"type": "Pod", "min": {"memory": "1Gi"}})),
        [workload("Deployment", "x", 1, "1")],
        [
            (
                "not-created",
                "Deployment prod/x",
                "LimitRange l wants at least 1Gi memory of the pod, which requests none",
            )
        ],
    ),
    "a limit too far above its request": (
        cluster(node("a"), limits({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}})),
        [
            workload(
                "Deployment", "x", 1, "1", resources={"requests": {"cpu": 1}, "limits": {"cpu": 3}}
            )
        ],
        [
            (
                "not-created",
                "Deployment prod/x",
                "LimitRange l allows container main a cpu limit of 2 times its request, "
                "which requests 1 with a limit of 3",
            )
        ],
    ),
    "classes that do not exist": (
        TWO,
        [workload("Deployment", "x", 1, "1", priorityClassName="p", runtimeClassName="r")],
        [
            ("not-created", "Deployment prod/x", "there is no PriorityClass p"),
            ("not-created", "Deployment prod/x", "there is no RuntimeClass r"),
        ],
    ),
    "a class that the manifests bring": (
        TWO,
        [priority_class("p", 10), workload("Deployment", "x", 1, "1", priorityClassName="p")],
        [],
    ),
    "a request above its limit": (
        TWO,
        [
            workload(
                "Deployment", "x", 1, "1", resources={"requests": {"cpu": 2}, "limits": {"cpu": 1}}
            )
        ],
        [
            (
                "not-created",
                "Deployment prod/x",
                "container main requests 2 cpu, above its limit of 1",
            )
        ],
    ),
    "a claim that does not exist": (
        TWO,
        [workload("Deployment", "x", 1, "1", volumes=USES_CLAIM)],
        [
            (
                "claim-unusable",
                "Deployment prod/x",
                "its only pod gets no node: PersistentVolumeClaim prod/c does not exist",
            )
        ],
    ),
    "a claim whose class does not exist": (
        TWO,
        [claim(), workload("Deployment", "x", 1, "1", volumes=USES_CLAIM)],
        [
            (
                "claim-unusable",
                "Deployment prod/x",
                "its only pod gets no node: "
                "PersistentVolumeClaim prod/c is not bound, StorageClass disk does not exist",
            )
        ],
    ),
    "a claim that is provisioned at once": (
        cluster(node("a"), storage_class("Immediate")),
        [claim(), workload("Deployment", "x", 1, "1", volumes=USES_CLAIM)],
        [],
    ),
    "a claim that finds a volume": (
        cluster(node("a"), volume("2Gi")),
        [claim(), workload("Deployment", "x", 1, "1", volumes=USES_CLAIM)],
        [],
    ),
    "a claim larger than the only volume": (
        cluster(
            node("a"), storage_class("Immediate", "kubernetes.io/no-provisioner"), volume("1Mi")
        ),
        [claim(), workload("Deployment", "x", 1, "1", volumes=USES_CLAIM)],
        [
            (
                "claim-unusable",
                "Deployment prod/x",
                "its only pod gets no node: "
                "PersistentVolumeClaim prod/c is not bound, and StorageClass disk "
                "does not wait for the pod to get a node",
            )
        ],
    ),
    "claims of a set, provisioned at once": (
        cluster(node("a"), storage_class("Immediate")),
        [
            workload(
                "StatefulSet",
                "x",
                2,
                "1",
                own={"volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": CLAIM}]},
            )
        ],
        [],
    ),
    "an ephemeral volume": (
        cluster(node("a"), storage_class("WaitForFirstConsumer")),
        [
            workload(
                "Deployment",
                "x",
                2,
                "1",
                volumes=[{"name": "d", "ephemeral": {"volumeClaimTemplate": {"spec": CLAIM}}}],
            )
        ],
        [],
    ),
    "pods that evict others": (
        cluster(node("a"), running("low", "3", "a")),
        [
            priority_class("high", 1000),
            workload("Deployment", "x", 1, "2", priorityClassName="high"),
        ],
        [("preempts", "Deployment prod/x", "would evict prod/low")],
    ),
    "a budget that allows nothing": (
        TWO,
        [workload("Deployment", "x", 2, "1"), budget("x", "x", minAvailable="51%")],
        [
            (
                "blocks-drain",
                "PodDisruptionBudget prod/x",
                "never allows an eviction: minAvailable 51%, and 2 pods of Deployment prod/x",
            )
        ],
    ),
    "a size too small for the budget that is there": (
        cluster(node("a"), budget("x", "x", minAvailable=1)),
        [workload("Deployment", "x", 1, "1")],
        [
            (
                "blocks-drain",
                "Deployment prod/x",
                "PodDisruptionBudget prod/x never allows an eviction: "
                "minAvailable 1, and 1 pod of Deployment prod/x",
            )
        ],
    ),
    "a budget that allows one at a time": (
        TWO,
        [workload("Deployment", "x", 2, "1"), budget("x", "x", maxUnavailable=1)],
        [],
    ),
    "a node whose pods find no other": (
        cluster(node("a"), node("b", "1")),
        [workload("Deployment", "x", 3, "1"), budget("x", "x", minAvailable=2)],
        [
            (
                "blocks-drain",
                "PodDisruptionBudget prod/x",
                "a cannot be drained: 3 pods there of which minAvailable 2 lets 1 go at once, "
                "and 1 would find another node",
            )
        ],
    ),
    "a change that rolls": (SET, [workload("StatefulSet", "db", 2, "3", image="app:2")], []),
    "a change into which a waiting pod steps": (
        cluster(node("a"), node("b"), existing_set("db", "3", "a", "b"), running("w", "3", "")),
        [workload("StatefulSet", "db", 2, "3", image="app:2")],
        [
            (
                "rollout-deadlock",
                "StatefulSet prod/db",
                "its rollout stops at step 1 of 2: "
                "db-1 stays Pending, 0 of 2 nodes: 2 insufficient cpu",
            )
        ],
    ),
    "a new pod steps into a change": (
        SET,
        [
            workload("StatefulSet", "db", 2, "3", image="app:2"),
            workload("Deployment", "x", 1, "2"),
        ],
        [
            (
                "rollout-deadlock",
                "StatefulSet prod/db",
                "its rollout stops at step 1 of 2: "
                "db-1 stays Pending, 0 of 2 nodes: 2 insufficient cpu",
            ),
            (
                "unschedulable",
                "Deployment prod/x",
                "its only pod gets no node: no node of 2 can take it",
            ),
            (
                "steals-slot",
                "Deployment prod/x",
                "it waits for room and takes that of StatefulSet prod/db, whose rollout then stops",
            ),
        ],
    ),
    "a change into which a waiting pod steps if the scheduler is idle": (
        cluster(
            node("a"),
            node("b"),
            document(
                "scheduling.k8s.io/v1",
                "PriorityClass",
                {"name": "calm", "uid": "calm"},
                value=10,
                preemptionPolicy="Never",
            ),
            existing_set("db", "3", "a", "b", priorityClassName="calm", priority=10),
            running("w", "3", ""),
        ),
        [workload("StatefulSet", "db", 2, "3", image="app:2", priorityClassName="calm")],
        [
            (
                "rollout-at-risk",
                "StatefulSet prod/db",
                "its rollout may stop at step 1 of 2: "
                "db-1 stays Pending, 0 of 2 nodes: 2 insufficient cpu",
            )
        ],
    ),
    "another scheduler": (
        TWO,
        [bare("x", "1").replace('"containers"', '"schedulerName": "volcano", "containers"')],
        [
            (
                "not-checked",
                "Pod prod/x",
                "x is never tried: asks for scheduler volcano; this one serves default-scheduler",
            )
        ],
    ),
    "a gate": (
        TWO,
        [
            bare("x", "1").replace(
                '"containers"', '"schedulingGates": [{"name": "g"}], "containers"'
            )
        ],
        [("not-checked", "Pod prod/x", "x is never tried: waits for scheduling gate g")],
    ),
    "a class of which the snapshot knows nothing": (
        cluster(node("a"), complete=False),
        [workload("Deployment", "x", 1, "1", priorityClassName="p")],
        [
            (
                "not-checked",
                "Deployment prod/x",
                "the snapshot holds no PriorityClass objects, so p is not known",
            )
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_found(name: str) -> None:
    snapshot, parts, expected = CASES[name]

    assert found(snapshot, *parts) == expected


def test_a_node_that_cannot_be_lost() -> None:
    told = found(TWO, workload("Deployment", "x", 2, "3"), node_loss=True)

    assert told == [
        (
            "cannot-lose-a-node",
            "Deployment prod/x",
            "if a is lost, 1 of 1 pod there finds no other node",
        )
    ]


def test_a_node_that_can_be_lost() -> None:
    assert found(TWO, workload("Deployment", "x", 2, "1"), node_loss=True) == []


def test_who_is_evicted_and_which_budgets_break() -> None:
    snapshot = cluster(
        node("a"),
        running("low", "3", "a", labels={"app": "low"}),
        budget("low", "low", minAvailable=1),
    )
    new = manifests(
        priority_class("high", 1000),
        workload("Deployment", "x", 1, "2", priorityClassName="high"),
    )
    (finding,) = report(snapshot, new).findings

    assert finding.severity is Severity.WARNING
    assert finding.details == ("prod/low on a", "breaks 1 disruption budget: prod/low")


def test_a_fix_is_proven_and_the_nodes_are_explained() -> None:
    (finding,) = report(TWO, manifests(workload("Deployment", "x", 1, "5"))).findings

    assert finding.fix is not None
    assert finding.fix.sentence.startswith("lower container main's cpu request from 5 to 4")
    assert finding.details[0].startswith("2 nodes: insufficient cpu (needs 5 cpu, 4 of 4 free")


def test_a_deadlock_names_the_thief_and_what_prevents_it() -> None:
    snapshot = cluster(
        node("a"), node("b"), existing_set("db", "3", "a", "b"), running("w", "3", "")
    )
    new = manifests(workload("StatefulSet", "db", 2, "3", image="app:2"))
    (finding,) = report(snapshot, new).findings

    assert "prod/w takes the room that it frees on b (3 cpu, priority 0)" in finding.details
    assert finding.fix is not None


def test_severities_can_be_changed_and_rules_disabled() -> None:
    new = manifests(workload("Deployment", "x", 1, "1"), budget("x", "x", minAvailable=1))
    louder = Settings().with_options(["blocks-drain=error"])
    silent = Settings().with_options(disabled=["blocks-drain"])

    assert [f.severity for f in report(TWO, new).findings] == [Severity.WARNING]
    assert [f.severity for f in report(TWO, new, louder).failing] == [Severity.ERROR]
    assert report(TWO, new, silent).findings == ()


def test_every_rule_is_shown_by_a_case() -> None:
    shown = {rule for _, _, expected in CASES.values() for rule, _, _ in expected}

    assert shown == RULE.keys() - {"cannot-lose-a-node"}
