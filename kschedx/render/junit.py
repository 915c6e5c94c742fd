"""JUnit XML: a CheckReport as CI servers read test results.

Upstream: the schema of Jenkins' xUnit plugin, junit-10.xsd.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final
from xml.etree import ElementTree

from kschedx.gate.findings import CheckReport, Finding, ObjectName
from kschedx.snapshot.snapshot import Source

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold."""


def render_junit(report: CheckReport) -> str:
    """One test case per checked object: a failure for each finding that fails the check."""
    by_object: dict[ObjectName, list[Finding]] = {c.subject: [] for c in report.checked}
    places: dict[ObjectName, Source | None] = {c.subject: c.place for c in report.checked}
    for finding in report.findings:
        by_object.setdefault(finding.subject, []).append(finding)
        places.setdefault(finding.subject, finding.place)
    cases = [
        _case(report, subject, places[subject], findings) for subject, findings in by_object.items()
    ]
    failures = str(len(report.failing))
    numbers = {"tests": str(len(cases)), "failures": failures, "errors": "0"}
    suites = ElementTree.Element("testsuites", {"name": "kschedx check", **numbers})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "kschedx", **numbers})
    suite.extend(cases)
    ElementTree.indent(suites)
    text = ElementTree.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case(
    report: CheckReport, subject: ObjectName, place: Source | None, findings: Sequence[Finding]
) -> ElementTree.Element:
    where = place.file if place is not None else "kschedx"
    case = ElementTree.Element("testcase", {"name": _clean(str(subject)), "classname": where})
    said = []
    for finding in findings:
        if report.fail_on.fails(finding.severity):
            attributes = {"type": finding.rule, "message": _clean(finding.sentence)}
            failure = ElementTree.SubElement(case, "failure", attributes)
            failure.text = _clean(_body(finding))
        else:
            said.append(f"{finding.severity.value} {finding.rule}: {_body(finding)}")
    if said:
        ElementTree.SubElement(case, "system-out").text = _clean("\n".join(said))
    return case


def _body(finding: Finding) -> str:
    lines = [finding.sentence, *finding.details]
    if finding.fix is not None:
        lines.append(f"Fix: {finding.fix.sentence} {finding.fix.command}".rstrip())
    if finding.place is not None:
        lines.append(f"at {finding.place}")
    return "\n".join(lines)


def _clean(text: str) -> str:
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
