"""Causes, pods and nodes as all reports for machines write them: a part of the published schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from kschedx.render.document import Document

NAMED_NODES: Final = 20
"""So many nodes of a group are named; the count is always there."""


def named_nodes(nodes: Sequence[str]) -> list[str]:
    """As many of the names as a report lists."""
    return list(nodes[:NAMED_NODES])


NodeNames = Annotated[
    list[str],
    Meta(description=f"Names of up to {NAMED_NODES} of the nodes; the count beside it is exact"),
]


class ObjectDocument(Document, frozen=True, kw_only=True):
    """Any object as it was when the snapshot was taken."""

    kind: str
    namespace: Annotated[str, Meta(description="Empty for what belongs to no namespace")]
    name: str
    uid: Annotated[str, Meta(description="Empty for an object that no API server has seen")]
    resource_version: str


class PodDocument(Document, frozen=True, kw_only=True):
    """A pod as it was when the snapshot was taken."""

    namespace: str
    name: str
    uid: Annotated[str, Meta(description="Empty for a pod that no API server has seen")]
    resource_version: str
    priority: int
    owner: Annotated[str, Meta(description="Its controller as Kind/name; empty without one")]


class CauseDocument(Document, frozen=True, kw_only=True):
    """One reason of one rule."""

    plugin: Annotated[
        str, Meta(description="The scheduler's plugin; empty for the scheduler itself")
    ]
    code: Annotated[str, Meta(description="Names the cause; kept for ever")]
    subject: Annotated[str, Meta(description="With the code it tells causes apart")]
    message: str
    outcome: Annotated[
        Literal["Unschedulable", "UnschedulableAndUnresolvable", "NotChecked"],
        Meta(description="Unschedulable: evicting pods might help"),
    ]
    facts: Annotated[
        dict[str, Any],
        Meta(
            description="The numbers and names of the cause; cpu in milli, all else in whole units"
        ),
    ]


class NearestDocument(Document, frozen=True, kw_only=True):
    """The node on which least is missing."""

    node: str
    cause: CauseDocument
    short_by: Annotated[
        int | None,
        Meta(description="What is missing, in the unit of the facts; null: no matter of amount"),
    ]


class BlockerDocument(Document, frozen=True, kw_only=True):
    """One cause and the nodes that it blocks. A node stands under each of its causes."""

    plugin: str
    code: str
    subject: str
    node_count: int
    nodes: NodeNames
    alone_count: Annotated[int, Meta(description="Nodes that nothing else blocks")]
    alone: NodeNames
    evictable_count: Annotated[
        int, Meta(description="Nodes of which evicting pods could lift every rejection")
    ]
    checked: Annotated[bool, Meta(description="False: the rule could not be decided")]
    nearest: NearestDocument


class CombinationDocument(Document, frozen=True, kw_only=True):
    """Nodes that the same several causes block at once."""

    subjects: list[str]
    node_count: int
    nodes: NodeNames


class NodeDocument(Document, frozen=True, kw_only=True):
    """One node, with --nodes."""

    node: str
    fits: bool
    score: int | None
    causes: list[CauseDocument]


class VictimDocument(Document, frozen=True, kw_only=True):
    """A pod that would be evicted."""

    pod: PodDocument
    budgets_violated: list[str]
