"""What pods wish of each other, added up by topology domain.

Upstream: framework/plugins/interpodaffinity/scoring.go (v1.35.4), processExistingPod, PreScore.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kschedx.framework.affinity import AffinityTerms
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.incoming_terms import IncomingTerm, namespace_labels
from kschedx.schedulers.kube.neighbourhood import met_by

AffinityScores = Mapping[str, Mapping[str, int]]
"""Topology key -> domain -> the weights of all terms that meet there."""


def affinity_scores(
    pod: PodView,
    cluster: ClusterView,
    preferred: Iterable[IncomingTerm],
    preferred_anti: Iterable[IncomingTerm],
    hard_weight: int,
) -> AffinityScores | None:
    """How welcome the pod is in each domain; None where nobody wishes anything.

    `hard_weight` is what a required affinity term of an existing pod counts.
    """
    scores: dict[str, dict[str, int]] = {}
    for terms, sign in ((preferred, 1), (preferred_anti, -1)):
        for key, domain, weight in _own_wishes(terms, cluster):
            _add(scores, key, domain, sign * weight)
    for key, domain, weight in _wishes_of_others(pod, cluster, hard_weight):
        _add(scores, key, domain, weight)
    return scores or None


def _add(scores: dict[str, dict[str, int]], key: str, domain: str, weight: int) -> None:
    domains = scores.setdefault(key, {})
    domains[domain] = domains.get(domain, 0) + weight


def _own_wishes(
    terms: Iterable[IncomingTerm], cluster: ClusterView
) -> Iterator[tuple[str, str, int]]:
    """(topology key, domain, weight) for every pod that a term of the pod to be placed meets."""
    for term in terms:
        key, weight = term.topology_key, term.term.weight
        for _, node in met_by(term, cluster):
            if key in node.labels:
                yield key, node.labels[key], weight


def _wishes_of_others(
    pod: PodView, cluster: ClusterView, hard_weight: int
) -> Iterator[tuple[str, str, int]]:
    """(topology key, domain, weight) for every term of an existing pod that meets this one."""
    labels = namespace_labels(pod, cluster)
    known: dict[AffinityTerms, tuple[tuple[str, int], ...]] = {}
    for node in cluster.affinity_nodes:
        for other in node.pods_with_affinity:
            theirs = other.affinity
            if theirs not in known:
                known[theirs] = tuple(_wishes(theirs, pod, labels, hard_weight))
            for key, weight in known[theirs]:
                if key in node.labels:
                    yield key, node.labels[key], weight


def _wishes(
    terms: AffinityTerms, pod: PodView, labels: Mapping[str, str], hard_weight: int
) -> Iterator[tuple[str, int]]:
    """By topology key, how much an existing pod wants this one near or, negative, apart."""
    weighted = [(term, hard_weight) for term in terms.required] if hard_weight > 0 else []
    weighted += [(term, term.weight) for term in terms.preferred]
    weighted += [(term, -term.weight) for term in terms.preferred_anti]
    for term, weight in weighted:
        if term.matches(pod.namespace, pod.labels, labels):
            yield term.topology_key, weight
