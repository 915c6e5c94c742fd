"""PreemptionSummary: whether evicting pods would help, and what it would cost."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass

from kschedx.api.policy import PodDisruptionBudget
from kschedx.diagnose.references import PodReference
from kschedx.framework.attempt import Attempt, Candidate, Preemption
from kschedx.framework.views import ClusterView


class PreemptionVerdict(enum.StrEnum):
    """What preemption comes to."""

    WOULD_EVICT = "would-evict"
    CANNOT_HELP = "cannot-help"
    NOT_ELIGIBLE = "not-eligible"
    """The pod may not preempt, or already waits for victims."""
    DISABLED = "disabled"
    """The scheduler's profile has no preemption."""


@dataclass(frozen=True, slots=True)
class Victim:
    """A pod that would be evicted."""

    pod: PodReference
    budgets_violated: tuple[str, ...] = ()
    """ "namespace/name" of each."""


@dataclass(frozen=True, slots=True)
class PreemptionSummary:
    """The dry run in short."""

    verdict: PreemptionVerdict
    why_not: str = ""
    """The scheduler's own words where the pod is not eligible."""
    nodes: tuple[str, ...] = ()
    """The best node; several where they are equally good and any may be taken."""
    victims: tuple[Victim, ...] = ()
    """On the first of them, most important first."""
    decided_by: str = ""
    """The criterion that preferred this node over other candidates."""
    candidate_count: int = 0
    budgets_read: bool = True
    """False: the snapshot holds no disruption budgets, so none could be counted as violated."""
    not_helpful: int = 0
    """Nodes where no eviction can help."""
    no_victims: int = 0
    """Nodes without any pod of lower priority."""
    still_rejected: tuple[tuple[str, int], ...] = ()
    """What rejects the pod even after all pods of lower priority are gone, and on how many nodes."""


def summarize(attempt: Attempt, cluster: ClusterView) -> PreemptionSummary | None:
    """None where the scheduler comes to no preemption: the pod fits, or nothing was decided."""
    preemption = attempt.preemption
    if preemption is None or attempt.prefilter is not None:
        return None
    if not preemption.enabled:
        return PreemptionSummary(PreemptionVerdict.DISABLED)
    if not preemption.eligible:
        why_not = preemption.ineligible_reason.rstrip(".")
        return PreemptionSummary(PreemptionVerdict.NOT_ELIGIBLE, why_not=why_not)
    if not preemption.nominated:
        return PreemptionSummary(
            PreemptionVerdict.CANNOT_HELP,
            not_helpful=len(preemption.not_helpful),
            no_victims=len(preemption.no_victims),
            still_rejected=_still_rejected(preemption),
        )
    chosen = preemption.candidates[preemption.nominated[0]]
    return PreemptionSummary(
        PreemptionVerdict.WOULD_EVICT,
        nodes=preemption.nominated,
        victims=_victims(chosen),
        decided_by=preemption.decided_by,
        candidate_count=len(preemption.candidates),
        budgets_read=cluster.snapshot.read(PodDisruptionBudget),
        not_helpful=len(preemption.not_helpful),
        no_victims=len(preemption.no_victims),
        still_rejected=_still_rejected(preemption),
    )


def _victims(candidate: Candidate) -> tuple[Victim, ...]:
    return tuple(
        Victim(PodReference.of(victim.pod), candidate.violated.get(victim.key, ()))
        for victim in candidate.victims
    )


def _still_rejected(preemption: Preemption) -> tuple[tuple[str, int], ...]:
    counted: Counter[str] = Counter()
    for trace in preemption.still_rejected.values():
        counted.update({reason.subject() for v in trace.verdicts for reason in v.reasons})
    return tuple(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
