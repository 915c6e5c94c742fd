"""A rollout that stops, for those who look for what could be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import Workload
from kschedx.rollout.contention import run_of
from kschedx.rollout.exploration import Answers
from kschedx.rollout.live_pod import Owner, owner_of
from kschedx.rollout.played import Conditions, Played, play
from kschedx.rollout.policies import Policy
from kschedx.rollout.report import NewPod, Outcome, Remedy, Run
from kschedx.rollout.timeline import short
from kschedx.snapshot.snapshot import Snapshot


@dataclass(frozen=True)
class Case:
    """A rollout and what is known of it as things are."""

    snapshot: Snapshot
    steps: Sequence[Workload]
    attempts: Attempts
    conditions: Conditions
    worst: Played
    answers: Answers
    """The order of events that stops it."""
    at_risk: bool
    """Another order does not stop it."""
    arrival: NewPod | None = None
    """The new pod without which it would not stop; `conditions` has it."""

    @property
    def item(self) -> Workload:
        return self.steps[0]

    @property
    def owner(self) -> Owner:
        return Owner.of(self.item)

    def told(
        self, code: str, title: str, run: Run, command: str = "", short_title: str = ""
    ) -> Remedy:
        """A replay's outcome and what is to be known about it."""
        names = [short(key, self.owner.namespace) for key in run.evicted]
        if run.outcome is Outcome.COMPLETES:
            detail = f"evicts {', '.join(names)}" if names else ""
        elif run.outcome is Outcome.HELD:
            detail = run.reason
        else:
            detail = f"step {run.step} of {run.wanted}: {run.reason}"
        deadlock = run.outcome is Outcome.DEADLOCK
        outcome = Outcome.AT_RISK if deadlock and self.at_risk else run.outcome
        return Remedy(code, title, outcome, detail, command, short_title)

    def is_own(self, owner: Owner | None) -> bool:
        """Whether a controller is the workload, or belongs to it."""
        if owner == self.owner:
            return True
        item = self.worst.world.workloads.get(owner) if owner is not None else None
        return item is not None and owner_of(item.metadata) == self.owner

    def replay(
        self,
        *,
        snapshot: Snapshot | None = None,
        steps: Sequence[Workload] | None = None,
        policy: Policy | None = None,
    ) -> Run:
        """The order that stops it again, and the least favourable one, with something changed."""
        conditions = self.conditions
        if policy is not None:
            conditions = replace(conditions, policy=policy)

        def again(answers: Answers) -> Run:
            where, what = snapshot or self.snapshot, steps or self.steps
            return run_of(play(where, what, self.attempts, conditions, answers.choose))

        run = again(self.answers.again)
        if self.answers.plain or run.outcome not in (Outcome.COMPLETES, Outcome.HELD):
            return run
        plain = again(Answers())
        return run if plain.outcome in (Outcome.COMPLETES, Outcome.HELD) else plain
