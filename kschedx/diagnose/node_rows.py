"""NodeRow: one node in one row, with everything that keeps the pod off it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kschedx.diagnose.blockers import Cause, causes_of
from kschedx.framework.attempt import NodeScore
from kschedx.framework.verdict import NodeTrace


@dataclass(frozen=True, slots=True)
class NodeRow:
    """One node, and everything that keeps the pod off it."""

    node: str
    fits: bool
    causes: tuple[Cause, ...] = ()
    score: int | None = None
    """The weighted total where the scheduler scores the node."""


def node_rows(traces: Iterable[NodeTrace], scores: Mapping[str, NodeScore]) -> tuple[NodeRow, ...]:
    """First the nodes that fit, the best score first; then by how many causes."""
    rows = []
    for trace in traces:
        score = scores.get(trace.node)
        causes = causes_of(trace.verdicts)
        total = score.total if score is not None else None
        rows.append(NodeRow(trace.node, not causes, causes, total))
    rows.sort(key=lambda row: (len(row.causes), -(row.score or 0)))
    return tuple(rows)
