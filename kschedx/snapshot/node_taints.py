"""The taints that a node's conditions and its cordon stand for.

Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go (v1.35.4).
Differences: applied to nodes that never passed an API server; one without conditions is ready.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from kschedx.api.node import Node, Taint

_PREFIX: Final = "node.kubernetes.io/"
_NO_SCHEDULE: Final = "NoSchedule"
_NO_EXECUTE: Final = "NoExecute"
_TAINTS: Final[dict[tuple[str, str], tuple[str, tuple[str, ...]]]] = {
    ("Ready", "False"): ("not-ready", (_NO_SCHEDULE, _NO_EXECUTE)),
    ("Ready", "Unknown"): ("unreachable", (_NO_SCHEDULE, _NO_EXECUTE)),
    ("MemoryPressure", "True"): ("memory-pressure", (_NO_SCHEDULE,)),
    ("DiskPressure", "True"): ("disk-pressure", (_NO_SCHEDULE,)),
    ("PIDPressure", "True"): ("pid-pressure", (_NO_SCHEDULE,)),
    ("NetworkUnavailable", "True"): ("network-unavailable", (_NO_SCHEDULE,)),
}
"""(condition, status) -> (taint, its effects)."""


def with_condition_taints(node: Node) -> Node:
    """The node with the taints that it would soon carry; those that it has are kept."""
    has = {(taint.key, taint.effect) for taint in node.spec.taints}
    missing = tuple(t for t in _implied(node) if (t.key, t.effect) not in has)
    if not missing:
        return node
    return replace(node, spec=replace(node.spec, taints=(*node.spec.taints, *missing)))


def _implied(node: Node) -> Iterator[Taint]:
    for condition in node.status.conditions:
        name, effects = _TAINTS.get((condition.type, condition.status), ("", ()))
        for effect in effects:
            yield Taint(key=_PREFIX + name, effect=effect)
    if node.spec.unschedulable:
        yield Taint(key=f"{_PREFIX}unschedulable", effect=_NO_SCHEDULE)
