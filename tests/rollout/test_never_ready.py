"""Pods of a revision that never becomes Ready, and those that are none of it."""

from kschedx.api.change import replaced
from kschedx.api.workloads import StatefulSet
from kschedx.rollout.change import Workload, with_image
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import cluster, daemon_set, node, pod, rolled, stateful_set, workload


def _step(snapshot: Snapshot, image: str) -> Workload:
    return with_image(workload(snapshot, "web"), "c", image)


def test_a_later_step_that_only_adds_pods_makes_broken_ones() -> None:
    web = stateful_set("web", "3", "n1", own={"podManagementPolicy": "Parallel"})
    snapshot = cluster(node("n1"), node("n2"), web)
    broken = _step(snapshot, "app:bad")
    assert isinstance(broken, StatefulSet)
    larger = replaced(broken, spec=replaced(broken.spec, replicas=2))

    played = rolled(snapshot, broken, larger, never_ready=True)

    assert {p.pod: p.ready for p in played.pods} == {"default/web-0": False, "default/web-1": False}


def test_strangers_become_ready() -> None:
    snapshot = cluster(node("n1", "4"), daemon_set("web", "3", "n1"), pod("hungry", "3"))

    played = rolled(snapshot, _step(snapshot, "app:bad"), never_ready=True)

    assert [p.ready for p in played.pods if p.pod == "default/hungry"] == [True]
