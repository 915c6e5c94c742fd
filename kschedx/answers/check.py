"""What would go wrong if these manifests were applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.upgrade import UpgradeOptions, simulate_upgrade
from kschedx.api.meta import Object
from kschedx.gate.attempts import GateAttempts
from kschedx.gate.check import NOTHING_KNOWN, Known, Replays
from kschedx.gate.check import check as gate
from kschedx.gate.findings import CheckReport
from kschedx.gate.settings import Settings
from kschedx.rollout.arrivals import Newcomers
from kschedx.rollout.change import Workload
from kschedx.rollout.report import RolloutReport
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.manifests import Manifests
from kschedx.snapshot.snapshot import Snapshot


def check(
    snapshot: Snapshot,
    manifests: Manifests,
    choice: SchedulerChoice,
    settings: Settings | None = None,
    known: Known = NOTHING_KNOWN,
) -> CheckReport:
    """Check manifests against a cluster, apart from what is known to be wrong already.

    Raises KschedxError for a scheduler configuration that cannot be read.
    """
    scheduler = KubeScheduler(choice.release, choice.configuration)
    rolled = Newcomers(GateAttempts(scheduler))

    def simulate(cluster: Snapshot, item: Workload, also: Sequence[Object]) -> RolloutReport:
        options = UpgradeOptions(also=tuple(also), foresee=False)
        return simulate_upgrade(cluster, [item], choice, options, rolled)

    replays = Replays(scheduler, simulate)
    report = gate(snapshot, manifests, replays, settings or Settings(), known)
    return replace(report, version_assumed=choice.version_assumed)
