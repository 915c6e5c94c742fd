"""ScoreReport: the answer to `kschedx score`: which node would win, and by what."""

from __future__ import annotations

from dataclasses import dataclass

from kschedx.diagnose.blockers import Cause, causes_of
from kschedx.diagnose.references import PodReference
from kschedx.diagnose.unchecked import unchecked_causes, unjudged_nodes
from kschedx.framework.attempt import Attempt, NodeScore


@dataclass(frozen=True, slots=True)
class Margin:
    """What one plugin adds to the winner's lead over the best loser; may be negative."""

    plugin: str
    points: int


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """No rows where the pod fits no node, or only one: that is taken unscored."""

    pod: PodReference
    scheduler: str
    version_assumed: bool
    message: str
    """The scheduler's own sentence where no node takes the pod; empty otherwise."""
    node_count: int
    feasible: tuple[str, ...]
    winners: tuple[str, ...]
    """All top scorers, any of which may be taken; or the one node that is taken unscored."""
    rows: tuple[NodeScore, ...] = ()
    """Best first; equals by name."""
    weights: tuple[tuple[str, int], ...] = ()
    """The plugins that scored, in the profile's order, with their weights."""
    runner_up: str = ""
    """The best node that does not win; empty where all are equal."""
    margins: tuple[Margin, ...] = ()
    """Of the first winner over the runner-up, largest first; equal scores left out."""
    not_modelled: tuple[str, ...] = ()
    held: tuple[Cause, ...] = ()
    """Why the pod is not even tried."""
    rejection: tuple[Cause, ...] = ()
    """Why it is rejected before nodes are looked at."""
    unjudged: tuple[str, ...] = ()
    """Nodes of which it is not known whether they can take the pod."""
    unchecked: tuple[Cause, ...] = ()
    """What could not be checked, each cause once."""
    sought: int | None = None
    """The real scheduler stops at so many feasible nodes; None where that is no fewer than fit."""
    on_node: str = ""
    """The node that the pod is on: then all else is as if it were not there; empty for none."""

    @property
    def lead(self) -> int:
        """Points of the first winner over the runner-up."""
        return sum(margin.points for margin in self.margins)

    @property
    def same(self) -> tuple[tuple[str, int], ...]:
        """Plugins that give every node the same weighted score, with that score."""
        found = []
        for plugin, _ in self.weights:
            scores = {row.weighted[plugin] for row in self.rows}
            if len(scores) == 1:
                found.append((plugin, scores.pop()))
        return tuple(found)


def score_report(
    attempt: Attempt,
    weights: tuple[tuple[str, int], ...],
    *,
    version_assumed: bool,
    sought: int | None = None,
) -> ScoreReport:
    """Rows, lead and margins of an attempt; `weights` are those of the profile's scorers.

    sought: the number of feasible nodes after which the real scheduler stops looking.
    """
    rows = tuple(sorted(attempt.scores.values(), key=lambda row: (-row.total, row.node)))
    scored = tuple((plugin, weight) for plugin, weight in weights if _scores(rows, plugin))
    beaten = next((row for row in rows if row.total < rows[0].total), None)
    margins: list[Margin] = []
    if beaten is not None:
        for plugin, _ in scored:
            points = rows[0].weighted[plugin] - beaten.weighted[plugin]
            if points:
                margins.append(Margin(plugin, points))
    return ScoreReport(
        pod=PodReference.of(attempt.pod.pod),
        scheduler=attempt.scheduler,
        version_assumed=version_assumed,
        message=attempt.message,
        node_count=attempt.node_count,
        feasible=attempt.feasible,
        winners=attempt.winners,
        rows=rows,
        weights=scored,
        runner_up=beaten.node if beaten is not None else "",
        margins=tuple(sorted(margins, key=lambda margin: (-margin.points, margin.plugin))),
        not_modelled=attempt.not_modelled,
        held=causes_of([attempt.held]) if attempt.held is not None else (),
        rejection=causes_of([attempt.prefilter]) if attempt.prefilter is not None else (),
        unjudged=unjudged_nodes(attempt),
        unchecked=unchecked_causes(attempt),
        sought=sought if sought is not None and sought < len(attempt.feasible) else None,
    )


def _scores(rows: tuple[NodeScore, ...], plugin: str) -> bool:
    return bool(rows) and plugin in rows[0].weighted
