"""WhyReport as machines read it: these types are the published schema.

docs/schema/why.json is made from them. Within kschedx.io/v1 fields and codes are only ever added.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from kschedx.render.cause_schema import (
    BlockerDocument,
    CauseDocument,
    CombinationDocument,
    NodeDocument,
    NodeNames,
    ObjectDocument,
    PodDocument,
    VictimDocument,
)
from kschedx.render.document import Document
from kschedx.render.hints_schema import HintsDocument


class FragmentationDocument(Document, frozen=True, kw_only=True):
    """A resource of which there is enough in total and not on one node."""

    resource: str
    need: int
    free_in_total: int
    most_on_one_node: int
    node: str
    node_count: int


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
    overdue_seconds: Annotated[
        int | None,
        Meta(description="How long it should have been gone when the snapshot was taken"),
    ]


class AfterTerminatingDocument(Document, frozen=True, kw_only=True):
    """The pod fits once pods are gone that are being deleted already."""

    pods: list[TerminatingDocument]
    nodes: Annotated[list[str], Meta(description="Those that would then be taken")]


class DeadlockDocument(Document, frozen=True, kw_only=True):
    """The pod fits only without older pods, which its Deployment keeps until it is ready."""

    kind: Literal["Deployment"] = "Deployment"
    namespace: str
    name: str
    max_unavailable: Annotated[int, Meta(description="Rounded as the controller does")]
    pods: Annotated[list[PodDocument], Meta(description="Of older revisions")]
    nodes: list[str]
    command: Annotated[str, Meta(description="Plays its rollout step by step")]


class OutdatedDocument(Document, frozen=True, kw_only=True):
    """The pod is of a revision that its StatefulSet has left; it is not replaced while it waits."""

    kind: Literal["StatefulSet"] = "StatefulSet"
    namespace: str
    name: str
    revision: str
    current_revision: Annotated[str, Meta(description="Of which it would be if made again")]
    nodes: Annotated[list[str], Meta(description="The node that it would then get")]
    rollout_completes: bool
    command: Annotated[str, Meta(description="Plays its rollout step by step")]


class ByHandDocument(Document, frozen=True, kw_only=True):
    """The pod fits once pods of lower priority go, which the scheduler does not see to."""

    pods: Annotated[list[str], Meta(description="namespace/name")]
    nodes: list[str]
    near: Annotated[
        list[str],
        Meta(description="Pods it must be near and that preemption would take away first"),
    ]


class WhatIfDocument(Document, frozen=True, kw_only=True):
    """What replays without some pods have found; null where they have found nothing."""

    after_terminating: AfterTerminatingDocument | None
    rollout_deadlock: DeadlockDocument | None
    outdated: OutdatedDocument | None
    by_hand: ByHandDocument | None


class NominationDocument(Document, frozen=True, kw_only=True):
    """The node that is held for the pod."""

    node: str
    node_known: bool
    victims: list[TerminatingDocument]
    fits_after: bool | None
    then: list[CauseDocument]


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
    facts: Annotated[
        dict[str, Any],
        Meta(description="What the message says; a number's unit is the end of its name"),
    ]
    objects: Annotated[
        list[ObjectDocument],
        Meta(description="What the message speaks of, as far as the snapshot holds it, up to 20"),
    ]


class AlsoBlockedDocument(Document, frozen=True, kw_only=True):
    """Supposed, not the scheduler's verdict: what the nodes would say once a rejection is mended."""

    message: str
    supposes: Annotated[
        list[str], Meta(description="What is taken to be mended: 'claim default/data is bound'")
    ]
    unknown_claims: Annotated[
        list[str],
        Meta(description="Claims of which it is not known from which nodes they could be used"),
    ]
    rejection: Annotated[
        list[CauseDocument],
        Meta(description="What else rejects the pod before nodes are looked at; taken as mended"),
    ]
    node_count: int
    feasible_count: int
    feasible: NodeNames
    refusing_count: int
    blockers: list[BlockerDocument]
    combinations: list[CombinationDocument]
    error: Annotated[str, Meta(description="The scheduler's own error; empty where it has none")]
    nodes: Annotated[
        list[NodeDocument] | None, Meta(description="One entry per node with --nodes, else null")
    ]


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
    what_if: Annotated[
        WhatIfDocument, Meta(description="What the verdict class rests on besides the attempt")
    ]
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
    also_blocked: Annotated[
        AlsoBlockedDocument | None,
        Meta(description="What follows once `rejection` is mended; null where nodes are looked at"),
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
    supposes: Annotated[
        list[str],
        Meta(description="What is taken to be otherwise for rules to be asked at all"),
    ]
    error: Annotated[
        str, Meta(description="The scheduler's own error where it gives no verdict, else empty")
    ]


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
