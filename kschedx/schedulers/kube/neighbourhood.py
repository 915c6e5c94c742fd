"""Neighbourhood: the pods that matter to a pod's affinity, and those to whose affinity it matters.

Upstream: framework/plugins/interpodaffinity/filtering.go (v1.35.4), preFilterState,
getExistingAntiAffinityCounts, getIncomingAffinityAntiAffinityCounts.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kschedx.api.selectors import NOTHING
from kschedx.framework.affinity import AffinityTerm
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.incoming_terms import IncomingTerm
from kschedx.schedulers.kube.pair_counts import NO_PAIRS, Match, Pair, PairCounts

Found = tuple[Pair, Match]
"""A match and where it counts."""


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What the pod asks of its neighbours, what they ask of it, and who they are."""

    pod: PodView
    namespace_labels: Mapping[str, str] | None
    """Of the pod's own namespace; None where Namespaces were not read."""
    near: tuple[IncomingTerm, ...]
    apart: tuple[IncomingTerm, ...]
    itself: bool
    """The pod matches all terms of its own affinity."""
    near_counts: PairCounts = NO_PAIRS
    apart_counts: PairCounts = NO_PAIRS
    repelling: PairCounts = NO_PAIRS
    """Existing pods' required anti-affinity that matches the pod."""
    perhaps_repelling: frozenset[Pair] = frozenset()
    """The same, where it would take the Namespaces to tell."""

    @property
    def first_of_its_kind(self) -> bool:
        """No pod matches the affinity yet but the pod itself: then it may start the group."""
        return self.near_counts.pairs == 0 and self.itself

    def near_matches(self, pods: Iterable[PodView], node: NodeView) -> list[Found]:
        """The pairs in which these pods on this node count as pods to be near."""
        if not self.near:
            return []
        return [
            found
            for pod in pods
            if all(term.matches(pod) for term in self.near)
            for term in self.near
            for found in counted(term.term, pod, node)
        ]

    def apart_matches(self, pods: Iterable[PodView], node: NodeView) -> list[Found]:
        """The pairs in which these pods on this node count as pods to be apart from."""
        if not self.apart:
            return []
        return [
            found
            for pod in pods
            for term in self.apart
            if term.matches(pod)
            for found in counted(term.term, pod, node)
        ]

    def repelling_matches(self, pods: Iterable[PodView], node: NodeView) -> list[Found]:
        """The pairs in which these pods on this node repel the one to be placed."""
        return [
            found
            for pod in pods
            for term in pod.affinity.required_anti
            if self._meets(term)
            for found in counted(term, pod, node)
        ]

    def changed(
        self, node: NodeView, added: Sequence[PodView], removed: Sequence[PodView]
    ) -> Neighbourhood:
        """The same after these pods came to the node and those went."""
        near = self.near_counts.changed(
            self.near_matches(added, node), self.near_matches(removed, node)
        )
        apart = self.apart_counts.changed(
            self.apart_matches(added, node), self.apart_matches(removed, node)
        )
        repelling = self.repelling.changed(
            self.repelling_matches(added, node), self.repelling_matches(removed, node)
        )
        before = (self.near_counts, self.apart_counts, self.repelling)
        if all(new is old for new, old in zip((near, apart, repelling), before, strict=True)):
            return self
        return replace(self, near_counts=near, apart_counts=apart, repelling=repelling)

    def _meets(self, term: AffinityTerm) -> bool:
        """Whether an existing pod's term is known to select the pod to be placed."""
        if self.namespace_labels is None and not term.namespace_selector.empty:
            known = self.pod.namespace in term.namespaces
            return known and term.selector.matches(self.pod.labels)
        return term.matches(self.pod.namespace, self.pod.labels, self.namespace_labels or {})

    def perhaps(self, pods: Iterable[PodView], node: NodeView) -> Iterator[Pair]:
        """The pairs in which these pods would repel, if the pod's namespace had some labels."""
        for pod in pods:
            for term in pod.affinity.required_anti:
                key = term.topology_key
                if key in node.labels and self._may_meet(term):
                    yield key, node.labels[key]

    def _may_meet(self, term: AffinityTerm) -> bool:
        """Whether it might select the pod, if the pod's namespace had the right labels."""
        chosen = term.namespace_selector
        return chosen is not NOTHING and term.selector.matches(self.pod.labels)


def counted(term: AffinityTerm, pod: PodView, node: NodeView) -> tuple[Found, ...]:
    """Where the pod counts by this term: nowhere if the node lacks the topology key."""
    domain = node.labels.get(term.topology_key)
    return () if domain is None else (((term.topology_key, domain), Match(pod.key, term)),)


def met_by(term: IncomingTerm, cluster: ClusterView) -> Iterator[tuple[PodView, NodeView]]:
    """All pods that a term selects, with their nodes."""
    matches = term.selector.matches
    for namespace in term.where(cluster):
        for name, pods in cluster.pods_in_namespace(namespace).items():
            node = cluster.nodes[name]
            for pod in pods:
                if matches(pod.labels):
                    yield pod, node
