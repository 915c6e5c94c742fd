"""The smallest sets of changes that get the pod a node, each proven by a full replay.

A node's causes have to be lifted together. Nodes with the same causes are tried as one, the one
first on which least is missing; spread and affinity couple nodes, so a set is a guess until it has
been replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Final

from kschedx.api.node import Taint
from kschedx.api.pod import Pod
from kschedx.api.quantity import CPU, MEMORY
from kschedx.api.scheduling import PriorityClass
from kschedx.api.storage import StorageClass
from kschedx.diagnose.hints import Hint, Hints
from kschedx.diagnose.lifting import NODE_TROUBLE, Blocked, lifts, unpinned
from kschedx.framework.attempt import Attempt
from kschedx.framework.claim_edits import ProvideClaim
from kschedx.framework.cluster_edits import AddNode, DeletePods, MovePods
from kschedx.framework.edit import Edit
from kschedx.framework.pod_edits import LowerRequest, RaisePriority
from kschedx.framework.verdict import NodeTrace, Outcome, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.claims import ClaimNotBound, ClaimNotFound
from kschedx.schedulers.kube.plugins.pod_topology_spread import SkewTooLarge
from kschedx.schedulers.kube.tolerations import HARD_EFFECTS

MOST_REPLAYS: Final = 60
MOST_HINTS: Final = 5
_LARGE: Final = 1000
"""In clusters of more nodes a replay takes its time: fewer hints are looked for."""
_MOST_HINTS_IN_LARGE: Final = 3
_MOST_CAUSES: Final = 3
"""Nodes that more causes block are left alone."""
_GROUPS: Final = 12
"""Groups of nodes with the same causes that are looked at, the fewest causes first."""
_NODES_PER_GROUP: Final = 3
_SETS_PER_NODE: Final = 8
_SHAPES: Final = 4
_CLASSES: Final = 3
_PER_KIND: Final = 2
"""Hints that begin with the same kind of change."""

_USER_MOST: Final = 1_000_000_000
"""User classes end here; above are the system's."""

Try = Callable[[PodView, ClusterView], Attempt]
"""What the scheduler does with a pod, the first rejection of each node only."""


@dataclass(frozen=True, slots=True)
class Replays:
    """The scheduler to ask, with preemption and without."""

    place: Try
    preempt: Try


def smallest_fixes(attempt: Attempt, cluster: ClusterView, replays: Replays) -> Hints:
    """Proven hints for a pod that no node takes, cheapest first."""
    pod = attempt.pod
    evicts = attempt.preemption is not None and bool(attempt.preemption.nominated)
    priorities = () if evicts else _priorities(pod, cluster)
    search = _Search(pod.pod, cluster, replays)
    nodes = {*_new_nodes(pod, cluster), *_new_domains(attempt, cluster)}
    if attempt.prefilter is not None:
        nodes, priorities = set(), ()
    sets = {*_sets(attempt, cluster), *_claims(attempt, cluster)}
    candidates = sorted({*sets, *nodes, *priorities}, key=_rank)
    for edits in candidates:
        if search.spent or search.enough:
            break
        search.prove(edits)
    return Hints(
        hints=tuple(search.proven),
        replays=search.replays,
        limit_hit=search.spent and not search.enough,
    )


def _rank(edits: tuple[Edit, ...]) -> tuple[int, int, int, float, str]:
    """Cheapest first: the dearest change, how many, how far a request goes down, then by name."""
    lowered = 0.0
    for edit in edits:
        before, after = getattr(edit, "before", 0), getattr(edit, "after", 0)
        if before > after:
            lowered += 1 - after / before
    return (
        max(edit.cost for edit in edits),
        len(edits),
        sum(len(edit.pods) for edit in edits if isinstance(edit, DeletePods)),
        round(lowered, 6),
        " and ".join(edit.sentence() for edit in edits),
    )


class _Search:
    """Replays sets of changes and keeps those that work."""

    def __init__(self, pod: Pod, cluster: ClusterView, ask: Replays) -> None:
        self.pod = pod
        self.cluster = cluster
        self.ask = ask
        self.proven: list[Hint] = []
        self.replays = 0

    @property
    def spent(self) -> bool:
        return self.replays >= MOST_REPLAYS

    @property
    def enough(self) -> bool:
        large = len(self.cluster.nodes) > _LARGE
        return len(self.proven) >= (_MOST_HINTS_IN_LARGE if large else MOST_HINTS)

    def prove(self, edits: tuple[Edit, ...]) -> None:
        """Replay a set, unless a part of it works already or its kind has been shown."""
        wanted = set(edits)
        kind = tuple(edit.code for edit in edits)
        shown = [tuple(edit.code for edit in hint.edits) for hint in self.proven]
        if any(wanted.issuperset(hint.edits) for hint in self.proven):
            return
        if shown.count(kind) >= _PER_KIND or self._lowered_less(edits):
            return
        self.replays += 1
        hint = self._replay(edits)
        if hint is not None:
            self.proven.append(hint)

    def _lowered_less(self, edits: tuple[Edit, ...]) -> bool:
        """A hint lowers the same request of the same container, by less."""
        lowered = {
            (edit.container, edit.resource)
            for hint in self.proven
            for edit in hint.edits
            if isinstance(edit, LowerRequest) and len(hint.edits) == len(edits)
        }
        return any(
            isinstance(edit, LowerRequest) and (edit.container, edit.resource) in lowered
            for edit in edits
        )

    def _replay(self, edits: tuple[Edit, ...]) -> Hint | None:
        pod, cluster = self.pod, self.cluster
        for edit in edits:
            pod, cluster = edit.apply(pod, cluster)
        preempts = any(isinstance(edit, RaisePriority) for edit in edits)
        ask = self.ask.preempt if preempts else self.ask.place
        attempt = ask(cluster.view(pod), cluster)
        if attempt.winners and attempt.outcome is Outcome.FITS:
            return self._with_moves(edits, attempt, cluster)
        preemption = attempt.preemption
        if preempts and preemption is not None and preemption.enabled and preemption.nominated:
            chosen = preemption.candidates[preemption.nominated[0]]
            return Hint(edits, preemption.nominated, tuple(v.key for v in chosen.victims))
        return None

    def _with_moves(
        self, edits: tuple[Edit, ...], attempt: Attempt, cluster: ClusterView
    ) -> Hint | None:
        """The hint with moves for deletions: a controller makes its pod again.

        None where the replay finds a successor no place: it would wait, or take the room back.
        """
        placed = cluster.with_pod_on(attempt.pod, attempt.winners[0])
        settled: list[Edit] = []
        for edit in edits:
            if isinstance(edit, DeletePods) and self._come_back(edit):
                moved = self._moved(edit, placed)
                if moved is None:
                    return None
                settled.append(moved)
            else:
                settled.append(edit)
        return Hint(tuple(settled), attempt.winners)

    def _come_back(self, edit: DeletePods) -> bool:
        pods = [self.cluster.find(key) for key in edit.pods]
        return any(
            pod is not None and pod.pod.metadata.controller is not None and not pod.terminating
            for pod in pods
        )

    def _moved(self, edit: DeletePods, placed: ClusterView) -> MovePods | None:
        places: list[str] = []
        for key in edit.pods:
            pod = self.cluster.find(key)
            if pod is None or pod.pod.metadata.controller is None:
                return None
            successor = placed.view(pod.pod.recreated())
            winners = self.ask.place(successor, placed).winners
            if not winners:
                return None
            places.append(winners[0])
            placed = placed.with_pod_on(successor, winners[0])
        return MovePods(edit.node, edit.pods, tuple(places))


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
                yield from islice(sorted(sets, key=_rank), _SETS_PER_NODE)


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
        yield (AddNode(node.name, cpu, memory),)
    lacks = _lacks(pod, [node for _, _, node in ready])
    if lacks:
        cpu, memory, node = ready[-1]
        yield (AddNode(node.name, cpu, memory, larger=lacks),)
    if ready and all(any(map(_reserves, node.node.spec.taints)) for _, _, node in ready):
        cpu, memory, node = ready[-1]
        yield (AddNode(node.name, cpu, memory, untainted=True),)


def _lacks(pod: PodView, nodes: Sequence[NodeView]) -> tuple[tuple[str, int], ...]:
    """What the pod asks for and the last of the nodes is too small for, where all are."""
    if any(all(v <= node.allocatable.get(r, 0) for r, v in pod.asked.items()) for node in nodes):
        return ()
    return tuple(
        (resource, amount)
        for resource, amount in sorted(pod.asked.items())
        if nodes and amount > nodes[-1].allocatable.get(resource, 0)
    )


def _reserves(taint: Taint) -> bool:
    """Somebody wants the node for certain pods only; it is not that the node is not well."""
    return taint.effect in HARD_EFFECTS and not taint.key.startswith(NODE_TROUBLE)


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
    """Priorities above the pod's: classes that exist, else just above the pods on nodes."""
    if pod.pod.spec.preemption_policy == "Never":
        return
    classes = sorted(
        (item.value, item.name)
        for item in cluster.snapshot.all(PriorityClass).values()
        if item.value > pod.priority and not item.name.startswith("system-")
    )
    for value, name in classes[:_CLASSES]:
        yield (RaisePriority(value, name),)
    if not classes:
        others = {o.priority for node in cluster.nodes.values() for o in node.pods}
        for priority in sorted(p for p in others if pod.priority <= p < _USER_MOST)[:_CLASSES]:
            yield (RaisePriority(priority + 1, ""),)
