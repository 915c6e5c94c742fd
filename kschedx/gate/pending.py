"""unschedulable, claim-unusable, preempts and quotas: what became of the pods that were made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kschedx.api.pod import Pod
from kschedx.api.policy import PodDisruptionBudget, ResourceQuota
from kschedx.api.scheduling import SYSTEM_PRIORITIES, PriorityClass, RuntimeClass
from kschedx.api.workloads import DaemonSet, StatefulSet
from kschedx.diagnose.headline import counted, listed
from kschedx.gate.applied import Applied
from kschedx.gate.explained import explained, proven_fix
from kschedx.gate.findings import Finding
from kschedx.gate.targets import Target, replicas_of
from kschedx.rollout.daemonset import nodes_for
from kschedx.rollout.live_pod import LivePod, owner_of
from kschedx.rollout.quota import exceeded
from kschedx.schedulers.kube.preemption import Budgets

MOST_FIXES: Final = 5
"""Findings for which a fix is searched: each costs dozens of replays."""


def refused(applied: Applied) -> Iterator[Finding]:
    """What admission and validation refuse."""
    for target in applied.targets:
        for refusal in applied.refused.get(target.shown, ()):
            yield Finding("not-created", target.shown, refusal.sentence, about=refusal.about)


def over_quota(applied: Applied) -> Iterator[Finding]:
    """Pods that a quota kept from being created."""
    world = applied.world
    for target in applied.played:
        if target.pod and not applied.pods(target):
            yield Finding("not-created", target.shown, _refusal(applied, target), about="quota")
        for owner, why in sorted(world.blocked.items()):
            item = world.workloads.get(owner)
            above = owner_of(item.metadata) if item is not None else None
            if target.owner in (owner, above):
                wanted = _wanted(applied, target)
                missing = wanted - len(applied.pods(target))
                sentence = f"{missing} of {counted(wanted, 'pod')} are not created: {why}"
                yield Finding("not-created", target.shown, sentence, about="quota", amount=missing)


def _refusal(applied: Applied, target: Target) -> str:
    """What the API server says to a bare pod."""
    world = applied.world
    namespace = target.item.namespace
    living = [
        live.view
        for live in world.pods.values()
        if live.pod.namespace == namespace and not live.terminal
    ]
    assert isinstance(target.item, Pod)
    stored = world.cluster.view(world.admitted(target.item))
    quota = exceeded(stored, world.snapshot.all(ResourceQuota).values(), living)
    return "the API server refuses it" if quota is None else quota.sentence()


def _wanted(applied: Applied, target: Target) -> int:
    if isinstance(target.item, DaemonSet):
        return len(nodes_for(applied.world, target.item))
    return replicas_of(target.item)


def without_node(applied: Applied) -> Iterator[Finding]:
    """Pods that wait at the end, and why."""
    searched = 0
    for target in applied.played:
        waiting = [live for live in applied.pods(target) if not live.node and not live.terminal]
        if not waiting:
            continue
        finding = _without_node(applied, target, waiting, with_fix=searched < MOST_FIXES)
        searched += finding.rule == "unschedulable"
        yield finding


def _without_node(
    applied: Applied, target: Target, waiting: list[LivePod], *, with_fix: bool
) -> Finding:
    world, scheduler = applied.world, applied.attempts.scheduler
    first = waiting[0]
    doubt = world.not_checked.get(first.key)
    found = explained(first.view, world.cluster, scheduler)
    doubt = doubt or found.undecided
    if doubt:
        return Finding("not-checked", target.shown, f"{first.pod.name}: {doubt}", about="placing")
    held = found.attempt.held
    if held is not None and held.reasons:
        sentence = f"{first.pod.name} is never tried: {held.reasons[0].sentence()}"
        return Finding("not-checked", target.shown, sentence, about="held")
    wanted = _wanted(applied, target)
    missing = len(waiting)
    if target.pod:
        subject = "the pod gets no node"
    elif isinstance(target.item, DaemonSet):
        subject = f"its pod has no place on {missing} of {counted(wanted, 'node')}"
    else:
        missing += _behind(applied, target, wanted)
        subject = _of_replicas(missing, wanted)
    fix = None
    rule = "claim-unusable" if found.by_volumes else "unschedulable"
    if rule == "unschedulable" and with_fix:
        fix = proven_fix(found.attempt, world.cluster, scheduler)
    predicate = found.explanation.predicate or found.attempt.error
    lines = list(found.lines())
    if len(waiting) != missing:
        names = listed([live.pod.name for live in waiting])
        lines.insert(0, f"{names} waits, and the rest is created only when it is Ready")
    return Finding(rule, target.shown, f"{subject}: {predicate}", tuple(lines), fix, amount=missing)


def _of_replicas(missing: int, wanted: int) -> str:
    if wanted == 1:
        return "its only pod gets no node"
    return f"{missing} of {wanted} replicas {'gets' if missing == 1 else 'get'} no node"


def _behind(applied: Applied, target: Target, wanted: int) -> int:
    """Ordered replicas that are not created because one before them waits."""
    if not isinstance(target.item, StatefulSet) or target.owner in applied.world.blocked:
        return 0
    return max(wanted - len(applied.pods(target)), 0)


def evicting(applied: Applied) -> Iterator[Finding]:
    """Pods that got their place by evicting others."""
    world = applied.world
    budgets = Budgets(applied.written.all(PodDisruptionBudget).values(), world.release.minor)
    victims: dict[str, dict[str, str]] = {}
    targets: dict[str, Target] = {}
    played = {target.shown for target in applied.played}
    for moment in world.moments:
        target = applied.by_pod.get(moment.subject) if moment.code == "preempts" else None
        if target is not None and target.shown in played:
            targets[str(target.shown)] = target
            evicted = victims.setdefault(str(target.shown), {})
            evicted.update(dict.fromkeys(moment.facts["victims"], moment.node))
    before = applied.attempts.opening(applied.written).pods if victims else {}
    for name, evicted in victims.items():
        known = [before[key].view for key in evicted if key in before]
        broken = sorted({b for own in budgets.violated(known).values() for b in own})
        said = f"would evict {listed(sorted(evicted))}"
        lines = [f"{key} on {node}" for key, node in sorted(evicted.items())]
        if broken:
            lines.append(f"breaks {counted(len(broken), 'disruption budget')}: {listed(broken)}")
        if not applied.written.read(PodDisruptionBudget):
            lines.append("the snapshot holds no disruption budgets, so none could be counted")
        lines += _left_waiting(applied, set(evicted))
        yield Finding("preempts", targets[name].shown, said, tuple(lines), amount=len(evicted))


def _left_waiting(applied: Applied, victims: set[str]) -> Iterator[str]:
    """Successors of evicted pods that have no node at the end."""
    world = applied.world
    owners = {
        moment.facts["owner"]
        for moment in world.moments
        if moment.code == "deleted" and moment.subject in victims
    } - {None}
    waiting = [
        live.key
        for live in world.pods.values()
        if not live.node and not live.terminal and live.owner in owners and live.created > 0
    ]
    if waiting:
        yield f"{listed(sorted(waiting))} then {'waits' if len(waiting) == 1 else 'wait'} for a node"


def not_replayed(applied: Applied) -> Iterator[Finding]:
    """What would have a say in the placing and is not modelled, and a run without an end."""
    scheduler = applied.attempts.scheduler
    for target in applied.targets:
        profile = scheduler.profiles.get(target.template.spec.scheduler_name)
        unknown = profile.not_modelled_in_play if profile is not None else ()
        if unknown:
            sentence = f"{listed(unknown)} would have a say and is not replayed"
            yield Finding("not-checked", target.shown, sentence, about="not-modelled")
        for kind, name in _unread_classes(applied, target):
            sentence = f"the snapshot holds no {kind} objects, so {name} is not known"
            yield Finding("not-checked", target.shown, sentence, about=f"{kind} {name}")
    if not applied.settled:
        for target in applied.played:
            sentence = "applying it repeats the same events for ever"
            yield Finding("not-checked", target.shown, sentence, about="endless")


def _unread_classes(applied: Applied, target: Target) -> Iterator[tuple[str, str]]:
    snapshot, spec = applied.written, target.template.spec
    name = spec.priority_class_name
    unknown = name and name not in SYSTEM_PRIORITIES and not snapshot.get(PriorityClass, name)
    if unknown and not snapshot.read(PriorityClass):
        yield "PriorityClass", name
    runtime = spec.runtime_class_name
    if runtime and not snapshot.get(RuntimeClass, runtime) and not snapshot.read(RuntimeClass):
        yield "RuntimeClass", runtime
