"""A VerifyReport for people: the rate first, then what differs, then what has drifted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rich.text import Text

from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.headline import counted
from kschedx.diagnose.verification import Unchecked, VerifyReport
from kschedx.render.text import Page, Style, table

_SHOWN: Final = 20
"""Rows of a table; -o json holds all."""


def render_verify_text(report: VerifyReport, style: Style) -> str:
    """The report as lines of at most the style's width."""
    page = Page(style)
    page.write(Text(_headline(report), style="wrong" if report.finding else "right"))
    scheduler = f"{report.scheduler} (assumed)" if report.version_assumed else report.scheduler
    page.write(Text(scheduler, style="quiet"))
    _write_table(
        page,
        ("pod", "first difference"),
        [(one.pod.key, one.difference) for one in report.disagreements],
    )
    page.block(_pending(report))
    page.gap()
    page.write(Text(_placed(report), style="waits" if report.drifted else "right"))
    _write_table(
        page,
        ("pod", "node", "what would keep it off now"),
        [(one.pod.key, one.node, one.causes[0].message) for one in report.drifted],
    )
    page.block(_closing(report))
    return page.text()


def _headline(report: VerifyReport) -> str:
    if not report.compared:
        return "No Pending pod has a message to compare with"
    rate = 100 * report.agreeing / report.compared
    of = f"{report.agreeing} of {counted(report.compared, 'Pending pod')}"
    return f"Agrees with the cluster's own scheduler on {of} ({rate:.1f} %)"


def _placed(report: VerifyReport) -> str:
    if not report.placed:
        return "No pod on a node was replayed"
    drifted = len(report.drifted)
    if not drifted:
        pods = counted(report.placed, "pod")
        return f"Drift: none, {pods} would pass every rule on {_its(report.placed)} again"
    return f"Drift: {drifted} of {counted(report.placed, 'pod')} would not get {_its(report.placed)} again"


def _its(pods: int) -> str:
    return "its node" if pods == 1 else "their nodes"


def _write_table(page: Page, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    if not rows:
        return
    page.gap()
    made = table(columns)
    for row in rows[:_SHOWN]:
        made.add_row(*(Text(cell) for cell in row))
    page.write(made, indent=2)
    if len(rows) > _SHOWN:
        page.write(Text(f"and {len(rows) - _SHOWN:,} more; -o json lists all"), indent=2)


def _pending(report: VerifyReport) -> Iterator[tuple[str, str]]:
    none = report.pending.get(AgreementStatus.NONE_RECORDED, 0)
    if none:
        yield "No message", f"{counted(none, 'Pending pod')} without a recorded message"
    for why, count in _reasons(report.not_compared):
        yield "Not compared", f"{counted(count, 'Pending pod')}: {why}"


def _closing(report: VerifyReport) -> Iterator[tuple[str, str]]:
    for why, count in _reasons(report.not_checked):
        yield "Not checked", f"{counted(count, 'pod')}: {why}"
    if report.not_modelled:
        yield "Not modelled", ", ".join(report.not_modelled)
    for note in report.notes:
        yield "Note", note


def _reasons(items: Sequence[Unchecked]) -> list[tuple[str, int]]:
    """Why, with how many pods; the most frequent first."""
    counts = Counter(item.why for item in items)
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]
