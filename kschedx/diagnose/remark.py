"""Remark: one fact behind a cause, in words, in numbers, and by the objects that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from kschedx.api.meta import Object
from kschedx.api.quantity import unit
from kschedx.diagnose.references import ObjectReference
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import Reason

NAMED_OBJECTS: Final = 20
"""So many objects of one remark are named; where there may be more, a fact counts them."""


@dataclass(frozen=True, slots=True)
class Remark:
    """One fact behind a cause."""

    code: str
    message: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What the message says, as plain values; a number's unit is the end of its name."""
    objects: tuple[ObjectReference, ...] = ()
    """What the message speaks of, as far as the snapshot holds it."""


Found = Iterator[Remark]
ByNode = dict[str, list[Reason]]


def remark(code: str, message: str, *objects: Object | None, **facts: Any) -> Remark:
    """A remark; objects that are not there are left out, as are those beyond the first few."""
    there = islice((item for item in objects if item is not None), NAMED_OBJECTS)
    return Remark(code, message, facts, tuple(dict.fromkeys(map(ObjectReference.of, there))))


def measured(name: str, resource: str, value: int) -> dict[str, int]:
    """An amount as a fact: "amount" of cpu is {"amount_milli": value}."""
    suffix = unit(resource)
    return {f"{name}_{suffix}" if suffix else name: value}


def each_once(found: Iterable[Remark]) -> tuple[Remark, ...]:
    """Without those that say the same of another node."""
    first: dict[tuple[str, str], Remark] = {}
    for said in found:
        first.setdefault((said.code, said.message), said)
    return tuple(first.values())


def reasons_by_node(attempt: Attempt) -> ByNode:
    """All reasons, node by node."""
    return {
        trace.node: [reason for verdict in trace.verdicts for reason in verdict.reasons]
        for trace in attempt.traces.values()
    }
