"""PreemptReport as machines read it: these types are the schema docs/schema/preempt.json."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta, field

from kschedx.diagnose.preempt_report import (
    Fate,
    PreemptReport,
    RankedCandidate,
    SecondRejection,
    Shortlist,
)
from kschedx.render.cause_document import cause_documents, pod_document
from kschedx.render.cause_schema import CauseDocument, NodeNames, PodDocument, named_nodes
from kschedx.render.document import API_VERSION, Document


class VictimDocument(Document, frozen=True, kw_only=True):
    """A pod that would be evicted."""

    pod: PodDocument
    violates: Annotated[
        list[str], Meta(description="Disruption budgets, namespace/name, that this breaks")
    ]
    terminating: Annotated[bool, Meta(description="It is being deleted already")]


class CandidateDocument(Document, frozen=True, kw_only=True):
    """A node on which evictions make room."""

    node: str
    chosen: bool
    victims: list[VictimDocument]
    spared: list[PodDocument]
    violations: Annotated[int, Meta(description="Victims whose eviction breaks a budget")]
    highest_priority: Annotated[int, Meta(description="Of its victims")]
    priority_sum: Annotated[
        int, Meta(description="Of its victims, each priority raised by 2**31, as it is compared")
    ]
    started: Annotated[
        str,
        Meta(description="Start of the longest running of its most important victims, or empty"),
    ]


class NodeGroupDocument(Document, frozen=True, kw_only=True):
    """Nodes with the same causes."""

    count: int
    nodes: NodeNames
    causes: Annotated[list[CauseDocument], Meta(description="On the first of the nodes")]


class FateDocument(Document, frozen=True, kw_only=True):
    """What becomes of a victim on the nominated node."""

    pod: PodDocument
    recreated: Annotated[bool, Meta(description="False: no controller makes it again")]
    places: Annotated[list[str], Meta(description="Nodes that would take its successor")]
    scheduler_message: Annotated[str, Meta(description="Where none does: it is Pending in turn")]


class ShortlistDocument(Document, frozen=True, kw_only=True):
    """The real scheduler ends its search early in a cluster of this size."""

    size: int
    potential: int
    may_nominate: list[str]


class PreemptDocument(Document, frozen=True, kw_only=True):
    """The answer to `kschedx preempt`."""

    api_version: Literal["kschedx.io/v1"] = API_VERSION
    kind: Literal["PreemptReport"] = "PreemptReport"
    scheduler: str
    version_assumed: bool
    pod: PodDocument
    on_node: Annotated[
        str,
        Meta(
            description="The node that the pod is on; all else is then as if it were not there; "
            "empty for a pod without a node"
        ),
    ]
    node_count: int
    winners: Annotated[
        list[str], Meta(description="Nodes that take the pod as things are; then nothing follows")
    ]
    held: list[CauseDocument]
    not_checked: bool
    unchecked: Annotated[list[str], Meta(description="What could not be checked")]
    enabled: Annotated[bool, Meta(description="The scheduler's profile has preemption")]
    eligible: bool
    ineligible_reason: str
    tried_count: int
    not_helpful: list[NodeGroupDocument]
    no_victims_count: int
    no_victims: NodeNames
    still_rejected: list[NodeGroupDocument]
    candidates: Annotated[list[CandidateDocument], Meta(description="Best first")]
    nominated: Annotated[list[str], Meta(description="The best, or all that tie")]
    decided_by: str
    fates: list[FateDocument]
    shortlist: ShortlistDocument | None
    budgets_read: Annotated[
        bool, Meta(description="False: violations are not known, and the ranking may differ")
    ]
    scheduler_message: str
    not_modelled: list[str]
    undecided_by: Annotated[
        list[str], Meta(description="Those of notModelled on which the answer depends")
    ] = field(default_factory=list)


def preempt_document(report: PreemptReport) -> PreemptDocument:
    """The whole report."""
    return PreemptDocument(
        scheduler=report.scheduler,
        version_assumed=report.version_assumed,
        pod=pod_document(report.pod),
        on_node=report.on_node,
        node_count=report.node_count,
        winners=list(report.winners),
        held=cause_documents(report.held),
        not_checked=report.not_checked,
        unchecked=[cause.message for cause in report.unchecked],
        enabled=report.enabled,
        eligible=report.eligible,
        ineligible_reason=report.ineligible_reason,
        tried_count=len(report.tried),
        not_helpful=_groups(report.not_helpful),
        no_victims_count=len(report.no_victims),
        no_victims=named_nodes(report.no_victims),
        still_rejected=_groups(report.still_rejected),
        candidates=[_candidate(candidate) for candidate in report.ranking],
        nominated=list(report.nominated),
        decided_by=report.decided_by,
        fates=[_fate(fate) for fate in report.fates],
        shortlist=_shortlist(report.shortlist) if report.shortlist is not None else None,
        budgets_read=report.budgets_read,
        scheduler_message=report.message,
        not_modelled=list(report.not_modelled),
        undecided_by=list(report.undecided_by),
    )


def _groups(groups: Iterable[SecondRejection]) -> list[NodeGroupDocument]:
    return [
        NodeGroupDocument(
            count=len(group.nodes),
            nodes=named_nodes(group.nodes),
            causes=cause_documents(group.causes),
        )
        for group in groups
    ]


def _candidate(candidate: RankedCandidate) -> CandidateDocument:
    return CandidateDocument(
        node=candidate.node,
        chosen=candidate.chosen,
        highest_priority=candidate.highest_priority,
        priority_sum=candidate.priority_sum,
        started=candidate.started,
        victims=[
            VictimDocument(
                pod=pod_document(victim.pod),
                violates=list(victim.violates),
                terminating=victim.terminating,
            )
            for victim in candidate.victims
        ],
        spared=[pod_document(pod) for pod in candidate.spared],
        violations=candidate.violations,
    )


def _fate(fate: Fate) -> FateDocument:
    return FateDocument(
        pod=pod_document(fate.pod),
        recreated=fate.recreated,
        places=list(fate.places),
        scheduler_message=fate.message,
    )


def _shortlist(shortlist: Shortlist) -> ShortlistDocument:
    return ShortlistDocument(
        size=shortlist.size,
        potential=shortlist.potential,
        may_nominate=list(shortlist.may_nominate),
    )
