"""A CheckReport as a page of text."""

from __future__ import annotations

from typing import Final

from rich.text import Text

from kschedx.diagnose.headline import counted
from kschedx.gate.findings import CheckReport, Finding, Severity
from kschedx.render.text import Page, Style

_STYLES: Final = {Severity.ERROR: "wrong", Severity.WARNING: "waits", Severity.NOTE: "quiet"}


def check_headline(report: CheckReport) -> str:
    """Such as "2 errors and 1 warning in 5 objects, on 12 nodes"."""
    parts = [
        counted(report.count(severity), severity.value)
        for severity in Severity
        if report.count(severity)
    ]
    said = " and ".join(", ".join(parts).rsplit(", ", 1)) if parts else "nothing found"
    new = "new, " if report.compared_to_base and parts else ""
    things = counted(len(report.checked), "object")
    return f"{said}: {new}{things} with pods applied to {counted(report.node_count, 'node')}"


def left_out(report: CheckReport) -> list[str]:
    """Findings that are not told, and why."""
    said = []
    if report.in_base:
        said.append(f"{counted(report.in_base, 'finding')} no worse than with the base manifests")
    if report.accepted:
        said.append(f"{counted(report.accepted, 'finding')} accepted by the baseline")
    return said


def place_text(finding: Finding) -> str:
    """Such as "web.yaml:12:1"."""
    place = finding.place
    if place is None:
        return ""
    return f"{place.file}:{place.line}:{place.column}" if place.line else place.file


def render_check(report: CheckReport, style: Style) -> str:
    """All findings, worst first; lines of at most the style's width."""
    page = Page(style)
    page.write(Text(check_headline(report), style="wrong" if report.failing else "right"))
    assumed = " (assumed)" if report.version_assumed else ""
    page.write(Text(f"{report.scheduler}{assumed}", style="quiet"))
    for finding in report.findings:
        page.gap()
        _write(page, finding)
    remarks = [("Left out", text) for text in left_out(report)]
    page.block([*remarks, *(("Passed over", text) for text in report.notes)])
    return page.text()


def _write(page: Page, finding: Finding) -> None:
    head = Text(finding.severity.value, style=_STYLES[finding.severity])
    head.append(f"  {finding.rule}  ", style="heading")
    head.append(str(finding.subject), style="name")
    if finding.place is not None:
        head.append(f"  {place_text(finding)}", style="quiet")
    page.write(head)
    page.write(Text(finding.sentence), indent=2)
    for line in finding.details:
        page.write(Text(line, style="quiet"), indent=4)
    if finding.fix is not None:
        page.paragraphs([("Fix", finding.fix.sentence)], indent=2)
        if finding.fix.command:
            page.write_whole(Text(finding.fix.command), indent=7)
