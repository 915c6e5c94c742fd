"""JSON and YAML of a RolloutReport, and the schema that describes them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import msgspec

from kschedx.render import upgrade_schema as schema
from kschedx.rollout.report import (
    AllRollouts,
    ArrivalSearch,
    NewPod,
    Remedy,
    RolloutReport,
    Run,
    WorkloadLine,
)

SCHEMA_ID: Final = "https://kschedx.io/schema/v1/upgrade.json"


def upgrade_document(
    report: RolloutReport | AllRollouts,
) -> schema.RolloutDocument | schema.AllRolloutsDocument:
    """The report in the types of the published schema."""
    if isinstance(report, AllRollouts):
        return _all(report)
    return schema.RolloutDocument(
        scheduler=report.scheduler,
        version_assumed=report.version_assumed,
        workload=schema.WorkloadReference(
            kind=report.kind, namespace=report.namespace, name=report.name
        ),
        change=list(report.change),
        replicas=report.replicas,
        strategy=report.strategy,
        outcome=report.outcome.value,
        worst=_run(report.worst),
        best=_run(report.best) if report.best is not None else None,
        search=schema.SearchDocument(
            runs=report.search.runs, complete=report.search.complete, bound=report.search.bound
        ),
        arrival=_arrival(report.arrival),
        arrivals=_arrivals(report.arrivals),
        proposals=_remedies(report.proposals),
        remedies=_remedies(report.remedies),
        assumptions=list(report.assumptions),
    )


def _arrival(pod: NewPod | None) -> schema.NewPodDocument | None:
    if pod is None:
        return None
    return schema.NewPodDocument(
        pod=pod.pod, like=pod.like, at_end_of=pod.at_end_of, priority=pod.priority, needs=pod.needs
    )


def _arrivals(search: ArrivalSearch | None) -> schema.ArrivalSearchDocument | None:
    if search is None:
        return None
    return schema.ArrivalSearchDocument(
        workloads=search.workloads, runs=search.runs, complete=search.complete, bound=search.bound
    )


def render_upgrade_json(report: RolloutReport | AllRollouts) -> str:
    """The report as one JSON object, indented, with a final newline."""
    encoded = msgspec.json.encode(upgrade_document(report))
    return msgspec.json.format(encoded, indent=2).decode() + "\n"


def upgrade_json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of `kschedx simulate-upgrade -o json`."""
    kinds, parts = msgspec.json.schema_components(
        (schema.RolloutDocument, schema.AllRolloutsDocument), ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "RolloutReport or RolloutList",
        "$comment": "Within kschedx.io/v1 fields and codes are only ever added: "
        "readers must pass over what they do not know.",
        "anyOf": list(kinds),
        "$defs": parts,
    }


def _seconds(value: Fraction | int) -> float:
    return round(float(value), 3)


def _run(run: Run) -> schema.RunDocument:
    return schema.RunDocument(
        outcome=run.outcome.value,
        wanted=run.wanted,
        updated=run.updated,
        old=run.old,
        step=run.step,
        seconds=_seconds(run.seconds),
        stuck=list(run.stuck),
        reason=run.reason,
        thieves=[
            schema.ThiefDocument(
                pod=thief.pod,
                owner=thief.owner,
                node=thief.node,
                priority=thief.priority,
                takes=thief.takes,
                waiting_seconds=None
                if thief.waiting_seconds is None
                else _seconds(thief.waiting_seconds),
            )
            for thief in run.thieves
        ],
        waits=[
            schema.WaitDocument(
                who=wait.who,
                waits_for=wait.waits_for,
                held_by=list(wait.held_by),
                message=wait.sentence(),
            )
            for wait in run.waits
        ],
        evicted=list(run.evicted),
        displaced=list(run.displaced),
        timeline=[
            schema.TimelineDocument(
                at_seconds=_seconds(entry.at_seconds),
                event=entry.event,
                pod=entry.pod,
                node=entry.node,
                message=entry.sentence,
                detail=entry.detail,
            )
            for entry in run.timeline
        ],
        undo=None
        if run.undo is None
        else schema.UndoDocument(helps=run.undo.helps, message=run.undo.sentence),
        notes=list(run.notes),
        not_checked=list(run.not_checked),
    )


def _remedies(items: Sequence[Remedy]) -> list[schema.RemedyDocument]:
    return [
        schema.RemedyDocument(
            code=item.code,
            title=item.title,
            outcome=item.outcome.value if item.outcome is not None else None,
            detail=item.detail,
            command=item.command,
        )
        for item in items
    ]


def _all(report: AllRollouts) -> schema.AllRolloutsDocument:
    return schema.AllRolloutsDocument(
        scheduler=report.scheduler,
        version_assumed=report.version_assumed,
        outcome=report.outcome.value,
        workloads=[_line(line) for line in report.lines],
        room=[schema.RoomDocument(node=node, unblocks=count) for node, count in report.room],
        assumptions=list(report.assumptions),
    )


def _line(line: WorkloadLine) -> schema.LineDocument:
    return schema.LineDocument(
        workload=schema.WorkloadReference(kind=line.kind, namespace=line.namespace, name=line.name),
        outcome=line.outcome.value,
        proved=line.proved,
        step=line.step,
        steps=line.steps,
        reason=line.reason,
        thieves=list(line.thieves),
        missing=line.missing,
    )
