"""Remarks: what stands behind the causes, and what a snapshot cannot show."""

from __future__ import annotations

import difflib
from typing import Final

from kschedx.api.policy import PodDisruptionBudget
from kschedx.api.quantity import exact, show
from kschedx.api.scheduling import PriorityClass
from kschedx.api.selectors import parse_integer
from kschedx.diagnose.affinity_remarks import affinity_remarks
from kschedx.diagnose.agreement import parse_fit_error
from kschedx.diagnose.headline import counted, listed
from kschedx.diagnose.node_remarks import node_remarks
from kschedx.diagnose.remark import (
    ByNode,
    Found,
    Remark,
    each_once,
    measured,
    reasons_by_node,
    remark,
)
from kschedx.diagnose.request_parts import request_apart
from kschedx.diagnose.spread_remarks import spread_remarks
from kschedx.diagnose.unreadable_rules import unreadable_rules
from kschedx.diagnose.waiting_remarks import waiting_remarks
from kschedx.framework.attempt import Attempt
from kschedx.framework.priority_edits import NEVER
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.plugins.node_affinity import NodeAffinityMismatch
from kschedx.schedulers.kube.plugins.node_resources_fit import InsufficientResource

_ALL_DRY_RUN: Final = 100
"""Upstream: minCandidateNodesAbsolute. In clusters of more nodes preemption tries a sample."""


def remarks(attempt: Attempt, cluster: ClusterView) -> tuple[Remark, ...]:
    """What stands behind the causes of an attempt that fails; each said once."""
    by_node = reasons_by_node(attempt)
    return each_once(
        [
            *_requests(attempt.pod, by_node),
            *_labels(attempt.pod, cluster, by_node),
            *node_remarks(attempt.pod, cluster, by_node),
            *spread_remarks(attempt.pod, cluster, by_node),
            *affinity_remarks(attempt.pod, cluster, by_node),
            *waiting_remarks(attempt),
            *_preemption(attempt, cluster),
            *_recorded(attempt, supposed=cluster.snapshot.supposed),
            *_nominated(attempt.pod, cluster),
        ]
    )


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
            yield remark(
                "init-step-decides",
                f"the most {resource} is needed while init container {apart.step} runs",
                resource=resource,
                init_container=apart.step,
                **measured("request", resource, apart.amount),
            )
        yield from _sidecars_first(pod, resource, apart.amount)


def _sidecars_first(pod: PodView, resource: str, amount: int) -> Found:
    """Init steps that come after a sidecar need its share as well."""
    spec = pod.pod.spec
    steps = [c for c in spec.init_containers if not c.restartable]
    sidecars = [c for c in spec.init_containers if c.restartable]
    other = pod.pod.with_spec(init_containers=(*steps, *sidecars))
    less = PodView(other, pod.accounting).asked.get(resource, 0)
    if less < amount:
        before, after = [c.name for c in steps], [c.name for c in sidecars]
        yield remark(
            "init-order",
            f"with {listed(before)} before {listed(after)} it would ask for "
            f"{show(resource, less)} {resource}",
            resource=resource,
            init_steps=before,
            sidecars=after,
            **measured("request", resource, amount),
            **measured("request_then", resource, less),
        )


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
            yield remark(
                "label-not-an-integer",
                f"{name}: label {requirement.key}={found} is not an integer, so {operator} never "
                "matches",
                cluster.nodes[name].node,
                key=requirement.key,
                value=found,
                operator=operator,
            )
    for key in sorted({requirement.key for _, requirement in failed}):
        yield from _near_keys(key, cluster)


def _unreadable_values(pod: PodView) -> Found:
    """Gt and Lt with a value that is no integer: such a term matches no node."""
    for key, operator, value in unreadable_rules(pod.pod):
        yield remark(
            "value-not-an-integer",
            f"the pod's own rule {key} {operator} {value} compares integers, and {value} is not one: "
            "it matches no node",
            key=key,
            value=value,
            operator=operator,
        )


def _integer(text: str) -> bool:
    return parse_integer(text) is not None


def _near_keys(key: str, cluster: ClusterView) -> Found:
    """Keys that nodes do have, where none has the one that is wanted."""
    keys = {label for node in cluster.nodes.values() for label in node.labels}
    if key in keys:
        return
    for near in difflib.get_close_matches(key, sorted(keys), n=1):
        having = [node for node in cluster.nodes.values() if near in node.labels]
        yield remark(
            "label-key-unknown",
            f"no node has label {key}; the nearest key is {near} on "
            f"{listed([node.name for node in having])}",
            *(node.node for node in having),
            key=key,
            nearest_key=near,
            node_count=len(having),
        )


def _equals(attempt: Attempt, cluster: ClusterView) -> Found:
    """Nobody to evict where a pod is tied to its node, as all there are as important as it is."""
    if attempt.narrowed_to is None:
        return
    preemption, own = attempt.preemption, attempt.pod.priority
    names = preemption.no_victims if preemption is not None else ()
    nodes = [cluster.nodes[name] for name in names]
    priorities = [pod.priority for node in nodes for pod in node.pods]
    if priorities and min(priorities) == own:
        yield remark(
            "victims-of-equal-priority",
            f"no pod on {listed(names)} has a lower priority than the pod's own, {own}; some have "
            "the same, and preemption needs a lower one",
            *(node.node for node in nodes),
            priority=own,
            node_count=len(nodes),
        )


def _never(attempt: Attempt, cluster: ClusterView) -> Found:
    """Where the pod's preemptionPolicy comes from: admission takes it from the class."""
    spec, preemption = attempt.pod.pod.spec, attempt.preemption
    found = cluster.snapshot.get(PriorityClass, spec.priority_class_name)
    if preemption is None or preemption.eligible or spec.preemption_policy != NEVER:
        return
    if found is not None and found.preemption_policy == NEVER:
        yield remark(
            "never-preempts",
            f"preemptionPolicy Never comes from PriorityClass {found.name}: the pod is tried before "
            "those of lower priority, and evicts none",
            found,
            priority_class=found.name,
            priority=attempt.pod.priority,
        )


def _preemption(attempt: Attempt, cluster: ClusterView) -> Found:
    yield from _equals(attempt, cluster)
    yield from _never(attempt, cluster)
    preemption = attempt.preemption
    if preemption is None or not preemption.nominated:
        return
    chosen = preemption.candidates[preemption.nominated[0]]
    if chosen.violations:
        broken = sorted({key for keys in chosen.violated.values() for key in keys})
        budgets = [cluster.snapshot.all(PodDisruptionBudget)[key] for key in broken]
        said = listed([_allows(budget) for budget in budgets])
        message = (
            f"budgets never forbid preemption, they are only preferred; {said}, by its "
            "status.disruptionsAllowed, which lags behind in a burst of evictions"
        )
        if attempt.node_count > _ALL_DRY_RUN:
            message += (
                "; of many nodes the scheduler dry-runs a sample, which may hold no better one"
            )
        yield remark(
            "budgets-by-status",
            message,
            *budgets,
            node=chosen.node,
            violations=chosen.violations,
            disruptions_allowed={
                key: budget.status.disruptions_allowed
                for key, budget in zip(broken, budgets, strict=True)
            },
            status_outdated=[
                key
                for key, budget in zip(broken, budgets, strict=True)
                if budget.status.observed_generation < budget.metadata.generation
            ],
        )


def _allows(budget: PodDisruptionBudget) -> str:
    """What a budget's status lets go, and whether it is of the budget as it is now."""
    seen, now = budget.status.observed_generation, budget.metadata.generation
    old = f", a status of generation {seen}, now {now}" if seen < now else ""
    key = f"{budget.namespace}/{budget.name}"
    return f"{key} allows {budget.status.disruptions_allowed}{old}"


def _nominated(pod: PodView, cluster: ClusterView) -> Found:
    """Pods that wait because room is held for this one."""
    node = cluster.nodes.get(pod.pod.status.nominated_node_name)
    if node is None:
        return
    others = [
        other
        for other in cluster.waiting.values()
        if other.key != pod.key and other.priority <= pod.priority and not other.terminating
    ]
    if others:
        held = ", ".join(f"{show(name, value)} {name}" for name, value in pod.asked.items())
        yield remark(
            "room-held-by-nomination",
            f"its nomination keeps {held or 'its place'} of {node.name} from waiting pods of no "
            f"higher priority: {listed([other.key for other in others])}",
            node.node,
            *(other.pod for other in others),
            held={name: exact(name, value) for name, value in pod.asked.items()},
            waiting_pod_count=len(others),
        )


def _recorded(attempt: Attempt, *, supposed: bool) -> Found:
    """A recorded message that leaves nodes out: the live scheduler saw another cluster."""
    condition = attempt.pod.pod.condition("PodScheduled")
    parsed = parse_fit_error(condition.message) if condition is not None else None
    if parsed is None or parsed.reasons is None or not attempt.winners or supposed:
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
    yield remark(
        "view-may-differ", message, recorded_node_count=parsed.node_count, nodes_accounted_for=told
    )
