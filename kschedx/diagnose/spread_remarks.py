"""Remarks about topology spread: who holds the minimum down, and what each domain holds."""

from __future__ import annotations

from collections import Counter
from typing import Final

from kschedx.api.selectors import parse
from kschedx.diagnose.blockers import says_cordoned
from kschedx.diagnose.headline import counted, listed
from kschedx.diagnose.remark import ByNode, Found, remark
from kschedx.framework.verdict import Reason
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.plugins.node_unschedulable import NodeCordoned
from kschedx.schedulers.kube.plugins.pod_topology_spread import SkewTooLarge
from kschedx.schedulers.kube.plugins.taint_toleration import UntoleratedTaint
from kschedx.schedulers.kube.tolerations import UNSCHEDULABLE

_DOMAINS: Final = 12
"""So many domains of a spread are counted out."""
_REVISION: Final = "pod-template-hash"


def spread_remarks(pod: PodView, cluster: ClusterView, by_node: ByNode) -> Found:
    """For each topology key by which some node is too full."""
    seen: dict[str, SkewTooLarge] = {}
    for reasons in by_node.values():
        for reason in reasons:
            if isinstance(reason, SkewTooLarge):
                seen.setdefault(reason.topology_key, reason)
    for key, reason in seen.items():
        yield from _minimum(pod, cluster, by_node, reason)
        yield from _domains(pod, cluster, key)


def _minimum(pod: PodView, cluster: ClusterView, by_node: ByNode, reason: SkewTooLarge) -> Found:
    """Who holds the minimum down, and why no pod gets there."""
    if reason.domains < reason.min_domains:
        yield remark(
            "too-few-domains",
            f"{counted(reason.domains, 'domain')} of {reason.topology_key} for minDomains "
            f"{reason.min_domains}, so the minimum counts as 0; a node in any other domain ends that",
            topology_key=reason.topology_key,
            domain_count=reason.domains,
            min_domains=reason.min_domains,
        )
        return
    holders = [
        node
        for node in cluster.nodes.values()
        if node.labels.get(reason.topology_key) == reason.minimum_domain
    ]
    closed = [
        [r for r in by_node.get(node.name, []) if not isinstance(r, SkewTooLarge)]
        for node in holders
    ]
    if holders and all(closed):
        message = (
            f"the minimum of {reason.minimum} is held by {listed([n.name for n in holders])}, where "
            f"the pod cannot go: {listed([r.sentence() for r in closed[0]])}"
        )
        most = reason.minimum + reason.max_skew
        policies = {
            own.node_taints_policy or "Ignore"
            for own in pod.pod.spec.topology_spread_constraints
            if own.topology_key == reason.topology_key
        }
        if "Ignore" in policies and all(any(map(_of_taint, reasons)) for reasons in closed):
            message += "; it counts because nodeTaintsPolicy is Ignore"
        cordoned = all(any(map(_of_cordon, reasons)) for reasons in closed)
        if cordoned and not all(any(map(_of_taint, reasons)) for reasons in closed):
            message += f"; it lacks {UNSCHEDULABLE.key}, the taint that nodeTaintsPolicy heeds"
        message += f"; so no domain takes more than {counted(most, 'matching pod')}"
        if cordoned:
            message += ", until the node is uncordoned or gone"
        yield remark(
            "minimum-held-by-closed-node",
            message,
            *(node.node for node in holders),
            topology_key=reason.topology_key,
            domain=reason.minimum_domain,
            minimum=reason.minimum,
            most_per_domain=most,
            node_count=len(holders),
            closed_by=[r.code for r in closed[0]],
            node_taints_policies=sorted(policies),
        )


def _of_taint(reason: Reason) -> bool:
    """What nodeTaintsPolicy heeds; a cordon comes with a taint of its own."""
    return isinstance(reason, UntoleratedTaint)


def _of_cordon(reason: Reason) -> bool:
    return isinstance(reason, NodeCordoned) or says_cordoned(reason)


def _domains(pod: PodView, cluster: ClusterView, key: str) -> Found:
    """How many pods like this one each domain holds, and of which revision they are."""
    constraint = next(
        (
            own
            for own in pod.pod.spec.topology_spread_constraints
            if own.topology_key == key and own.label_selector is not None
        ),
        None,
    )
    if constraint is None or constraint.label_selector is None:
        return
    matching = parse(constraint.label_selector)
    held: dict[str, Counter[str]] = {
        node.labels[key]: Counter() for node in cluster.nodes.values() if key in node.labels
    }
    if not 0 < len(held) <= _DOMAINS:
        return
    for name, pods in cluster.pods_in_namespace(pod.namespace).items():
        node = cluster.nodes.get(name)
        domain = node.labels.get(key) if node is not None else None
        for other in pods:
            if domain is not None and matching.matches(other.labels):
                held[domain][other.labels.get(_REVISION, "")] += not other.terminating
    said = ", ".join(f"{domain} {_count(held[domain])}" for domain in sorted(held))
    yield remark(
        "spread-counts",
        f"matching pods by {key}: {said}",
        topology_key=key,
        pods_by_domain={domain: held[domain].total() for domain in sorted(held)},
        pods_by_revision={
            domain: dict(revisions)
            for domain in sorted(held)
            if (revisions := _revisions(held[domain]))
        },
    )


def _count(by_revision: Counter[str]) -> str:
    total = str(by_revision.total())
    revisions = [f"{n} of {name}" for name, n in _revisions(by_revision)]
    return f"{total} ({', '.join(revisions)})" if revisions else total


def _revisions(counted_by: Counter[str]) -> list[tuple[str, int]]:
    """Those that have a name and pods, by name."""
    return [(name, n) for name, n in sorted(counted_by.items()) if name and n]
