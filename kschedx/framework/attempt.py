"""Attempt: one scheduling cycle for one pod, with all that was found on the way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kschedx.framework.verdict import NodeTrace, Outcome, Verdict
from kschedx.framework.views import PodView


@dataclass(frozen=True, slots=True)
class NodeScore:
    """How one feasible node was scored."""

    node: str
    weighted: Mapping[str, int]
    """By plugin: the normalised score times the weight."""
    raw: Mapping[str, int]
    """By plugin: the score before normalisation."""

    @property
    def total(self) -> int:
        return sum(self.weighted.values())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node on which evicting pods makes room. Upstream: preemption Candidate."""

    node: str
    victims: tuple[PodView, ...]
    """Most important first."""
    violations: int
    """How many victims break a disruption budget."""
    spared: tuple[PodView, ...] = ()
    """Pods of lower priority that could stay, in the order in which they were put back."""
    violated: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Victim key -> the budgets ("namespace/name") that its eviction breaks."""


@dataclass(frozen=True, slots=True)
class Preemption:
    """Whether evicting pods of lower priority would help. Upstream: PostFilter."""

    eligible: bool
    ineligible_reason: str = ""
    """Upstream's words; empty where eligible."""
    potential: tuple[str, ...] = ()
    """Nodes on which a dry run was made."""
    candidates: Mapping[str, Candidate] = field(default_factory=dict)
    still_rejected: Mapping[str, NodeTrace] = field(default_factory=dict)
    """By node: what rejects the pod after all pods of lower priority are gone."""
    no_victims: tuple[str, ...] = ()
    """Potential nodes without any pod of lower priority."""
    not_helpful: tuple[str, ...] = ()
    """Nodes where no eviction can help."""
    nominated: tuple[str, ...] = ()
    """The best candidates: one, or all that tie."""
    decided_by: str = ""
    """The criterion that left only these."""
    message: str = ""
    """The tail that upstream adds to its message."""
    enabled: bool = True
    """The profile has preemption; without it nobody is evicted whatever the dry run finds."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What the scheduler does with a pod now, and why."""

    pod: PodView
    scheduler: str
    """Such as "kube-scheduler 1.35"."""
    minor: int
    """The 35 of 1.35: chooses upstream's texts."""
    held: Verdict | None = None
    """PreEnqueue: the pod is not even tried."""
    prefilter: Verdict | None = None
    """Rejected before any node was looked at."""
    narrowed_to: frozenset[str] | None = None
    """The only nodes that were looked at; None for all."""
    narrowed_by: tuple[str, ...] = ()
    """The plugins that narrowed, sorted."""
    node_count: int = 0
    traces: Mapping[str, NodeTrace] = field(default_factory=dict)
    """Every node looked at, in the cluster's order."""
    scores: Mapping[str, NodeScore] = field(default_factory=dict)
    winners: tuple[str, ...] = ()
    """The top scorers, any of which may be taken; sorted."""
    preemption: Preemption | None = None
    message: str = ""
    """The scheduler's own sentence; empty where the pod gets a node."""
    not_modelled: tuple[str, ...] = ()
    """Plugins and features in play that are not replayed."""
    may_refuse: tuple[str, ...] = ()
    """Those of them that may refuse the pod although it has winners."""
    error: str = ""
    """The scheduler's own error, where it gives no verdict."""

    @property
    def feasible(self) -> tuple[str, ...]:
        """The nodes that can take the pod, in the cluster's order."""
        return tuple(n for n, trace in self.traces.items() if trace.outcome is Outcome.FITS)

    @property
    def outcome(self) -> Outcome:
        """FITS if some node takes it; NOT_CHECKED if none is known to but some might."""
        if self.held is not None:
            return self.held.outcome
        if self.prefilter is not None:
            return self.prefilter.outcome
        return min((trace.outcome for trace in self.traces.values()), default=Outcome.UNRESOLVABLE)
