"""A SnapshotReport for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from kschedx.render.text import Page, Style
from kschedx.snapshot.saved import SnapshotReport

_FEW: Final = 8
"""Kinds that are counted one by one."""


def render_snapshot_text(report: SnapshotReport, style: Style) -> str:
    """The report as lines of at most the style's width."""
    page = Page(style)
    total = sum(report.counts.values())
    what = f"{total:,} objects, {_size(report.size_bytes)}"
    page.write(Text(f"{report.file}: {what} written", style="headline"))
    page.block(_paragraphs(report))
    return page.text()


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 1e6 else f"{count / 1e3:,.1f} kB"  # noqa: PLR2004


def _paragraphs(report: SnapshotReport) -> Iterator[tuple[str, str]]:
    version = report.version or "version not known"
    when = f", taken at {report.taken_at}" if report.taken_at else ""
    yield "Cluster", f"{version}{when}"
    largest = sorted(report.counts.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{count:,} {kind}" for kind, count in largest[:_FEW])
    rest = sum(count for _, count in largest[_FEW:])
    yield "Objects", shown + (f", {rest:,} of other kinds" if rest else "")
    if report.unread:
        yield "Unread", ", ".join(report.unread)
    if not report.complete:
        yield "Complete", "not known: a kind without objects counts as unread"
    if report.redacted:
        pods = "1 Pending pod" if report.replayed == 1 else f"{report.replayed:,} Pending pods"
        yield "Redacted", f"replayed before and after: the verdicts on {pods} are equal"
        if report.dropped_messages:
            yield (
                "Redacted",
                f"{report.dropped_messages:,} recorded messages left out, which the replay does "
                "not give word for word",
            )
