"""WhyReport as machines read it: these types are the published schema.

docs/schema/why.json is made from them. Within kschedx.io/v1 fields and codes are only ever added.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from msgspec import Meta

from kschedx.render.document import API_VERSION as API_VERSION
from kschedx.render.document import Document as Document
from kschedx.render.hints_schema import HintsDocument

NAMED_NODES: Final = 20
"""So many nodes of a group are named; the count is always there."""


def named_nodes(nodes: Sequence[str]) -> list[str]:
    """As many of the names as a report lists."""
    return list(nodes[:NAMED_NODES])


NodeNames = Annotated[
    list[str],
    Meta(description=f"Names of up to {NAMED_NODES} of the nodes; the count beside it is exact"),
]


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


class FragmentationDocument(Document, frozen=True, kw_only=True):
    """A resource of which there is enough in total and not on one node."""

    resource: str
    need: int
    free_in_total: int
    most_on_one_node: int
    node: str
    node_count: int


class VictimDocument(Document, frozen=True, kw_only=True):
    """A pod that would be evicted."""

    pod: PodDocument
    budgets_violated: list[str]


class PreemptionDocument(Document, frozen=True, kw_only=True):
    """Whether evicting pods of lower priority would help."""

    verdict: Literal["would-evict", "cannot-help", "not-eligible", "disabled"]
    why_not: str
    nodes: Annotated[
        list[str], Meta(description="The best node; several where any of them may be taken")
    ]
    victims: Annotated[list[VictimDocument], Meta(description="On the first of them")]
    decided_by: str
    candidate_count: int
    budgets_read: bool
    not_helpful_count: int
    no_victims_count: int
    still_rejected: Annotated[
        dict[str, int],
        Meta(description="What rejects the pod even without pods of lower priority -> nodes"),
    ]


class AgreementDocument(Document, frozen=True, kw_only=True):
    """The pod's recorded PodScheduled condition against the replay."""

    status: Literal["agrees", "differs", "none-recorded", "not-comparable"]
    recorded: str
    recorded_at: str
    difference: str


class PlacementDocument(Document, frozen=True, kw_only=True):
    """The node that the pod is on."""

    node: str
    node_known: bool
    drift: Annotated[
        list[CauseDocument], Meta(description="What would keep the pod off this node now")
    ]
    drift_unknown: str
    waits: list[str]


class TerminatingDocument(Document, frozen=True, kw_only=True):
    """A pod on its way out that still holds room."""

    pod: PodDocument
    since: str
    grace_seconds: int | None
    finalizers: list[str]


class NominationDocument(Document, frozen=True, kw_only=True):
    """The node that is held for the pod."""

    node: str
    node_known: bool
    victims: list[TerminatingDocument]
    fits_after: bool | None
    then: list[CauseDocument]


class NodeDocument(Document, frozen=True, kw_only=True):
    """One node, with --nodes."""

    node: str
    fits: bool
    score: int | None
    causes: list[CauseDocument]


class RequestPartDocument(Document, frozen=True, kw_only=True):
    """One of the amounts that add up to a request."""

    kind: Literal["container", "init-step", "overhead", "pod-level", "sidecar"]
    name: Annotated[
        str, Meta(description="The container or RuntimeClass; empty for spec.resources")
    ]
    amount: int


class RequestDocument(Document, frozen=True, kw_only=True):
    """How much the pod asks for of a resource, cpu in milli, and what decides that."""

    resource: str
    amount: int
    parts: list[RequestPartDocument]
    containers: Annotated[
        int, Meta(description="What all containers ask for together, whether that decides or not")
    ]
    init_step: Annotated[
        str, Meta(description="The init container during which most is needed; empty for later")
    ]


class RemarkDocument(Document, frozen=True, kw_only=True):
    """One fact behind a cause."""

    code: str
    message: str


class ExplanationDocument(Document, frozen=True, kw_only=True):
    """Why pods are where they are, or nowhere; explained for the first of them."""

    pods: Annotated[
        list[PodDocument], Meta(description="All pods with the same causes; empty in `otherwise`")
    ]
    situation: Literal[
        "already-placed",
        "being-deleted",
        "finished",
        "fits-now",
        "held-by-gates",
        "no-node",
        "no-nodes",
        "not-checked",
        "prefilter-rejected",
        "scheduler-error",
        "scheduler-not-served",
        "waiting-for-victims",
    ]
    verdict_class: Literal[
        "fits-now",
        "full-now",
        "never-tried",
        "not-scheduling",
        "placement-excludes-all",
        "preemption-by-hand",
        "preemption-will-help",
        "rejected-before-nodes",
        "rollout-deadlock",
        "too-small",
        "undecided",
        "waiting-for-terminating",
    ]
    message: str
    summary: Annotated[
        str, Meta(description="The main causes in one sentence; empty where the message says all")
    ]
    node_count: int
    feasible_count: int
    feasible: NodeNames
    winners: Annotated[
        list[str], Meta(description="The node that would be taken; several where any may be")
    ]
    rejection: Annotated[
        list[CauseDocument],
        Meta(description="What holds or rejects the pod before nodes are looked at"),
    ]
    blockers: list[BlockerDocument]
    combinations: list[CombinationDocument]
    fragmentation: list[FragmentationDocument]
    preemption: PreemptionDocument | None
    scheduler_message: Annotated[
        str, Meta(description="The sentence that the scheduler itself writes")
    ]
    agreement: AgreementDocument | None
    agreements: Annotated[
        dict[str, int], Meta(description="Agreement status -> how many of the pods")
    ]
    placement: PlacementDocument | None
    nomination: NominationDocument | None
    not_modelled: list[str]
    requests: Annotated[
        list[RequestDocument], Meta(description="What the pod asks for, taken apart, by resource")
    ]
    remarks: Annotated[
        list[RemarkDocument],
        Meta(description="What stands behind the causes, and what a snapshot cannot show"),
    ]
    what_would_help: Annotated[
        HintsDocument | None, Meta(description="Null where nothing was looked for")
    ]
    otherwise: Annotated[
        ExplanationDocument | None,
        Meta(description="What a pod that is never tried would meet if it were"),
    ]
    nodes: Annotated[
        list[NodeDocument] | None, Meta(description="One entry per node with --nodes, else null")
    ]


class NotCreatedDocument(Document, frozen=True, kw_only=True):
    """Why a pod that a workload wants does not exist."""

    code: str
    message: str


class WorkloadDocument(Document, frozen=True, kw_only=True):
    """How many pods the workload wants and has."""

    kind: str
    namespace: str
    name: str
    wanted: int
    existing: int
    pending: int
    missing: int
    not_created: list[NotCreatedDocument]


class RoomDocument(Document, frozen=True, kw_only=True):
    """One resource on the node; cpu in milli."""

    resource: str
    need: int
    used: int
    allocatable: int
    free: int
    short_by: int


class RuleDocument(Document, frozen=True, kw_only=True):
    """One rule on the node."""

    plugin: str
    result: Literal["passes", "rejects", "not-checked", "not-needed"]
    causes: list[CauseDocument]


class NodeReportDocument(Document, frozen=True, kw_only=True):
    """The pod on the one node that --node names."""

    node: str
    fits: bool
    left_out: bool
    fits_without_nominated: bool
    room: list[RoomDocument]
    rules: list[RuleDocument]
    eviction: str
    victims: list[VictimDocument]


class WhyDocument(Document, frozen=True, kw_only=True):
    """The answer to `kschedx why`."""

    api_version: Literal["kschedx.io/v1"] = "kschedx.io/v1"
    kind: Literal["WhyReport"] = "WhyReport"
    scheduler: Annotated[str, Meta(description="The scheduler that was replayed")]
    version_assumed: Annotated[
        bool, Meta(description="Neither the user nor the snapshot named a version")
    ]
    asked: Annotated[
        str, Meta(description="Such as 'StatefulSet prod/api'; empty if it was one pod")
    ]
    finding: Annotated[bool, Meta(description="Something stands in some pod's way")]
    pod_count: int
    explanations: Annotated[list[ExplanationDocument], Meta(description="Worst first")]
    workload: WorkloadDocument | None
    node: NodeReportDocument | None
    notes: list[str]
