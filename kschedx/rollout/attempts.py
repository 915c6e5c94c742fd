"""Scheduling attempts with a memory: what was found of a pod's shape on an unchanged node stands.

Laws: the answer equals the scheduler's own; a node view is a value, so the same view means that
nothing on the node has changed.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from weakref import WeakKeyDictionary

from kschedx.api.policy import PodDisruptionBudget
from kschedx.framework.attempt import Attempt, Preemption
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.rollout.opening import Opening
from kschedx.rollout.rejections import DryRuns, Rejections
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.filtering import Filters
from kschedx.schedulers.kube.preemption import preempt
from kschedx.schedulers.kube.profile import PREEMPTION
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


class Attempts:
    """One scheduler's attempts during any number of runs on views of one snapshot."""

    def __init__(self, scheduler: KubeScheduler) -> None:
        self.scheduler = scheduler
        self._shapes: WeakKeyDictionary[PodView, str] = WeakKeyDictionary()
        self._rules: WeakKeyDictionary[PodView, str] = WeakKeyDictionary()
        self._rejections: dict[str, Rejections] = {}
        self._dry_runs: dict[str, DryRuns] = {}
        self._whole: dict[str, _Whole] = {}
        self._filters: dict[str, Filters | None] = {}
        self._openings: dict[int, Opening] = {}
        self.looked_at = 0
        """Nodes that have been looked at so far: a measure of work that no clock enters."""
        self._nodes: tuple[Mapping[str, NodeView], Sequence[NodeView]] = ({}, [])
        self._lowest: tuple[Sequence[NodeView], list[int], int] = ((), [], _MOST)

    def opening(self, snapshot: Snapshot) -> Opening:
        """How runs on this snapshot begin, made once."""
        known = self._openings.get(id(snapshot))
        if known is None or known.snapshot is not snapshot:
            first = next(iter(self._openings.values()), None)
            known = Opening.of(snapshot, self.scheduler.release.accounting(), first)
            self._openings[id(snapshot)] = known
        return known

    def attempt(self, pod: PodView, cluster: ClusterView) -> Found:
        """As KubeScheduler.attempt, up to each node's first rejection."""
        shape = self._shape(pod)
        nominations = _nominations(cluster)
        nodes = self._nodes_of(cluster)
        remembered = self._whole.get(shape)
        if remembered is not None and remembered.holds(nodes, cluster.snapshot, nominations):
            return remembered.found
        dry_runs = self._outranks_anyone(pod, nodes)
        found = self._by_node(pod, cluster, nodes, dry_runs=dry_runs)
        if found is None:
            self.looked_at += len(nodes)
            found = found_in(
                self.scheduler.attempt(pod, cluster, every_rule=False, dry_runs=dry_runs)
            )
        self._whole[shape] = _Whole(nodes, cluster.snapshot, nominations, found)
        return found

    def _nodes_of(self, cluster: ClusterView) -> Sequence[NodeView]:
        """The same list as long as no node changes, so that comparing is cheap."""
        mapping, nodes = self._nodes
        if mapping is not cluster.nodes:
            nodes = list(cluster.nodes.values())
            self._nodes = cluster.nodes, nodes
        return nodes

    def _shape(self, pod: PodView) -> str:
        known = self._shapes.get(pod)
        if known is None:
            status = pod.pod.status.nominated_node_name
            # A pod with a place of its own is told apart from others of its kind.
            own = pod.key if status else ""
            known = repr((pod.namespace, sorted(pod.labels.items()), pod.pod.spec, status, own))
            self._shapes[pod] = known
        return known

    def _rules_of(self, pod: PodView) -> str:
        """What the rules look at where nothing couples nodes: neither labels nor the pod's name."""
        known = self._rules.get(pod)
        if known is None:
            known = repr((pod.namespace, pod.pod.spec))
            self._rules[pod] = known
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

    def _by_node(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView], *, dry_runs: bool
    ) -> Found | None:
        """Only nodes that have changed are looked at; None: the whole cycle must be run."""
        if couples(pod, cluster, self.scheduler):
            return None
        rules = self._rules_of(pod)
        filters = self._filters_of(pod, cluster, rules)
        if filters is None:
            return None
        known = self._rejections.setdefault(rules, Rejections())
        changed = known.changed(nodes, filters.nominated)
        self.looked_at += len(changed)
        try:
            for node in changed:
                known.learn(node, filters.trace(node, every=False))
        except CycleError:
            self._filters[rules] = None
            return None
        if not known.fits:
            preemption = self._preempt(filters, cluster, rules) if dry_runs else None
            causes = _ordered(known.causes)
            return Found((), known.rejected_by(), causes, len(nodes), preemption)
        if known.unsure:
            return None
        feasible = [node for name, node in cluster.nodes.items() if name in known.fits]
        scored = self._scored(pod, cluster, feasible)
        own = pod.pod.status.nominated_node_name
        # The node that is held for the pod is tried first and taken as it is.
        return replace(scored, winners=(own,)) if scored and own in known.fits else scored

    def _filters_of(self, pod: PodView, cluster: ClusterView, rules: str) -> Filters | None:
        """The rules; where nothing couples nodes they depend on the pod and on nominations."""
        if rules not in self._filters:
            try:
                filters = self.scheduler.filters(pod, cluster)
            except CycleError:
                self._filters[rules] = None
                return None
            ready = filters.preparation
            whole = ready.rejection or ready.narrowed_to is not None or ready.not_checked
            self._filters[rules] = None if whole else filters
        known = self._filters[rules]
        return None if known is None else known.again(pod, cluster)

    def _preempt(self, filters: Filters, cluster: ClusterView, rules: str) -> Preemption:
        dry_runs = self._dry_runs.setdefault(rules, DryRuns())
        dry_runs.begin(cluster.snapshot.all(PodDisruptionBudget))
        begun = dry_runs.looked_at
        outcomes = self._rejections[rules].outcomes()
        result = preempt(filters, cluster, outcomes, dry_runs.make)
        self.looked_at += dry_runs.looked_at - begun
        return replace(result, enabled=PREEMPTION in filters.profile.post_filter)

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
    if some is others:
        return True
    return len(some) == len(others) and all(map(operator.is_, some, others))


def couples(pod: PodView, cluster: ClusterView, scheduler: KubeScheduler) -> bool:
    """Whether a change on one node can alter what is found on another.

    The required anti-affinity of others does that only to pods that it means: to no other pod does
    InterPodAffinity's filter say anything, whoever else comes, goes or is nominated.
    """
    spec = pod.pod.spec
    if (
        spec.topology_spread_constraints
        or pod.has_affinity
        or spec.resource_claims
        or any(v.persistent_volume_claim or v.ephemeral for v in spec.volumes)
    ):
        return True
    profile = scheduler.profile_for(pod)
    if profile is not None and profile.spreads_by_default:
        return True
    return any(
        term.may_match(pod.namespace, pod.labels)
        for affinity in cluster.required_anti_affinities
        for term in affinity.required_anti
    )


def _nominations(cluster: ClusterView) -> Nominations:
    return tuple(
        (node, other.priority, other.key)
        for node, pods in cluster.nominated.items()
        for other in pods
    )


def found_in(attempt: Attempt) -> Found:
    """What a run needs of an attempt."""
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
