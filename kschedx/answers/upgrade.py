"""Would this rollout complete: played in the least and most favourable order, remedies compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from kschedx.answers.replay import SchedulerChoice
from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.api.workloads import DaemonSet
from kschedx.diagnose.headline import counted
from kschedx.rollout.arrivals import MOST_ARRIVALS, Arrival, Foreseen, Newcomers, foresee
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.case import Case
from kschedx.rollout.change import Workload, differences, strategy_words
from kschedx.rollout.contention import run_of
from kschedx.rollout.exploration import MOST_RUNS, Answers, Explored, explore, good
from kschedx.rollout.live_pod import Timing
from kschedx.rollout.played import Conditions, Played, play
from kschedx.rollout.remedies import proposals, remedies
from kschedx.rollout.report import (
    ArrivalSearch,
    NewPod,
    Outcome,
    RolloutReport,
    Run,
    Search,
)
from kschedx.rollout.timeline import amounts
from kschedx.rollout.undo import undo
from kschedx.schedulers.kube.configuration import DEFAULT_SCHEDULER
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.snapshot import Snapshot

ORDERS = ("worst", "best", "both")
NONE_ARRIVE = "no new pods of other workloads arrive meanwhile"
NEVER_READY = "pods of the new revision never become Ready"


@dataclass(frozen=True, slots=True)
class UpgradeOptions:
    """How the rollout is played, and what is asked besides."""

    timing: Timing = field(default_factory=Timing)
    never_ready: bool = False
    """The new revision never becomes Ready."""
    order: str = "both"
    """How ties between events fall: worst, best or both."""
    remedies: bool = True
    most_runs: int = MOST_RUNS
    also: tuple[Object, ...] = ()
    """Other workloads that change in the same moment."""
    arrivals: Mapping[str, Pod] = field(default_factory=dict)
    """Pod whose containers stop -> the bare pod that is created in that moment."""

    undo: bool = True
    """Whether a rollout that stops is undone, too."""
    foresee: bool = True
    """Whether new pods are played too, that arrive between a deletion and its successor."""

    def conditions(self) -> Conditions:
        return Conditions(
            self.timing,
            never_ready=self.never_ready,
            also=self.also,
            arrivals=self.arrivals,
        )


def original(snapshot: Snapshot, item: Workload) -> Workload:
    """The workload as the snapshot holds it. Raises KschedxError where it does not."""
    found = snapshot.get(type(item), f"{item.namespace}/{item.name}")
    if found is None:
        kind = type(item).__name__
        raise KschedxError(
            "no-such-workload",
            f"no {kind} {item.namespace}/{item.name} in the snapshot",
            hint="--to changes a workload that is there; --with adds one",
        )
    return found


def end_state(
    snapshot: Snapshot,
    steps: Sequence[Workload],
    scheduler: KubeScheduler,
    options: UpgradeOptions,
) -> Played:
    """The least favourable order alone: the cluster when it stands still."""
    attempts = Attempts(scheduler)
    return _explored(snapshot, steps, attempts, replace(options, order="worst"))[0].worst


def _explored(
    snapshot: Snapshot, steps: Sequence[Workload], attempts: Attempts, options: UpgradeOptions
) -> tuple[Explored, dict[int, Answers]]:
    conditions = options.conditions()
    answered: dict[int, Answers] = {}

    def run(answers: Answers) -> Played:
        played = play(snapshot, steps, attempts, conditions, answers.choose)
        answered[id(played)] = answers
        return played

    begun = attempts.looked_at
    explored = explore(run, options.order, options.most_runs, lambda: attempts.looked_at - begun)
    return explored, answered


def simulate_upgrade(
    snapshot: Snapshot,
    steps: Sequence[Workload],
    choice: SchedulerChoice,
    options: UpgradeOptions | None = None,
    known: Newcomers | None = None,
) -> RolloutReport:
    """Play the change, each step after the cluster stood still; the remedies if it stops.

    `known`: what other rollouts of the same snapshot and scheduler have found already.

    Raises KschedxError for a workload that the snapshot lacks.
    """
    options = options or UpgradeOptions()
    old = original(snapshot, steps[0])
    if known is None:
        known = Newcomers(Attempts(KubeScheduler(choice.release, choice.configuration)))
    attempts = known.attempts
    explored, answered = _explored(snapshot, steps, attempts, options)
    conditions = options.conditions()
    foreseen = _foreseen(snapshot, steps, known, options, explored)
    if foreseen is not None and foreseen.arrival is not None and foreseen.stopped is not None:
        conditions = replace(conditions, arrivals=foreseen.arrival.pods)
        explored = replace(explored, worst=foreseen.stopped)
        answered[id(explored.worst)] = Answers()
    worst = run_of(explored.worst)
    best = run_of(explored.best) if explored.differ else None
    if options.undo and worst.outcome in (Outcome.DEADLOCK, Outcome.NOT_CHECKED):
        answers = answered[id(explored.worst)]
        worst = replace(worst, undo=undo(snapshot, old, steps, (attempts, conditions, answers)))
    unknown = not_modelled(attempts.scheduler, steps[-1])
    if unknown:
        worst = replace(
            worst,
            outcome=Outcome.NOT_CHECKED,
            reason=f"not modelled: {', '.join(unknown)}",
            not_checked=(*worst.not_checked, *unknown),
        )
        best = None
    outcome = verdict(worst, best)
    report = RolloutReport(
        kind=type(old).__name__,
        namespace=old.namespace,
        name=old.name,
        change=differences(old, steps[-1]),
        replicas=explored.worst.progress.wanted,
        strategy=strategy_words(steps[-1]),
        scheduler=choice.release.name,
        version_assumed=choice.version_assumed,
        outcome=outcome,
        worst=worst,
        best=best,
        search=Search(explored.runs, explored.complete, options.most_runs),
        arrival=_new_pod(foreseen),
        arrivals=_arrival_search(foreseen),
        assumptions=assumptions(explored.worst, options, foreseen),
    )
    if not options.remedies or not outcome.finding:
        return report
    answers = answered[id(explored.worst)]
    case = Case(
        snapshot,
        steps,
        attempts,
        conditions,
        explored.worst,
        answers,
        at_risk=outcome is Outcome.AT_RISK,
        arrival=report.arrival,
    )
    return replace(report, proposals=proposals(case), remedies=remedies(case))


def _foreseen(
    snapshot: Snapshot,
    steps: Sequence[Workload],
    newcomers: Newcomers,
    options: UpgradeOptions,
    explored: Explored,
) -> Foreseen | None:
    """New pods are played where nothing that is there stops the rollout; None: they are not."""
    if not options.foresee or options.order == "best" or options.arrivals:
        return None
    if not good(explored.worst) or explored.worst.world.not_checked:
        return None
    conditions = options.conditions()

    def arriving(arrival: Arrival) -> Played:
        meeting = replace(conditions, arrivals=arrival.pods)
        return play(snapshot, steps, newcomers.attempts, meeting, Answers().choose)

    return foresee(newcomers, snapshot, explored.worst, arriving)


def _new_pod(foreseen: Foreseen | None) -> NewPod | None:
    arrival = foreseen.arrival if foreseen is not None else None
    if arrival is None:
        return None
    view = arrival.newcomer.view
    like, needs = str(arrival.newcomer.like), amounts(view.requests)
    return NewPod(view.key, like, arrival.at_end_of, view.priority, needs)


def _arrival_search(foreseen: Foreseen | None) -> ArrivalSearch | None:
    if foreseen is None:
        return None
    return ArrivalSearch(foreseen.newcomers, foreseen.played, foreseen.complete, MOST_ARRIVALS)


def not_modelled(scheduler: KubeScheduler, item: Workload) -> tuple[str, ...]:
    """Plugins and extenders that would have a say in the workload's pods and are not replayed."""
    name = item.spec.template.spec.scheduler_name or DEFAULT_SCHEDULER
    profile = scheduler.profiles.get(name)
    plugins = profile.not_modelled_in_play if profile is not None else ()
    return tuple(plugins)


def verdict(worst: Run, best: Run | None) -> Outcome:
    """One word for both orders."""
    if worst.outcome is Outcome.DEADLOCK and best is not None:
        return Outcome.AT_RISK
    return worst.outcome


def timing_words(timing: Timing) -> str:
    """How long pods take to stop and to become Ready."""
    stop = "their own grace period"
    if timing.stop_seconds is not None:
        stop = f"{float(timing.stop_seconds):.12g}s"
    return (
        f"deleted pods stop after {stop} and are gone {float(timing.gone_seconds):.12g}s later; "
        f"new pods are Ready {float(timing.start_seconds):.12g}s after they have a node"
    )


def assumptions(
    played: Played, options: UpgradeOptions, foreseen: Foreseen | None = None
) -> tuple[str, ...]:
    """What the snapshot does not say and the run takes as given."""
    found = [timing_words(options.timing), _arriving(foreseen)]
    if options.also:
        named = [f"{item.namespace}/{item.name}" for item in options.also]
        found.append(f"{_some(sorted(named))} change in the same moment")
    if options.never_ready:
        found.append(NEVER_READY)
    stuck = sorted(key for key, live in played.world.pods.items() if live.stuck)
    if stuck:
        found.append(f"the kubelets of {_some(stuck)} do not act")
    unwell = sorted(
        key
        for key, live in played.world.pods.items()
        if live.node and not live.ready and not live.terminal and live.created <= 0
    )
    unwell = [key for key in unwell if key not in stuck]
    if unwell:
        found.append(f"{_some(unwell)} stay unready, as the snapshot shows them")
    if isinstance(played.world.workloads[played.owner], DaemonSet):
        found.append("nodes are taken in the order of their names")
    return tuple(found)


def _arriving(foreseen: Foreseen | None) -> str:
    """Which new pods the runs have met."""
    if foreseen is None:
        return NONE_ARRIVE
    if not foreseen.newcomers:
        return "no new pods arrive meanwhile that only the freed room could take: none are foreseen"
    ones = counted(foreseen.newcomers, "workload")
    runs = "1 was played" if foreseen.played == 1 else f"{foreseen.played} were played"
    more = f" (the bound is {MOST_ARRIVALS}, more may exist)" if not foreseen.complete else ""
    if foreseen.arrival is not None:
        more = " until one stopped it"
    harm = f"of the arrivals that could do harm {runs}{more}"
    if foreseen.complete and not foreseen.played:
        harm = "none of these arrivals could do harm"
    return (
        f"new pods: one at a time, as a pod of the rollout stops, like those of {ones} of which one "
        f"more finds no node now; {harm}"
    )


def _some(keys: Sequence[str], most: int = 3) -> str:
    shown = ", ".join(keys[:most])
    return shown + (f" and {len(keys) - most} more" if len(keys) > most else "")
