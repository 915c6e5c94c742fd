"""Which pods of lower priority would have to go, node by node, and which node is the best.

Upstream: framework/plugins/defaultpreemption/default_preemption.go, framework/preemption/
preemption.go, pkg/scheduler/util/utils.go (v1.35.4; framework/preemption/util.go of v1.37.2).
Differences: every potential node is tried; upstream stops at a random sample in large clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Final

from kschedx.api.policy import PodDisruptionBudget
from kschedx.api.selectors import Selector, SelectorError, parse
from kschedx.framework.attempt import Candidate, Preemption
from kschedx.framework.verdict import NodeTrace, Outcome
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.filtering import Filters
from kschedx.schedulers.kube.message import fit_error
from kschedx.schedulers.kube.profile import DYNAMIC_RESOURCES, PREEMPTION

NEVER: Final = "not eligible due to preemptionPolicy=Never."
TERMINATING: Final = "not eligible due to a terminating pod on the nominated node."
NOT_HELPFUL: Final = "Preemption is not helpful for scheduling"
NO_VICTIMS: Final = "No preemption victims found for incoming pod"
NO_NEW_CLAIMS: Final = "no new claims to deallocate"
_MAX_INT32: Final = 2**31 - 1


@lru_cache(maxsize=65536)
def _seconds(timestamp: str | None) -> float:
    """A start time in seconds; a pod that has not started counts as starting now."""
    if timestamp is None:
        return math.inf
    try:
        return datetime.fromisoformat(timestamp).timestamp()
    except ValueError:
        return math.inf


def importance(pod: PodView) -> tuple[int, float, str]:
    """Sort key, the most important pod first: higher priority, then longer running.

    Upstream: MoreImportantPod. Equals go by name here, in upstream by its unstable sort.
    """
    return -pod.priority, _seconds(pod.pod.status.start_time), pod.key


class Budgets:
    """Disruption budgets as the dry run counts them."""

    def __init__(self, budgets: Iterable[PodDisruptionBudget], minor: int) -> None:
        self.first_violation_only = minor >= 37
        """1.37: budgets after the first violated one are not charged."""
        self._by_namespace: dict[str, list[tuple[str, PodDisruptionBudget, Selector]]] = {}
        for budget in budgets:
            try:
                selector = parse(budget.spec.selector)
            except SelectorError:
                continue
            # Unlike for the eviction API, an empty selector matches nothing here.
            if not selector.empty:
                key = f"{budget.namespace}/{budget.name}"
                own = self._by_namespace.setdefault(budget.namespace, [])
                own.append((key, budget, selector))

    def violated(self, pods: Sequence[PodView]) -> dict[str, tuple[str, ...]]:
        """Pod key -> the budgets that its eviction breaks, if all are evicted in this order.

        Upstream: filterPodsWithPDBViolation.
        """
        left: dict[str, int] = {}
        violated: dict[str, tuple[str, ...]] = {}
        for pod in pods:
            if not pod.labels:
                continue
            broken: list[str] = []
            for key, budget, selector in self._by_namespace.get(pod.namespace, ()):
                if not selector.matches(pod.labels) or pod.name in budget.status.disrupted_pods:
                    continue
                left[key] = left.get(key, budget.status.disruptions_allowed) - 1
                if left[key] < 0:
                    broken.append(key)
                    if self.first_violation_only:
                        break
            if broken:
                violated[pod.key] = tuple(broken)
        return violated


def _terminating_by_preemption(pod: PodView) -> bool:
    target = pod.pod.condition("DisruptionTarget")
    return (
        pod.terminating
        and target is not None
        and target.status == "True"
        and target.reason == "PreemptionByScheduler"
    )


def ineligible(pod: PodView, cluster: ClusterView, nominated_outcome: Outcome) -> str:
    """Why the pod may not preempt others, in upstream's words; empty if it may.

    `nominated_outcome` is what the filters say of the node in status.nominatedNodeName.
    Upstream: PodEligibleToPreemptOthers.
    """
    if pod.pod.spec.preemption_policy == "Never":
        return NEVER
    nominated = pod.pod.status.nominated_node_name
    if not nominated or nominated_outcome is Outcome.UNRESOLVABLE:
        return ""
    node = cluster.nodes.get(nominated)
    for other in node.pods if node is not None else ():
        if other.priority < pod.priority and _terminating_by_preemption(other):
            return TERMINATING
    return ""


def dry_run(filters: Filters, node: NodeView, budgets: Budgets) -> Candidate | NodeTrace | None:
    """Make room on one node: a candidate, what still rejects the pod, or None without victims.

    Upstream: SelectVictimsOnNode.
    """
    pod = filters.pod
    lower = tuple(other for other in node.pods if other.priority < pod.priority)
    if not lower:
        return None
    view = node.without(lower)
    states = filters.after(filters.states, node, removed=lower)
    if not filters.fits(view, states):
        return filters.trace(view, states, every=True)
    ordered = sorted(lower, key=importance)
    violated = budgets.violated(ordered)
    victims: list[PodView] = []
    spared: list[PodView] = []
    # Those whose eviction breaks a budget are put back first.
    for other in sorted(ordered, key=lambda candidate: candidate.key not in violated):
        fuller = view.with_pod(other)
        fuller_states = filters.after(states, node, added=(other,))
        if filters.fits(fuller, fuller_states):
            view, states = fuller, fuller_states
            spared.append(other)
        else:
            victims.append(other)
    if not victims:
        return NodeTrace(node.name)
    victims.sort(key=importance)
    broken = {v.key: violated[v.key] for v in victims if v.key in violated}
    return Candidate(node.name, tuple(victims), len(broken), tuple(spared), broken)


DryRun = Callable[[Filters, NodeView, Budgets], Candidate | NodeTrace | None]


def _latest_start(candidate: Candidate) -> float:
    """When the longest running of the most important victims started."""
    highest = max(victim.priority for victim in candidate.victims)
    return min(
        _seconds(v.pod.status.start_time) for v in candidate.victims if v.priority == highest
    )


CRITERIA: Final[tuple[tuple[str, Callable[[Candidate], float]], ...]] = (
    ("fewest disruption budgets violated", lambda c: -c.violations),
    ("lowest priority of its most important victim", lambda c: -c.victims[0].priority),
    (
        "smallest sum of its victims' priorities",
        lambda c: -sum(v.priority + _MAX_INT32 + 1 for v in c.victims),
    ),
    ("fewest victims", lambda c: -len(c.victims)),
    ("latest start of its most important victims", _latest_start),
)
"""Upstream's, in order; more is better. Upstream: pickOneNodeForPreemption."""


def best(candidates: Mapping[str, Candidate]) -> tuple[tuple[str, ...], str]:
    """The best candidates' names, sorted: all that tie; and the criterion that decided."""
    left = list(candidates.values())
    decided_by = ""
    for name, criterion in CRITERIA:
        if len(left) <= 1:
            break
        highest = max(criterion(candidate) for candidate in left)
        kept = [candidate for candidate in left if criterion(candidate) == highest]
        if len(kept) < len(left):
            decided_by = name
        left = kept
    return tuple(sorted(candidate.node for candidate in left)), decided_by


def preempt(
    filters: Filters,
    cluster: ClusterView,
    outcomes: Mapping[str, Outcome],
    make: DryRun = dry_run,
) -> Preemption:
    """The dry run on every node where eviction could help.

    `outcomes`: what the filters say, by node; `make`: how a dry run is made.
    """
    pod = filters.pod
    profile = filters.profile
    nominated = outcomes.get(pod.pod.status.nominated_node_name, Outcome.UNRESOLVABLE)
    reason = ineligible(pod, cluster, nominated)
    if reason:
        return Preemption(eligible=False, ineligible_reason=reason)
    budgets = Budgets(cluster.snapshot.all(PodDisruptionBudget).values(), profile.release.minor)
    potential = [name for name in cluster.nodes if outcomes.get(name) is Outcome.UNSCHEDULABLE]
    candidates: dict[str, Candidate] = {}
    still_rejected: dict[str, NodeTrace] = {}
    no_victims: list[str] = []
    for name in potential:
        result = make(filters, cluster.nodes[name], budgets)
        if result is None:
            no_victims.append(name)
        elif isinstance(result, Candidate):
            candidates[name] = result
        else:
            still_rejected[name] = result
    nominated_nodes, decided_by = best(candidates)
    tried = set(potential)
    return Preemption(
        eligible=True,
        potential=tuple(potential),
        candidates=candidates,
        still_rejected=still_rejected,
        no_victims=tuple(no_victims),
        not_helpful=tuple(name for name in cluster.nodes if name not in tried),
        nominated=nominated_nodes,
        decided_by=decided_by,
    )


def _preemption_text(preemption: Preemption, node_count: int, minor: int) -> str:
    if not preemption.eligible:
        return f"preemption: {preemption.ineligible_reason}"
    if preemption.nominated:
        if minor < 37:
            return ""
        chosen = preemption.candidates[preemption.nominated[0]]
        return (
            f"preemption: found a potential placement for pod on node {chosen.node}, "
            f"preempting {len(chosen.victims)} victims"
        )
    per_node: list[Sequence[str]] = [[NO_VICTIMS]] * len(preemption.no_victims)
    for trace in preemption.still_rejected.values():
        first = trace.first
        per_node.append(first.texts(minor) if first is not None else [])
    counted = len(per_node) if minor <= 31 and per_node else node_count
    return f"preemption: {fit_error(counted, per_node=per_node, absent=[NOT_HELPFUL])}"


def tail(filters: Filters, preemption: Preemption, node_count: int) -> str:
    """What PostFilter adds to the scheduler's sentence. Upstream: RunPostFilterPlugins."""
    minor = filters.profile.release.minor
    reasons: list[str] = []
    for plugin in filters.profile.post_filter:
        if plugin == DYNAMIC_RESOURCES:
            # Without the state that its PreFilter leaves, its PostFilter fails with this text.
            if not filters.preparation.devices_prepared:
                return "not found"
            if minor < 37:
                reasons.append(NO_NEW_CLAIMS)
        elif plugin == PREEMPTION:
            text = _preemption_text(preemption, node_count, minor)
            if preemption.eligible and preemption.nominated:
                return text
            reasons.append(text)
    return ", ".join(reasons)
