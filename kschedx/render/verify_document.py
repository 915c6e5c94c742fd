"""VerifyReport as machines read it: these types are the published schema, docs/schema/verify.json."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta

from kschedx.diagnose.blockers import Cause
from kschedx.diagnose.verification import Unchecked, VerifyReport
from kschedx.render.cause_document import pod_document
from kschedx.render.cause_schema import CauseDocument, PodDocument
from kschedx.render.document import API_VERSION, Document


class DisagreementDocument(Document, frozen=True, kw_only=True):
    """A Pending pod of which the cluster's scheduler says something else."""

    pod: PodDocument
    difference: Annotated[str, Meta(description="The first thing that differs")]
    recorded: Annotated[str, Meta(description="The message in the pod's condition")]
    recorded_at: Annotated[
        str, Meta(description="The condition's last transition; its message may be younger")
    ]
    replayed: Annotated[str, Meta(description="Empty where the replay finds a node")]


class DriftDocument(Document, frozen=True, kw_only=True):
    """A pod that would not get its node again."""

    pod: PodDocument
    node: str
    causes: list[CauseDocument]


class UncheckedDocument(Document, frozen=True, kw_only=True):
    """A pod that could not be compared, and why."""

    pod: PodDocument
    message: str


class VerifyDocument(Document, frozen=True, kw_only=True):
    """How far the replay and the cluster agree."""

    api_version: Literal["kschedx.io/v1"] = API_VERSION
    kind: Literal["VerifyReport"] = "VerifyReport"
    scheduler: str
    version_assumed: bool
    finding: Annotated[bool, Meta(description="Some Pending pod's message differs")]
    pending: Annotated[
        dict[str, int],
        Meta(description="Pending pods: agrees, differs, none-recorded, not-comparable"),
    ]
    disagreements: list[DisagreementDocument]
    not_compared: list[UncheckedDocument]
    placed: Annotated[int, Meta(description="Pods on nodes that were replayed there")]
    drifted: list[DriftDocument]
    not_checked: list[UncheckedDocument]
    not_modelled: list[str]
    notes: list[str]


def verify_document(report: VerifyReport) -> VerifyDocument:
    """The whole report."""
    return VerifyDocument(
        scheduler=report.scheduler,
        version_assumed=report.version_assumed,
        finding=report.finding,
        pending={status.value: count for status, count in sorted(report.pending.items())},
        disagreements=[
            DisagreementDocument(
                pod=pod_document(one.pod),
                difference=one.difference,
                recorded=one.recorded,
                recorded_at=one.recorded_at,
                replayed=one.replayed,
            )
            for one in report.disagreements
        ],
        not_compared=_unchecked(report.not_compared),
        placed=report.placed,
        drifted=[
            DriftDocument(
                pod=pod_document(one.pod), node=one.node, causes=[_cause(c) for c in one.causes]
            )
            for one in report.drifted
        ],
        not_checked=_unchecked(report.not_checked),
        not_modelled=list(report.not_modelled),
        notes=list(report.notes),
    )


def _unchecked(items: Sequence[Unchecked]) -> list[UncheckedDocument]:
    return [UncheckedDocument(pod=pod_document(item.pod), message=item.why) for item in items]


def _cause(cause: Cause) -> CauseDocument:
    outcome: Any = cause.outcome.upstream
    return CauseDocument(
        plugin=cause.plugin,
        code=cause.code,
        subject=cause.subject,
        message=cause.message,
        outcome=outcome,
        facts=dict(cause.facts),
    )
