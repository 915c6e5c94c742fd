"""Causes, pods and nodes put into the types of the published schema."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kschedx.diagnose.blockers import Blocker, Cause, Combination
from kschedx.diagnose.node_rows import NodeRow
from kschedx.diagnose.preemption_summary import Victim
from kschedx.diagnose.references import ObjectReference, PodReference
from kschedx.render import cause_schema as schema


def object_document(item: ObjectReference) -> schema.ObjectDocument:
    """Any object by name, UID and resource version."""
    return schema.ObjectDocument(
        kind=item.kind,
        namespace=item.namespace,
        name=item.name,
        uid=item.uid,
        resource_version=item.resource_version,
    )


def pod_document(pod: PodReference) -> schema.PodDocument:
    """A pod by name, UID and resource version."""
    return schema.PodDocument(
        namespace=pod.namespace,
        name=pod.name,
        uid=pod.uid,
        resource_version=pod.resource_version,
        priority=pod.priority,
        owner=pod.owner,
    )


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def _value(fact: Any) -> Any:
    """A fact as JSON has it: a named tuple is an object, any other tuple a list."""
    if isinstance(fact, tuple) and hasattr(fact, "_asdict"):
        return {_camel(name): _value(value) for name, value in fact._asdict().items()}
    if isinstance(fact, tuple | list):
        return [_value(item) for item in fact]
    if isinstance(fact, frozenset | set):
        return sorted(_value(item) for item in fact)
    if isinstance(fact, Mapping):
        return {str(key): _value(value) for key, value in fact.items()}
    return fact


def facts_document(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts by name, as JSON has them."""
    return {_camel(name): _value(value) for name, value in facts.items()}


def _cause(cause: Cause) -> schema.CauseDocument:
    return schema.CauseDocument(
        plugin=cause.plugin,
        code=cause.code,
        subject=cause.subject,
        message=cause.message,
        outcome=cause.outcome.upstream,  # type: ignore[arg-type]  # a reason never says Success
        facts=facts_document(cause.facts),
    )


def cause_documents(causes: Iterable[Cause]) -> list[schema.CauseDocument]:
    """Causes with their codes and facts."""
    return [_cause(cause) for cause in causes]


def blocker_document(blocker: Blocker) -> schema.BlockerDocument:
    """A cause with the nodes that it blocks."""
    return schema.BlockerDocument(
        plugin=blocker.cause.plugin,
        code=blocker.cause.code,
        subject=blocker.subject,
        node_count=len(blocker.nodes),
        nodes=schema.named_nodes(blocker.nodes),
        alone_count=len(blocker.alone),
        alone=schema.named_nodes(blocker.alone),
        evictable_count=len(blocker.evictable),
        checked=blocker.checked,
        nearest=schema.NearestDocument(
            node=blocker.nearest, cause=_cause(blocker.cause), short_by=blocker.short_by
        ),
    )


def combination_document(combination: Combination) -> schema.CombinationDocument:
    """Nodes that several causes block at once."""
    return schema.CombinationDocument(
        subjects=list(combination.subjects),
        node_count=len(combination.nodes),
        nodes=schema.named_nodes(combination.nodes),
    )


def node_documents(rows: Iterable[NodeRow]) -> list[schema.NodeDocument] | None:
    """One entry per node; None without any."""
    return [
        schema.NodeDocument(
            node=row.node, fits=row.fits, score=row.score, causes=cause_documents(row.causes)
        )
        for row in rows
    ] or None


def victim_documents(victims: Iterable[Victim]) -> list[schema.VictimDocument]:
    """Pods that would be evicted."""
    return [
        schema.VictimDocument(pod=pod_document(v.pod), budgets_violated=list(v.budgets_violated))
        for v in victims
    ]
