"""Rollouts to record where StatefulSets may have several pods unavailable."""

from __future__ import annotations

from typing import Any

from tests.live.rollout_objects import Raw, containers, pod, set_rolling, stateful_set
from tests.live.rollout_scenarios import (
    BAD,
    GOOD,
    NEW,
    PARALLEL,
    THREE,
    TWO,
    Scenario,
    resized,
)

UNDO: Raw = {
    "spec": {
        "template": {
            "metadata": {"annotations": {"kubelet-stand-in/crash": None}},
            "spec": {"containers": [{"name": "c", "image": "app:1"}]},
        }
    }
}


def _partition(index: int, patch: Raw) -> Raw:
    rolling = {"rollingUpdate": {"partition": index}}
    return {"spec": {**patch["spec"], "updateStrategy": {"type": "RollingUpdate", **rolling}}}


def _limit(pods: int | str, **fields: Any) -> Raw:
    """A Parallel set of which this many may be unavailable."""
    return {**PARALLEL, **set_rolling(maxUnavailable=pods, **fields)}


GATED: dict[str, Scenario] = {
    "sts-two-unavailable-parallel": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own={**PARALLEL, **set_rolling(maxUnavailable=2)})],
        [],
        [NEW],
    ),
    "sts-two-unavailable-ordered": Scenario(
        THREE, [stateful_set("web", 3, "3", own=set_rolling(maxUnavailable=2))], [], [NEW]
    ),
    "sts-two-unavailable-theft": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=set_rolling(maxUnavailable=2))],
        [pod("hungry", "3")],
        [NEW],
    ),
    "sts-two-unavailable-parallel-theft": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own={**PARALLEL, **set_rolling(maxUnavailable=2)})],
        [pod("hungry", "3")],
        [NEW],
    ),
    "sts-half-unavailable-parallel": Scenario(
        {"n1": "4", "n2": "4", "n3": "4", "n4": "4"},
        [stateful_set("web", 4, "3", own={**PARALLEL, **set_rolling(maxUnavailable="60%")})],
        [],
        [NEW],
    ),
    "sts-gate-broken-then-good-parallel": Scenario(
        TWO, [stateful_set("web", 2, "3", own=PARALLEL)], [], [BAD, GOOD], never_ready=True
    ),
    "sts-gate-broken-then-good-ordered": Scenario(
        TWO, [stateful_set("web", 2, "3")], [], [BAD, GOOD], never_ready=True
    ),
    "sts-gate-one-broken-parallel": Scenario(
        TWO,
        [stateful_set("web", 1, "3", own=PARALLEL)],
        [],
        [BAD, GOOD],
        never_ready=True,
    ),
    "sts-limit-last-broken-parallel": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=_limit(2))],
        [],
        [_partition(2, BAD), _partition(0, GOOD)],
        never_ready=True,
    ),
    "sts-limit-last-broken-parallel-theft": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=_limit(2))],
        [pod("hungry", "3")],
        [_partition(2, BAD), _partition(0, GOOD)],
        never_ready=True,
    ),
    "sts-limit-two-broken-one-held-parallel": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=_limit(2))],
        [],
        [BAD, _partition(2, GOOD)],
        never_ready=True,
    ),
    "sts-limit-two-broken-ordered": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=set_rolling(maxUnavailable=2))],
        [],
        [BAD, GOOD],
        never_ready=True,
    ),
    "sts-limit-undo-of-broken-parallel": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=_limit(2))],
        [],
        [BAD, UNDO],
        never_ready=True,
    ),
    "sts-limit-undo-of-broken-ordered": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=set_rolling(maxUnavailable=2))],
        [],
        [BAD, UNDO],
        never_ready=True,
    ),
    "sts-limit-undo-parallel-after-grow": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=_limit(2))],
        [],
        [containers("app:2", "5"), containers("app:1", "3")],
    ),
    "sts-limit-scaled-down-while-stuck-parallel": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own=_limit(2))],
        [pod("hungry", "3"), pod("greedy", "3")],
        [NEW, resized(1)],
    ),
    "sts-limit-partition-and-start": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own={"ordinals": {"start": 4}, **_limit(2, partition=1)})],
        [pod("hungry", "3")],
        [NEW],
    ),
    "sts-limit-min-ready-seconds": Scenario(
        THREE,
        [stateful_set("web", 3, "3", own={"minReadySeconds": 2, **_limit("67%")})],
        [pod("hungry", "3")],
        [NEW],
    ),
}
"""With MaxUnavailableStatefulSet=true, or on 1.37 where it is on."""
