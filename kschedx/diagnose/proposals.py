"""Sets of changes that could get the pod a node. Guesses: only a replay proves them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, product
from typing import Final

from kschedx.api.node import Taint
from kschedx.api.quantity import CPU, MEMORY
from kschedx.api.scheduling import PriorityClass
from kschedx.api.storage import StorageClass
from kschedx.diagnose.anchors import anchors, unanchored
from kschedx.diagnose.lifting import NODE_TROUBLE, Blocked, lifts, unpinned
from kschedx.diagnose.template_owner import template_owner
from kschedx.diagnose.workload import pods_of
from kschedx.framework.attempt import Attempt
from kschedx.framework.claim_edits import ProvideClaim
from kschedx.framework.cluster_edits import AddNode, DeletePods
from kschedx.framework.edit import Edit
from kschedx.framework.priority_edits import RaiseOtherPriority, RaisePriority
from kschedx.framework.verdict import NodeTrace, Outcome, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.claims import ClaimNotBound, ClaimNotFound
from kschedx.schedulers.kube.plugins.pod_topology_spread import SkewTooLarge
from kschedx.schedulers.kube.tolerations import untolerated

_MOST_CAUSES: Final = 3
"""Nodes that more causes block are left alone."""
_GROUPS: Final = 12
"""Groups of nodes with the same causes that are looked at, the fewest causes first."""
_NODES_PER_GROUP: Final = 3
_SETS_PER_NODE: Final = 8
_SHAPES: Final = 4
_CLASSES: Final = 3
_ANCHORS: Final = 2
"""Pods of a node that could be spared, one instead of the other."""
_MOST_REPLICAS: Final = 5
"""Pods of larger workloads are not made again: each takes a replay of its own."""
_USER_MOST: Final = 1_000_000_000
"""User classes end here; above are the system's."""


def proposals(attempt: Attempt, cluster: ClusterView) -> list[tuple[Edit, ...]]:
    """Without repetition, cheapest first."""
    found = {*_sets(attempt, cluster), *_claims(attempt, cluster)}
    if attempt.prefilter is None:
        found |= {*_new_nodes(attempt.pod, cluster), *_new_domains(attempt, cluster)}
        if attempt.preemption is None or not attempt.preemption.nominated:
            found |= {*_priorities(attempt.pod, cluster), *_spared(attempt, cluster)}
    return sorted(found, key=rank)


def rank(edits: tuple[Edit, ...]) -> tuple[int, int, int, float, int, int, str]:
    """Cheapest first: the dearest change, how many, how far a request goes down.

    A node like one that is there comes before one that is not. What keeps a rule of the pod comes before what gives one up, the rest goes by name.
    """
    lowered = 0.0
    for edit in edits:
        before, after = getattr(edit, "before", 0), getattr(edit, "after", 0)
        if before > after:
            lowered += 1 - after / before
    return (
        max(edit.cost for edit in edits),
        len(edits),
        sum(map(_disturbed, edits)),
        round(lowered, 6),
        sum(edit.differences for edit in edits if isinstance(edit, AddNode)),
        sum(edit.gives_up for edit in edits),
        " and ".join(edit.sentence() for edit in edits),
    )


def _disturbed(edit: Edit) -> int:
    """How many pods go; one that is spared lets preemption evict another."""
    if isinstance(edit, RaiseOtherPriority):
        return len(edit.pods) + 1
    return len(edit.pods) if isinstance(edit, DeletePods) else 0


def _sets(attempt: Attempt, cluster: ClusterView) -> Iterator[tuple[Edit, ...]]:
    """Sets of changes that lift all causes of some node, also of those that are left out."""
    if attempt.narrowed_to is not None:
        yield from ((edit,) for edit in unpinned(attempt.pod.pod))
    for group in islice(_groups(attempt), _GROUPS):
        for trace in sorted(group, key=_missing)[:_NODES_PER_GROUP]:
            on = Blocked(attempt.pod, cluster.nodes[trace.node], cluster)
            reasons = _reasons(trace)
            options = [list(lifts(reason, on)) for reason in reasons]
            if all(options):
                sets = (_merged(chosen) for chosen in product(*options))
                yield from islice(sorted(sets, key=rank), _SETS_PER_NODE)


def _merged(chosen: Iterable[Edit]) -> tuple[Edit, ...]:
    """Each change once, and all pods that have to go from one node in one."""
    going: dict[str, set[str]] = {}
    for edit in chosen:
        if isinstance(edit, DeletePods):
            going.setdefault(edit.node, set()).update(edit.pods)
    merged = (
        DeletePods(edit.node, tuple(sorted(going[edit.node])))
        if isinstance(edit, DeletePods)
        else edit
        for edit in chosen
    )
    return tuple(dict.fromkeys(merged))


def _reasons(trace: NodeTrace) -> list[Reason]:
    return [
        reason
        for verdict in trace.verdicts
        for reason in verdict.reasons
        if reason.outcome > Outcome.NOT_CHECKED
    ]


def _groups(attempt: Attempt) -> Iterable[Sequence[NodeTrace]]:
    """Nodes with the same causes together, the fewest causes first, then the most nodes."""
    groups: dict[tuple[tuple[str, str], ...], list[NodeTrace]] = {}
    for trace in attempt.traces.values():
        reasons = _reasons(trace)
        if 0 < len(reasons) <= _MOST_CAUSES:
            causes = tuple((reason.code, reason.subject()) for reason in reasons)
            groups.setdefault(causes, []).append(trace)
    return [
        members
        for _, members in sorted(groups.items(), key=lambda item: (len(item[0]), -len(item[1])))
    ]


def _missing(trace: NodeTrace) -> tuple[int, str]:
    """How much is missing on the node, whatever of; equals by name."""
    return sum(reason.short_by() or 0 for reason in _reasons(trace)), trace.node


def _new_nodes(pod: PodView, cluster: ClusterView) -> Iterator[tuple[Edit, ...]]:
    """One node of each shape, the smallest shapes first."""
    shapes: dict[str, tuple[int, int, NodeView]] = {}
    for node in cluster.nodes.values():
        labels = {k: v for k, v in node.labels.items() if k != "kubernetes.io/hostname"}
        taints = node.node.spec.taints
        shape = repr((sorted(node.allocatable.items()), sorted(labels.items()), taints))
        room = (node.allocatable.get(CPU, 0), node.allocatable.get(MEMORY, 0), node)
        shapes.setdefault(shape, room)
    smallest = sorted(shapes.values(), key=lambda shape: (shape[0], shape[1], shape[2].name))
    ready = [shape for shape in smallest if not shape[2].node.spec.unschedulable]
    # Only the largest of many shapes can be the one that is needed.
    for cpu, memory, node in [*ready[:_SHAPES], *ready[_SHAPES:][-_SHAPES:]]:
        reserved = any(map(_reserves, untolerated(node.node.spec.taints, pod.pod.spec.tolerations)))
        lacks = _lacks(pod, node)
        yield (AddNode(node.name, cpu, memory, untainted=reserved, larger=lacks),)


def _lacks(pod: PodView, node: NodeView) -> tuple[tuple[str, int], ...]:
    """What the pod asks for and the node is too small for."""
    return tuple(
        (resource, amount)
        for resource, amount in sorted(pod.asked.items())
        if amount > node.allocatable.get(resource, 0)
    )


def _reserves(taint: Taint) -> bool:
    """Somebody wants the node for certain pods only; it is not that the node is not well."""
    return not taint.key.startswith(NODE_TROUBLE)


def _claims(attempt: Attempt, cluster: ClusterView) -> Iterator[tuple[Edit, ...]]:
    """Classes that wait for a node to be chosen, for a claim that nothing can bind now."""
    late = sorted(
        item.name
        for item in cluster.snapshot.all(StorageClass).values()
        if item.volume_binding_mode == "WaitForFirstConsumer"
    )
    for reason in attempt.prefilter.reasons if attempt.prefilter is not None else ():
        before: str | None = None
        if isinstance(reason, ClaimNotBound):
            if reason.volume or reason.class_exists:
                continue
            before = reason.storage_class
        elif not isinstance(reason, ClaimNotFound):
            continue
        for name in late[:_CLASSES]:
            yield (ProvideClaim(reason.claim, name, before),)


def _new_domains(attempt: Attempt, cluster: ClusterView) -> Iterator[tuple[Edit, ...]]:
    """A node in a domain that there is none of yet, where the pod lacks domains."""
    for trace in attempt.traces.values():
        for reason in _reasons(trace):
            if isinstance(reason, SkewTooLarge) and reason.domains < reason.min_domains:
                node = cluster.nodes[trace.node]
                domain = (reason.topology_key, f"another-than-{reason.domain}")
                cpu, memory = node.allocatable.get(CPU, 0), node.allocatable.get(MEMORY, 0)
                yield (AddNode(node.name, cpu, memory, (domain,)),)
                return


def _priorities(pod: PodView, cluster: ClusterView) -> Iterator[tuple[Edit, ...]]:
    """Priorities above the pod's: classes that exist, else just above the pods on nodes.

    A class of preemptionPolicy Never evicts nobody, so it makes no room.
    """
    if pod.pod.spec.preemption_policy == "Never":
        return
    classes = sorted(
        (item.value, item.name)
        for item in cluster.snapshot.all(PriorityClass).values()
        if item.value > pod.priority
        and item.preemption_policy != "Never"
        and not item.name.startswith("system-")
    )
    for value, name in classes[:_CLASSES]:
        yield (RaisePriority(value, name),)
    if not classes:
        others = {o.priority for node in cluster.nodes.values() for o in node.pods}
        for priority in sorted(p for p in others if pod.priority <= p < _USER_MOST)[:_CLASSES]:
            yield (RaisePriority(priority + 1, ""),)


def _spared(attempt: Attempt, cluster: ClusterView) -> Iterator[tuple[Edit, ...]]:
    """Priorities with which preemption spares the pods that the pod must be near."""
    preemption, priority = attempt.preemption, attempt.pod.priority
    if preemption is None:
        return
    classes = sorted(
        (item.value, item.name != attempt.pod.pod.spec.priority_class_name, item.name)
        for item in cluster.snapshot.all(PriorityClass).values()
        if item.value >= priority and not item.name.startswith("system-")
    )
    if not classes and priority > _USER_MOST:
        return
    value, _, name = classes[0] if classes else (priority, False, "")
    spared: set[str] = set()
    for node in islice(unanchored(preemption), _NODES_PER_GROUP):
        for anchor in anchors(attempt.pod, cluster.nodes[node], cluster)[:_ANCHORS]:
            pods = _made_with(anchor, cluster) if anchor.key not in spared else ()
            if 0 < len(pods) <= _MOST_REPLICAS:
                spared.update(pods)
                yield (RaiseOtherPriority(pods, value, name),)


def _made_with(pod: PodView, cluster: ClusterView) -> tuple[str, ...]:
    """The pods on nodes of the pod's own template, itself first; none where that is not known."""
    if pod.pod.metadata.controller is None:
        return (pod.key,)
    workload = template_owner(pod.pod, cluster.snapshot)
    if workload is None:
        return ()
    others = [
        other.key
        for other in pods_of(cluster.snapshot, workload)
        if other.spec.node_name in cluster.nodes and not other.terminal and not other.terminating
    ]
    return tuple(dict.fromkeys([pod.key, *others]))
