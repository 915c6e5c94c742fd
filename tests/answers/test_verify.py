"""The agreement meter on small clusters whose scheduler said this or that."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from kschedx.answers.replay import SchedulerChoice, choose_scheduler
from kschedx.answers.verify import MIRROR, verify
from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.verification import VerifyReport
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.versions import parse_release
from kschedx.snapshot.decode import snapshot_from_objects
from tests.builders import node, pod, snapshot
from tests.oracle.generate.cases import cases
from tests.oracle.generate.families import FAMILIES

RELEASE = parse_release("1.35")
FULL = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: "
    "0/1 nodes are available: 1 Preemption is not helpful for scheduling."
)


def said(message: str) -> dict[str, Any]:
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    return {"conditions": [condition | {"message": message}]}


def verified(*objects: Object, **options: Any) -> VerifyReport:
    return verify(snapshot(*objects), SchedulerChoice(RELEASE), **options)


BIG = {"cpu": "9"}
PENDING: dict[str, tuple[Pod, AgreementStatus]] = {
    "agrees": (pod(requests=BIG, status=said(FULL)), AgreementStatus.AGREES),
    "differs": (
        pod(requests=BIG, status=said("0/2 nodes are available: 2 x.")),
        AgreementStatus.DIFFERS,
    ),
    "fits now": (pod(status=said(FULL)), AgreementStatus.DIFFERS),
    "nothing recorded": (pod(requests=BIG), AgreementStatus.NONE_RECORDED),
    "words of another": (pod(requests=BIG, status=said("busy")), AgreementStatus.NOT_COMPARABLE),
}


@pytest.mark.parametrize(("waiting", "status"), PENDING.values(), ids=PENDING.keys())
def test_pending(waiting: Pod, status: AgreementStatus) -> None:
    report = verified(node(), waiting)

    assert report.pending == {status: 1}
    assert report.finding is (status is AgreementStatus.DIFFERS)
    assert report.compared == (status in (AgreementStatus.AGREES, AgreementStatus.DIFFERS))


def test_the_first_difference_is_told() -> None:
    report = verified(node(), pod(requests=BIG, status=said("0/2 nodes are available: 2 x.")))

    (one,) = report.disagreements
    assert (one.pod.key, one.difference) == ("default/p", "recorded of 2 nodes, replayed on 1")
    assert one.replayed == FULL


PLACED: dict[str, tuple[list[Object], tuple[int, list[str], list[str]]]] = {
    "two of one kind on two nodes": (
        [node(), node("n2"), pod(node="n1"), pod("q", node="n2")],
        (2, [], []),
    ),
    "would pass again": ([node(), pod(node="n1")], (1, [], [])),
    "fills its node": ([node(), pod(node="n1", requests={"cpu": "4"})], (1, [], [])),
    "its node was tainted since": (
        [node(taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}]), pod(node="n1")],
        (1, ["default/p"], []),
    ),
    "its node is too full": (
        [node(allocatable={"cpu": "1"}), pod(node="n1", requests={"cpu": "2"})],
        (1, ["default/p"], []),
    ),
    "its node is gone": ([node("n2"), pod(node="n1")], (0, [], ["node n1 is not in the snapshot"])),
    "another scheduler's": (
        [node(), pod(node="n1", spec={"schedulerName": "volcano"})],
        (0, [], ["scheduler volcano placed it"]),
    ),
    "run from a file": (
        [
            node(taints=[{"key": "k", "effect": "NoSchedule"}]),
            pod(node="n1", metadata={"annotations": {MIRROR: "x"}}),
        ],
        (0, [], []),
    ),
    "over": ([node(), pod(node="n1", status={"phase": "Succeeded"})], (0, [], [])),
    "leaving": (
        [node(), pod(node="n1", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})],
        (0, [], []),
    ),
}


@pytest.mark.parametrize(("objects", "expected"), PLACED.values(), ids=PLACED.keys())
def test_placed(objects: list[Object], expected: tuple[int, list[str], list[str]]) -> None:
    report = verified(*objects)

    assert (
        report.placed,
        [drift.pod.key for drift in report.drifted],
        [unchecked.why for unchecked in report.not_checked],
    ) == expected
    assert not report.finding


def test_one_namespace_only() -> None:
    report = verified(node(), pod(node="n1"), pod(node="n1", namespace="b"), namespace="b")

    assert report.placed == 1


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []

    verified(node(), pod(node="n1"), pod("q"), told=lambda *each: told.append(each))

    assert told == [("Pending pods", 1, 1), ("placed pods", 1, 1)]


def test_the_version_is_the_snapshots() -> None:
    stated = replace(snapshot(node()), version="v1.34.2")

    report = verify(stated, choose_scheduler(stated))

    assert (report.scheduler, report.version_assumed) == ("kube-scheduler 1.34", False)


def kept_off(cluster: ClusterView, scheduler: KubeScheduler, key: str, name: str) -> bool:
    """Whether a pod's own node would refuse it, by a cluster in which it never was."""
    placed = cluster.find(key)
    assert placed is not None
    without = cluster.without_pods([key])
    filters = scheduler.filters(placed, without)
    preparation = filters.preparation
    if preparation.rejection is not None:
        return True
    if preparation.narrowed_to is not None and name not in preparation.narrowed_to:
        return True
    trace = filters.trace(without.nodes[name], every=True)
    return bool(trace.verdicts) and not trace.fits_without_nominated


@pytest.mark.parametrize("family", ["mix", "interpod", "topology", "volumes", "ports", "nominated"])
def test_taking_a_pod_off_its_node_equals_a_cluster_without_it(family: str) -> None:
    for case in cases(family, FAMILIES[family], "verify", 12):
        texts = [json.dumps(item).encode() for item in case["objects"]]
        loaded = snapshot_from_objects(texts, RELEASE)
        report = verify(loaded, SchedulerChoice(RELEASE))
        cluster = ClusterView.of(loaded, RELEASE.accounting())
        scheduler = KubeScheduler(RELEASE)
        unchecked = {one.pod.key for one in report.not_checked}
        expected = {
            placed.key
            for placed in loaded.all(Pod).values()
            if placed.spec.node_name in loaded.all(Node)
            and not placed.terminal
            and not placed.terminating
            and placed.key not in unchecked
            and kept_off(cluster, scheduler, placed.key, placed.spec.node_name)
        }

        assert {drift.pod.key for drift in report.drifted} == expected, case["id"]
