"""The first sentence of every answer."""

from __future__ import annotations

from collections.abc import Sequence

from kschedx.api.pod import Pod
from kschedx.diagnose.blockers import Blocker, Cause
from kschedx.diagnose.placement import Nomination
from kschedx.diagnose.situation import Situation
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import SnapshotLacks

_NAMED = 3
"""So many nodes are named before the rest is counted."""


def listed(names: Sequence[str], last: str = "and") -> str:
    """ "a, b and c"; beyond a few "a, b, c and 4 more"."""
    shown = list(names if len(names) == _NAMED + 1 else names[:_NAMED])
    more = len(names) - len(shown)
    if more:
        return f"{', '.join(shown)} {last} {more} more"
    if len(shown) <= 1:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} {last} {shown[-1]}"


def counted(count: int, noun: str) -> str:
    """ "1 node", "3 nodes"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def already_placed(key: str, node: str) -> str:
    """Before an answer that only a pod without a node could need."""
    return f"{key} is on {node} already; what follows is as if it were not there"


def predicate(
    situation: Situation,
    attempt: Attempt,
    blockers: Sequence[Blocker],
    rejection: Sequence[Cause],
    nomination: Nomination | None,
) -> str:
    """What is the matter, as said of one pod: "no node of 12 can take it"."""
    said = "; ".join(cause.message for cause in rejection)
    match situation:
        case Situation.HELD_BY_GATES:
            return f"never tried: {said}"
        case Situation.PREFILTER_REJECTED | Situation.SCHEDULER_NOT_SERVED:
            return said
        case Situation.SCHEDULER_ERROR:
            return f"the scheduler fails with an error of its own: {attempt.error}"
        case Situation.NOT_CHECKED:
            return f"not decided: {_undecided(attempt, blockers, rejection)}"
        case Situation.BEING_DELETED:
            since = attempt.pod.pod.metadata.deletion_timestamp
            return f"being deleted since {since}, so the scheduler passes it over"
        case _:
            return _about_nodes(situation, attempt, nomination)


def _about_nodes(situation: Situation, attempt: Attempt, nomination: Nomination | None) -> str:
    if situation is Situation.WAITING_FOR_VICTIMS and nomination is not None:
        victims = len(nomination.victims)
        gone = "1 pod there is gone" if victims == 1 else f"{victims} pods there are gone"
        return f"{nomination.node} is held for it until {gone}"
    if situation is Situation.FITS_NOW:
        return f"the scheduler would take {listed(attempt.winners, 'or')}"
    if situation is Situation.NO_NODES:
        return "there are no nodes"
    if situation is Situation.NO_NODE:
        return _no_node(attempt)
    return ""


def _no_node(attempt: Attempt) -> str:
    admitted = sorted(attempt.narrowed_to or ())
    if 0 < len(admitted) <= _NAMED and len(admitted) < attempt.node_count:
        owner = attempt.pod.pod.metadata.controller
        why = f" (DaemonSet {owner.name})" if owner and owner.kind == "DaemonSet" else ""
        only = f"of {attempt.node_count} nodes only {listed(admitted)} may take it{why}"
        return f"{only}, and cannot"
    if attempt.node_count == 1:
        return "the only node cannot take it"
    return f"no node of {attempt.node_count} can take it"


def _undecided(attempt: Attempt, blockers: Sequence[Blocker], rejection: Sequence[Cause]) -> str:
    if attempt.winners:
        not_replayed = listed(attempt.may_refuse)
        return (
            f"{listed(attempt.winners, 'or')} would be taken, but for {not_replayed}, not replayed"
        )
    undecided = [*rejection, *(blocker.cause for blocker in blockers if not blocker.checked)]
    kinds = sorted({c.facts["kind"] for c in undecided if c.code == SnapshotLacks.code})
    said = [f"the snapshot holds no {listed(kinds, 'and no')} objects"] if kinds else []
    said += [cause.message for cause in undecided if cause.code != SnapshotLacks.code]
    return "; ".join(dict.fromkeys(said))


def state(situation: Situation, pod: Pod, *, supposed: bool = False) -> str:
    """What the pod is, before the predicate says why: "is Pending".

    `supposed`: some of the cluster is a what-if.
    """
    match situation:
        case Situation.FINISHED:
            return f"has {pod.status.phase.lower()}: nothing is left to schedule"
        case Situation.ALREADY_PLACED:
            return f"is on {pod.spec.node_name} ({pod.status.phase or 'no phase'})"
        case Situation.FITS_NOW:
            if not pod.metadata.uid:
                return "fits"
            return "is Pending and would fit then" if supposed else "is Pending but fits now"
        case _:
            return "is Pending" if pod.metadata.uid else "would be Pending"
