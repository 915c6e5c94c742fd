"""Scheduling attempts with a memory: what was found of a pod's shape on an unchanged node stands.

Laws: the answer equals the scheduler's own; a node view is a value, so the same view means that
nothing on the node has changed.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

from kschedx.framework.attempt import Attempt, Preemption
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import NodeTrace, Outcome
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.rollout.opening import Opening
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.filtering import Filters
from kschedx.schedulers.kube.scoring import score_nodes, top_scorers
from kschedx.snapshot.snapshot import Snapshot

_MOST: Final = 2**31
"""Above every priority."""
Nominations = tuple[tuple[str, int, str], ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What one attempt comes to, as far as a run needs it."""

    winners: tuple[str, ...] = ()
    rejected_by: frozenset[str] = frozenset()
    """Upstream: Diagnosis.UnschedulablePlugins."""
    causes: Mapping[str, int] = field(default_factory=dict)
    """Cause in plain words -> how many nodes it rules out, most first."""
    node_count: int = 0
    preemption: Preemption | None = None
    doubt: str = ""
    """Why it could not be decided; empty where it was."""


@dataclass(frozen=True, slots=True)
class _Whole:
    """The answer for one state of the cluster."""

    nodes: Sequence[NodeView]
    snapshot: Snapshot
    nominations: Nominations
    found: Found

    def holds(
        self, nodes: Sequence[NodeView], snapshot: Snapshot, nominations: Nominations
    ) -> bool:
        return (
            self.snapshot is snapshot
            and self.nominations == nominations
            and _same(self.nodes, nodes)
        )


class _Rejections:
    """What rules a shape out on each node, and the sums of it."""

    def __init__(self) -> None:
        self._nodes: Sequence[NodeView] = ()
        self.fits: set[str] = set()
        self.unsure: set[str] = set()
        """Of those that fit: nodes on which a rule could not be decided."""
        self._by: dict[str, tuple[str, frozenset[str]]] = {}
        self.plugins: Counter[str] = Counter()
        self.causes: Counter[str] = Counter()

    def changed(self, nodes: Sequence[NodeView]) -> list[NodeView]:
        """The nodes that are not as they were when this was last asked; gone ones are forgotten."""
        known, self._nodes = self._nodes, nodes
        if len(known) == len(nodes):
            differ = [(old, new) for old, new in zip(known, nodes, strict=True) if old is not new]
            if all(old.name == new.name for old, new in differ):
                return [new for _, new in differ]
        views = {node.name: node for node in known}
        for name in views.keys() - {node.name for node in nodes}:
            self.forget(name)
        return [node for node in nodes if views.get(node.name) is not node]

    def forget(self, name: str) -> None:
        known = self._by.pop(name, None)
        self.fits.discard(name)
        self.unsure.discard(name)
        if known is not None:
            self.plugins[known[0]] -= 1
            self.causes.subtract(known[1])

    def learn(self, node: NodeView, trace: NodeTrace) -> None:
        self.forget(node.name)
        first = trace.first
        if first is None or trace.outcome is Outcome.NOT_CHECKED:
            self.fits.add(node.name)
            if first is not None:
                self.unsure.add(node.name)
            return
        subjects = frozenset(reason.subject() for reason in first.reasons)
        self._by[node.name] = first.plugin, subjects
        self.plugins[first.plugin] += 1
        self.causes.update(subjects)

    def found(self, node_count: int) -> Found:
        return Found(
            rejected_by=frozenset(name for name, count in self.plugins.items() if count > 0),
            causes=_ordered(self.causes),
            node_count=node_count,
        )


class Attempts:
    """One scheduler's attempts during any number of runs on views of one snapshot."""

    def __init__(self, scheduler: KubeScheduler) -> None:
        self.scheduler = scheduler
        self._shapes: WeakKeyDictionary[PodView, str] = WeakKeyDictionary()
        self._rejections: dict[str, _Rejections] = {}
        self._whole: dict[str, _Whole] = {}
        self._filters: dict[str, Filters | None] = {}
        self._openings: dict[int, Opening] = {}
        self.looked_at = 0
        """Nodes that have been looked at so far: a measure of work that no clock enters."""
        self._lowest: tuple[Sequence[NodeView], list[int], int] = ((), [], _MOST)

    def opening(self, snapshot: Snapshot) -> Opening:
        """How runs on this snapshot begin, made once."""
        known = self._openings.get(id(snapshot))
        if known is None or known.snapshot is not snapshot:
            known = Opening.of(snapshot, self.scheduler.release.accounting())
            self._openings[id(snapshot)] = known
        return known

    def attempt(self, pod: PodView, cluster: ClusterView) -> Found:
        """As KubeScheduler.attempt, up to each node's first rejection."""
        shape = self._shape(pod)
        nominations = _nominations(cluster)
        nodes = list(cluster.nodes.values())
        remembered = self._whole.get(shape)
        if remembered is not None and remembered.holds(nodes, cluster.snapshot, nominations):
            return remembered.found
        dry_runs = self._outranks_anyone(pod, nodes)
        found = None if nominations else self._by_node(pod, cluster, shape)
        if found is None or (dry_runs and not found.winners):
            self.looked_at += len(nodes)
            found = _found(
                self.scheduler.attempt(pod, cluster, every_rule=False, dry_runs=dry_runs)
            )
        self._whole[shape] = _Whole(nodes, cluster.snapshot, nominations, found)
        return found

    def _shape(self, pod: PodView) -> str:
        known = self._shapes.get(pod)
        if known is None:
            status = pod.pod.status.nominated_node_name
            # A pod with a place of its own is told apart from others of its kind.
            own = pod.key if status else ""
            known = repr((pod.namespace, sorted(pod.labels.items()), pod.pod.spec, status, own))
            self._shapes[pod] = known
        return known

    def _outranks_anyone(self, pod: PodView, nodes: Sequence[NodeView]) -> bool:
        known, by_node, lowest = self._lowest
        if not _same(known, nodes):
            if len(known) != len(nodes):
                known, by_node = (), []
            by_node = [
                by_node[index] if known and known[index] is node else _lowest_priority(node)
                for index, node in enumerate(nodes)
            ]
            lowest = min(by_node, default=_MOST)
            self._lowest = nodes, by_node, lowest
        return lowest < pod.priority

    def _by_node(self, pod: PodView, cluster: ClusterView, shape: str) -> Found | None:
        """Only nodes that have changed are looked at; None: the whole cycle must be run."""
        if couples(pod, cluster):
            return None
        filters = self._filters_of(pod, cluster, shape)
        if filters is None:
            return None
        known = self._rejections.setdefault(shape, _Rejections())
        changed = known.changed(list(cluster.nodes.values()))
        self.looked_at += len(changed)
        for node in changed:
            known.learn(node, filters.trace(node, every=False))
        if not known.fits:
            return known.found(len(cluster.nodes))
        if known.unsure:
            return None
        feasible = [node for name, node in cluster.nodes.items() if name in known.fits]
        return self._scored(pod, cluster, feasible)

    def _filters_of(self, pod: PodView, cluster: ClusterView, shape: str) -> Filters | None:
        """The shape's rules; where nothing couples nodes they depend on the pod alone."""
        if shape not in self._filters:
            try:
                filters = self.scheduler.filters(pod, cluster)
            except CycleError:
                self._filters[shape] = None
                return None
            ready = filters.preparation
            whole = ready.rejection or ready.narrowed_to is not None or ready.not_checked
            self._filters[shape] = None if whole else filters
        return self._filters[shape]

    def _scored(
        self, pod: PodView, cluster: ClusterView, feasible: Sequence[NodeView]
    ) -> Found | None:
        if len(feasible) == 1:
            return Found((feasible[0].name,), node_count=len(cluster.nodes))
        profile = self.scheduler.profile_for(pod)
        if profile is None:
            return None
        self.looked_at += len(feasible)
        try:
            scores = score_nodes(profile, pod, cluster, feasible)
        except CycleError:
            return None
        return Found(top_scorers(scores), node_count=len(cluster.nodes))


def _lowest_priority(node: NodeView) -> int:
    return min((pod.priority for pod in node.pods), default=_MOST)


def _same(some: Sequence[NodeView], others: Sequence[NodeView]) -> bool:
    return len(some) == len(others) and all(map(operator.is_, some, others))


def couples(pod: PodView, cluster: ClusterView) -> bool:
    """Whether a change on one node can alter what is found on another."""
    spec = pod.pod.spec
    if (
        spec.topology_spread_constraints
        or pod.has_affinity
        or spec.resource_claims
        or any(v.persistent_volume_claim or v.ephemeral for v in spec.volumes)
    ):
        return True
    return bool(cluster.required_anti_affinity_nodes)


def _nominations(cluster: ClusterView) -> Nominations:
    return tuple(
        (node, other.priority, other.key)
        for node, pods in cluster.nominated.items()
        for other in pods
    )


def _found(attempt: Attempt) -> Found:
    return Found(
        attempt.winners,
        rejecting_plugins(attempt),
        texts_by_cause(attempt),
        attempt.node_count,
        attempt.preemption,
        _doubt(attempt),
    )


def rejecting_plugins(attempt: Attempt) -> frozenset[str]:
    """Upstream: Diagnosis.UnschedulablePlugins."""
    if attempt.prefilter is not None:
        return frozenset((attempt.prefilter.plugin,) if attempt.prefilter.plugin else ()) | (
            frozenset(attempt.narrowed_by)
        )
    first = (trace.first for trace in attempt.traces.values())
    return frozenset(v.plugin for v in first if v is not None) | frozenset(attempt.narrowed_by)


def texts_by_cause(attempt: Attempt) -> dict[str, int]:
    """How many nodes are ruled out by what, in plain words."""
    if attempt.prefilter is not None:
        subjects = dict.fromkeys(reason.sentence() for reason in attempt.prefilter.reasons)
        return dict.fromkeys(subjects, attempt.node_count)
    counted: Counter[str] = Counter()
    for trace in attempt.traces.values():
        first = trace.first
        counted.update({r.subject() for r in first.reasons} if first is not None else ())
    return _ordered(counted)


def _ordered(counted: Mapping[str, int]) -> dict[str, int]:
    found = [(subject, count) for subject, count in counted.items() if count > 0]
    return dict(sorted(found, key=lambda item: (-item[1], item[0])))


def _doubt(attempt: Attempt) -> str:
    if attempt.error:
        return attempt.error
    if attempt.winners or attempt.outcome is not Outcome.NOT_CHECKED:
        return ""
    doubts = sorted(
        {
            reason.sentence()
            for trace in attempt.traces.values()
            for verdict in trace.verdicts
            for reason in verdict.reasons
            if reason.outcome is Outcome.NOT_CHECKED
        }
    )
    return doubts[0] if doubts else "no rule could be decided"
