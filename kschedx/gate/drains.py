"""blocks-drain: budgets that never allow an eviction, and nodes that can't be drained afterwards.

Upstream: pkg/controller/disruption/disruption.go getExpectedPodCount (v1.35.4); kubectl drain.
Differences: every pod counts as healthy, as after a quiet time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from kschedx.api.policy import PodDisruptionBudget
from kschedx.api.selectors import Selector, SelectorError, parse
from kschedx.api.workloads import DaemonSet, Job
from kschedx.diagnose.headline import counted, listed
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.gate.applied import Applied
from kschedx.gate.findings import Finding, ObjectName
from kschedx.gate.targets import CHANGED, SAME, Target, replicas_of
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.live_pod import owner_of


@dataclass(frozen=True)
class _Budget:
    """A budget with the pods that it protects at the end."""

    item: PodDisruptionBudget
    selector: Selector
    shown: ObjectName
    targets: tuple[Target, ...]
    expected: int
    """Pods that its workloads are written to have."""

    @property
    def wanted_healthy(self) -> int:
        spec = self.item.spec
        if spec.max_unavailable is not None:
            return self.expected - _count(spec.max_unavailable, self.expected)
        least = 1 if spec.min_available is None else spec.min_available
        return _count(least, self.expected)

    def rule(self) -> str:
        """Such as "minAvailable 2"."""
        spec = self.item.spec
        if spec.max_unavailable is not None:
            return f"maxUnavailable {spec.max_unavailable}"
        least = 1 if spec.min_available is None else spec.min_available
        return f"minAvailable {least}"

    def protects(self, pod: PodView) -> bool:
        return pod.namespace == self.item.namespace and self.selector.matches(pod.labels)


def _count(value: int | str, whole: int) -> int:
    """A number, or a percentage rounded up. Upstream: GetScaledValueFromIntOrPercent."""
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%")
    return math.ceil(int(digits) * whole / 100) if digits.isdecimal() else 0


def drains(applied: Applied) -> Iterator[Finding]:
    """Every budget that the manifests hold, or that protects a workload of theirs."""
    for budget in _budgets(applied):
        allowed = budget.expected - budget.wanted_healthy
        if allowed > 0:
            yield from _stuck_nodes(applied, budget, allowed)
            continue
        who = listed([str(target.shown) for target in budget.targets])
        name = ObjectName.of(budget.item)
        named = "" if budget.shown == name else f"{name} "
        pods = counted(budget.expected, "pod")
        sentence = f"{named}never allows an eviction: {budget.rule()}, and {pods} of {who}"
        yield Finding("blocks-drain", budget.shown, sentence, about=budget.item.name)


def _budgets(applied: Applied) -> Iterator[_Budget]:
    own = {ObjectName.of(b) for b in applied.manifest_budgets}
    for item in sorted(applied.written.all(PodDisruptionBudget).values(), key=_key):
        try:
            selector = parse(item.spec.selector)
        except SelectorError:
            continue
        selected = tuple(
            target
            for target in applied.targets
            if not isinstance(target.item, DaemonSet | Job)
            and target.item.namespace == item.namespace
            and selector.matches(target.template.metadata.labels)
        )
        expected = sum(replicas_of(target.item) for target in selected)
        name = ObjectName.of(item)
        moved = any(target.change != SAME or _smaller(target) for target in selected)
        if expected and (name in own or moved):
            shown = name if name in own else selected[0].shown
            yield _Budget(item, selector, shown, selected, expected)


def _key(item: PodDisruptionBudget) -> tuple[str, str]:
    return item.namespace, item.name


def _smaller(target: Target) -> bool:
    return target.before is not None and replicas_of(target.item) < replicas_of(target.before)


def _stuck_nodes(applied: Applied, budget: _Budget, allowed: int) -> Iterator[Finding]:
    """Nodes with more protected pods than may go, whose successors find no other node."""
    if any(target.change == CHANGED for target in budget.targets):
        return  # where its pods will be is known only after the rollout
    cluster = applied.world.cluster
    stuck = []
    for node in cluster.nodes.values():
        protected = [pod for pod in node.pods if budget.protects(pod)]
        if len(protected) > allowed:
            placed = _placed_elsewhere(applied.attempts, cluster, node, protected)
            if allowed + placed < len(protected):
                stuck.append((node.name, len(protected), placed))
    if not stuck:
        return
    name, protected_pods, placed = max(stuck, key=lambda row: (row[1] - row[2], row[0]))
    sentence = (
        f"{name} cannot be drained: {counted(protected_pods, 'pod')} there of which "
        f"{budget.rule()} lets {allowed} go at once, and {placed} would find another node"
    )
    lines = tuple(f"{other}: {count} pods, {n} find another node" for other, count, n in stuck)
    yield Finding(
        "blocks-drain",
        budget.shown,
        sentence,
        lines if len(stuck) > 1 else (),
        about=f"nodes {budget.item.name}",
        amount=len(stuck),
    )


def _placed_elsewhere(
    attempts: Attempts, cluster: ClusterView, node: NodeView, pods: list[PodView]
) -> int:
    """How many of the pods find a place while the node is being drained of all its pods."""
    rest = cluster.without_node(node.name)
    placed = 0
    for pod in pods:
        if owner_of(pod.pod.metadata) is None:
            continue
        fresh = rest.view(pod.pod.recreated())
        found = attempts.scheduler.attempt(fresh, rest, every_rule=False, dry_runs=False)
        if found.winners:
            placed += 1
            bound = rest.view(fresh.pod.with_spec(node_name=found.winners[0]))
            rest = rest.with_pod_on(bound, found.winners[0])
    return placed
