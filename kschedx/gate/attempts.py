"""Attempts for many pods at once: a daemon's pod has one node to go to, and is tried there alone.

Law: the answer equals that of kschedx.rollout.attempts.
"""

from __future__ import annotations

from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, PodView
from kschedx.rollout.attempts import Attempts, Found
from kschedx.schedulers.kube.filtering import Filters


class GateAttempts(Attempts):
    """One scheduler's attempts, with that shortcut."""

    def attempt(self, pod: PodView, cluster: ClusterView) -> Found:
        name = _only_node(pod)
        if name and name in cluster.nodes and self._takes(pod, cluster, name):
            self.looked_at += 1
            return Found((name,), node_count=len(cluster.nodes))
        return super().attempt(pod, cluster)

    def _takes(self, pod: PodView, cluster: ClusterView, name: str) -> bool:
        """Whether the node surely takes the pod."""
        filters = self._ready(pod, cluster)
        if filters is None:
            return False
        narrowed_to = filters.preparation.narrowed_to
        if narrowed_to is not None and name not in narrowed_to:
            return False
        return filters.trace(cluster.nodes[name], every=False).outcome is Outcome.FITS

    def _ready(self, pod: PodView, cluster: ClusterView) -> Filters | None:
        """The pod's rules, where they are certain and reject nothing out of hand."""
        if self.scheduler.held(pod) is not None:
            return None
        try:
            filters = self.scheduler.filters(pod, cluster)
        except CycleError:
            return None
        ready = filters.preparation
        return None if ready.rejection is not None or ready.not_checked else filters


def _only_node(pod: PodView) -> str:
    """The node that a required term names, as the DaemonSet controller writes it; "" for none."""
    affinity = pod.pod.spec.affinity
    required = affinity.node_affinity.required if affinity and affinity.node_affinity else None
    terms = required.node_selector_terms if required is not None else ()
    if len(terms) != 1 or len(terms[0].match_fields) != 1:
        return ""
    match = terms[0].match_fields[0]
    named = match.key == "metadata.name" and match.operator == "In" and len(match.values) == 1
    return match.values[0] if named else ""
