"""Would this rollout complete: played, explained, and the remedies compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedx.api.meta import Object
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.live_pod import Timing
from kschedx.rollout.played import Conditions, Played, play
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class UpgradeOptions:
    timing: Timing = Timing()
    never_ready: bool = False
    order: str = "both"
    remedies: bool = True


@dataclass(frozen=True)
class UpgradeReport:
    outcome: str
    worst: Played


def simulate_upgrade(
    snapshot: Snapshot,
    steps: Sequence[Object],
    scheduler: KubeScheduler,
    options: UpgradeOptions = UpgradeOptions(),
) -> UpgradeReport:
    attempts = Attempts(scheduler)
    worst = play(snapshot, steps, attempts, Conditions(options.timing, never_ready=options.never_ready))
    return UpgradeReport("completes" if worst.done else "deadlock", worst)
