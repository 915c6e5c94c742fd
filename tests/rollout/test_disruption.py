"""How many evictions a disruption budget allows while a rollout is played."""

from typing import Any

import pytest

from kschedx.api.pod import Pod
from kschedx.api.policy import PodDisruptionBudget
from kschedx.rollout.change import with_replicas, with_requests
from kschedx.rollout.played import Played
from tests.rollout.clusters import (
    Raw,
    budget,
    cluster,
    daemon_set,
    deployment,
    node,
    pod,
    rolled,
    stateful_set,
    workload,
)

THREE = (node("n1"), node("n2"), node("n3"))
STATED = 7
"""What the snapshot says that the budget allows."""


def _status(played: Played, name: str = "guard") -> tuple[int, int, int, int]:
    """(healthy, desired, expected, allowed)."""
    found = played.world.snapshot.all(PodDisruptionBudget)[f"default/{name}"].status
    return (
        found.current_healthy,
        found.desired_healthy,
        found.expected_pods,
        found.disruptions_allowed,
    )


def _stuck(kind: Any, **rule: Any) -> Played:
    """Three pods, of which one has gone and has no room to come back."""
    snapshot = cluster(
        *THREE,
        kind("web", "3", "n1", "n2", "n3"),
        pod("thief", "3"),
        budget("guard", "web", **rule),
    )
    return rolled(snapshot)


def _no_surge(name: str, cpu: str, *nodes: str) -> list[Raw]:
    rolling = {"maxSurge": 0, "maxUnavailable": 1}
    own = {"strategy": {"type": "RollingUpdate", "rollingUpdate": rolling}}
    return deployment(name, cpu, *nodes, own=own)


@pytest.mark.parametrize(
    ("rule", "status"),
    [
        ({"minAvailable": 1}, (2, 1, 3, 1)),
        ({"minAvailable": 2}, (2, 2, 3, 0)),
        ({"minAvailable": 3}, (2, 3, 3, 0)),
        # Half of three, rounded up.
        ({"minAvailable": "50%"}, (2, 2, 3, 0)),
        ({"minAvailable": "33%"}, (2, 1, 3, 1)),
        ({"maxUnavailable": 1}, (2, 2, 3, 0)),
        ({"maxUnavailable": "50%"}, (2, 1, 3, 1)),
        ({"maxUnavailable": 5}, (2, 0, 3, 2)),
        # Neither: nothing is expected, nothing is allowed.
        ({}, (2, 0, 0, 0)),
    ],
)
@pytest.mark.parametrize("kind", [stateful_set, _no_surge])
def test_a_pod_that_is_not_ready_is_not_healthy(
    kind: Any, rule: dict[str, Any], status: tuple[int, int, int, int]
) -> None:
    assert _status(_stuck(kind, **rule)) == status


def test_once_all_are_ready_again_it_allows_what_it_did_before() -> None:
    guard = budget("guard", "web", minAvailable=2)
    played = rolled(cluster(*THREE, stateful_set("web", "3", "n1", "n2", "n3"), guard))

    assert played.done
    assert _status(played) == (0, 0, 0, STATED)


def test_the_size_is_the_controllers_not_the_number_of_pods() -> None:
    guard = budget("guard", "web", maxUnavailable=1)
    snapshot = cluster(*THREE, stateful_set("web", "3", "n1", "n2", "n3"), guard)
    larger = with_replicas(workload(snapshot, "web"), 5)

    assert _status(rolled(snapshot, larger)) == (3, 4, 5, 0)


def test_a_percentage_of_daemon_pods_cannot_be_had() -> None:
    percent = budget("guard", "web", maxUnavailable="50%")
    number = budget("number", "web", minAvailable=1)
    snapshot = cluster(
        *THREE, daemon_set("web", "3", "n1", "n2", "n3"), pod("thief", "3"), percent, number
    )
    played = rolled(snapshot)

    assert not played.done
    assert _status(played)[3] == 0
    assert _status(played, "number") == (2, 1, 3, 1)


def test_a_budget_of_pods_whose_controller_was_not_read_keeps_its_status() -> None:
    stranger = pod("web-x", "500m", on="n3", owner=("Rollout", "web"), labels={"app": "web"})
    guard = budget("guard", "web", maxUnavailable=1)
    snapshot = cluster(
        *THREE, stateful_set("web", "3", "n1", "n2"), stranger, pod("thief", "3"), guard
    )

    assert _status(rolled(snapshot)) == (0, 0, 0, STATED)


def test_an_empty_selector_covers_all_and_an_absent_one_nobody() -> None:
    everyone = budget("guard", "web", minAvailable=1)
    everyone["spec"]["selector"] = {}
    nobody = budget("nobody", "web", minAvailable=1)
    del nobody["spec"]["selector"]
    snapshot = cluster(
        *THREE[:2],
        stateful_set("web", "3", "n1", "n2"),
        pod("beside", "1", on="n1"),
        everyone,
        nobody,
    )
    played = rolled(snapshot, with_requests(workload(snapshot, "web"), "c", {"cpu": "8"}))

    assert _status(played) == (2, 1, 3, 1)
    assert _status(played, "nobody") == (0, 0, 0, STATED)


def test_preemption_sees_what_the_rollout_has_used_up() -> None:
    """While web-1 is away its budget allows nothing more: the dearer pod is evicted."""
    tier = {"tier": "a"}
    guard = budget("guard", "web", minAvailable=1)
    guard["status"] = {"disruptionsAllowed": 1, "currentHealthy": 2, "desiredHealthy": 1}
    snapshot = cluster(
        node("n1", "2", labels=tier),
        node("n2", "2"),
        node("n3", "2", labels=tier),
        stateful_set("web", "2", "n1", "n2"),
        pod("beside", "2", on="n3", priority=1),
        guard,
    )
    above = cluster(pod("above", "2", priority=1000, nodeSelector=tier)).all(Pod)

    played = rolled(snapshot, arrivals={"default/web-1": above["default/above"]})

    evicted = [m.facts["victims"] for m in played.moments if m.code == "preempts"]
    assert evicted == [("default/beside",)]
