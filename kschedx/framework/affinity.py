"""A pod's inter-pod affinity, parsed once per shape: most pods share theirs with many others.

Upstream: k8s.io/kube-scheduler framework types.go, AffinityTerm, GetAffinityTerms; kubernetes
pkg/scheduler/framework/types.go, PodInfo.Update (v1.35.4).
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kschedx.api.label_syntax import joined
from kschedx.api.meta import LabelSelector
from kschedx.api.pod import Affinity, PodAffinity, PodAffinityTerm
from kschedx.api.selectors import NOTHING, Selector, SelectorError, parse


class AffinityTerm:
    """A parsed (anti-)affinity term of one pod. Upstream: framework AffinityTerm."""

    __slots__ = ("namespace_selector", "namespaces", "selector", "term", "topology_key", "weight")

    def __init__(self, term: PodAffinityTerm, own_namespace: str, weight: int = 0) -> None:
        """Raises SelectorError for a selector that cannot be parsed."""
        self.term = term
        self.topology_key = term.topology_key
        self.selector: Selector = parse(term.label_selector)
        self.namespace_selector: Selector = parse(term.namespace_selector)
        names = frozenset(term.namespaces)
        if not names and term.namespace_selector is None:
            names = frozenset((own_namespace,))
        self.namespaces: frozenset[str] = names
        self.weight = weight

    def matches(
        self, namespace: str, labels: Mapping[str, str], namespace_labels: Mapping[str, str]
    ) -> bool:
        """Whether the term selects a pod with these labels in this namespace."""
        return (
            namespace in self.namespaces or self.namespace_selector.matches(namespace_labels)
        ) and self.selector.matches(labels)

    def may_match(self, namespace: str, labels: Mapping[str, str]) -> bool:
        """Whether it selects such a pod, if the labels of the pod's namespace are right."""
        named = namespace in self.namespaces or self.namespace_selector is not NOTHING
        return named and self.selector.matches(labels)


@dataclass(frozen=True, slots=True, eq=False)
class AffinityTerms:
    """A pod's four lists of terms. A list of which one term cannot be parsed is empty."""

    required: tuple[AffinityTerm, ...] = ()
    required_anti: tuple[AffinityTerm, ...] = ()
    preferred: tuple[AffinityTerm, ...] = ()
    preferred_anti: tuple[AffinityTerm, ...] = ()
    error: str = ""
    """What upstream says of the lists that could not be parsed (framework.NewPodInfo)."""


NO_TERMS: Final = AffinityTerms()


class _AffinityShape:
    """A pod's affinity and namespace as a key: most pods share theirs with many others."""

    __slots__ = ("affinity", "key", "namespace")

    def __init__(self, affinity: Affinity, namespace: str) -> None:
        self.affinity = affinity
        self.namespace = namespace
        self.key = (namespace, _side(affinity.pod_affinity), _side(affinity.pod_anti_affinity))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _AffinityShape) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


def _side(side: PodAffinity | None) -> object:
    if side is None:
        return None
    preferred = tuple((w.weight, _term_shape(w.pod_affinity_term)) for w in side.preferred)
    return tuple(map(_term_shape, side.required)), preferred


def _term_shape(term: PodAffinityTerm) -> object:
    return (
        term.topology_key,
        _selector_shape(term.label_selector),
        term.namespaces,
        _selector_shape(term.namespace_selector),
    )


def _selector_shape(selector: LabelSelector | None) -> object:
    if selector is None:
        return None
    return tuple(selector.match_labels.items()), selector.match_expressions


@lru_cache(maxsize=16384)
def _parse_terms(shape: _AffinityShape) -> AffinityTerms:
    together, apart = shape.affinity.pod_affinity, shape.affinity.pod_anti_affinity
    complaints: list[str] = []

    def parsed(name: str, terms: Iterable[tuple[PodAffinityTerm, int]]) -> tuple[AffinityTerm, ...]:
        try:
            return tuple(AffinityTerm(term, shape.namespace, weight) for term, weight in terms)
        except SelectorError as refused:
            complaints.append(f"{name}: {refused}")
            return ()

    terms = (
        parsed("requiredAffinityTerms", _required(together)),
        parsed("requiredAntiAffinityTerms", _required(apart)),
        parsed("preferredAffinityTerms", _preferred(together)),
        parsed("preferredAntiAffinityTerms", _preferred(apart)),
    )
    return AffinityTerms(*terms, error=joined(complaints) if complaints else "")


def _required(side: PodAffinity | None) -> Iterable[tuple[PodAffinityTerm, int]]:
    return ((term, 0) for term in side.required) if side else ()


def _preferred(side: PodAffinity | None) -> Iterable[tuple[PodAffinityTerm, int]]:
    return ((w.pod_affinity_term, w.weight) for w in side.preferred) if side else ()


def affinity_terms(affinity: Affinity, namespace: str) -> AffinityTerms:
    """The terms of a pod in this namespace. Equal ones are one object, so it can be a key."""
    return _parse_terms(_AffinityShape(affinity, namespace))
