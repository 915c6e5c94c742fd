"""Scoring nodes by their resources: prefer empty ones, full ones, or a wanted utilization.

Upstream: plugins/noderesources/least_allocated.go, most_allocated.go,
requested_to_capacity_ratio.go, resource_allocation.go (v1.35.4).
Differences: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.api.plugin_args import ScoringStrategy, unusable_args
from kschedx.api.quantity import CPU
from kschedx.framework.accounting import STAND_INS, pod_requests
from kschedx.framework.plugin import MAX_NODE_SCORE
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.resource_scores import (
    CPU_AND_MEMORY,
    ScoredResource,
    Usage,
    scored_resources,
)
from kschedx.schedulers.kube.utilization_shape import UtilizationShape, utilization_shape
from kschedx.schedulers.kube.versions import Release

_LEVEL: Final = UtilizationShape(((0, 0),))


def added(pod: PodView, resources: Sequence[ScoredResource], release: Release) -> tuple[int, ...]:
    """What the pod adds of each resource: stand-ins for what its containers leave out.

    Only 1.32 honours a request at pod level here. Upstream: calculatePodResourceRequest.
    """
    thousandths = pod_requests(
        pod.pod,
        pod.accounting,
        use_status=release.minor <= 32,
        stand_ins=STAND_INS,
        pod_level=release.minor == 32 and release.enabled("PodLevelResources"),
    )
    amounts = [(r.name, thousandths.get(r.name, 0)) for r in resources]
    return tuple(amount if name == CPU else -(-amount // 1000) for name, amount in amounts)


@dataclass(frozen=True)
class Strategy:
    """How usages become one score of 0 to 100."""

    resources: tuple[ScoredResource, ...] = CPU_AND_MEMORY

    def score(self, found: Sequence[Usage]) -> int:
        """The mean of the resources' scores by weight, rounded down."""
        total = weights = 0
        for usage in found:
            weights += usage.weight
            total += self.resource_score(usage) * usage.weight
        return total // weights if weights else 0

    def resource_score(self, usage: Usage) -> int:
        raise NotImplementedError


class LeastAllocated(Strategy):
    """The emptier, the better."""

    def resource_score(self, usage: Usage) -> int:
        if usage.requested > usage.allocatable:
            return 0
        return (usage.allocatable - usage.requested) * MAX_NODE_SCORE // usage.allocatable


class MostAllocated(Strategy):
    """The fuller, the better."""

    def resource_score(self, usage: Usage) -> int:
        return min(usage.requested, usage.allocatable) * MAX_NODE_SCORE // usage.allocatable


@dataclass(frozen=True)
class RequestedToCapacityRatio(Strategy):
    """As good as a broken line says at this utilization."""

    shape: UtilizationShape = _LEVEL

    def score(self, found: Sequence[Usage]) -> int:
        """The mean by weight of those resources that score at all, rounded half up."""
        scored = [(self.resource_score(usage), usage.weight) for usage in found]
        weights = sum(weight for score, weight in scored if score > 0)
        if not weights:
            return 0
        total = sum(score * weight for score, weight in scored if score > 0)
        return (2 * total + weights) // (2 * weights)

    def resource_score(self, usage: Usage) -> int:
        return self.shape.of(usage.requested, usage.allocatable)


LEAST_ALLOCATED: Final = LeastAllocated()


def strategy(plugin: str, written: ScoringStrategy | None) -> Strategy:
    """The strategy as the plugin's arguments write it, with upstream's defaults.

    Raises KschedxError where the scheduler would refuse them.
    """
    if written is None:
        return LEAST_ALLOCATED
    resources = scored_resources(plugin, written.resources)
    ratio = written.requested_to_capacity_ratio
    shape = utilization_shape(plugin, ratio.shape) if ratio is not None else None
    if written.type == "LeastAllocated":
        return LeastAllocated(resources)
    if written.type == "MostAllocated":
        return MostAllocated(resources)
    if written.type == "RequestedToCapacityRatio" and shape is not None:
        return RequestedToCapacityRatio(resources, shape)
    what = f"type {written.type!r}" if written.type != "RequestedToCapacityRatio" else "no shape"
    raise unusable_args(plugin, f"scoringStrategy: {what}")
