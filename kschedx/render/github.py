"""GitHub workflow commands: a CheckReport as annotations on the lines of a pull request.

Upstream: actions/toolkit packages/core/src/command.ts (escapeData, escapeProperty).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kschedx.gate.findings import CheckReport, Finding, Severity
from kschedx.render.check_text import check_headline, left_out

_COMMANDS: Final = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


def render_github(report: CheckReport) -> str:
    """One command per finding, then the sums as plain lines of the log."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: CheckReport) -> Iterator[str]:
    for finding in report.findings:
        yield _command(finding)
    yield _plain(check_headline(report))
    for text in (*left_out(report), *report.notes):
        yield _plain(text)


def _command(finding: Finding) -> str:
    properties = {"title": f"{finding.rule}: {finding.subject}"}
    place = finding.place
    if place is not None:
        properties["file"] = place.file
        if place.line:
            properties["line"] = str(place.line)
            properties["col"] = str(place.column or 1)
    stated = ",".join(f"{name}={_property(properties[name])}" for name in sorted(properties))
    lines = [finding.sentence, *finding.details]
    if finding.fix is not None:
        lines.append(f"Fix: {finding.fix.sentence} {finding.fix.command}".rstrip())
    return f"::{_COMMANDS[finding.severity]} {stated}::{_data(chr(10).join(lines))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _plain(text: str) -> str:
    """A line of the log that cannot be read as a command."""
    line = " ".join(text.split())
    return line.replace("::", ":\N{ZERO WIDTH SPACE}:").replace("##[", "# #[")
