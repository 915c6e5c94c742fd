"""Agreement: what the cluster's own scheduler recorded of the pod, against the replay.

The only place that parses text: the message of the PodScheduled condition.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kschedx.api.pod import Pod, PodCondition
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import Outcome
from kschedx.schedulers.kube.cycle import SchedulerNotServed


class AgreementStatus(enum.StrEnum):
    """Whether the cluster says the same."""

    AGREES = "agrees"
    DIFFERS = "differs"
    NONE_RECORDED = "none-recorded"
    NOT_COMPARABLE = "not-comparable"


@dataclass(frozen=True, slots=True)
class Agreement:
    """The recorded message compared with the replayed one."""

    status: AgreementStatus
    recorded: str = ""
    """As the condition holds it."""
    recorded_at: str = ""
    """The condition's last transition: when the pod was first found unschedulable."""
    difference: str = ""
    """The first difference, or why there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What of an attempt is compared; holds for every pod of the same shape."""

    message: str = ""
    winners: tuple[str, ...] = ()
    held: bool = False
    """Never tried."""
    served: bool = True
    """The pod is this scheduler's."""
    undecided: bool = False
    supposed: bool = False
    """On a cluster that is changed by a what-if, while what is recorded is of the real one."""

    @classmethod
    def of(cls, attempt: Attempt, *, supposed: bool = False) -> Replayed:
        return cls(
            attempt.message,
            attempt.winners,
            held=attempt.held is not None,
            served=attempt.held is None
            or not any(isinstance(r, SchedulerNotServed) for r in attempt.held.reasons),
            undecided=not attempt.winners and attempt.outcome is Outcome.NOT_CHECKED,
            supposed=supposed,
        )


@dataclass(frozen=True, slots=True)
class FitErrorText:
    """The scheduler's sentence taken apart."""

    node_count: int
    prefilter: str = ""
    """What ruled out every node at once."""
    reasons: Mapping[str, int] | None = None
    """Text -> nodes; None where prefilter stands."""
    tail: str = ""
    """What preemption added."""


_ENVELOPE: Final = re.compile(r"0/(\d+) nodes are available:(.*)", re.DOTALL)
_TAIL: Final = re.compile(
    r"\. ?(preemption: |no new claims to deallocate|not found$|still not schedulable)"
)
_COUNTED: Final = re.compile(r"(\d+) (.*)", re.DOTALL)


def parse_fit_error(message: str) -> FitErrorText | None:
    """The parts of "0/3 nodes are available: ..."; None for any other text."""
    match = _ENVELOPE.match(message)
    if match is None:
        return None
    node_count, body = int(match.group(1)), match.group(2).strip()
    tail = ""
    split = _TAIL.search(body)
    if split is not None:
        body, tail = body[: split.start()], body[split.start() + 1 :].strip()
    body = body.rstrip(". ")
    tail = tail.rstrip(". ")
    reasons: dict[str, int] = {}
    last = ""
    for part in body.split(", ") if body else ():
        counted = _COUNTED.fullmatch(part)
        if counted is not None:
            last = counted.group(2)
            reasons[last] = reasons.get(last, 0) + int(counted.group(1))
        elif last:  # a reason with a comma in it
            nodes = reasons.pop(last)
            last = f"{last}, {part}"
            reasons[last] = nodes
        else:
            return FitErrorText(node_count, prefilter=body, tail=tail)
    return FitErrorText(node_count, reasons=reasons, tail=tail)


def _first_difference(recorded: str, replayed: str) -> str:
    """The first thing that the recorded message says otherwise; empty if it is the same."""
    theirs, ours = parse_fit_error(recorded), parse_fit_error(replayed)
    if theirs is None or ours is None:
        return f'recorded "{recorded}", replayed "{replayed}"'
    if theirs.node_count != ours.node_count:
        return f"recorded of {theirs.node_count} nodes, replayed on {ours.node_count}"
    if theirs.prefilter != ours.prefilter:
        return f'recorded "{theirs.prefilter or "per node"}", replayed "{ours.prefilter or "per node"}"'
    had, have = theirs.reasons or {}, ours.reasons or {}
    for text in sorted({*had, *have}):
        if had.get(text, 0) != have.get(text, 0):
            return f'"{text}" recorded of {had.get(text, 0)} nodes, replayed on {have.get(text, 0)}'
    if theirs.tail != ours.tail:
        return f'after the filters: recorded "{theirs.tail}", replayed "{ours.tail}"'
    return ""


def _recorded(pod: Pod) -> PodCondition | None:
    condition = pod.condition("PodScheduled")
    return condition if condition is not None and condition.status == "False" else None


def compare(pod: Pod, replayed: Replayed) -> Agreement:
    """Compare the pod's PodScheduled condition with the replayed attempt."""
    condition = _recorded(pod)
    if condition is None:
        return Agreement(AgreementStatus.NONE_RECORDED)
    status, difference = _judge(condition, replayed)
    if replayed.supposed and status is AgreementStatus.DIFFERS:
        status = AgreementStatus.NOT_COMPARABLE
        difference = "recorded without what --with and --without change"
    return Agreement(status, condition.message, condition.last_transition_time or "", difference)


def _judge(condition: PodCondition, replayed: Replayed) -> tuple[AgreementStatus, str]:
    if not replayed.served:
        return AgreementStatus.NOT_COMPARABLE, "another scheduler's message"
    gated = condition.reason == "SchedulingGated"
    if gated and replayed.held:
        # The API server writes this condition itself, in words of its own.
        return AgreementStatus.AGREES, ""
    if gated or replayed.held:
        recorded = "held by scheduling gates" if gated else "tried"
        now = "never tried" if replayed.held else "tried"
        return AgreementStatus.DIFFERS, f"recorded as {recorded}, replayed as {now}"
    if replayed.undecided:
        return AgreementStatus.NOT_COMPARABLE, "the replay could not be decided"
    if not condition.message:
        return AgreementStatus.NOT_COMPARABLE, "the recorded condition has no message"
    if replayed.winners:
        takers = " or ".join(replayed.winners[:3])
        return AgreementStatus.DIFFERS, f"recorded as fitting no node, replayed as fitting {takers}"
    if condition.message == replayed.message:
        return AgreementStatus.AGREES, ""
    if parse_fit_error(condition.message) is None and parse_fit_error(replayed.message):
        return AgreementStatus.NOT_COMPARABLE, "the recorded message is not in a form known here"
    difference = _first_difference(condition.message, replayed.message)
    return (AgreementStatus.DIFFERS if difference else AgreementStatus.AGREES), difference
