"""rollout-deadlock, rollout-at-risk and steals-slot: changed workloads, played as rollouts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from kschedx.api.meta import Object
from kschedx.api.workloads import DaemonSet, Deployment, StatefulSet
from kschedx.framework.views import ClusterView
from kschedx.gate.applied import Applied
from kschedx.gate.findings import Finding, Fix, ObjectName
from kschedx.gate.targets import Target, needs_alike, replicas_of
from kschedx.rollout.change import Workload
from kschedx.rollout.live_pod import Owner
from kschedx.rollout.report import Outcome, RolloutReport, Run
from kschedx.rollout.room_to_spare import RoomToSpare
from kschedx.snapshot.snapshot import Snapshot

MOST_TOGETHER: Final = 6
"""So many changed workloads are played together; more of them one by one."""

Simulate = Callable[[Snapshot, Workload, Sequence[Object]], RolloutReport]
"""(cluster, the changed workload, others that change in the same moment) -> what comes of it."""


def rollouts(applied: Applied, simulate: Simulate) -> Iterator[Finding]:
    """Every changed workload that is not certain to roll."""
    changed = list(applied.changed)
    spare = _room_to_spare(applied) if changed else None
    uncertain = [t for t in changed if spare is None or not _proved(spare, t)]
    together = len(uncertain) <= MOST_TOGETHER
    for target in uncertain:
        others = [t.item for t in uncertain if t is not target] if together else []
        assert isinstance(target.item, Workload)
        report = simulate(applied.after, target.item, others)
        yield from _of_report(applied, target, report)
    yield from _under_way(applied, simulate)


def _room_to_spare(applied: Applied) -> RoomToSpare:
    """What proves most rollouts without playing them."""
    scheduler = applied.attempts.scheduler
    cluster = ClusterView.of(applied.after, scheduler.release.accounting())
    return RoomToSpare(scheduler, cluster)


def _proved(spare: RoomToSpare, target: Target) -> bool:
    before, after = target.before, target.item
    if not isinstance(before, Workload) or not isinstance(after, Workload):
        return False
    old, new = before.spec.template, after.spec.template
    return (
        replicas_of(before) == replicas_of(after)
        and old.metadata.labels == new.metadata.labels
        and needs_alike(old.spec, new.spec)
        and spare.proves(after)
    )


def _of_report(applied: Applied, target: Target, report: RolloutReport) -> Iterator[Finding]:
    run, outcome = report.worst, report.outcome
    if outcome is Outcome.NOT_CHECKED:
        sentence = f"its rollout could not be decided: {run.reason}"
        yield Finding("not-checked", target.shown, sentence, about="rollout")
    if not outcome.finding:
        return
    certain = outcome is Outcome.DEADLOCK
    stops = "its rollout stops" if certain else "its rollout may stop"
    sentence = f"{stops} at step {run.step} of {run.wanted}: {run.reason}"
    yield Finding(
        "rollout-deadlock" if certain else "rollout-at-risk",
        target.shown,
        sentence,
        tuple(_lines(run)),
        _fix(report),
    )
    yield from _thieves(applied, target.shown, run)


def _lines(run: Run) -> Iterator[str]:
    for thief in run.thieves:
        yield (
            f"{thief.pod} takes the room that it frees on {thief.node} "
            f"({thief.takes}, priority {thief.priority})"
        )
    for wait in run.waits:
        yield wait.sentence()
    if run.undo is not None:
        yield run.undo.sentence


def _fix(report: RolloutReport) -> Fix | None:
    for remedy in report.remedies:
        if remedy.prevents:
            detail = f" ({remedy.detail})" if remedy.detail else ""
            return Fix(f"{remedy.title}{detail}", remedy.command)
    return None


def _thieves(applied: Applied, rolling: ObjectName, run: Run) -> Iterator[Finding]:
    """New pods that took the room of a rolling set."""
    mine: dict[str, tuple[Target, list[str]]] = {}
    for thief in run.thieves:
        target = applied.by_pod.get(thief.pod)
        if target is not None and target.shown != rolling:
            places = mine.setdefault(str(target.shown), (target, []))[1]
            places.append(f"{thief.pod} takes {thief.takes} on {thief.node}")
    for target, places in mine.values():
        sentence = f"it waits for room and takes that of {rolling}, whose rollout then stops"
        yield Finding(
            "steals-slot",
            target.shown,
            sentence,
            tuple(places),
            about=str(rolling),
            amount=len(places),
        )


def _under_way(applied: Applied, simulate: Simulate) -> Iterator[Finding]:
    """Rollouts that are under way in the cluster and that a new waiting pod would stop."""
    if all(applied.world.pods[key].node for key in applied.by_pod):
        return
    written = {target.owner for target in applied.targets}
    today = applied.today
    rolling: list[Workload] = [s for s in today.all(StatefulSet).values() if _set_rolls(s)]
    rolling += [d for d in today.all(Deployment).values() if _deployment_rolls(d)]
    rolling += [d for d in today.all(DaemonSet).values() if _daemons_roll(d)]
    for item in rolling:
        if Owner.of(item) in written:
            continue
        report = simulate(applied.after, item, [])
        stopped = report.outcome.finding and _thieves_of(applied, report.worst)
        if stopped and not simulate(today, item, []).outcome.finding:
            yield from _thieves(applied, ObjectName.of(item), report.worst)


def _thieves_of(applied: Applied, run: Run) -> bool:
    return any(thief.pod in applied.by_pod for thief in run.thieves)


def _set_rolls(item: StatefulSet) -> bool:
    """Whether the status says that not all pods are of the newest revision yet."""
    status = item.status
    return bool(status.update_revision) and status.update_revision != status.current_revision


def _deployment_rolls(item: Deployment) -> bool:
    return item.status.replicas > 0 and item.status.updated_replicas < replicas_of(item)


def _daemons_roll(item: DaemonSet) -> bool:
    status = item.status
    return 0 < status.updated_number_scheduled < status.desired_number_scheduled
