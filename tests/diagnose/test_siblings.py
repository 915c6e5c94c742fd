"""Pods that wait alike: how many of them one change helps."""

from collections.abc import Mapping
from typing import Any

import pytest

from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.diagnose.siblings import MOST_SIBLINGS, Together, siblings, together
from kschedx.framework.cluster_edits import Uncordon
from kschedx.framework.pod_edits import LowerRequest
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod

OWNER = {"kind": "ReplicaSet", "name": "web-1", "uid": "u", "controller": True}
SCHEDULER = KubeScheduler(Release())


def waiting(name: str, **metadata: Any) -> Pod:
    owned: Mapping[str, Any] = {"ownerReferences": [OWNER], **metadata}
    return pod(name, requests={"cpu": "2"}, metadata=owned)


def winners(view: PodView, held: ClusterView) -> tuple[str, ...]:
    return SCHEDULER.attempt(view, held, every_rule=False, dry_runs=False).winners


def test_those_of_the_same_controller_that_wait() -> None:
    gone = {"deletionTimestamp": "2026-03-10T09:00:00Z"}
    others: tuple[Object, ...] = (pod("bare"), waiting("b"), waiting("a"), waiting("x", **gone))
    own = waiting("own")

    assert [each.name for each in siblings(own, cluster(own, *others))] == ["a", "b"]
    assert siblings(pod("bare"), cluster(own, *others)) == ()


def test_too_many_are_left_alone() -> None:
    many = [waiting(f"p{i:02}") for i in range(MOST_SIBLINGS + 2)]

    assert siblings(many[0], cluster(*many)) == ()


@pytest.mark.parametrize(
    ("edit", "placed"),
    [
        (Uncordon("n1"), 2),
        (LowerRequest("main", "cpu", 2000, 1), 0),
    ],
    ids=["room for two", "no node takes any"],
)
def test_one_after_the_other(edit: Uncordon | LowerRequest, placed: int) -> None:
    own, *others = [waiting(name) for name in "abc"]
    held = cluster(node("n1", unschedulable=True), own, *others)

    assert together((edit,), own, others, held, winners) == Together("ReplicaSet web-1", 3, placed)
