"""A PreemptReport for people: the dry run in the order in which the scheduler plays it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from kschedx.diagnose.headline import already_placed, counted, listed
from kschedx.diagnose.preempt_report import (
    Fate,
    PreemptReport,
    RankedCandidate,
    SecondRejection,
    Shortlist,
    Victim,
)
from kschedx.render.text import Page, Style, table

_GROUPS: Final = 6
"""So many groups of nodes are told."""
_CANDIDATES: Final = 8
_VICTIMS: Final = 12


def render_preempt(report: PreemptReport, style: Style) -> str:
    """The report as lines of at most the style's width."""
    page = Page(style)
    helps = bool(report.nominated) and report.enabled and not report.undecided_by
    fits = bool(report.winners) and not report.undecided_by
    if report.on_node:
        page.write(Text(already_placed(report.pod.key, report.on_node), style="headline"))
    page.write(Text(_headline(report), style="right" if helps or fits else "wrong"))
    assumed = " (assumed)" if report.version_assumed else ""
    page.write(Text(f"{report.scheduler}{assumed}", style="quiet"))
    page.block(_before(report))
    if report.ranking:
        _write_ranking(page, report)
    page.block(_after(report))
    return page.text()


def _headline(report: PreemptReport) -> str:
    key = report.pod.key
    but_for = f"but for {listed(report.undecided_by)}, not replayed"
    if report.winners and report.undecided_by:
        taker = listed(report.winners, "or")
        return f"{key}: not decided: {taker} would take it as things are, {but_for}"
    if report.winners:
        takes = "would take it" if report.on_node else "takes it as things are"
        return f"{key} needs no preemption: {listed(report.winners, 'or')} {takes}"
    if report.held:
        said = "; ".join(cause.message for cause in report.held)
        return f"{key}: preemption cannot help: {said}"
    if report.not_checked:
        return f"{key}: not decided, since some rules could not be checked"
    if not report.eligible:
        return f"{key} may not preempt: {report.ineligible_reason.removesuffix('.')}"
    if not report.node_count:
        return f"{key}: there are no nodes"
    if not report.nominated:
        said = f"preemption cannot help on any of {counted(report.node_count, 'node')}"
        return f"{key}: not decided: {said}, {but_for}" if report.undecided_by else f"{key}: {said}"
    pods = counted(len(report.ranking[0].victims), "pod")
    if report.undecided_by:
        where = listed(report.nominated, "or")
        return f"{key}: not decided: it would evict {pods} on {where}, {but_for}"
    if not report.enabled:
        return f"{key}: evicting pods would help, but this scheduler's profile has no preemption"
    return f"{key} would evict {pods} on {listed(report.nominated, 'or')} and be nominated there"


def _before(report: PreemptReport) -> Iterator[tuple[str, str]]:
    if report.unchecked:
        yield "Not checked", "; ".join(cause.message for cause in report.unchecked)
    if report.winners or report.held or not report.eligible or report.not_checked:
        return
    if not report.node_count:
        return
    tried = len(report.tried)
    yield (
        "Tried",
        f"{tried} of {counted(report.node_count, 'node')}, as if the pods of priority below "
        f"{report.pod.priority} were not there",
    )
    yield from _groups("No help", report.not_helpful)
    if report.no_victims:
        verb = "holds" if len(report.no_victims) == 1 else "hold"
        yield "No victims", f"{listed(report.no_victims)} {verb} no pod of lower priority"
    yield from _groups("Still rejected", report.still_rejected, after="without them ")


def _groups(
    heading: str, groups: Sequence[SecondRejection], *, after: str = ""
) -> Iterator[tuple[str, str]]:
    for group in groups[:_GROUPS]:
        causes = "; ".join(cause.message for cause in group.causes)
        first = f" on {group.nodes[0]}" if len(group.nodes) > 1 else ""
        yield heading, f"{listed(group.nodes)}: {after}{causes}{first}"
    left = sum(len(group.nodes) for group in groups[_GROUPS:])
    if left:
        yield heading, f"and {counted(left, 'more node')}"


def _write_ranking(page: Page, report: PreemptReport) -> None:
    page.gap()
    made = table(["", "node", "evicts", "against budgets", "spared"], right=["against budgets"])
    for place, candidate in enumerate(report.ranking[:_CANDIDATES], start=1):
        made.add_row(
            str(place),
            candidate.node,
            _victims(candidate),
            str(candidate.violations) if report.budgets_read else "not read",
            listed([spared.key for spared in candidate.spared]),
        )
    page.write(made, indent=2)
    left = len(report.ranking) - _CANDIDATES
    if left > 0:
        page.write(Text(f"and {counted(left, 'more candidate')}", style="quiet"), indent=2)
    if len(report.ranking) > 1:
        _write_ladder(page, report)


_LADDER: Final = ("budgets broken", "top priority", "sum, each + 2^31", "pods", "latest start")
"""Upstream's criteria, in order."""


def _write_ladder(page: Page, report: PreemptReport) -> None:
    """What the candidates are compared by."""
    page.gap()
    page.write(Text("Compared from left to right; the first difference decides", style="heading"))
    made = table(["node", *_LADDER], right=_LADDER)
    for candidate in report.ranking[:_CANDIDATES]:
        made.add_row(
            candidate.node,
            str(candidate.violations) if report.budgets_read else "not read",
            str(candidate.highest_priority),
            str(candidate.priority_sum),
            str(len(candidate.victims)),
            candidate.started or "not known",
        )
    page.write(made, indent=2)


def _victims(candidate: RankedCandidate) -> str:
    told = [_victim(victim) for victim in candidate.victims[:_VICTIMS]]
    left = len(candidate.victims) - len(told)
    return "\n".join([*told, f"and {counted(left, 'more pod')}"] if left else told)


def _victim(victim: Victim) -> str:
    said = f"{victim.pod.key} (priority {victim.pod.priority})"
    if victim.violates:
        said += f", breaks {listed(victim.violates)}"
    if victim.terminating:
        said += ", terminating already"
    return said


def _after(report: PreemptReport) -> Iterator[tuple[str, str]]:
    if report.decided_by:
        yield "Decided by", report.decided_by
    elif len(report.ranking) == 1:
        yield "Decided by", "there is one candidate only"
    if len(report.nominated) > 1:
        yield "Equals", "by every criterion; the scheduler takes any one of them"
    for fate in report.fates:
        yield "Then", _fate(fate)
    if report.ranking and not report.budgets_read:
        yield "Budgets", "the snapshot holds none: the real scheduler may rank otherwise"
    if report.shortlist is not None:
        yield "Shortlist", _shortlist(report.shortlist, report.nominated)
    if report.message:
        yield "Scheduler", report.message
    yield from _not_replayed(report)


def _not_replayed(report: PreemptReport) -> Iterator[tuple[str, str]]:
    """What the answer depends on, and what else there is."""
    if report.undecided_by:
        yield "Not replayed", ", ".join(report.undecided_by)
    others = [name for name in report.not_modelled if name not in report.undecided_by]
    if not others:
        return
    if report.nominated:
        said = "who is evicted does not depend on it; what comes after may"
    elif len(report.winners) > 1:
        said = "which of these nodes takes it may depend on it"
    else:
        said = "nothing that is said here depends on it"
    yield "Not replayed", f"{', '.join(others)}: {said}"


def _shortlist(shortlist: Shortlist, nominated: Sequence[str]) -> str:
    stops = f"the real scheduler stops after {shortlist.size} candidates, from a random start"
    instead = [name for name in shortlist.may_nominate if name not in nominated]
    if instead:
        return f"{stops}, so it may nominate {listed(instead, 'or')} instead"
    if len(nominated) > 1:
        return f"{stops}; wherever it starts, the best that it finds is one of these equals"
    return f"{stops}; wherever it starts, the best that it finds is {nominated[0]}"


def _fate(fate: Fate) -> str:
    if not fate.recreated:
        return f"{fate.pod.key} has no controller and is gone for good"
    if fate.places:
        return f"{fate.pod.key} ({fate.pod.owner}) fits {listed(fate.places, 'or')}"
    return f"{fate.pod.key} ({fate.pod.owner}) is Pending in turn: {fate.message}"
