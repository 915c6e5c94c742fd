"""A WhyReport for people: what is the matter first, then where, then how much is missing."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.also_blocked import AlsoBlocked
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.headline import counted, listed
from kschedx.diagnose.report import ExplainedPods, WhyReport
from kschedx.diagnose.situation import Situation
from kschedx.render.hints_text import write_hints
from kschedx.render.text import Page, Style
from kschedx.render.why_blockers import write_blockers, write_in_short
from kschedx.render.why_node_text import write_node_report, write_rows
from kschedx.render.why_parts import (
    closing_paragraphs,
    nomination_paragraphs,
    placement_paragraphs,
    preemption_paragraph,
    workload_paragraphs,
)

_STYLES: Final = {
    Situation.FITS_NOW: "right",
    Situation.ALREADY_PLACED: "headline",
    Situation.FINISHED: "headline",
    Situation.WAITING_FOR_VICTIMS: "waits",
    Situation.NOT_CHECKED: "waits",
    Situation.HELD_BY_GATES: "waits",
    Situation.BEING_DELETED: "waits",
}
_AGREEMENT: Final = {
    AgreementStatus.AGREES: "agrees with the cluster's own message",
    AgreementStatus.DIFFERS: "differs from the cluster's own message, see below",
    AgreementStatus.NONE_RECORDED: "the cluster has recorded no message",
    AgreementStatus.NOT_COMPARABLE: "not compared with the cluster's own message, see below",
}


def render_text(report: WhyReport, style: Style) -> str:
    """The report as lines of at most the style's width, but for commands: each is one line."""
    page = Page(style)
    if report.one_pod:
        for group in report.explained:
            _write_pod(page, report, group.explanation)
    else:
        _write_many(page, report)
    page.block(("Note", note) for note in report.notes)
    return page.text()


def _scheduler(report: WhyReport) -> str:
    return f"{report.scheduler} (assumed)" if report.version_assumed else report.scheduler


def _write_pod(page: Page, report: WhyReport, found: Explanation) -> None:
    page.write(Text(found.headline, style=_STYLES.get(found.situation, "wrong")))
    if found.summary:
        page.write(Text(found.summary))
    line = _scheduler(report)
    if found.agreement is not None:
        line += f" · {_AGREEMENT[found.agreement.status]}"
    page.write(Text(line, style="quiet"))
    page.block(placement_paragraphs(found.placement, ended=found.situation is Situation.FINISHED))
    page.block(nomination_paragraphs(found.nomination))
    if report.node is not None:
        write_node_report(page, report.node)
    else:
        _write_nodes(page, found)
        _write_if_tried(page, found.otherwise)


def _write_nodes(page: Page, found: Explanation, *, tried: bool = True) -> None:
    if found.rows:
        page.gap()
        write_rows(page, found)
    elif found.blockers:
        page.gap()
        if found.feasible:
            page.write(Text(_how_many_fit(found)))
        write_blockers(page, found)
    page.block(closing_paragraphs(found, tried=tried))
    _write_also_blocked(page, found.also_blocked)
    if found.remedies is not None:
        write_hints(page, found.remedies)


def _write_also_blocked(page: Page, supposed: AlsoBlocked | None) -> None:
    if supposed is None or not (supposed.blockers or supposed.rows):
        return
    page.gap()
    if supposed.rows:
        page.write(Text(f"Supposed, {supposed.once}:", style="heading"))
        write_rows(page, supposed)
    else:
        page.write(Text(f"Would also block, {supposed.once}:", style="heading"))
        write_blockers(page, supposed)


def _how_many_fit(found: Explanation) -> str:
    count = len(found.feasible)
    verb = "can" if count > 1 else "alone can"
    rest = counted(found.node_count - count, "other")
    return f"{listed(found.feasible)} {verb} take it; the {rest} cannot:"


def _write_if_tried(page: Page, otherwise: Explanation | None) -> None:
    if otherwise is None:
        return
    page.gap()
    page.write(Text(f"If it were tried: {otherwise.predicate}", style="heading"))
    _write_nodes(page, otherwise, tried=False)


def _write_many(page: Page, report: WhyReport) -> None:
    state = report.workload
    if state is not None:
        counts = f"{counted(state.wanted, 'pod')} wanted, {state.existing} there, {state.pending} Pending"
        page.write(Text(f"{report.asked}: {counts}", style="wrong" if report.finding else "right"))
    elif report.pod_count:
        pods = counted(report.pod_count, "pod")
        verb = "is" if report.pod_count == 1 else "are"
        page.write(Text(f"{pods} {verb} Pending in {report.asked}", style="wrong"))
    else:
        page.write(Text(f"No pod is Pending in {report.asked}", style="right"))
    page.write(Text(_summary(report), style="quiet"))
    if state is not None:
        page.block(workload_paragraphs(state))
    for group in report.explained:
        page.gap()
        _write_group(page, group)


_COUNTED: Final = {
    AgreementStatus.AGREES: (
        "agrees with the cluster's own message",
        "agree with the cluster's own messages",
    ),
    AgreementStatus.DIFFERS: ("differs", "differ"),
    AgreementStatus.NONE_RECORDED: ("has none recorded", "have none recorded"),
    AgreementStatus.NOT_COMPARABLE: ("cannot be compared", "cannot be compared"),
}


def _summary(report: WhyReport) -> str:
    """How far the recorded messages agree."""
    counts = report.agreements
    said = [
        f"{counts[status]} {one if counts[status] == 1 else several}"
        for status, (one, several) in _COUNTED.items()
        if counts.get(status)
    ]
    if counts.get(AgreementStatus.DIFFERS) and not counts.get(AgreementStatus.AGREES):
        alone = counts[AgreementStatus.DIFFERS] == 1
        said[0] += f" from the cluster's own {'message' if alone else 'messages'}"
    return " · ".join([_scheduler(report), ", ".join(said)] if said else [_scheduler(report)])


def _write_group(page: Page, group: ExplainedPods) -> None:
    found = group.explanation
    owners = sorted({pod.owner for pod in group.pods if pod.owner})
    owned = f" ({listed(owners)})" if owners else ""
    names = listed([pod.key for pod in group.pods])
    page.write(Text(f"{names}{owned}", style="heading"))
    page.write(Text(_said(group), style=_STYLES.get(found.situation, "wrong")), indent=2)
    if found.also_blocked is not None:
        page.write(Text(found.also_blocked.sentence), indent=2)
    if found.rows:
        page.gap()
        write_rows(page, found)
    elif found.blockers and not found.feasible:
        write_in_short(page, found.blockers, indent=4)
    if found.preemption is not None and found.preemption.nodes:
        page.paragraphs(preemption_paragraph(found.preemption), indent=2)
    page.paragraphs(nomination_paragraphs(found.nomination), indent=2)
    if found.remedies is not None:
        write_hints(page, found.remedies, indent=2)


def _said(group: ExplainedPods) -> str:
    found = group.explanation
    if found.situation is Situation.FITS_NOW:
        return f"fits now: {found.predicate}"
    if len(group.pods) > 1 and found.situation is Situation.NO_NODE:
        return f"no node of {found.node_count} can take any of these {len(group.pods)}"
    return found.predicate
