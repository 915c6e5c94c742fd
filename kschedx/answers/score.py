"""Which node would win, and why: the feasible nodes by total score."""

from __future__ import annotations

from dataclasses import dataclass

from kschedx.framework.attempt import Attempt, NodeScore
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.cycle import KubeScheduler


@dataclass(frozen=True, slots=True)
class Margin:
    """What one plugin contributes to the winner's lead over the next node; may be negative."""

    plugin: str
    points: int


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """The whole answer. No rows where the pod fits no node, or one only: that is taken unscored."""

    attempt: Attempt
    rows: tuple[NodeScore, ...] = ()
    """Best first; equals by name."""
    weights: tuple[tuple[str, int], ...] = ()
    """The plugins that scored, in order, with their weights."""
    runner_up: str = ""
    """The best node that does not win."""
    margins: tuple[Margin, ...] = ()
    """Of the first winner over the runner-up, largest first; equal contributions left out."""


def explain_scores(pod: PodView, cluster: ClusterView, scheduler: KubeScheduler) -> ScoreReport:
    """Score the pod on all nodes that can take it."""
    attempt = scheduler.attempt(pod, cluster, every_rule=False, dry_runs=False)
    if not attempt.scores:
        return ScoreReport(attempt)
    rows = tuple(sorted(attempt.scores.values(), key=lambda row: (-row.total, row.node)))
    profile = scheduler.profiles[pod.pod.spec.scheduler_name]
    weights = tuple(
        (plugin.name, weight) for plugin, weight in profile.score if plugin.name in rows[0].weighted
    )
    beaten = next((row for row in rows if row.total < rows[0].total), None)
    if beaten is None:
        return ScoreReport(attempt, rows, weights)
    margins = tuple(
        Margin(plugin, rows[0].weighted[plugin] - beaten.weighted[plugin])
        for plugin, _ in weights
        if rows[0].weighted[plugin] != beaten.weighted[plugin]
    )
    ordered = tuple(sorted(margins, key=lambda margin: (-margin.points, margin.plugin)))
    return ScoreReport(attempt, rows, weights, beaten.node, ordered)
