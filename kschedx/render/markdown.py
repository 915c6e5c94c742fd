"""Markdown: a CheckReport as a comment on a pull request or a job's summary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kschedx.gate.findings import CheckReport, Finding
from kschedx.render.check_text import check_headline, left_out, place_text

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]#!|~])")
MOST_FINDINGS: Final = 100
"""A comment has 65,536 characters."""


def render_markdown(report: CheckReport) -> str:
    """A heading, a table of the findings, and what explains each behind it."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: CheckReport) -> Iterator[str]:
    verdict = "failed" if report.failing else "passed"
    yield f"### kschedx check {verdict}"
    yield ""
    assumed = " (assumed)" if report.version_assumed else ""
    yield f"{_text(check_headline(report))}, {_text(report.scheduler)}{assumed}"
    shown = report.findings[:MOST_FINDINGS]
    if shown:
        yield ""
        yield "| | rule | object | finding | place |"
        yield "|---|---|---|---|---|"
        for finding in shown:
            yield _row(finding)
    for finding in shown:
        if finding.details or finding.fix is not None:
            yield ""
            yield from _explained(finding)
    more = len(report.findings) - len(shown)
    said = [f"and {more} more"] if more else []
    for text in (*said, *left_out(report), *report.notes):
        yield ""
        yield _text(text)


def _row(finding: Finding) -> str:
    cells = (
        finding.severity.value,
        _code(finding.rule),
        _text(str(finding.subject)),
        _text(finding.sentence),
        _code(place_text(finding)) if finding.place is not None else "",
    )
    return f"| {' | '.join(cells)} |"


def _explained(finding: Finding) -> Iterator[str]:
    yield f"<details><summary>{_html(f'{finding.subject}: {finding.rule}')}</summary>"
    yield ""
    for line in finding.details:
        yield f"* {_text(line)}"
    if finding.fix is not None:
        command = f" {_code(finding.fix.command)}" if finding.fix.command else ""
        yield f"* **Fix:** {_text(finding.fix.sentence)}{command}"
    yield ""
    yield "</details>"


def _html(text: str) -> str:
    """Text that is no markup, and mentions nobody."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(escaped.split()).replace("@", "@\N{ZERO WIDTH SPACE}")


def _text(text: str) -> str:
    return _html(_SPECIAL.sub(r"\\\1", text))


def _code(text: str) -> str:
    """A code span; a pipe would end the table's cell, a backtick the span."""
    plain = " ".join(text.split()).replace("`", "'").replace("|", "\\|")
    return f"`{plain}`"
