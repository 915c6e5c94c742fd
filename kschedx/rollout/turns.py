"""Which of several equal pods goes first, asked where it matters to somebody that waits.

Controllers leave the order of equals open: a ReplicaSet sorts them unstably or by uid, a DaemonSet
walks a Go map. Of pods whose room would serve the same pods any one will do.

Upstream: none; an order of events that every controller allows.
Differences: room is looked at for requests and required node affinity alone, and only that of the
first equals is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from kschedx.framework.views import NodeView, PodView
from kschedx.rollout.live_pod import LivePod
from kschedx.rollout.world import World
from kschedx.schedulers.kube.required_node_affinity import RequiredNodeAffinity

MOST_EQUALS: Final = 32
"""Equal pods that are told apart."""
MOST_WAITING: Final = 256
"""Waiting pods that are looked at."""
MOST_SHAPES: Final = 16
"""Shapes of waiting pods for which room is looked at."""


def next_in_turn(
    world: World, equals: Sequence[LivePod], successor: PodView | None, *, beside: bool = False
) -> LivePod:
    """The one of these equal pods that goes first; the first of them where it does not matter.

    `successor`: one of the pods that their workload makes now; `beside`: it comes before they go.
    """
    if len(equals) < 2 or not (successor or world.cluster.waiting):
        return equals[0]
    strangers = _strangers(world, equals[0])
    own = _Shape.of(successor) if successor is not None else None
    served: dict[tuple[tuple[bool, ...], bool], LivePod] = {}
    for live in equals[:MOST_EQUALS]:
        before = world.cluster.nodes.get(live.node)
        if before is not None:
            after = before.without((live.view,))
            fits = own is None or own.fits(before if beside else after)
            served.setdefault((tuple(shape.fits(after) for shape in strangers), fits), live)
    if len(served) < 2:
        return equals[0]
    # Least favourable: strangers can use the most of it, and the successor nothing.
    options = sorted(served, key=lambda fits: (-sum(fits[0]), fits[1], served[fits].key))
    names = [served[fits].key for fits in options]
    return served[options[world.choose("one of these equal pods goes first", names)]]


@dataclass(frozen=True, slots=True)
class _Shape:
    """What a pod asks of a node, as far as it is looked at."""

    pod: PodView
    affinity: RequiredNodeAffinity

    @classmethod
    def of(cls, pod: PodView) -> _Shape:
        return cls(pod, RequiredNodeAffinity.of(pod.pod))

    def fits(self, node: NodeView) -> bool:
        has_room = all(
            wanted <= node.allocatable.get(name, 0) - node.requested.get(name, 0)
            for name, wanted in self.pod.requests.items()
            if wanted > 0
        )
        return has_room and self.affinity.matches(node)


def _strangers(world: World, live: LivePod) -> list[_Shape]:
    """Waiting pods of other workloads, one of each shape."""
    owner = world.workload_of(live)
    found: dict[str, PodView] = {}
    for key, view in islice(world.cluster.waiting.items(), MOST_WAITING):
        waiting = world.pods.get(key)
        if waiting is not None and owner is not None and world.workload_of(waiting) == owner:
            continue
        spec = view.pod.spec
        affinity = spec.affinity.node_affinity if spec.affinity is not None else None
        found.setdefault(repr((view.requests, spec.node_selector, affinity)), view)
        if len(found) == MOST_SHAPES:
            break
    return [_Shape.of(view) for view in found.values()]
