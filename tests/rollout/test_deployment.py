"""The Deployment and DaemonSet controllers: rounding, order, what bounds them."""

from typing import Any

import pytest

from kschedx.api.workloads import DaemonSet, Deployment
from kschedx.rollout.daemonset import limits
from kschedx.rollout.deployment_sizes import fenceposts
from kschedx.rollout.played import Played
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    Raw,
    cluster,
    daemon_set,
    deployment,
    node,
    places,
    pod,
    rolled,
    workload,
)


def _rolling(surge: Any, unavailable: Any) -> Raw:
    fields = {"maxSurge": surge, "maxUnavailable": unavailable}
    return {"strategy": {"type": "RollingUpdate", "rollingUpdate": fields}}


def _nodes(count: int, cpu: str = "4") -> list[Raw]:
    return [node(f"n{i}", cpu) for i in range(count)]


def _snapshot(size: int, own: Raw, spare: int = 0) -> Snapshot:
    names = [f"n{i}" for i in range(size)]
    return cluster(_nodes(size + spare), deployment("web", "3", *names, own=own))


ROUNDING = {
    "defaults of 3": (3, None, (1, 0)),
    "defaults of 4": (4, None, (1, 1)),
    "defaults of 8": (8, None, (2, 2)),
    "surge is rounded up, unavailable down": (10, ("15%", "15%"), (2, 1)),
    "both 0 give one unavailable": (5, ("0%", "10%"), (0, 1)),
    "unavailable at most replicas": (2, (0, 5), (0, 2)),
    "no replicas": (0, ("50%", "50%"), (0, 0)),
}


@pytest.mark.parametrize("case", ROUNDING)
def test_surge_and_unavailable(case: str) -> None:
    replicas, values, expected = ROUNDING[case]
    own = {"replicas": replicas, **(_rolling(*values) if values else {})}
    item = workload(cluster(deployment("web", "1", own=own)), "web")
    assert isinstance(item, Deployment)

    posts = fenceposts(item)

    assert (posts.surge, posts.unavailable) == expected


DAEMONS = {
    "default": ({}, (1, 0)),
    "unavailable is rounded up": ({"maxUnavailable": "10%"}, (1, 0)),
    "half of three": ({"maxUnavailable": "50%"}, (2, 0)),
    "surge": ({"maxSurge": "10%", "maxUnavailable": 0}, (0, 1)),
}


@pytest.mark.parametrize("case", DAEMONS)
def test_daemon_limits(case: str) -> None:
    fields, expected = DAEMONS[case]
    own = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": fields}}
    item = workload(cluster(daemon_set("agent", "1", own=own)), "agent")
    assert isinstance(item, DaemonSet)

    found = limits(item, 3)

    assert (found.unavailable, found.surge) == expected


def _running(played: Played) -> list[bool]:
    return [bool(node) for node in places(played).values()]


def test_without_room_a_surge_waits_and_the_old_pods_stay() -> None:
    played = rolled(_snapshot(2, _rolling(1, 0)))

    assert _running(played).count(True) == 2
    assert len(_running(played)) == 3


def test_with_room_for_one_more_it_completes() -> None:
    assert rolled(_snapshot(2, _rolling(1, 0), spare=1)).done


def test_recreate_waits_for_all_old_pods() -> None:
    played = rolled(_snapshot(2, {"strategy": {"type": "Recreate"}}))
    codes = [m.code for m in played.moments if m.code in ("stopped", "created")]

    assert played.done
    assert codes == ["stopped", "stopped", "created", "created"]


def test_a_replacement_exists_since_the_deletion() -> None:
    played = rolled(_snapshot(1, _rolling(0, 1)))
    codes = [m.code for m in played.moments if m.code in ("deleted", "created", "stopped")]

    assert sorted(codes[:2]) == ["created", "deleted"]
    assert codes[2:] == ["stopped"]


def test_a_paused_deployment_is_held() -> None:
    played = rolled(_snapshot(2, {**_rolling(1, 0), "paused": True}, spare=1))

    assert played.progress.held_by == "the Deployment is paused"


def test_old_pods_that_are_not_ready_go_first() -> None:
    item = deployment("web", "3", "n0", "n1", "n2", own=_rolling(0, 1))
    item[-2]["status"]["conditions"] = [{"type": "Ready", "status": "False"}]

    played = rolled(cluster(_nodes(3), item))
    first = next(m.subject for m in played.moments if m.code == "deleted")

    assert first == "default/web-old-1"


def test_a_daemon_pod_is_made_for_its_node_alone() -> None:
    played = rolled(cluster(_nodes(2), daemon_set("web", "3", "n0", "n1")))

    assert played.done
    assert sorted(places(played).values()) == ["n0", "n1"]


def test_a_daemon_set_skips_tainted_nodes_and_runs_on_cordoned_ones() -> None:
    cordoned, tainted = node("n0"), node("n1")
    cordoned["spec"] = {
        "unschedulable": True,
        "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}],
    }
    tainted["spec"] = {"taints": [{"key": "dedicated", "effect": "NoSchedule"}]}

    played = rolled(cluster(cordoned, tainted, daemon_set("web", "3", "n0")))

    assert played.done
    assert played.progress.wanted == 1


def test_a_waiting_pod_takes_a_daemons_place() -> None:
    played = rolled(cluster(_nodes(1), daemon_set("web", "3", "n0"), pod("hungry", "3")))

    assert places(played)["hungry"] == "n0"
    assert not played.done
