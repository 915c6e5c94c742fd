"""Every workload of a snapshot: proved safe where every step has room to spare, else played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.upgrade import (
    NEVER_READY,
    NONE_ARRIVE,
    UpgradeOptions,
    simulate_upgrade,
    timing_words,
)
from kschedx.api.meta import ObjectMeta
from kschedx.api.pod import Pod
from kschedx.api.workloads import DaemonSet, Deployment, StatefulSet
from kschedx.diagnose.headline import counted
from kschedx.framework.views import ClusterView
from kschedx.rollout.arrivals import MOST_ARRIVALS, Newcomers
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import Workload, strategy_words, touched
from kschedx.rollout.remedies_of_room import node_like_any, room_text
from kschedx.rollout.report import AllRollouts, Outcome, RolloutReport, WorkloadLine
from kschedx.rollout.room_to_spare import RoomToSpare
from kschedx.rollout.timeline import amounts
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.snapshot import Snapshot

Tell = Callable[[str, int, int], None]
"""(what is counted, how many are done, how many there are)."""
MOST_REPLAYED_FOR_ROOM = 20
"""Stopped workloads that are replayed with an extra node."""


def workloads(snapshot: Snapshot, namespace: str | None = None) -> list[Workload]:
    """All that can be rolled, by kind and name."""
    found: list[Workload] = [
        *snapshot.all(StatefulSet).values(),
        *snapshot.all(Deployment).values(),
        *snapshot.all(DaemonSet).values(),
    ]
    return [item for item in found if namespace in (None, item.namespace)]


def simulate_all(
    snapshot: Snapshot,
    choice: SchedulerChoice,
    options: UpgradeOptions,
    namespace: str | None = None,
    tell: Tell = lambda what, done, total: None,
) -> AllRollouts:
    """One line per workload, as if its template changed and nothing else."""
    scheduler = KubeScheduler(choice.release, choice.configuration)
    attempts = Attempts(scheduler)
    cluster = ClusterView.of(snapshot, choice.release.accounting())
    newcomers = Newcomers(attempts)
    foreseen = newcomers.of(snapshot) if options.foresee else ()
    spare = RoomToSpare(scheduler, cluster, foreseen)
    options = replace(options, remedies=False, undo=False)
    items = workloads(snapshot, namespace)
    lines: list[WorkloadLine] = []
    stopped: list[Workload] = []
    played = 0
    for index, item in enumerate(items):
        tell("workloads", index, len(items))
        if not options.never_ready and spare.proves(item):
            lines.append(_proved(item, cluster))
            continue
        report = simulate_upgrade(snapshot, [touched(item)], choice, options, newcomers)
        played += 1
        lines.append(_line(item, report, cluster))
        if report.outcome.finding:
            stopped.append(item)
    tell("workloads", len(items), len(items))
    order = list(Outcome)
    lines.sort(key=lambda line: (order.index(line.outcome), line.namespace, line.kind, line.name))
    return AllRollouts(
        scheduler=choice.release.name,
        version_assumed=choice.version_assumed,
        lines=tuple(lines),
        room=tuple(_room(snapshot, choice, options, stopped, newcomers)),
        assumptions=tuple(_assumed(options, len(foreseen))) if played else (),
    )


def _assumed(options: UpgradeOptions, newcomers: int) -> Iterator[str]:
    """What holds for all workloads that were played."""
    yield timing_words(options.timing)
    if newcomers and options.order != "best":
        ones = counted(newcomers, "workload")
        yield (
            f"new pods: where nothing that is there stops a rollout, like those of {ones} of which "
            f"one more finds no node now, one at a time, as a pod of the rollout stops; at most "
            f"{MOST_ARRIVALS} are played for each"
        )
    else:
        yield NONE_ARRIVE
    if options.never_ready:
        yield NEVER_READY


def _proved(item: Workload, cluster: ClusterView) -> WorkloadLine:
    return WorkloadLine(
        type(item).__name__,
        item.namespace,
        item.name,
        Outcome.COMPLETES,
        proved=True,
        step=0,
        steps=0,
        reason="",
    )


def _line(item: Workload, report: RolloutReport, cluster: ClusterView) -> WorkloadLine:
    run = report.worst
    finding = report.outcome.finding
    pod = cluster.view(Pod(metadata=ObjectMeta(name="one"), spec=item.spec.template.spec))
    return WorkloadLine(
        kind=report.kind,
        namespace=report.namespace,
        name=report.name,
        outcome=report.outcome,
        proved=False,
        step=run.step,
        steps=run.wanted,
        reason=_reason(item, report),
        thieves=tuple(dict.fromkeys(thief.pod for thief in run.thieves)) if finding else (),
        missing=amounts(pod.asked) if finding else "",
    )


def _reason(item: Workload, report: RolloutReport) -> str:
    if report.arrival is not None:
        return f"{report.arrival.sentence(report.namespace)}, {report.worst.reason}"
    return report.worst.reason or (strategy_words(item) if report.outcome.finding else "")


def _room(
    snapshot: Snapshot,
    choice: SchedulerChoice,
    options: UpgradeOptions,
    stopped: list[Workload],
    newcomers: Newcomers,
) -> Iterator[tuple[str, int]]:
    """One more node like each kind that exists, and how many stopped workloads it would free."""
    tried = stopped[:MOST_REPLAYED_FOR_ROOM]
    if not tried:
        return
    cluster = ClusterView.of(snapshot, choice.release.accounting())
    for shape, node in node_like_any(cluster):
        larger = snapshot.with_objects((node,))
        worst = replace(options, order="worst")
        reports = (simulate_upgrade(larger, [touched(i)], choice, worst, newcomers) for i in tried)
        freed = sum(not report.outcome.finding for report in reports)
        yield f"one more node with {room_text(shape)}", freed
