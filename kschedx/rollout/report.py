"""RolloutReport: everything that is said about a rollout, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

Seconds = Fraction | int


class Outcome(StrEnum):
    """How a rollout ends, the worst first."""

    DEADLOCK = "deadlock"
    """It stops, whatever the order of events."""
    AT_RISK = "at-risk"
    """Some legal order of events stops it and another does not."""
    NOT_CHECKED = "not-checked"
    """Something that decides it was not read or is not modelled."""
    HELD = "held"
    """It goes as far as the workload's own strategy lets it: partition, OnDelete, paused."""
    COMPLETES = "completes"

    @property
    def finding(self) -> bool:
        return self in (Outcome.DEADLOCK, Outcome.AT_RISK)


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One moment of a run."""

    at_seconds: Seconds
    event: str
    """deleted, stopped, created, arrived, bound, ready, not-ready, unschedulable, preempts,
    refused, quota, reserved, not-woken."""
    pod: str
    node: str
    sentence: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Thief:
    """A pod that took room which the rollout had freed."""

    pod: str
    owner: str
    """Its controller; empty for a bare pod."""
    node: str
    priority: int
    takes: str
    """What it needs, such as "3 cpu"."""
    waiting_seconds: Seconds | None = None
    """How long it had been waiting; None where the snapshot does not say."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One link of the wait cycle: who waits for what, and who holds it."""

    who: str
    waits_for: str
    held_by: tuple[str, ...] = ()

    def sentence(self) -> str:
        """Such as "db-2 waits for room held by report-x"."""
        held = f" held by {', '.join(self.held_by)}" if self.held_by else ""
        verb = "wait" if "," in self.who else "waits"
        return f"{self.who} {verb} for {self.waits_for}{held}"


@dataclass(frozen=True, slots=True)
class Undo:
    """The old template written back after the rollout has stopped."""

    helps: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Run:
    """One order of events, played to its end."""

    outcome: Outcome
    wanted: int
    updated: int
    """New and Ready at the end."""
    old: int
    seconds: Seconds
    """Until the last event of the workload's own pods where it completes, else until the cluster
    stands still."""
    stuck: tuple[str, ...] = ()
    """Pods that are not Ready at the end."""
    reason: str = ""
    """Why it stops, or is held, in one sentence."""
    thieves: tuple[Thief, ...] = ()
    waits: tuple[Wait, ...] = ()
    evicted: tuple[str, ...] = ()
    """Pods that lose their place by preemption from the change on."""
    displaced: tuple[str, ...] = ()
    """Pods that ran before and wait at the end."""
    timeline: tuple[TimelineEntry, ...] = ()
    undo: Undo | None = None
    notes: tuple[str, ...] = ()
    """What the workload will report meanwhile."""
    not_checked: tuple[str, ...] = ()

    @property
    def step(self) -> int:
        """The step that cannot finish, counted from 1."""
        return min(self.updated + 1, self.wanted)


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that could be done about it, replayed."""

    code: str
    """today, hold, reserve, priority, gate, partition, extra-node, scale-down, no-arrivals,
    strategy, match-label-keys, node-taints-policy, delete-pod."""
    title: str
    outcome: Outcome | None
    """None: it does not apply."""
    detail: str = ""
    command: str = ""
    short: str = ""
    """As the head of a column beside today's scheduler; empty for what is not put there."""

    @property
    def prevents(self) -> bool:
        return self.outcome is Outcome.COMPLETES


@dataclass(frozen=True, slots=True)
class Search:
    """How many orders of events were played."""

    runs: int
    complete: bool
    """All of them; otherwise the bound was reached."""
    bound: int


@dataclass(frozen=True, slots=True)
class NewPod:
    """A pod that is not there yet: one more of a workload, in the moment in which a pod stops."""

    pod: str
    """ "namespace/name", invented."""
    like: str
    """The workload of which it is one more, such as "Deployment prod/web"."""
    at_end_of: str
    """The pod of the rollout whose end it comes with."""
    priority: int
    needs: str

    def sentence(self, namespace: str) -> str:
        """A condition for a reader in this namespace."""
        kind, _, key = self.like.partition(" ")
        like, ended = (k.removeprefix(f"{namespace}/") for k in (key, self.at_end_of))
        return f"if one more pod of {kind} {like} arrives as {ended} stops"


@dataclass(frozen=True, slots=True)
class ArrivalSearch:
    """Which new pods were played, each arriving between a deletion and its successor."""

    workloads: int
    """Those of which one more pod finds no node as things are."""
    runs: int
    complete: bool
    """All arrivals that could do harm; otherwise the bound was reached."""
    bound: int


@dataclass(frozen=True, slots=True)
class RolloutReport:
    """The whole answer for one workload."""

    kind: str
    namespace: str
    name: str
    change: tuple[str, ...]
    replicas: int
    strategy: str
    scheduler: str
    version_assumed: bool
    outcome: Outcome
    worst: Run
    best: Run | None
    """The order that does not stop, where worst and best differ."""
    search: Search
    arrival: NewPod | None = None
    """The new pod without which it would not stop."""
    arrivals: ArrivalSearch | None = None
    """None where no new pods were played."""
    proposals: tuple[Remedy, ...] = ()
    """The scheduler today and as it was proposed to be changed."""
    remedies: tuple[Remedy, ...] = ()
    """What an operator can do."""
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkloadLine:
    """One workload of many."""

    kind: str
    namespace: str
    name: str
    outcome: Outcome
    proved: bool
    """Shown safe without being played: every step has room to spare."""
    step: int
    steps: int
    reason: str
    thieves: tuple[str, ...] = ()
    missing: str = ""
    """The room that would unblock it, such as "3 cpu"."""


@dataclass(frozen=True, slots=True)
class AllRollouts:
    """Every workload of a snapshot, worst first."""

    scheduler: str
    version_assumed: bool
    lines: tuple[WorkloadLine, ...]
    room: tuple[tuple[str, int], ...] = ()
    """An extra node by its shape -> how many of the stopped workloads would complete with it."""
    assumptions: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        worst = [line.outcome for line in self.lines]
        return min(worst, key=list(Outcome).index, default=Outcome.COMPLETES)
