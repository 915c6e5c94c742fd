"""Anchors: pods that a pod must be near and that a preemption dry run takes away."""

from __future__ import annotations

from collections.abc import Iterator

from kschedx.framework.attempt import Preemption
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.incoming_terms import namespace_labels
from kschedx.schedulers.kube.plugins.inter_pod_affinity import NoPodToBeNear


def anchors(pod: PodView, node: NodeView, cluster: ClusterView) -> tuple[PodView, ...]:
    """Pods of lower priority on the node that match all that the pod must be near."""
    terms = pod.affinity.required
    return tuple(
        other
        for other in node.pods
        if terms
        and other.priority < pod.priority
        and all(
            term.matches(other.namespace, other.labels, namespace_labels(other, cluster))
            for term in terms
        )
    )


def unanchored(preemption: Preemption) -> Iterator[str]:
    """Nodes where the dry run leaves no pod to be near, and nothing else rejects the pod."""
    for name, trace in preemption.still_rejected.items():
        reasons = [reason for verdict in trace.verdicts for reason in verdict.reasons]
        if reasons and all(isinstance(reason, NoPodToBeNear) for reason in reasons):
            yield name
