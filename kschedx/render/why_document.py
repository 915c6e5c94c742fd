"""A WhyReport put into the types of the published schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kschedx.diagnose.agreement import Agreement
from kschedx.diagnose.also_blocked import AlsoBlocked
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.fragmentation import Fragmentation
from kschedx.diagnose.node_report import NodeReport
from kschedx.diagnose.placement import Nomination, Placement
from kschedx.diagnose.preemption_summary import PreemptionSummary
from kschedx.diagnose.references import PodReference, TerminatingPod
from kschedx.diagnose.remark import Remark
from kschedx.diagnose.report import ExplainedPods, WhyReport
from kschedx.diagnose.request_parts import RequestApart
from kschedx.diagnose.what_if import Outdated, WhatIf
from kschedx.diagnose.workload import WorkloadState
from kschedx.render import why_schema as schema
from kschedx.render.cause_document import (
    blocker_document,
    cause_documents,
    combination_document,
    facts_document,
    node_documents,
    object_document,
    pod_document,
    victim_documents,
)
from kschedx.render.cause_schema import named_nodes
from kschedx.render.hints_document import hints_document


def why_document(report: WhyReport) -> schema.WhyDocument:
    """The whole report."""
    return schema.WhyDocument(
        scheduler=report.scheduler,
        version_assumed=report.version_assumed,
        asked=report.asked,
        finding=report.finding,
        pod_count=report.pod_count,
        explanations=[_explained(group) for group in report.explained],
        workload=_workload(report.workload) if report.workload is not None else None,
        node=_node_report(report.node) if report.node is not None else None,
        notes=list(report.notes),
    )


def _explained(group: ExplainedPods) -> schema.ExplanationDocument:
    agreements = {status.value: count for status, count in sorted(group.agreements.items())}
    return _explanation(group.explanation, group.pods, agreements)


def _explanation(
    found: Explanation,
    pods: Iterable[PodReference] = (),
    agreements: Mapping[str, int] | None = None,
) -> schema.ExplanationDocument:
    preemption, agreement = found.preemption, found.agreement
    placement, nomination = found.placement, found.nomination
    return schema.ExplanationDocument(
        pods=[pod_document(pod) for pod in pods],
        situation=found.situation.value,
        verdict_class=found.verdict_class.value,
        message=found.headline,
        summary=found.summary,
        node_count=found.node_count,
        feasible_count=len(found.feasible),
        feasible=named_nodes(found.feasible),
        winners=list(found.winners),
        rejection=cause_documents(found.rejection),
        blockers=[blocker_document(blocker) for blocker in found.blockers],
        combinations=[combination_document(combination) for combination in found.combinations],
        fragmentation=[_fragmentation(item) for item in found.fragmentations],
        preemption=_preemption(preemption) if preemption is not None else None,
        scheduler_message=found.scheduler_message,
        agreement=_agreement(agreement) if agreement is not None else None,
        agreements=dict(agreements or {}),
        placement=_placement(placement) if placement is not None else None,
        nomination=_nomination(nomination) if nomination is not None else None,
        what_if=_what_if(found.what_if),
        not_modelled=list(found.not_modelled),
        requests=[_request(apart) for apart in found.requests],
        remarks=[_remark(said) for said in found.remarks],
        what_would_help=hints_document(found.remedies) if found.remedies is not None else None,
        otherwise=_explanation(found.otherwise) if found.otherwise is not None else None,
        also_blocked=_also_blocked(found.also_blocked) if found.also_blocked is not None else None,
        nodes=node_documents(found.rows),
    )


def _also_blocked(supposed: AlsoBlocked) -> schema.AlsoBlockedDocument:
    return schema.AlsoBlockedDocument(
        message=supposed.sentence,
        supposes=[str(each) for each in supposed.supposes],
        unknown_claims=list(supposed.claims),
        rejection=cause_documents(supposed.rejections),
        node_count=supposed.node_count,
        feasible_count=len(supposed.feasible),
        feasible=named_nodes(supposed.feasible),
        refusing_count=supposed.refusing,
        blockers=[blocker_document(blocker) for blocker in supposed.blockers],
        combinations=[combination_document(combination) for combination in supposed.combinations],
        error=supposed.error,
        nodes=node_documents(supposed.rows),
    )


def _remark(said: Remark) -> schema.RemarkDocument:
    return schema.RemarkDocument(
        code=said.code,
        message=said.message,
        facts=facts_document(said.facts),
        objects=[object_document(item) for item in said.objects],
    )


def _request(apart: RequestApart) -> schema.RequestDocument:
    parts = [
        schema.RequestPartDocument(kind=part.kind.value, name=part.name, amount=part.amount)
        for part in apart.parts
    ]
    return schema.RequestDocument(
        resource=apart.resource,
        amount=apart.amount,
        parts=parts,
        containers=apart.containers,
        init_step=apart.step,
    )


def _fragmentation(item: Fragmentation) -> schema.FragmentationDocument:
    return schema.FragmentationDocument(
        resource=item.resource,
        need=item.need,
        free_in_total=item.free_in_total,
        most_on_one_node=item.most_on_one_node,
        node=item.node,
        node_count=item.node_count,
    )


def _preemption(summary: PreemptionSummary) -> schema.PreemptionDocument:
    return schema.PreemptionDocument(
        verdict=summary.verdict.value,
        why_not=summary.why_not,
        nodes=list(summary.nodes),
        victims=victim_documents(summary.victims),
        decided_by=summary.decided_by,
        candidate_count=summary.candidate_count,
        budgets_read=summary.budgets_read,
        not_helpful_count=summary.not_helpful,
        no_victims_count=summary.no_victims,
        still_rejected=dict(summary.still_rejected),
    )


def _agreement(agreement: Agreement) -> schema.AgreementDocument:
    return schema.AgreementDocument(
        status=agreement.status.value,
        recorded=agreement.recorded,
        recorded_at=agreement.recorded_at,
        difference=agreement.difference,
    )


def _placement(placement: Placement) -> schema.PlacementDocument:
    return schema.PlacementDocument(
        node=placement.node,
        node_known=placement.node_known,
        drift=cause_documents(placement.drift),
        drift_unknown=placement.drift_unknown,
        waits=list(placement.waits),
    )


def _terminating(pod: TerminatingPod) -> schema.TerminatingDocument:
    return schema.TerminatingDocument(
        pod=pod_document(pod.pod),
        since=pod.since,
        grace_seconds=pod.grace_seconds,
        finalizers=list(pod.finalizers),
        overdue_seconds=pod.overdue_seconds,
    )


def _what_if(found: WhatIf) -> schema.WhatIfDocument:
    ending, deadlock, by_hand = found.after_terminating, found.deadlock, found.by_hand
    return schema.WhatIfDocument(
        after_terminating=schema.AfterTerminatingDocument(
            pods=[_terminating(pod) for pod in ending.pods], nodes=list(ending.nodes)
        )
        if ending is not None
        else None,
        rollout_deadlock=schema.DeadlockDocument(
            namespace=deadlock.namespace,
            name=deadlock.workload,
            max_unavailable=deadlock.max_unavailable,
            pods=[pod_document(pod) for pod in deadlock.pods],
            nodes=list(deadlock.nodes),
            command=deadlock.command,
        )
        if deadlock is not None
        else None,
        outdated=_outdated(found.outdated) if found.outdated is not None else None,
        by_hand=schema.ByHandDocument(
            pods=list(by_hand.pods), nodes=list(by_hand.nodes), near=list(by_hand.anchors)
        )
        if by_hand is not None
        else None,
    )


def _outdated(found: Outdated) -> schema.OutdatedDocument:
    return schema.OutdatedDocument(
        namespace=found.namespace,
        name=found.workload,
        revision=found.revision,
        current_revision=found.current,
        nodes=list(found.nodes),
        rollout_completes=found.completes,
        command=found.command,
    )


def _nomination(nomination: Nomination) -> schema.NominationDocument:
    return schema.NominationDocument(
        node=nomination.node,
        node_known=nomination.node_known,
        victims=[_terminating(victim) for victim in nomination.victims],
        fits_after=nomination.fits_after,
        then=cause_documents(nomination.then),
    )


def _workload(state: WorkloadState) -> schema.WorkloadDocument:
    return schema.WorkloadDocument(
        kind=state.kind,
        namespace=state.namespace,
        name=state.name,
        wanted=state.wanted,
        existing=state.existing,
        pending=state.pending,
        missing=state.missing,
        not_created=[
            schema.NotCreatedDocument(code=item.code, message=item.message)
            for item in state.not_created
        ],
    )


def _node_report(report: NodeReport) -> schema.NodeReportDocument:
    return schema.NodeReportDocument(
        node=report.node,
        fits=report.fits,
        left_out=report.left_out,
        fits_without_nominated=report.fits_without_nominated,
        room=[
            schema.RoomDocument(
                resource=room.resource,
                need=room.need,
                used=room.used,
                allocatable=room.allocatable,
                free=room.free,
                short_by=room.short_by,
            )
            for room in report.rooms
        ],
        rules=[
            schema.RuleDocument(
                plugin=rule.plugin, result=rule.result.value, causes=cause_documents(rule.causes)
            )
            for rule in report.rules
        ],
        eviction=report.eviction,
        victims=victim_documents(report.victims),
        supposes=list(report.supposes),
        error=report.error,
    )
