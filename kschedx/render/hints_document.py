"""What would help, put into the types of the published schema."""

from __future__ import annotations

from kschedx.diagnose.remedies import Remedies, Remedy, Step
from kschedx.render import hints_schema as schema


def hints_document(found: Remedies) -> schema.HintsDocument:
    """All hints, cheapest first."""
    return schema.HintsDocument(
        hints=[_hint(remedy) for remedy in found.remedies],
        replays=found.replays,
        limit_hit=found.limit_hit,
    )


def _hint(remedy: Remedy) -> schema.HintDocument:
    return schema.HintDocument(
        cost=remedy.cost.code,  # type: ignore[arg-type]  # the schema lists every cost
        message=remedy.message,
        nodes=list(remedy.nodes),
        evicts=list(remedy.evicts),
        steps=[_step(step) for step in remedy.steps],
        waiting_count=remedy.together.waiting if remedy.together is not None else None,
        placed_count=remedy.together.placed if remedy.together is not None else None,
    )


def _step(step: Step) -> schema.StepDocument:
    target = step.target
    return schema.StepDocument(
        code=step.code,
        message=step.message,
        target=None
        if target is None
        else schema.TargetDocument(
            kind=target.kind,
            namespace=target.namespace,
            name=target.name,
            uid=target.uid,
            resource_version=target.resource_version,
        ),
        patch=[dict(operation) for operation in step.patch],
        command=step.command,
        prerequisite=step.prerequisite,
    )
