"""A pod that gets no node, explained in lines, with the fix that a replay has proven."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kschedx.diagnose.explanation import Explanation, explain
from kschedx.diagnose.headline import counted
from kschedx.diagnose.preemption_summary import PreemptionVerdict
from kschedx.diagnose.remedies import remedies
from kschedx.diagnose.smallest_fixes import Replays, smallest_fixes
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, PodView
from kschedx.gate.findings import Fix
from kschedx.schedulers.kube.cycle import KubeScheduler

VOLUME_PLUGINS: Final = frozenset({"VolumeBinding", "VolumeRestrictions", "VolumeZone"})
_MOST_LINES: Final = 6


@dataclass(frozen=True)
class Explained:
    """Why one pod has no node."""

    attempt: Attempt
    explanation: Explanation

    @property
    def undecided(self) -> str:
        """Why the scheduler's verdict is not known; empty where it is."""
        attempt = self.attempt
        if attempt.held is not None or attempt.error:
            return ""
        if attempt.winners or attempt.outcome is Outcome.NOT_CHECKED:
            return self.explanation.predicate or "not decided"
        return ""

    @property
    def by_volumes(self) -> bool:
        """Whether claims keep it off every node."""
        attempt = self.attempt
        if attempt.prefilter is not None:
            return attempt.prefilter.plugin in VOLUME_PLUGINS
        return bool(attempt.traces) and all(
            any(v.plugin in VOLUME_PLUGINS for v in trace.verdicts)
            for trace in attempt.traces.values()
        )

    def lines(self) -> Iterator[str]:
        """What rules the nodes out, most nodes first; whether eviction would help."""
        found = self.explanation
        blockers = found.blockers
        for blocker in blockers[:_MOST_LINES]:
            said = blocker.cause.message
            nearest = f"{said}, nearest {blocker.nearest}" if len(blocker.nodes) > 1 else said
            names = counted(len(blocker.nodes), "node")
            yield f"{names}: {blocker.subject} ({nearest})"
        if len(blockers) > _MOST_LINES:
            yield f"and {counted(len(blockers) - _MOST_LINES, 'more cause')}"
        summary = found.preemption
        if summary is not None and summary.verdict is PreemptionVerdict.CANNOT_HELP:
            yield "evicting pods of lower priority would not help"
        if found.scheduler_message:
            yield f"the scheduler would say: {found.scheduler_message}"


def explained(pod: PodView, cluster: ClusterView, scheduler: KubeScheduler) -> Explained:
    """Every rule asked on every node."""
    attempt = scheduler.attempt(pod, cluster)
    return Explained(attempt, explain(attempt, cluster))


def proven_fix(attempt: Attempt, cluster: ClusterView, scheduler: KubeScheduler) -> Fix | None:
    """The cheapest change that gets the pod a node; None where none was found."""
    if attempt.prefilter is not None or attempt.winners or not attempt.traces:
        return None

    def place(pod: PodView, view: ClusterView) -> Attempt:
        return scheduler.attempt(pod, view, every_rule=False, dry_runs=False)

    def preempt(pod: PodView, view: ClusterView) -> Attempt:
        return scheduler.attempt(pod, view, every_rule=False)

    hints = smallest_fixes(attempt, cluster, Replays(place, preempt))
    found = remedies(hints, attempt.pod.pod, cluster.snapshot).remedies
    if not found:
        return None
    first = found[0]
    evicts = f", evicting {', '.join(first.evicts)}" if first.evicts else ""
    return Fix(f"{first.message} (then {attempt.pod.name} fits {first.nodes[0]}{evicts})")
