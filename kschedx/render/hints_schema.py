"""What would help, as machines read it: a part of the published schema."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from kschedx.render.document import Document


class TargetDocument(Document, frozen=True, kw_only=True):
    """The object that a change is made to, as it was when the snapshot was taken."""

    kind: str
    namespace: str
    name: str
    uid: str
    resource_version: str


class StepDocument(Document, frozen=True, kw_only=True):
    """One change of a hint."""

    code: Annotated[str, Meta(description="Names the kind of change; kept for ever")]
    message: str
    target: TargetDocument | None
    patch: Annotated[
        list[dict[str, Any]],
        Meta(description="JSON patch (RFC 6902) of the target; empty where the command says it"),
    ]
    command: Annotated[
        str, Meta(description="Empty where no command makes this change: change the manifest")
    ]
    prerequisite: Annotated[
        str, Meta(description="A command that has to come before a change of the manifest")
    ] = ""


class HintDocument(Document, frozen=True, kw_only=True):
    """A smallest set of changes after which the pod gets a node, proven by a replay."""

    cost: Literal["node-added", "node-changed", "nothing-restarted", "other-pod", "pod-changed"]
    message: str
    nodes: Annotated[
        list[str], Meta(description="The node that it then gets; several where any may be taken")
    ]
    evicts: Annotated[
        list[str],
        Meta(
            description="Pods that it would evict first, on the first of the nodes, "
            "which is only nominated"
        ),
    ]
    steps: list[StepDocument]
    waiting_count: Annotated[
        int | None,
        Meta(
            description="Waiting pods of its controller, itself among them; null where not replayed"
        ),
    ] = None
    placed_count: Annotated[
        int | None, Meta(description="How many of those get a node by the same change")
    ] = None


class HintsDocument(Document, frozen=True, kw_only=True):
    """What would help, cheapest first."""

    hints: list[HintDocument]
    replays: Annotated[int, Meta(description="How many changes were tried")]
    limit_hit: Annotated[bool, Meta(description="More could have been tried: a fix may be missing")]
