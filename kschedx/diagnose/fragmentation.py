"""Fragmentation: enough of a resource in total, but not on one node."""

from __future__ import annotations

from dataclasses import dataclass

from kschedx.api.quantity import show
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import NodeTrace
from kschedx.framework.views import ClusterView


@dataclass(frozen=True, slots=True)
class Fragmentation:
    """Free amounts (cpu in milli, the rest in whole units) on the nodes that only lack room."""

    resource: str
    need: int
    free_in_total: int
    most_on_one_node: int
    node: str
    """The one with the most."""
    node_count: int

    def sentence(self) -> str:
        total, most = (
            show(self.resource, self.free_in_total),
            show(self.resource, self.most_on_one_node),
        )
        return (
            f"{total} {self.resource} free in total on the {self.node_count} nodes that lack only "
            f"room, at most {most} on one node ({self.node}), needs {show(self.resource, self.need)}"
        )


def _lacks_only_room(trace: NodeTrace) -> bool:
    return all(
        reason.short_by() is not None for verdict in trace.verdicts for reason in verdict.reasons
    )


def fragmentations(attempt: Attempt, cluster: ClusterView) -> tuple[Fragmentation, ...]:
    """The resources that are there in total and on no single node, by name. O(nodes)."""
    nodes = [cluster.nodes[t.node] for t in attempt.traces.values() if _lacks_only_room(t)]
    found = []
    for resource, need in sorted(attempt.pod.asked.items()):
        if need <= 0:
            continue
        free = [
            max(0, node.allocatable.get(resource, 0) - node.requested.get(resource, 0))
            for node in nodes
        ]
        most = max(free, default=0)
        if most < need <= sum(free):
            node = nodes[free.index(most)].name
            found.append(Fragmentation(resource, need, sum(free), most, node, len(nodes)))
    return tuple(found)
