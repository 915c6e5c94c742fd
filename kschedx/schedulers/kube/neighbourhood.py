"""Neighbourhood: the pods that matter to a pod's affinity, and those to whose affinity it matters.

Upstream: framework/plugins/interpodaffinity/filtering.go (v1.35.4), preFilterState,
getExistingAntiAffinityCounts, getIncomingAffinityAntiAffinityCounts.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kschedx.api.selectors import NOTHING
from kschedx.framework.affinity import AffinityTerm
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.incoming_terms import IncomingTerm
from kschedx.schedulers.kube.pair_counts import NO_PAIRS, Match, Pair, PairCounts


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """What the pod asks of its neighbours, what they ask of it, and who they are."""

    pod: PodView
    namespace_labels: Mapping[str, str] | None
    """Of the pod's own namespace; None where Namespaces were not read."""
    near: tuple[IncomingTerm, ...]
    apart: tuple[IncomingTerm, ...]
    near_counts: PairCounts = NO_PAIRS
    apart_counts: PairCounts = NO_PAIRS
    repelling: PairCounts = NO_PAIRS
    """Existing pods' required anti-affinity that matches the pod."""
    perhaps_repelling: frozenset[Pair] = frozenset()
    """The same, where it would take the Namespaces to tell."""

    @property
    def first_of_its_kind(self) -> bool:
        """No pod matches the affinity yet but the pod itself: then it may start the group."""
        return self.near_counts.pairs == 0 and all(term.matches(self.pod) for term in self.near)

    def near_matches(self, pod: PodView, node: NodeView) -> Iterator[tuple[Pair, Match]]:
        """The pairs in which this pod on this node counts as one to be near."""
        if self.near and all(term.matches(pod) for term in self.near):
            yield from _pairs(self.near, pod, node)

    def apart_matches(self, pod: PodView, node: NodeView) -> Iterator[tuple[Pair, Match]]:
        """The pairs in which this pod on this node counts as one to be apart from."""
        yield from _pairs([term for term in self.apart if term.matches(pod)], pod, node)

    def repelling_matches(self, pod: PodView, node: NodeView) -> Iterator[tuple[Pair, Match]]:
        """The pairs in which this pod on this node repels the one to be placed."""
        for term in pod.affinity.required_anti:
            if self._meets(term):
                domain = node.labels.get(term.topology_key)
                if domain is not None:
                    yield (term.topology_key, domain), Match(pod.key, term)

    def _meets(self, term: AffinityTerm) -> bool:
        """Whether an existing pod's term is known to select the pod to be placed."""
        if self.namespace_labels is None and not term.namespace_selector.empty:
            known = self.pod.namespace in term.namespaces
            return known and term.selector.matches(self.pod.labels)
        return term.matches(self.pod.namespace, self.pod.labels, self.namespace_labels or {})

    def may_meet(self, term: AffinityTerm) -> bool:
        """Whether it might select the pod, if the pod's namespace had the right labels."""
        chosen = term.namespace_selector
        return chosen is not NOTHING and term.selector.matches(self.pod.labels)


def _pairs(
    terms: Iterable[IncomingTerm], pod: PodView, node: NodeView
) -> Iterator[tuple[Pair, Match]]:
    for term in terms:
        domain = node.labels.get(term.topology_key)
        if domain is not None:
            yield (term.topology_key, domain), Match(pod.key, term.term)


def pods_of(
    terms: Iterable[IncomingTerm], cluster: ClusterView
) -> Iterator[tuple[PodView, NodeView]]:
    """All pods in any namespace that one of the terms looks at, with their nodes."""
    namespaces = dict.fromkeys(name for term in terms for name in term.where(cluster))
    for namespace in namespaces:
        for name, pods in cluster.pods_in_namespace(namespace).items():
            node = cluster.nodes[name]
            for pod in pods:
                yield pod, node
