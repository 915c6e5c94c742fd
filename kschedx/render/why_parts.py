"""The parts of a WhyReport in text: preemption, placement, nomination, a workload's missing pods."""

from __future__ import annotations

from collections.abc import Iterator

from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.also_blocked import AlsoBlocked
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.headline import counted, listed
from kschedx.diagnose.placement import Nomination, Placement
from kschedx.diagnose.preemption_summary import PreemptionSummary, PreemptionVerdict, Victim
from kschedx.diagnose.references import TerminatingPod
from kschedx.diagnose.situation import Situation
from kschedx.diagnose.workload import WorkloadState

Paragraph = tuple[str, str]
"""A heading and what stands beside it."""

_NOT_SERVED = "objects do not tell whether a scheduler of that name runs"
_RETRY = (
    "by default after at most 10 s of back-off, or within 5 minutes where no event wakes the pod"
)


def preemption_paragraph(summary: PreemptionSummary | None) -> Iterator[Paragraph]:
    """What evicting pods of lower priority comes to."""
    if summary is not None:
        yield "Preemption", preemption_sentence(summary)


def preemption_sentence(summary: PreemptionSummary) -> str:
    """In one or two sentences."""
    match summary.verdict:
        case PreemptionVerdict.WOULD_EVICT:
            return _would_evict(summary)
        case PreemptionVerdict.NOT_ELIGIBLE:
            return summary.why_not
        case PreemptionVerdict.DISABLED:
            return "switched off in the scheduler's profile"
        case PreemptionVerdict.CANNOT_HELP:
            return f"cannot help: {'; '.join(_why_no_preemption(summary))}"


def _would_evict(summary: PreemptionSummary) -> str:
    node, *others = summary.nodes
    victims = listed([_victim(victim) for victim in summary.victims])
    parts = [f"would evict {victims} on {node} and nominate it there"]
    if others:
        verb = "is" if len(others) == 1 else "are"
        parts.append(f"{counted(len(others), 'other node')} {verb} as good ({listed(others)})")
    broken = sorted({budget for victim in summary.victims for budget in victim.budgets_violated})
    if broken:
        parts.append(f"violates disruption budget {listed(broken)}")
    elif summary.budgets_read:
        parts.append("no disruption budget is violated")
    else:
        parts.append("disruption budgets were not read")
    if summary.decided_by:
        parts.append(f"preferred among {summary.candidate_count} nodes: {summary.decided_by}")
    return "; ".join(parts)


def _victim(victim: Victim) -> str:
    return f"{victim.pod.key} (priority {victim.pod.priority})"


def _why_no_preemption(summary: PreemptionSummary) -> Iterator[str]:
    if summary.no_victims:
        verb = "has" if summary.no_victims == 1 else "have"
        yield f"{counted(summary.no_victims, 'node')} {verb} no pod of lower priority"
    for subject, count in summary.still_rejected:
        nodes = counted(count, "node")
        yield f"{subject} on {nodes} even without all pods of lower priority"
    if summary.not_helpful:
        nodes = counted(summary.not_helpful, "node")
        yield f"on {nodes} eviction does not lift what rejects the pod"


def placement_paragraphs(placement: Placement | None, *, ended: bool) -> Iterator[Paragraph]:
    """A pod that has its node: would it get it again, and what does the kubelet wait for?

    `ended`: it has succeeded or failed, so that it was not replayed.
    """
    if placement is None:
        return
    for wait in placement.waits:
        yield "Kubelet", wait
    if not placement.node_known:
        yield "Node", f"{placement.node} is not in the snapshot"
    elif placement.drift_unknown:
        yield "Drift", f"not known: {placement.drift_unknown}"
    elif placement.drift:
        for cause in placement.drift:
            yield "Drift", f"it would no longer get this node: {cause.message}"
    elif not ended:
        yield "Drift", "none: it would still pass every rule on this node"


def nomination_paragraphs(nomination: Nomination | None) -> Iterator[Paragraph]:
    """The node that is held for the pod, and what is still in the way there."""
    if nomination is None:
        return
    if not nomination.node_known:
        yield "Nominated", f"{nomination.node}, which is not in the snapshot"
        return
    yield "Nominated", nomination.node
    for victim in nomination.victims:
        yield "Waits for", _terminating(victim)
    if nomination.fits_after:
        yield "Then", f"it fits {nomination.node}"
    for cause in nomination.then:
        yield "Then", f"it still cannot go there: {cause.message}"


def _terminating(victim: TerminatingPod) -> str:
    text = f"{victim.pod.key} (priority {victim.pod.priority}), to be gone by {victim.since}"
    if victim.grace_seconds is not None:
        text += f", {victim.grace_seconds} s grace"
    if victim.overdue_seconds:
        text += f", {victim.overdue_seconds} s overdue"
    if victim.finalizers:
        text += f", held by finalizers {', '.join(victim.finalizers)}"
    return text


def workload_paragraphs(state: WorkloadState) -> Iterator[Paragraph]:
    """Pods that the workload wants and does not have."""
    if state.missing:
        yield "Missing", f"{counted(state.missing, 'pod')} of {state.wanted} do not exist"
        if not state.not_created:
            yield "", "the snapshot does not show why"
    for cause in state.not_created:
        yield "", cause.message


def supposed_paragraphs(supposed: AlsoBlocked) -> Iterator[Paragraph]:
    """What else would reject the pod, and what cannot be told beforehand."""
    for cause in supposed.rejections:
        yield "Then", cause.message
    if supposed.claims:
        one = len(supposed.claims) == 1
        whose = "its volume, before it is" if one else "their volumes, before they are"
        yield "Not known", f"which nodes can use {whose} bound"


def _others_paragraphs(found: Explanation) -> Iterator[Paragraph]:
    """Pods that go by themselves, by preemption, or as the pod's own rollout gets on."""
    ending = found.what_if.after_terminating
    stops = found.what_if.outdated or found.what_if.deadlock
    if ending is not None and found.nomination is None:
        for pod in ending.pods:
            yield "Waits for", _terminating(pod)
    yield from preemption_paragraph(found.preemption)
    if stops is not None:
        yield "Rollout", f"{stops.command} plays its rollout step by step"


def closing_paragraphs(found: Explanation, *, tried: bool = True) -> Iterator[Paragraph]:
    """What stands below the table; `tried`: the scheduler does try the pod."""
    for item in found.fragmentations:
        yield "Room", item.sentence()
    for remark in found.remarks:
        yield "Behind it", remark.message
    if found.also_blocked is not None:
        yield from supposed_paragraphs(found.also_blocked)
    yield from _others_paragraphs(found)
    if found.scheduler_message:
        yield "Scheduler", found.scheduler_message
    agreement = found.agreement
    if agreement is not None and agreement.difference:
        differs = agreement.status is AgreementStatus.DIFFERS
        yield "Differs" if differs else "Not compared", agreement.difference
    if found.situation is Situation.FITS_NOW and found.pod.uid and tried:
        yield "Retry", _RETRY
    if found.situation is Situation.SCHEDULER_NOT_SERVED:
        yield "Not shown", _NOT_SERVED
    if found.not_modelled:
        names = ", ".join(found.not_modelled)
        yield "Not replayed", f"{names}; what is said here is without what they would say"
