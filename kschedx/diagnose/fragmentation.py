"""Fragmentation: enough of a resource in total, but not on one node."""

from __future__ import annotations

from dataclasses import dataclass

from kschedx.api.quantity import CPU, show
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import NodeTrace
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.plugins.node_resources_fit import InsufficientResource, TooManyPods


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
        name, nodes = self.resource, self.node_count
        return (
            f"needs {show(name, self.need)} {name}; {_rough(name, self.free_in_total)} free in "
            f"total on {nodes} nodes that lack only room, at most "
            f"{show(name, self.most_on_one_node)} on one of them ({self.node})"
        )


_MANY_MILLI = 100_000


def _rough(resource: str, value: int) -> str:
    """A sum over many nodes; of that much cpu nobody wants to read the thousandths."""
    if resource == CPU and value >= _MANY_MILLI:
        value -= value % 1000
    return show(resource, value)


def _lacks_only_room(trace: NodeTrace) -> bool:
    return all(
        isinstance(reason, InsufficientResource | TooManyPods)
        for verdict in trace.verdicts
        for reason in verdict.reasons
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
