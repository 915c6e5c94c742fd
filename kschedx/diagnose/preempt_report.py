"""PreemptReport: the answer to `kschedx preempt`: the dry run as a transcript."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.diagnose.blockers import Cause, causes_of
from kschedx.diagnose.references import PodReference
from kschedx.framework.attempt import Attempt, Candidate, Preemption
from kschedx.schedulers.kube.preemption import CRITERIA

_RAISED: Final = 2**31
"""Upstream adds as much to every priority, so that none counts less than nothing."""


@dataclass(frozen=True, slots=True)
class Victim:
    """A pod that would be evicted."""

    pod: PodReference
    violates: tuple[str, ...]
    """The disruption budgets ("namespace/name") that its eviction breaks."""
    terminating: bool
    """It is being deleted already."""


@dataclass(frozen=True, slots=True)
class RankedCandidate:
    """A node on which evicting these pods makes room."""

    node: str
    victims: tuple[Victim, ...]
    """Most important first."""
    spared: tuple[PodReference, ...]
    """Pods of lower priority that could stay, in the order in which they were put back."""
    violations: int
    figures: tuple[float, ...]
    """By criterion, as the ranking orders them; more is better."""
    chosen: bool
    """The best, or one of those that tie."""
    highest_priority: int = 0
    """Of its victims."""
    priority_sum: int = 0
    """Of its victims, each priority raised by 2**31: more victims always come to more."""
    started: str = ""
    """When the longest running of its most important victims started; empty where not known."""


@dataclass(frozen=True, slots=True)
class SecondRejection:
    """Nodes on which the pod is still rejected after all pods of lower priority are gone."""

    nodes: tuple[str, ...]
    causes: tuple[Cause, ...]
    """On the first of the nodes."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a victim, one level deep."""

    pod: PodReference
    recreated: bool
    """A controller makes it again; a bare pod is gone for good."""
    places: tuple[str, ...] = ()
    """The nodes that would take its successor: one, or all that tie."""
    message: str = ""
    """The scheduler's sentence where none does: it is Pending in turn."""


@dataclass(frozen=True, slots=True)
class Shortlist:
    """How the real scheduler can choose otherwise: it stops at the first candidates it finds."""

    size: int
    """Candidates after which it stops."""
    potential: int
    """Nodes that it would try otherwise."""
    may_nominate: tuple[str, ...]
    """Nodes that are the best of some shortlist, over all starting points in this node order."""


@dataclass(frozen=True, slots=True)
class PreemptReport:
    """All that the dry run found."""

    pod: PodReference
    scheduler: str
    version_assumed: bool
    message: str
    """The scheduler's own sentence; empty where the pod gets a node without evicting anyone."""
    node_count: int
    winners: tuple[str, ...] = ()
    """Nodes that take the pod as things are: nobody need be evicted."""
    held: tuple[Cause, ...] = ()
    """Why the pod is not even tried."""
    not_checked: bool = False
    """Some node could not be judged: whether anyone must be evicted is not known."""
    unchecked: tuple[Cause, ...] = ()
    """What could not be checked, each cause once."""
    enabled: bool = True
    """The scheduler's profile has preemption."""
    eligible: bool = True
    ineligible_reason: str = ""
    tried: tuple[str, ...] = ()
    """Nodes on which a dry run was made."""
    not_helpful: tuple[SecondRejection, ...] = ()
    """Nodes where no eviction can help, by what rejects the pod there; most nodes first."""
    no_victims: tuple[str, ...] = ()
    """Tried nodes without any pod of lower priority."""
    still_rejected: tuple[SecondRejection, ...] = ()
    ranking: tuple[RankedCandidate, ...] = ()
    """Best first."""
    nominated: tuple[str, ...] = ()
    decided_by: str = ""
    """The criterion that left only the nominated; empty where there was no choice."""
    fates: tuple[Fate, ...] = ()
    """Of the victims on the first of the nominated nodes."""
    shortlist: Shortlist | None = None
    budgets_read: bool = True
    """False: the snapshot holds no disruption budgets, so none could be counted as broken."""
    not_modelled: tuple[str, ...] = ()
    """Plugins and extenders in play that are not replayed."""
    undecided_by: tuple[str, ...] = ()
    """Those of them on which the answer depends."""
    on_node: str = ""
    """The node that the pod is on: then all else is as if it were not there; empty for none."""


def shortlist_size(potential: int, percentage: int, absolute: int) -> int:
    """How many candidates end the real scheduler's search.

    Upstream: plugins/defaultpreemption/default_preemption.go (v1.35.4), calculateNumCandidates.
    """
    return min(max(potential * percentage // 100, absolute), potential)


def ranked(preemption: Preemption) -> tuple[RankedCandidate, ...]:
    """The candidates, best first; those that tie by name."""
    found = [_ranked(candidate, preemption) for candidate in preemption.candidates.values()]
    return tuple(sorted(found, key=lambda r: (*(-figure for figure in r.figures), r.node)))


def _ranked(candidate: Candidate, preemption: Preemption) -> RankedCandidate:
    victims = tuple(
        Victim(PodReference.of(v.pod), candidate.violated.get(v.key, ()), v.terminating)
        for v in candidate.victims
    )
    highest = max((victim.priority for victim in candidate.victims), default=0)
    important = [v.pod.status.start_time for v in candidate.victims if v.priority == highest]
    return RankedCandidate(
        candidate.node,
        victims,
        tuple(PodReference.of(spared.pod) for spared in candidate.spared),
        candidate.violations,
        tuple(criterion(candidate) for _, criterion in CRITERIA),
        candidate.node in preemption.nominated,
        highest,
        sum(victim.priority + _RAISED for victim in candidate.victims),
        min((start for start in important if start), default=""),
    )


def may_nominate(
    potential: Sequence[str], ranking: Sequence[RankedCandidate], size: int
) -> tuple[str, ...]:
    """The best of every run of `size` candidates along the ring of potential nodes, sorted.

    A run ends only once it holds a candidate that breaks no budget.
    """
    by_node = {candidate.node: candidate for candidate in ranking}
    ring = [by_node[name] for name in potential if name in by_node]
    best: set[str] = set()
    for start in range(len(ring)):
        run: list[RankedCandidate] = []
        clean = False
        for step in range(len(ring)):
            candidate = ring[(start + step) % len(ring)]
            run.append(candidate)
            clean = clean or not candidate.violations
            if clean and len(run) >= size:
                break
        top = max(candidate.figures for candidate in run)
        best.update(candidate.node for candidate in run if candidate.figures == top)
    return tuple(sorted(best))


def not_helpful(attempt: Attempt) -> tuple[SecondRejection, ...]:
    """Nodes that no eviction frees, grouped by the rules that reject the pod there."""
    preemption = attempt.preemption
    if preemption is None or attempt.prefilter is not None:
        return ()
    return _grouped(
        (name, causes_of(trace.verdicts))
        for name in preemption.not_helpful
        if (trace := attempt.traces.get(name)) is not None
    )


def still_rejected(preemption: Preemption) -> tuple[SecondRejection, ...]:
    """Nodes that stay closed even without the pods of lower priority, grouped alike."""
    return _grouped(
        (name, causes_of(trace.verdicts)) for name, trace in preemption.still_rejected.items()
    )


def _grouped(found: Iterable[tuple[str, tuple[Cause, ...]]]) -> tuple[SecondRejection, ...]:
    """By the causes' codes and subjects, most nodes first."""
    groups: dict[tuple[tuple[str, str], ...], list[tuple[str, tuple[Cause, ...]]]] = {}
    for name, causes in found:
        same = tuple((cause.code, cause.subject) for cause in causes)
        groups.setdefault(same, []).append((name, causes))
    grouped = [
        SecondRejection(tuple(name for name, _ in members), members[0][1])
        for members in groups.values()
    ]
    return tuple(sorted(grouped, key=lambda group: (-len(group.nodes), group.nodes)))
