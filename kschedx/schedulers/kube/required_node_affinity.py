"""A pod's nodeSelector and required node affinity, taken together.

Upstream: component-helpers scheduling/corev1/nodeaffinity/nodeaffinity.go (v0.35.4),
GetRequiredNodeAffinity.
Differences: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from kschedx.api.pod import Pod
from kschedx.api.selectors import NodeTerm, any_term, node_terms
from kschedx.framework.views import NodeView


@dataclass(frozen=True, slots=True)
class RequiredNodeAffinity:
    """Parsed once per pod."""

    labels: tuple[tuple[str, str], ...] = ()
    """nodeSelector: every pair must be on the node."""
    terms: tuple[NodeTerm, ...] | None = None
    """Any one must match; None where the pod requires none."""

    @classmethod
    def of(cls, pod: Pod) -> RequiredNodeAffinity:
        affinity = pod.spec.affinity
        node_affinity = affinity.node_affinity if affinity is not None else None
        required = node_affinity.required if node_affinity is not None else None
        return cls(
            tuple(pod.spec.node_selector.items()),
            None if required is None else node_terms(required),
        )

    def matches(self, node: NodeView) -> bool:
        labels = node.labels
        for key, value in self.labels:
            if labels.get(key) != value:
                return False
        return self.terms is None or any_term(self.terms, node.name, labels)
