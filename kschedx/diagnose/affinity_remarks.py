"""Remarks about pods that must be near or apart: whom a rule means besides those it names."""

from __future__ import annotations

from kschedx.diagnose.headline import listed
from kschedx.diagnose.remark import ByNode, Found, remark
from kschedx.framework.affinity import AffinityTerm
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.incoming_terms import namespace_labels
from kschedx.schedulers.kube.plugins.inter_pod_affinity import NoPodToBeNear, RepelledByPod


def affinity_remarks(pod: PodView, cluster: ClusterView, by_node: ByNode) -> Found:
    """For pods near which this one must be, and for those that repel it."""
    reasons = [reason for own in by_node.values() for reason in own]
    if any(isinstance(reason, NoPodToBeNear) for reason in reasons):
        yield from _not_the_first(pod, cluster)
    for reason in reasons:
        if isinstance(reason, RepelledByPod):
            yield from _from_elsewhere(pod, reason, cluster)


def _meant(term: AffinityTerm, pod: PodView, cluster: ClusterView) -> bool:
    return term.matches(pod.namespace, pod.labels, namespace_labels(pod, cluster))


def _not_the_first(pod: PodView, cluster: ClusterView) -> Found:
    """A pod that is meant by its own rule may go anywhere, unless another one is meant too."""
    terms = pod.affinity.required
    if not terms or not all(_meant(term, pod, cluster) for term in terms):
        return
    others = [
        other
        for node in cluster.nodes.values()
        for other in node.pods
        if all(_meant(term, other, cluster) for term in terms)
    ]
    if others:
        names = [
            f"{other.key} on {other.pod.spec.node_name}"
            f"{', though being deleted' if other.terminating else ''}"
            for other in others
        ]
        yield remark(
            "not-the-first-of-its-kind",
            "the pod matches its own affinity, so it could be the first anywhere, were it not for "
            f"{listed(names)}",
            *(other.pod for other in others),
            pod_count=len(others),
            terminating_count=sum(other.terminating for other in others),
        )


def _from_elsewhere(pod: PodView, reason: RepelledByPod, cluster: ClusterView) -> Found:
    """How a rule in another namespace comes to mean this pod."""
    other = cluster.find(reason.pod)
    if other is None or other.namespace == pod.namespace:
        return
    for term in other.affinity.required_anti:
        if term.topology_key == reason.topology_key and _meant(term, pod, cluster):
            selector = str(term.namespace_selector)
            how = f"its rule means namespaces that match {selector}"
            if pod.namespace in term.namespaces:
                how = f"its rule names namespace {pod.namespace}"
            elif selector == "everything":
                how = "its rule means every namespace (namespaceSelector {})"
            yield remark(
                "repels-across-namespaces",
                f"{reason.pod} is in another namespace than the pod: {how}",
                other.pod,
                namespaces=sorted(term.namespaces),
                namespace_selector=selector,
            )
            return
