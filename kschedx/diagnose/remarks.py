"""Remarks: what stands behind the causes, and what a snapshot cannot show."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kschedx.api.node import Node, Taint
from kschedx.api.quantity import show
from kschedx.api.selectors import parse, parse_integer
from kschedx.diagnose.agreement import parse_fit_error
from kschedx.diagnose.headline import counted, listed
from kschedx.diagnose.node_trouble import trouble_of
from kschedx.diagnose.request_parts import request_apart
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import Reason
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.plugins.node_affinity import NodeAffinityMismatch
from kschedx.schedulers.kube.plugins.node_resources_fit import InsufficientResource
from kschedx.schedulers.kube.plugins.pod_topology_spread import SkewTooLarge
from kschedx.schedulers.kube.plugins.taint_toleration import UntoleratedTaint

_DOMAINS: Final = 12
"""So many domains of a spread are counted out."""
_REVISION: Final = "pod-template-hash"


@dataclass(frozen=True, slots=True)
class Remark:
    """One fact behind a cause."""

    code: str
    message: str


Found = Iterator[Remark]
ByNode = dict[str, list[Reason]]


def reasons_by_node(attempt: Attempt) -> ByNode:
    """All reasons, node by node."""
    return {
        trace.node: [reason for verdict in trace.verdicts for reason in verdict.reasons]
        for trace in attempt.traces.values()
    }


def remarks(attempt: Attempt, cluster: ClusterView) -> tuple[Remark, ...]:
    """What stands behind the causes of an attempt that fails; each said once."""
    by_node = reasons_by_node(attempt)
    found = [
        *_requests(attempt.pod, by_node),
        *_labels(attempt.pod, cluster, by_node),
        *_taints(attempt.pod, cluster, by_node),
        *_spread(attempt.pod, cluster, by_node),
        *_preemption(attempt, cluster),
        *_recorded(attempt),
        *_nominated(attempt.pod, cluster),
    ]
    return tuple(dict.fromkeys(found))


def _requests(pod: PodView, by_node: ByNode) -> Found:
    short = {
        reason.resource
        for reasons in by_node.values()
        for reason in reasons
        if isinstance(reason, InsufficientResource)
    }
    for resource in sorted(short):
        apart = request_apart(pod, resource)
        if apart.plain:
            continue
        if apart.step:
            message = f"the most {resource} is needed while init container {apart.step} runs"
            yield Remark("init-step-decides", message)
        yield from _sidecars_first(pod, resource, apart.amount)


def _sidecars_first(pod: PodView, resource: str, amount: int) -> Found:
    """Init steps that come after a sidecar need its share as well."""
    spec = pod.pod.spec
    steps = [c for c in spec.init_containers if not c.restartable]
    sidecars = [c for c in spec.init_containers if c.restartable]
    other = pod.pod.with_spec(init_containers=(*steps, *sidecars))
    less = PodView(other, pod.accounting).asked.get(resource, 0)
    if less < amount:
        message = (
            f"with {listed([c.name for c in steps])} before {listed([c.name for c in sidecars])} "
            f"it would ask for {show(resource, less)} {resource}"
        )
        yield Remark("init-order", message)


def _labels(pod: PodView, cluster: ClusterView, by_node: ByNode) -> Found:
    failed = {
        (name, requirement)
        for name, reasons in by_node.items()
        for reason in reasons
        if isinstance(reason, NodeAffinityMismatch)
        for requirement in reason.failed
    }
    yield from _unreadable_values(pod)
    for name, requirement in sorted(failed):
        found, operator = requirement.found, requirement.operator
        if operator in ("Gt", "Lt") and found is not None and not _integer(found):
            message = (
                f"{name}: label {requirement.key}={found} is not an integer, so {operator} never "
                "matches"
            )
            yield Remark("label-not-an-integer", message)
    for key in sorted({requirement.key for _, requirement in failed}):
        yield from _near_keys(key, cluster)


def _unreadable_values(pod: PodView) -> Found:
    """Gt and Lt with a value that is no integer: such a term matches no node."""
    affinity = pod.pod.spec.affinity
    node_affinity = affinity.node_affinity if affinity is not None else None
    required = node_affinity.required if node_affinity is not None else None
    for term in required.node_selector_terms if required is not None else ():
        for expression in term.match_expressions:
            for value in expression.values:
                if expression.operator in ("Gt", "Lt") and not _integer(value):
                    message = (
                        f"the pod's own rule {expression.key} {expression.operator} {value} "
                        "compares integers, and its value is none: it matches no node"
                    )
                    yield Remark("value-not-an-integer", message)


def _integer(text: str) -> bool:
    return parse_integer(text) is not None


def _near_keys(key: str, cluster: ClusterView) -> Found:
    """Keys that nodes do have, where none has the one that is wanted."""
    keys = {label for node in cluster.nodes.values() for label in node.labels}
    if key in keys:
        return
    for near in difflib.get_close_matches(key, sorted(keys), n=1):
        having = [node.name for node in cluster.nodes.values() if near in node.labels]
        message = f"no node has label {key}; the nearest key is {near} on {listed(having)}"
        yield Remark("label-key-unknown", message)


def _taints(pod: PodView, cluster: ClusterView, by_node: ByNode) -> Found:
    for name, reasons in by_node.items():
        for reason in reasons:
            if isinstance(reason, UntoleratedTaint):
                yield from _taint(pod, cluster.nodes[name].node, reason)


def _taint(pod: PodView, node: Node, reason: UntoleratedTaint) -> Found:
    taint = Taint(reason.key, reason.value, reason.effect)
    effects = sorted(
        {
            toleration.effect
            for toleration in pod.pod.spec.tolerations
            if toleration.key == reason.key and toleration.effect
        }
        - {reason.effect}
    )
    if effects:
        message = f"the pod tolerates {reason.key} with {listed(effects)}, not with {reason.effect}"
        yield Remark("tolerated-with-other-effect", message)
    if trouble_of(reason.key, node):
        message = (
            f"taint {taint} comes and goes with the node's condition: the node has to get well, "
            "a toleration would put the pod on a node that does not work"
        )
        yield Remark("taint-of-condition", message)


def _spread(pod: PodView, cluster: ClusterView, by_node: ByNode) -> Found:
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
        message = (
            f"{counted(reason.domains, 'domain')} of {reason.topology_key} for minDomains "
            f"{reason.min_domains}, so the minimum counts as 0; a node in any other domain ends that"
        )
        yield Remark("too-few-domains", message)
        return
    holders = [
        node.name
        for node in cluster.nodes.values()
        if node.labels.get(reason.topology_key) == reason.minimum_domain
    ]
    closed = {
        name: [r for r in by_node.get(name, []) if not isinstance(r, SkewTooLarge)]
        for name in holders
    }
    if holders and all(closed.values()):
        why = listed([r.sentence() for r in next(iter(closed.values()))])
        message = (
            f"the minimum of {reason.minimum} is held by {listed(holders)}, where the pod cannot "
            f"go: {why}"
        )
        policies = {
            own.node_taints_policy or "Ignore"
            for own in pod.pod.spec.topology_spread_constraints
            if own.topology_key == reason.topology_key
        }
        if "Ignore" in policies:
            message += "; it counts because nodeTaintsPolicy is Ignore"
        yield Remark("minimum-held-by-closed-node", message)


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
    yield Remark("spread-counts", f"matching pods by {key}: {said}")


def _count(by_revision: Counter[str]) -> str:
    total = str(by_revision.total())
    revisions = [f"{n} of {name}" for name, n in sorted(by_revision.items()) if name and n]
    return f"{total} ({', '.join(revisions)})" if revisions else total


def _equals(attempt: Attempt, cluster: ClusterView) -> Found:
    """Nobody to evict where a pod is tied to its node, as all there are as important as it is."""
    if attempt.narrowed_to is None:
        return
    preemption, own = attempt.preemption, attempt.pod.priority
    nodes = preemption.no_victims if preemption is not None else ()
    priorities = [pod.priority for name in nodes for pod in cluster.nodes[name].pods]
    if priorities and min(priorities) == own:
        message = (
            f"no pod on {listed(nodes)} has a lower priority than the pod's own, {own}; some have "
            "the same, and preemption needs a lower one"
        )
        yield Remark("victims-of-equal-priority", message)


def _preemption(attempt: Attempt, cluster: ClusterView) -> Found:
    yield from _equals(attempt, cluster)
    preemption = attempt.preemption
    if preemption is None or not preemption.nominated:
        return
    chosen = preemption.candidates[preemption.nominated[0]]
    if chosen.violations:
        message = (
            "budgets never forbid preemption, they are only preferred; they are counted by "
            "status.disruptionsAllowed, which lags behind in a burst of evictions"
        )
        yield Remark("budgets-by-status", message)


def _nominated(pod: PodView, cluster: ClusterView) -> Found:
    """Pods that wait because room is held for this one."""
    node = pod.pod.status.nominated_node_name
    if node not in cluster.nodes:
        return
    others = [
        other.key
        for other in cluster.waiting.values()
        if other.key != pod.key and other.priority <= pod.priority and not other.terminating
    ]
    if others:
        held = ", ".join(f"{show(name, value)} {name}" for name, value in pod.asked.items())
        message = (
            f"its nomination keeps {held or 'its place'} of {node} from waiting pods of no higher "
            f"priority: {listed(others)}"
        )
        yield Remark("room-held-by-nomination", message)


def _recorded(attempt: Attempt) -> Found:
    """A recorded message that leaves nodes out: the live scheduler saw another cluster."""
    condition = attempt.pod.pod.condition("PodScheduled")
    parsed = parse_fit_error(condition.message) if condition is not None else None
    if parsed is None or parsed.reasons is None or not attempt.winners:
        return
    told = sum(parsed.reasons.values())
    if told < parsed.node_count:
        message = (
            f"the recorded message accounts for {told} of {counted(parsed.node_count, 'node')}; the "
            "scheduler's own view, its cache or its profile, may differ from the objects, "
            "which a snapshot cannot show"
        )
    else:
        message = (
            "a snapshot does not show the scheduler's queue: the pod may be waiting for an event "
            "or for its next try"
        )
    yield Remark("view-may-differ", message)
