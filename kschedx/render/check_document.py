"""CheckReport as machines read it: these types are the published schema, docs/schema/check.json."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from kschedx.gate.findings import Checked, CheckReport, Finding, ObjectName, Severity
from kschedx.render.document import API_VERSION, Document
from kschedx.snapshot.snapshot import Source

SeverityName = Literal["error", "warning", "note"]


class ObjectDocument(Document, frozen=True, kw_only=True):
    """An object of the manifests."""

    kind: str
    namespace: Annotated[str, Meta(description="Empty for objects that have none")]
    name: str


class PlaceDocument(Document, frozen=True, kw_only=True):
    """Where the object begins in the manifests."""

    file: str
    line: Annotated[int, Meta(description="Counted from 1; 0 where it is not known")]
    column: Annotated[int, Meta(description="Counted from 1; 0 where it is not known")]


class FixDocument(Document, frozen=True, kw_only=True):
    """A change after which a replay goes well."""

    message: str
    command: Annotated[str, Meta(description="Empty where the manifest has to be changed")]


class FindingDocument(Document, frozen=True, kw_only=True):
    """One rule broken by one object."""

    rule: Annotated[str, Meta(description="Kebab-case, names the cause, never changes")]
    severity: SeverityName
    object: ObjectDocument
    place: PlaceDocument | None
    message: str
    details: list[str]
    fix: FixDocument | None
    about: Annotated[
        str, Meta(description="Tells findings of one rule and object apart, such as a quota")
    ]
    amount: Annotated[int, Meta(description="How much is wrong, such as how many replicas")]
    fingerprint: Annotated[
        str, Meta(description="Stays the same while lines move and the cluster changes")
    ]
    fails: Annotated[bool, Meta(description="Whether it makes the check fail")]


class CheckedDocument(Document, frozen=True, kw_only=True):
    """One object of the manifests that has pods."""

    object: ObjectDocument
    place: PlaceDocument | None
    change: Literal["new", "scaled", "changed", "same"]


class CheckDocument(Document, frozen=True, kw_only=True):
    """The answer to `kschedx check`."""

    api_version: Literal["kschedx.io/v1"] = API_VERSION
    kind: Literal["CheckReport"] = "CheckReport"
    scheduler: str
    version_assumed: bool
    node_count: int
    fail_on: Literal["error", "warning", "never"]
    failed: bool
    errors: int
    warnings: int
    notes: int
    accepted: Annotated[int, Meta(description="Findings that the baseline accepts")]
    in_base: Annotated[int, Meta(description="Findings that the base manifests have as well")]
    findings: Annotated[list[FindingDocument], Meta(description="Worst first")]
    checked: list[CheckedDocument]
    remarks: Annotated[list[str], Meta(description="What the reading has to say")]


def check_document(report: CheckReport) -> CheckDocument:
    """The report with everything that it holds."""
    return CheckDocument(
        scheduler=report.scheduler,
        version_assumed=report.version_assumed,
        node_count=report.node_count,
        fail_on=report.fail_on.value,
        failed=bool(report.failing),
        errors=report.count(Severity.ERROR),
        warnings=report.count(Severity.WARNING),
        notes=report.count(Severity.NOTE),
        accepted=report.accepted,
        in_base=report.in_base,
        findings=[_finding(finding, report) for finding in report.findings],
        checked=[_checked(checked) for checked in report.checked],
        remarks=list(report.notes),
    )


def _object(name: ObjectName) -> ObjectDocument:
    return ObjectDocument(kind=name.kind, namespace=name.namespace, name=name.name)


def _place(place: Source | None) -> PlaceDocument | None:
    if place is None:
        return None
    return PlaceDocument(file=place.file, line=place.line, column=place.column)


def _finding(finding: Finding, report: CheckReport) -> FindingDocument:
    fix = finding.fix
    return FindingDocument(
        rule=finding.rule,
        severity=finding.severity.value,
        object=_object(finding.subject),
        place=_place(finding.place),
        message=finding.sentence,
        details=list(finding.details),
        fix=FixDocument(message=fix.sentence, command=fix.command) if fix is not None else None,
        about=finding.about,
        amount=finding.amount,
        fingerprint=finding.fingerprint,
        fails=report.fail_on.fails(finding.severity),
    )


def _checked(checked: Checked) -> CheckedDocument:
    return CheckedDocument(
        object=_object(checked.subject), place=_place(checked.place), change=checked.change
    )
