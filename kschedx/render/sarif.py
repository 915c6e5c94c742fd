"""SARIF 2.1.0: a CheckReport as code scanning reads it.

Upstream: OASIS Static Analysis Results Interchange Format 2.1.0.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote

import msgspec

from kschedx.gate.findings import RULES, CheckReport, Finding, Rule
from kschedx.snapshot.snapshot import Source

SCHEMA: Final = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
HOME: Final = "https://github.com/kschedx/kschedx"
_INDEX: Final = {rule.code: index for index, rule in enumerate(RULES)}


def render_sarif(report: CheckReport, version: str) -> str:
    """One run; `version` is kschedx's own."""
    run = {
        "tool": {
            "driver": {
                "name": "kschedx",
                "semanticVersion": version,
                "informationUri": HOME,
                "rules": [_rule(rule) for rule in RULES],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding) for finding in report.findings],
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": text}} for text in report.notes
                ],
            }
        ],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(log), indent=2).decode() + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.code.split("-")),
        "shortDescription": {"text": rule.meaning},
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {"tags": ["kubernetes", "scheduling"], "precision": "very-high"},
    }


def _result(finding: Finding) -> dict[str, Any]:
    return {
        "ruleId": finding.rule,
        "ruleIndex": _INDEX[finding.rule],
        "level": finding.severity.value,
        "message": {"text": _text(finding)},
        "locations": [_location(finding, finding.place)],
        "partialFingerprints": {"kschedxFinding/v1": finding.fingerprint},
    }


def _text(finding: Finding) -> str:
    lines = [f"{finding.subject}: {finding.sentence}", *finding.details]
    if finding.fix is not None:
        lines.append(f"Fix: {finding.fix.sentence}")
        lines += [finding.fix.command] if finding.fix.command else []
    return "\n".join(lines)


def _location(finding: Finding, place: Source | None) -> dict[str, Any]:
    name = str(finding.subject)
    location: dict[str, Any] = {
        "logicalLocations": [{"fullyQualifiedName": name, "kind": "object"}]
    }
    if place is not None:
        physical: dict[str, Any] = {"artifactLocation": {"uri": artifact_uri(place.file)}}
        if place.line:
            region = {"startLine": place.line}
            physical["region"] = region | ({"startColumn": place.column} if place.column else {})
        location["physicalLocation"] = physical
    return location


def artifact_uri(file: str) -> str:
    """A relative reference for a relative path, so that it is found in the repository."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
