"""Situation: what kind of answer a pod gets. Each has a code for ever and its own first sentence."""

from __future__ import annotations

import enum

from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import Outcome
from kschedx.schedulers.kube.cycle import SchedulerNotServed


class Situation(enum.StrEnum):
    """Worst first: the order in which Pending pods are listed."""

    PREFILTER_REJECTED = "prefilter-rejected"
    """A rule about the pod alone rules out every node: mostly its claims."""
    NO_NODES = "no-nodes"
    NO_NODE = "no-node"
    """Every node is ruled out by some rule."""
    SCHEDULER_ERROR = "scheduler-error"
    """The scheduler ends with an error of its own instead of a verdict."""
    SCHEDULER_NOT_SERVED = "scheduler-not-served"
    HELD_BY_GATES = "held-by-gates"
    NOT_CHECKED = "not-checked"
    """Something that was not read, or is not modelled, decides."""
    WAITING_FOR_VICTIMS = "waiting-for-victims"
    """A node is held for it until pods there are gone."""
    BEING_DELETED = "being-deleted"
    FITS_NOW = "fits-now"
    ALREADY_PLACED = "already-placed"
    FINISHED = "finished"

    @property
    def finding(self) -> bool:
        """Something stands in the pod's way."""
        return self not in (Situation.FITS_NOW, Situation.ALREADY_PLACED, Situation.FINISHED)

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Situation).index(self)


def situation_of(attempt: Attempt, *, waits_for_victims: bool) -> Situation:
    """The situation of a pod; `waits_for_victims`: pods on its nominated node are terminating."""
    pod = attempt.pod.pod
    if pod.terminal:
        return Situation.FINISHED
    if pod.spec.node_name:
        return Situation.ALREADY_PLACED
    if pod.terminating:
        return Situation.BEING_DELETED
    return _of_waiting(attempt, waits_for_victims=waits_for_victims)


def _of_waiting(attempt: Attempt, *, waits_for_victims: bool) -> Situation:
    if attempt.held is not None:
        if any(isinstance(reason, SchedulerNotServed) for reason in attempt.held.reasons):
            return Situation.SCHEDULER_NOT_SERVED
        return Situation.HELD_BY_GATES
    if attempt.error:
        return Situation.SCHEDULER_ERROR
    if attempt.node_count == 0:
        return Situation.NO_NODES
    if attempt.winners:
        return Situation.NOT_CHECKED if attempt.may_refuse else Situation.FITS_NOW
    if waits_for_victims:
        return Situation.WAITING_FOR_VICTIMS
    if attempt.outcome is Outcome.NOT_CHECKED:
        return Situation.NOT_CHECKED
    return Situation.NO_NODE if attempt.prefilter is None else Situation.PREFILTER_REJECTED
