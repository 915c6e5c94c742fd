"""A ScoreReport for people: who wins, by how much, and what each node's total is made of."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from kschedx.diagnose.headline import already_placed, counted, listed
from kschedx.diagnose.score_report import ScoreReport
from kschedx.framework.attempt import NodeScore
from kschedx.render.text import Page, Style, table


def render_score(report: ScoreReport, style: Style, *, top: int) -> str:
    """The best `top` nodes; lines of at most the style's width."""
    page = Page(style)
    if report.on_node:
        page.write(Text(already_placed(report.pod.key, report.on_node), style="headline"))
    page.write(Text(_headline(report), style="right" if _decided(report) else "wrong"))
    assumed = " (assumed)" if report.version_assumed else ""
    page.write(Text(f"{report.scheduler}{assumed}", style="quiet"))
    if report.rows:
        page.gap()
        _write_rows(page, report, top)
    page.block(_paragraphs(report))
    return page.text()


def _decided(report: ScoreReport) -> bool:
    return bool(report.winners) and not report.not_modelled


def _headline(report: ScoreReport) -> str:
    key = report.pod.key
    nodes = counted(report.node_count, "node")
    if report.winners and report.not_modelled:
        return (
            f"{key}: not decided: {listed(report.winners, 'or')} would win, but for "
            f"{listed(report.not_modelled)}, not replayed"
        )
    if not report.winners:
        return _without_winner(report)
    if not report.rows:
        return f"{key} goes to {report.winners[0]}, the only node of {report.node_count} that fits"
    feasible = len(report.feasible)
    if len(report.winners) > 1:
        return (
            f"{key}: {listed(report.winners, 'or')} would win, equal among the {feasible} of "
            f"{nodes} that fit"
        )
    return f"{key}: {report.winners[0]} would win among the {feasible} of {nodes} that fit"


def _without_winner(report: ScoreReport) -> str:
    key = report.pod.key
    if report.held:
        return f"{key} is never tried: {'; '.join(cause.message for cause in report.held)}"
    if report.rejection:
        said = "; ".join(cause.message for cause in report.rejection)
        return f"{key} is rejected before nodes are looked at: {said}"
    if report.unjudged:
        return f"{key}: not decided, since some rules could not be checked"
    if not report.node_count:
        return f"{key}: there are no nodes"
    return f"{key} fits no node of {report.node_count}, so there is nothing to score"


def _write_rows(page: Page, report: ScoreReport, top: int) -> None:
    same = {plugin for plugin, _ in report.same}
    differing = [(plugin, weight) for plugin, weight in report.weights if plugin not in same]
    made = table(["node", "total", "made of"], right=["total"])
    for row in report.rows[:top]:
        made.add_row(row.node, str(row.total), _made_of(row, differing) or "the same as all")
    page.write(made, indent=2)
    left = len(report.rows) - top
    if left > 0:
        page.write(Text(f"and {counted(left, 'more node')}, see --top", style="quiet"), indent=2)


def _made_of(row: NodeScore, plugins: Sequence[tuple[str, int]]) -> str:
    """Weighted scores; the plugin's own figure beside it where normalising changed it."""
    parts = []
    for plugin, weight in plugins:
        points, raw = row.weighted[plugin], row.raw[plugin]
        own = "" if raw * weight == points else f" (raw {raw})"
        parts.append(f"{plugin} {points}{own}")
    return ", ".join(parts)


def _paragraphs(report: ScoreReport) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if report.margins:
        margins = ", ".join(f"{m.plugin} {m.points:+}" for m in report.margins)
        found.append(
            ("Lead", f"{report.winners[0]} beats {report.runner_up} by {report.lead}: {margins}")
        )
    if report.same:
        same = ", ".join(f"{plugin} {points}" for plugin, points in report.same)
        found.append(("Same", f"on every node: {same}"))
    if report.weights:
        weights = ", ".join(f"{plugin} {weight}" for plugin, weight in report.weights)
        found.append(("Weights", weights))
    if len(report.winners) > 1 and report.rows:
        found.append(("Equals", "the scheduler takes any one of the winners"))
    if report.sought is not None:
        found.append(("Sample", _sample(report.sought)))
    if report.unjudged:
        said = "; ".join(cause.message for cause in report.unchecked)
        found.append(("Not judged", f"{listed(report.unjudged)}: {said}"))
    if report.message:
        found.append(("Scheduler", report.message))
    if report.not_modelled:
        found.append(("Not replayed", ", ".join(report.not_modelled)))
    return found


def _sample(sought: int) -> str:
    return (
        f"the scheduler stops looking at {counted(sought, 'node')} that can take the pod "
        "(percentageOfNodesToScore), beginning where it stopped for the pod before; the best of "
        "those wins, which may be another node"
    )
