"""The published form of `kschedx simulate-upgrade -o json`, version kschedx.io/v1."""

from __future__ import annotations

from typing import Literal

from kschedx.render.document import Document

OutcomeName = Literal["deadlock", "at-risk", "not-checked", "held", "completes"]


class TimelineDocument(Document, frozen=True, kw_only=True):
    """One moment of a run."""

    at_seconds: float
    event: str
    pod: str
    node: str
    message: str
    detail: str


class ThiefDocument(Document, frozen=True, kw_only=True):
    """A pod that took room which the rollout had freed."""

    pod: str
    owner: str
    node: str
    priority: int
    takes: str
    waiting_seconds: float | None


class WaitDocument(Document, frozen=True, kw_only=True):
    """One link of the wait cycle."""

    who: str
    waits_for: str
    held_by: list[str]
    message: str


class UndoDocument(Document, frozen=True, kw_only=True):
    """The old template written back after the rollout has stopped."""

    helps: bool
    message: str


class RunDocument(Document, frozen=True, kw_only=True):
    """One order of events, played to its end."""

    outcome: OutcomeName
    wanted: int
    updated: int
    old: int
    step: int
    seconds: float
    stuck: list[str]
    reason: str
    thieves: list[ThiefDocument]
    waits: list[WaitDocument]
    evicted: list[str]
    displaced: list[str]
    timeline: list[TimelineDocument]
    undo: UndoDocument | None
    notes: list[str]
    not_checked: list[str]


class RemedyDocument(Document, frozen=True, kw_only=True):
    """Something that could be done, replayed; outcome null: it does not apply."""

    code: str
    title: str
    outcome: OutcomeName | None
    detail: str
    command: str


class SearchDocument(Document, frozen=True, kw_only=True):
    """How many orders of events were played, and whether these are all."""

    runs: int
    complete: bool
    bound: int


class NewPodDocument(Document, frozen=True, kw_only=True):
    """A pod that is not there yet and whose arrival stops the rollout."""

    pod: str
    like: str
    at_end_of: str
    priority: int
    needs: str


class ArrivalSearchDocument(Document, frozen=True, kw_only=True):
    """How many new pods were played, and whether these are all that could do harm."""

    workloads: int
    runs: int
    complete: bool
    bound: int


class WorkloadReference(Document, frozen=True, kw_only=True):
    """A workload by kind, namespace and name."""

    kind: str
    namespace: str
    name: str


class RolloutDocument(Document, frozen=True, kw_only=True):
    """One workload's rollout."""

    api_version: Literal["kschedx.io/v1"] = "kschedx.io/v1"
    kind: Literal["RolloutReport"] = "RolloutReport"
    scheduler: str
    version_assumed: bool
    workload: WorkloadReference
    change: list[str]
    replicas: int
    strategy: str
    outcome: OutcomeName
    worst: RunDocument
    best: RunDocument | None
    search: SearchDocument
    arrival: NewPodDocument | None
    arrivals: ArrivalSearchDocument | None
    proposals: list[RemedyDocument]
    remedies: list[RemedyDocument]
    assumptions: list[str]


class LineDocument(Document, frozen=True, kw_only=True):
    """One workload of many."""

    workload: WorkloadReference
    outcome: OutcomeName
    proved: bool
    step: int
    steps: int
    reason: str
    thieves: list[str]
    missing: str


class RoomDocument(Document, frozen=True, kw_only=True):
    """One extra node of this shape, and how many stopped workloads it would let complete."""

    node: str
    unblocks: int


class AllRolloutsDocument(Document, frozen=True, kw_only=True):
    """Every workload of the snapshot, worst first."""

    api_version: Literal["kschedx.io/v1"] = "kschedx.io/v1"
    kind: Literal["RolloutList"] = "RolloutList"
    scheduler: str
    version_assumed: bool
    outcome: OutcomeName
    workloads: list[LineDocument]
    room: list[RoomDocument]
    assumptions: list[str]
