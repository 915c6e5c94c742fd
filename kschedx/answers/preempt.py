"""Can preemption help this pod: the dry run as a transcript."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kschedx.framework.attempt import Attempt, Candidate
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.preemption import CRITERIA


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a victim after its eviction, one level deep."""

    pod: PodView
    recreated: bool
    """A controller makes it again; a bare pod is gone for good."""
    places: tuple[str, ...] = ()
    """The nodes that would take its successor: one, or all that tie."""
    message: str = ""
    """The scheduler's sentence where none does."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its figures for each criterion, best first within the report."""

    candidate: Candidate
    figures: tuple[float, ...]
    """As CRITERIA orders them; more is better."""


@dataclass(frozen=True, slots=True)
class Sample:
    """How the real scheduler's shortlist can differ: it stops at the first candidates it finds."""

    size: int
    """Candidates after which it stops."""
    potential: int
    """Nodes that it would try otherwise."""
    may_nominate: tuple[str, ...]
    """Nodes that are the best of some shortlist, over all starting points in this node order."""


@dataclass(frozen=True, slots=True)
class PreemptReport:
    """The whole answer. `attempt.preemption` is None where the pod fits or is not tried."""

    attempt: Attempt
    ranking: tuple[Ranked, ...] = ()
    fates: tuple[Fate, ...] = ()
    """Of the victims on the nominated node (the first by name where several tie)."""
    sample: Sample | None = None


def shortlist_size(potential: int, percentage: int, absolute: int) -> int:
    """How many candidates end the real scheduler's search.

    Upstream: defaultpreemption calculateNumCandidates (v1.35.4).
    """
    return min(max(potential * percentage // 100, absolute), potential)


def explain_preemption(
    pod: PodView, cluster: ClusterView, scheduler: KubeScheduler
) -> PreemptReport:
    """Play the dry run for one pod and rank what it finds."""
    attempt = scheduler.attempt(pod, cluster)
    preemption = attempt.preemption
    if preemption is None or not preemption.candidates:
        return PreemptReport(attempt)
    ranking = sorted(
        (
            Ranked(candidate, tuple(criterion(candidate) for _, criterion in CRITERIA))
            for candidate in preemption.candidates.values()
        ),
        key=lambda ranked: (tuple(-figure for figure in ranked.figures), ranked.candidate.node),
    )
    chosen = preemption.candidates[preemption.nominated[0]]
    profile = scheduler.profiles[pod.pod.spec.scheduler_name]
    size = shortlist_size(
        len(preemption.potential), profile.candidates_percentage, profile.candidates_absolute
    )
    sample = None
    if size < len(preemption.candidates):
        sample = Sample(
            size, len(preemption.potential), _may_nominate(preemption.potential, ranking, size)
        )
    return PreemptReport(
        attempt,
        tuple(ranking),
        _fates(pod, chosen, cluster, scheduler),
        sample,
    )


def _may_nominate(
    potential: Sequence[str], ranking: Sequence[Ranked], size: int
) -> tuple[str, ...]:
    """The best of every run of `size` candidates along the ring of potential nodes, sorted.

    A run ends only once it holds a candidate that breaks no budget.
    """
    by_node: Mapping[str, Ranked] = {ranked.candidate.node: ranked for ranked in ranking}
    ring = [by_node[name] for name in potential if name in by_node]
    best: set[str] = set()
    for start in range(len(ring)):
        run: list[Ranked] = []
        clean = False
        for step in range(len(ring)):
            ranked = ring[(start + step) % len(ring)]
            run.append(ranked)
            clean = clean or not ranked.candidate.violations
            if clean and len(run) >= size:
                break
        top = max(ranked.figures for ranked in run)
        best.update(ranked.candidate.node for ranked in run if ranked.figures == top)
    return tuple(sorted(best))


def _fates(
    preemptor: PodView, chosen: Candidate, cluster: ClusterView, scheduler: KubeScheduler
) -> tuple[Fate, ...]:
    """Place the victims' successors one after the other, the most important first."""
    world = cluster.without_pods(victim.key for victim in chosen.victims)
    world = world.with_pod_on(preemptor, chosen.node)
    fates: list[Fate] = []
    for victim in chosen.victims:
        if victim.pod.metadata.controller is None:
            fates.append(Fate(victim, recreated=False))
            continue
        successor = world.view(victim.pod.recreated())
        attempt = scheduler.attempt(successor, world, every_rule=False)
        if attempt.winners:
            world = world.with_pod_on(successor, attempt.winners[0])
        fates.append(Fate(victim, recreated=True, places=attempt.winners, message=attempt.message))
    return tuple(fates)
