"""NodeReport: one pod on one node, rule by rule, with the room that is there."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kschedx.api.quantity import PODS
from kschedx.diagnose.also_blocked import supposed
from kschedx.diagnose.blockers import Cause, causes_of
from kschedx.diagnose.preemption_summary import Victim
from kschedx.diagnose.references import PodReference
from kschedx.framework.attempt import Preemption
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome, Verdict
from kschedx.framework.views import NodeView, PodView
from kschedx.schedulers.kube.supposition import Supposition


class RuleResult(enum.StrEnum):
    """What one rule says of the pod on the node."""

    PASSES = "passes"
    REJECTS = "rejects"
    NOT_CHECKED = "not-checked"
    NOT_NEEDED = "not-needed"
    """The rule has nothing to say of this pod."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One plugin on the node."""

    plugin: str
    result: RuleResult
    causes: tuple[Cause, ...] = ()


@dataclass(frozen=True, slots=True)
class Room:
    """One resource: what the pod asks for against what the node has (cpu in milli)."""

    resource: str
    need: int
    used: int
    allocatable: int

    @property
    def free(self) -> int:
        """Negative where pods take more than the node has."""
        return self.allocatable - self.used

    @property
    def short_by(self) -> int:
        return max(0, self.need - self.free) if self.need else 0


@dataclass(frozen=True, slots=True)
class NodeReport:
    """Everything about one node."""

    node: str
    fits: bool
    rooms: tuple[Room, ...]
    rules: tuple[Rule, ...]
    """In the order in which the scheduler asks them."""
    left_out: bool = False
    """PreFilters admit other nodes only, so the scheduler does not look at this one."""
    fits_without_nominated: bool = False
    """Only the room that is held for nominated pods stands in the way."""
    eviction: str = ""
    """What the dry run of preemption found here; empty where it made none."""
    victims: tuple[Victim, ...] = ()
    supposes: tuple[str, ...] = ()
    """What is taken to be otherwise for rules to be asked at all: "claim default/data is bound"."""
    error: str = ""
    """The scheduler's own error, where it gives no verdict: then no rule is told."""


def node_report(
    pod: PodView, node: NodeView, supposition: Supposition, configured: Sequence[str]
) -> NodeReport:
    """Every rule on the node, as if what rejects the pod on all nodes were mended.

    `configured` names all filters of the profile, in order.
    """
    rejections = tuple(each.rejection for each in supposition.mended)
    report = NodeReport(
        node=node.name,
        fits=False,
        rooms=rooms(pod, node),
        rules=(),
        supposes=tuple(str(said) for each in supposition.mended for said in supposed(each)),
        error=supposition.error,
    )
    filters = supposition.filters
    if filters is None:
        return report
    try:
        trace = filters.trace(node, every=True)
    except CycleError as error:
        return replace(report, error=str(error))
    narrowed_to = filters.preparation.narrowed_to
    return replace(
        report,
        fits=not rejections and not trace.verdicts,
        rules=rules_on(
            [*rejections, *trace.verdicts], configured, [plugin.name for plugin in filters.rules]
        ),
        left_out=narrowed_to is not None and node.name not in narrowed_to,
        fits_without_nominated=trace.fits_without_nominated,
    )


def rooms(pod: PodView, node: NodeView) -> tuple[Room, ...]:
    """The pod's resources on the node, and the slots for pods."""
    found = [
        Room(
            resource,
            need,
            node.requested.get(resource, 0),
            node.allocatable.get(resource, 0),
        )
        for resource, need in pod.asked.items()
        if need > 0
    ]
    found.append(Room(PODS, 1, len(node.pods), node.allocatable.get(PODS, 0)))
    return tuple(found)


def rules_on(
    verdicts: Iterable[Verdict], configured: Iterable[str], asked: Iterable[str]
) -> tuple[Rule, ...]:
    """All filters of the profile, in order; `asked` are those that have a say about this pod."""
    by_plugin: dict[str, Verdict] = {}
    for told in verdicts:
        before = by_plugin.get(told.plugin, Verdict(told.plugin, ()))
        by_plugin[told.plugin] = Verdict(told.plugin, (*before.reasons, *told.reasons))
    having_say = {*asked, *by_plugin}
    found = []
    for plugin in dict.fromkeys([*configured, *by_plugin]):
        verdict = by_plugin.get(plugin)
        if verdict is None:
            result = RuleResult.PASSES if plugin in having_say else RuleResult.NOT_NEEDED
            found.append(Rule(plugin, result))
        else:
            decided = verdict.outcome is not Outcome.NOT_CHECKED
            result = RuleResult.REJECTS if decided else RuleResult.NOT_CHECKED
            found.append(Rule(plugin, result, causes_of([verdict])))
    return tuple(found)


def evictions_on(node: str, preemption: Preemption | None) -> tuple[str, tuple[Victim, ...]]:
    """What the dry run found on this node, in words, and who would be evicted."""
    if preemption is None or not preemption.eligible:
        return "", ()
    candidate = preemption.candidates.get(node)
    if candidate is not None:
        victims = tuple(
            Victim(PodReference.of(victim.pod), candidate.violated.get(victim.key, ()))
            for victim in candidate.victims
        )
        chosen = (
            "the scheduler would do it here"
            if node in preemption.nominated
            else (f"the scheduler would rather do it on {preemption.nominated[0]}")
        )
        return f"evicting pods of lower priority makes room; {chosen}", victims
    if node in preemption.no_victims:
        return "no pod of lower priority is here", ()
    still = preemption.still_rejected.get(node)
    if still is not None:
        reasons = "; ".join(cause.message for cause in causes_of(still.verdicts))
        return f"not enough even without all pods of lower priority: {reasons}", ()
    if node in preemption.not_helpful:
        return "evicting pods does not lift what rejects the pod here", ()
    return "", ()
