"""Rollouts to record: nodes, what runs, what waits, what is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.live.rollout_objects import (
    CLAIMS,
    HOST,
    ZONE,
    Raw,
    apart,
    beside,
    budget,
    containers,
    daemon_rolling,
    daemon_set,
    deployment,
    local_volume,
    pod,
    quota,
    replica_set,
    rolling,
    set_rolling,
    spread,
    stateful_set,
)


@dataclass(frozen=True)
class Scenario:
    """What is there, and what happens to one of the workloads."""

    nodes: dict[str, str]
    """Name -> cpu, optionally followed by ":zone"."""
    first: Sequence[Raw]
    late: Sequence[Raw]
    """Created once the first stand still; they stay Pending."""
    patches: Sequence[Raw]
    """Each after the cluster stood still."""
    also: dict[str, Raw] = field(default_factory=dict)
    """Other workloads patched in the same moment as the first patch, by name."""
    arrives: dict[str, Raw] = field(default_factory=dict)
    """Pod whose containers stop -> the pod that is created in that moment."""
    never_ready: bool = False
    """The first patch's pods never become Ready."""
    rolled: str = ""
    """The name of the workload that is patched; otherwise the first one is."""


TWO = {"n1": "4", "n2": "4"}
THREE = {"n1": "4", "n2": "4", "n3": "4"}
ZONED = {"n1": "4:a", "n2": "4:b", "n3": "4:c"}
NEW = containers("app:2")
BAD: Raw = {
    "spec": {
        "template": {
            "metadata": {"annotations": {"kubelet-stand-in/crash": "true"}},
            "spec": {"containers": [{"name": "c", "image": "app:bad"}]},
        }
    }
}
GOOD: Raw = {
    "spec": {
        "template": {
            "metadata": {"annotations": {"kubelet-stand-in/crash": None}},
            "spec": {"containers": [{"name": "c", "image": "app:2"}]},
        }
    }
}
PARALLEL: Raw = {"podManagementPolicy": "Parallel"}
PORT = [{"containerPort": 80, "hostPort": 8080}]


def resized(replicas: int, patch: Raw | None = None) -> Raw:
    return {"spec": {**((patch or {}).get("spec", {})), "replicas": replicas}}


SCENARIOS: dict[str, Scenario] = {
    "sts-two-sets-at-once": Scenario(
        TWO,
        [stateful_set("web", 1, "3"), stateful_set("db", 1, "3")],
        [],
        [NEW],
        also={"db": NEW},
    ),
    "sts-two-sets-bigger-and-smaller": Scenario(
        {"n1": "4", "n2": "3"},
        [stateful_set("web", 1, "3500m"), stateful_set("db", 1, "2")],
        [pod("hungry", "3")],
        [NEW],
        also={"db": NEW},
    ),
    "sts-min-ready-seconds": Scenario(
        TWO, [stateful_set("web", 2, "3", own={"minReadySeconds": 3})], [], [NEW]
    ),
    "sts-min-ready-seconds-long": Scenario(
        TWO, [stateful_set("web", 2, "3", own={"minReadySeconds": 20})], [], [NEW]
    ),
    "sts-ordinals-start": Scenario(
        TWO, [stateful_set("web", 2, "3", own={"ordinals": {"start": 3}})], [], [NEW]
    ),
    "sts-ordinals-start-moved": Scenario(
        THREE,
        [stateful_set("web", 2, "3")],
        [],
        [{"spec": {**NEW["spec"], "ordinals": {"start": 1}}}],
    ),
    "sts-ordinals-start-partition": Scenario(
        TWO,
        [stateful_set("web", 2, "3", own={"ordinals": {"start": 3}, **set_rolling(partition=1)})],
        [],
        [NEW],
    ),
    "sts-budget-guards-the-thief": Scenario(
        THREE,
        [
            stateful_set("web", 2, "3", "high", **apart("web")),
            budget("guard", "thief", 1),
            replica_set("bare", 1, "3"),
        ],
        [pod("guarded", "3", labels={"app": "thief"})],
        [NEW],
    ),
    "sts-budget-is-no-obstacle": Scenario(
        TWO,
        [stateful_set("web", 2, "3", "high"), budget("guard", "thief", 1)],
        [pod("guarded", "3", labels={"app": "thief"})],
        [NEW],
    ),
    "sts-rolling-uses-up-its-budget": Scenario(
        {"n1": "2:b", "n2": "2500m:a", "n3": "4:a"},
        [pod("beside", "4", "low"), stateful_set("web", 2, "2"), budget("guard", "web", 1)],
        [],
        [NEW],
        arrives={"web-1": pod("above", "2", "high", nodeSelector={ZONE: "a"})},
    ),
    "sts-thief-arrives-in-between": Scenario(
        TWO, [stateful_set("web", 2, "3")], [], [NEW], arrives={"web-1": pod("late", "3")}
    ),
    "sts-thief-arrives-high-priority-set": Scenario(
        TWO, [stateful_set("web", 2, "3", "high")], [], [NEW], arrives={"web-1": pod("late", "3")}
    ),
    "sts-arrival-splits-the-room": Scenario(
        {"n1": "4", "n2": "3500m"},
        [stateful_set("db", 2, "3"), deployment("web", 1, "1")],
        [],
        [NEW],
        arrives={"db-1": pod("one-more", "1")},
    ),
    "sts-arrival-of-the-second-step": Scenario(
        TWO, [stateful_set("db", 2, "3")], [], [NEW], arrives={"db-0": pod("late", "3")}
    ),
    "sts-arrival-evicts-with-the-room-that-is-freed": Scenario(
        {"n1": "3"},
        [
            stateful_set("db", 1, "500m"),
            deployment("web", 1, "1"),
            deployment("top", 1, "1500m", "high"),
        ],
        [],
        [NEW],
        arrives={"db-0": pod("one-more", "1500m", "high")},
    ),
    "sts-arrival-is-evicted-again": Scenario(
        TWO,
        [stateful_set("db", 2, "3", "high")],
        [],
        [NEW],
        arrives={"db-1": pod("late", "2", "low")},
    ),
    "sts-arrival-that-never-evicts": Scenario(
        TWO,
        [stateful_set("db", 2, "3")],
        [],
        [NEW],
        arrives={"db-1": pod("late", "3", "high-never")},
    ),
    "sts-parallel-arrivals-one-after-the-other": Scenario(
        TWO,
        [stateful_set("db", 2, "3", own=PARALLEL)],
        [],
        [NEW],
        arrives={"db-1": pod("late", "1500m"), "db-0": pod("later", "1500m")},
    ),
    "sts-smaller-beside-an-arrival": Scenario(
        TWO,
        [stateful_set("db", 2, "3")],
        [],
        [containers("app:2", "2")],
        arrives={"db-1": pod("late", "2")},
    ),
    "sts-scaled-down-while-stuck": Scenario(
        TWO, [stateful_set("web", 2, "3")], [pod("hungry", "3")], [NEW, resized(1)]
    ),
    "sts-scaled-down-while-stuck-parallel": Scenario(
        TWO, [stateful_set("web", 2, "3", own=PARALLEL)], [pod("hungry", "3")], [NEW, resized(1)]
    ),
    "sts-scaled-down-with-the-change": Scenario(
        THREE, [stateful_set("web", 3, "3")], [pod("hungry", "3")], [resized(2, NEW)]
    ),
    "sts-scaled-up-with-the-change": Scenario(
        THREE, [stateful_set("web", 2, "3")], [], [resized(3, NEW)]
    ),
    "sts-quota-counts-pods": Scenario(
        TWO, [quota(pods="2"), stateful_set("web", 2, "1")], [], [NEW]
    ),
    "sts-quota-parallel-grows": Scenario(
        {"n1": "8", "n2": "8"},
        [quota(**{"requests.cpu": "6"}), stateful_set("web", 2, "3", own=PARALLEL)],
        [],
        [containers("app:2", "4")],
    ),
    "dep-quota-room-for-one": Scenario(
        {"n1": "8", "n2": "8"},
        [quota(**{"requests.cpu": "9"}), deployment("web", 2, "3", own=rolling("25%", "25%"))],
        [],
        [NEW],
    ),
    "sts-zone-spread-volumes": Scenario(
        ZONED,
        [
            local_volume("n1"),
            local_volume("n2"),
            local_volume("n3"),
            stateful_set("web", 3, "3", own=CLAIMS, **spread("web", ZONE)),
        ],
        [],
        [NEW],
    ),
    "sts-zone-spread-volumes-theft": Scenario(
        ZONED,
        [
            local_volume("n1"),
            local_volume("n2"),
            local_volume("n3"),
            stateful_set("web", 3, "3", own=CLAIMS, **spread("web", ZONE)),
        ],
        [pod("small", "2")],
        [NEW],
    ),
    "sts-zone-spread-thief-of-the-same-app": Scenario(
        ZONED,
        [stateful_set("web", 3, "2", **spread("web", ZONE))],
        [pod("peer", "3", labels={"app": "web"}, **spread("web", ZONE))],
        [NEW],
    ),
    "sts-several-small-thieves": Scenario(
        TWO,
        [stateful_set("web", 2, "4")],
        [pod("a", "1"), pod("b", "1"), pod("c", "1")],
        [NEW],
    ),
    "sts-host-port-theft": Scenario(
        TWO, [stateful_set("web", 2, "1", ports=PORT)], [pod("thief", "1", ports=PORT)], [NEW]
    ),
    "sts-gated-waiter": Scenario(
        TWO,
        [stateful_set("web", 2, "3")],
        [pod("gated", "3", schedulingGates=[{"name": "example.com/wait"}])],
        [NEW],
    ),
    "sts-waiter-of-no-node": Scenario(
        TWO,
        [stateful_set("web", 2, "3")],
        [pod("astray", "3", nodeSelector={"disk": "ssd"})],
        [NEW],
    ),
    "sts-follower-is-woken": Scenario(
        TWO,
        [stateful_set("web", 2, "3")],
        [pod("follower", "1", **beside("rev", "2"))],
        [containers("app:2", labels={"rev": "2"})],
    ),
    "sts-undo-parallel-after-grow": Scenario(
        TWO,
        [stateful_set("web", 2, "3", own=PARALLEL)],
        [],
        [containers("app:2", "5"), containers("app:1", "3")],
    ),
    "sts-broken-then-good-ordered": Scenario(
        TWO, [stateful_set("web", 2, "3")], [], [BAD, GOOD], never_ready=True
    ),
    "sts-broken-then-good-parallel": Scenario(
        TWO, [stateful_set("web", 2, "3", own=PARALLEL)], [], [BAD, GOOD], never_ready=True
    ),
    "sts-four-in-order": Scenario(
        {"n1": "4", "n2": "4", "n3": "4", "n4": "4"},
        [stateful_set("web", 4, "3", **apart("web"))],
        [pod("picky", "3", nodeSelector={HOST: "n3"})],
        [NEW],
    ),
    "dep-recreate-theft": Scenario(
        TWO,
        [deployment("web", 2, "3", own={"strategy": {"type": "Recreate"}})],
        [pod("hungry", "3")],
        [NEW],
    ),
    "dep-paused": Scenario(
        TWO,
        [deployment("web", 2, "3", own=rolling(0, 1))],
        [],
        [{"spec": {**NEW["spec"], "paused": True}}],
    ),
    "dep-scaled-up-mid-rollout": Scenario(
        THREE, [deployment("web", 3, "3", own=rolling(1, 0))], [], [NEW, resized(5)]
    ),
    "dep-min-ready-seconds": Scenario(
        THREE,
        [deployment("web", 2, "3", own={"minReadySeconds": 2, **rolling(1, 0)})],
        [],
        [NEW],
    ),
    "dep-broken-then-good": Scenario(
        THREE, [deployment("web", 2, "3", own=rolling(1, 0))], [], [BAD, GOOD], never_ready=True
    ),
    "dep-four-one-and-one": Scenario(
        {"n1": "4", "n2": "4", "n3": "4", "n4": "4"},
        [deployment("web", 4, "3", own=rolling(1, 1))],
        [],
        [NEW],
    ),
    "dep-anti-affinity-three": Scenario(
        THREE, [deployment("web", 3, "1", own=rolling("25%", "25%"), **apart("web"))], [], [NEW]
    ),
    "dep-budget-preempts-the-unguarded": Scenario(
        THREE,
        [
            deployment("web", 1, "3", "high", own=rolling(1, 0)),
            budget("guard", "low-a", 1),
            pod("low-a", "3"),
            pod("low-b", "3"),
        ],
        [],
        [NEW],
    ),
    "ds-surge-with-room": Scenario(
        TWO, [daemon_set("agent", "1", own=daemon_rolling(1, 0))], [], [NEW]
    ),
    "ds-surge-without-room": Scenario(
        TWO, [daemon_set("agent", "3", own=daemon_rolling(1, 0))], [], [NEW]
    ),
    "ds-two-unavailable": Scenario(
        THREE, [daemon_set("agent", "3", own=daemon_rolling(0, 2))], [pod("hungry", "3")], [NEW]
    ),
    "ds-broken-then-good": Scenario(
        TWO, [daemon_set("agent", "3")], [], [BAD, GOOD], never_ready=True
    ),
}
"""With the default feature gates."""
