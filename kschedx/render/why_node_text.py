"""Single nodes in text: every rule on one node, or one row per node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from kschedx.api.quantity import show
from kschedx.diagnose.also_blocked import AlsoBlocked
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.headline import listed
from kschedx.diagnose.node_report import NodeReport, RuleResult
from kschedx.diagnose.node_rows import NodeRow
from kschedx.render.text import Page, table

_RESULT_STYLES: Final = {
    RuleResult.PASSES: "right",
    RuleResult.REJECTS: "wrong",
    RuleResult.NOT_CHECKED: "waits",
    RuleResult.NOT_NEEDED: "quiet",
}
_RESULT_WORDS: Final = {
    RuleResult.PASSES: "passes",
    RuleResult.REJECTS: "rejects",
    RuleResult.NOT_CHECKED: "not checked",
    RuleResult.NOT_NEEDED: "not needed",
}


def write_node_report(page: Page, report: NodeReport) -> None:
    """Need against have, then rule by rule."""
    page.gap()
    said, style = ("can take it", "right") if report.fits else ("cannot take it", "wrong")
    if report.fits and report.supposes:
        said = "would take it"
    if report.error:
        said, style = "is not decided: the scheduler fails with an error of its own", "waits"
    page.write(Text(f"{report.node} {said}", style=style))
    page.gap()
    rooms = table(
        ["resource", "needs", "free", "of", "short by"], right=["needs", "free", "of", "short by"]
    )
    for room in report.rooms:
        short = show(room.resource, room.short_by) if room.short_by else "-"
        amounts = (room.need, room.free, room.allocatable)
        rooms.add_row(room.resource, *(show(room.resource, a) for a in amounts), short)
    page.write(rooms, indent=2)
    if report.rules:
        _write_rules(page, report)
    page.block(_notes(report))


def _write_rules(page: Page, report: NodeReport) -> None:
    page.gap()
    rules = table(["rule", "result", "why"])
    for rule in report.rules:
        why = "\n".join(cause.message for cause in rule.causes)
        result = Text(_RESULT_WORDS[rule.result], style=_RESULT_STYLES[rule.result])
        rules.add_row(rule.plugin or "Scheduler", result, why)
    page.write(rules, indent=2)


def _notes(report: NodeReport) -> Iterator[tuple[str, str]]:
    if report.error:
        yield "Error", report.error
    if report.supposes:
        yield "Supposed", listed(report.supposes)
    if report.left_out:
        yield "Not looked at", "a rule about the pod alone admits other nodes only"
    if report.fits_without_nominated:
        yield "Held", "only the room that is held for nominated pods stands in the way"
    if report.eviction:
        yield "Preemption", report.eviction
    for victim in report.victims:
        broken = ", violates " + listed(victim.budgets_violated) if victim.budgets_violated else ""
        yield "Victim", f"{victim.pod.key} (priority {victim.pod.priority}){broken}"


def write_rows(page: Page, found: Explanation | AlsoBlocked) -> None:
    """One row per node."""
    scored = any(row.score is not None for row in found.rows)
    columns = ["node", "score", "verdict"] if scored else ["node", "verdict"]
    made = table(columns, right=["score"])
    made.columns[0].no_wrap = not page.narrow
    for row in found.rows:
        score = ["-" if row.score is None else str(row.score)] if scored else []
        made.add_row(row.node, *score, _verdict(row, found))
    page.write(made, indent=2)


def _verdict(row: NodeRow, found: Explanation | AlsoBlocked) -> Text:
    if row.fits and isinstance(found, AlsoBlocked):
        return Text("would fit", style="right")
    if row.fits and isinstance(found, Explanation):
        taken = ", would be taken" if row.node in found.winners else ""
        return Text(f"can take it{taken}", style="right")
    return Text("\n".join(cause.message for cause in row.causes))
