"""The affinity terms of the pod to be placed, with their namespaces looked up.

Upstream: framework/plugins/interpodaffinity/plugin.go (v1.35.4),
mergeAffinityTermNamespacesIfNotEmpty, GetNamespaceLabelsSnapshot.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kschedx.api.selectors import NOTHING, Selector
from kschedx.api.workloads import Namespace
from kschedx.framework.affinity import AffinityTerm
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.versions import Release


@dataclass(frozen=True, slots=True)
class IncomingTerm:
    """One term, ready to be asked of any pod."""

    term: AffinityTerm
    topology_key: str
    selector: Selector
    namespaces: frozenset[str] | None
    """Where pods are looked for; None: everywhere."""
    lacks_namespaces: bool = False
    """Namespaces were not read, so that there may be more of them."""

    def matches(self, pod: PodView) -> bool:
        return (
            self.namespaces is None or pod.namespace in self.namespaces
        ) and self.selector.matches(pod.labels)

    def where(self, cluster: ClusterView) -> Iterable[str]:
        """The namespaces with pods that the term looks at, in a fixed order."""
        if self.namespaces is None:
            return cluster.namespaces_with_pods
        return sorted(self.namespaces)


def incoming_term(term: AffinityTerm, cluster: ClusterView, release: Release) -> IncomingTerm:
    """A term of the pod to be placed, its namespaceSelector replaced by names."""
    key, selector, chosen = term.topology_key, term.selector, term.namespace_selector
    if chosen is NOTHING:
        return IncomingTerm(term, key, selector, term.namespaces)
    # A slip of 1.34 to 1.36: the selector stays in force and is asked of a namespace without
    # labels, whichever the pod's is. What NotIn and DoesNotExist say of that holds everywhere.
    slip = 34 <= release.minor <= 36 and chosen.matches({})
    if chosen.empty or slip:
        return IncomingTerm(term, key, selector, None)
    namespaces = cluster.snapshot.all(Namespace).values()
    names = {each.name for each in namespaces if chosen.matches(each.metadata.labels)}
    lacks = not cluster.snapshot.read(Namespace)
    return IncomingTerm(term, key, selector, term.namespaces | names, lacks)


def namespace_labels(pod: PodView, cluster: ClusterView) -> Mapping[str, str]:
    """The labels of the pod's own namespace; none where it does not exist."""
    namespace = cluster.snapshot.get(Namespace, pod.namespace)
    return namespace.metadata.labels if namespace is not None else {}


def where_words(term: AffinityTerm) -> str:
    """Which namespaces a term looks at, as its author wrote it."""
    chosen = term.namespace_selector
    if chosen.empty:
        return "any namespace"
    words = []
    if term.namespaces:
        some = "namespace" if len(term.namespaces) == 1 else "namespaces"
        words.append(f"{some} {', '.join(sorted(term.namespaces))}")
    if chosen is not NOTHING:
        words.append(f"namespaces with {chosen}")
    return " or ".join(words) or "no namespace"
