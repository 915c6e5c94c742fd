"""VerdictClass: what kind of trouble a pod is in, as far as it decides what to do next."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Final

from kschedx.diagnose.preemption_summary import PreemptionSummary
from kschedx.diagnose.situation import Situation
from kschedx.diagnose.what_if import WhatIf
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import NodeTrace, Outcome, Reason
from kschedx.schedulers.kube.plugins.node_ports import HostPortTaken
from kschedx.schedulers.kube.plugins.node_resources_fit import InsufficientResource, TooManyPods
from kschedx.schedulers.kube.plugins.node_volume_limits import VolumeLimitReached
from kschedx.schedulers.kube.plugins.volume_restrictions import ClaimInUse, DiskInUse
from kschedx.schedulers.kube.waiting_claims import StorageExhausted


class VerdictClass(enum.StrEnum):
    """Codes for ever."""

    NEVER_TRIED = "never-tried"
    """A gate, a schedulerName that nobody serves, a gang below its minimum."""
    REJECTED_BEFORE_NODES = "rejected-before-nodes"
    """Mostly the pod's claims."""
    PLACEMENT_EXCLUDES_ALL = "placement-excludes-all"
    """Rules about where the pod may go exclude every node, whatever room there is."""
    FULL_NOW = "full-now"
    """Some nodes lack nothing but room that other pods have."""
    TOO_SMALL = "too-small"
    """Nodes that may take the pod are too small for it, even when empty."""
    PREEMPTION_WILL_HELP = "preemption-will-help"
    PREEMPTION_BY_HAND = "preemption-by-hand"
    """Pods of lower priority would have to go, and the scheduler does not see to it."""
    WAITING_FOR_TERMINATING = "waiting-for-terminating"
    """It fits once pods are gone that are being deleted."""
    ROLLOUT_DEADLOCK = "rollout-deadlock"
    """It waits for pods of its own older revision, which wait for it to be ready; or is itself of
    an older one and not replaced until it is ready."""
    FITS_NOW = "fits-now"
    NOT_SCHEDULING = "not-scheduling"
    """The pod has its node, or is not to be scheduled at all."""
    UNDECIDED = "undecided"
    """Something that was not read, is not modelled or failed decides."""


_BY_SITUATION: Final = {
    Situation.PREFILTER_REJECTED: VerdictClass.REJECTED_BEFORE_NODES,
    Situation.NO_NODES: VerdictClass.TOO_SMALL,
    Situation.SCHEDULER_ERROR: VerdictClass.UNDECIDED,
    Situation.SCHEDULER_NOT_SERVED: VerdictClass.NEVER_TRIED,
    Situation.HELD_BY_GATES: VerdictClass.NEVER_TRIED,
    Situation.NOT_CHECKED: VerdictClass.UNDECIDED,
    Situation.WAITING_FOR_VICTIMS: VerdictClass.WAITING_FOR_TERMINATING,
    Situation.BEING_DELETED: VerdictClass.NOT_SCHEDULING,
    Situation.FITS_NOW: VerdictClass.FITS_NOW,
    Situation.ALREADY_PLACED: VerdictClass.NOT_SCHEDULING,
    Situation.FINISHED: VerdictClass.NOT_SCHEDULING,
}

_ROOM: Final = (
    InsufficientResource,
    TooManyPods,
    HostPortTaken,
    VolumeLimitReached,
    ClaimInUse,
    DiskInUse,
    StorageExhausted,
)
"""Causes that are a matter of room: something is taken, not forbidden."""
ROOM_CODES: Final = frozenset(reason.code for reason in _ROOM)


def verdict_class(
    situation: Situation,
    attempt: Attempt,
    preemption: PreemptionSummary | None,
    what_if: WhatIf,
) -> VerdictClass:
    """The class of one attempt; what further replays found says more than the attempt alone."""
    if situation is not Situation.NO_NODE:
        return _BY_SITUATION[situation]
    if preemption is not None and preemption.nodes:
        return VerdictClass.PREEMPTION_WILL_HELP
    if what_if.after_terminating is not None:
        return VerdictClass.WAITING_FOR_TERMINATING
    if what_if.deadlock is not None or what_if.outdated is not None:
        return VerdictClass.ROLLOUT_DEADLOCK
    if what_if.by_hand is not None:
        return VerdictClass.PREEMPTION_BY_HAND
    return _of_nodes(attempt.traces.values())


def _of_nodes(traces: Iterable[NodeTrace]) -> VerdictClass:
    lacking_room = [reasons for trace in traces if _only_room(reasons := _reasons(trace))]
    if not lacking_room:
        return VerdictClass.PLACEMENT_EXCLUDES_ALL
    if all(any(map(_for_ever, reasons)) for reasons in lacking_room):
        return VerdictClass.TOO_SMALL
    return VerdictClass.FULL_NOW


def _reasons(trace: NodeTrace) -> list[Reason]:
    return [
        reason
        for verdict in trace.verdicts
        for reason in verdict.reasons
        if reason.outcome is not Outcome.NOT_CHECKED
    ]


def _only_room(reasons: list[Reason]) -> bool:
    return bool(reasons) and all(map(_of_room, reasons))


def _of_room(reason: Reason) -> bool:
    if isinstance(reason, StorageExhausted) and not reason.capacities:
        return False  # nothing is known of the storage: that is not the same as none left
    return isinstance(reason, _ROOM)


def _for_ever(reason: Reason) -> bool:
    """The node could not even hold the pod if it were empty."""
    if isinstance(reason, InsufficientResource):
        return reason.requested > reason.allocatable
    return isinstance(reason, TooManyPods) and reason.allocatable < 1
