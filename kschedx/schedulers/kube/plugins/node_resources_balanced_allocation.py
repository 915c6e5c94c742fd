"""NodeResourcesBalancedAllocation: prefer nodes whose resources fill up evenly.

Upstream: plugins/noderesources/balanced_allocation.go (v1.32.13, v1.35.4, v1.36.3), PreScore, Score.
Differences: none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.api.plugin_args import NodeResourcesBalancedAllocationArgs, read_args, unusable_args
from kschedx.framework.plugin import MAX_NODE_SCORE, ScorePlugin
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.resource_scores import (
    CPU_AND_MEMORY,
    ScoredResource,
    scored_resources,
    usages,
)
from kschedx.schedulers.kube.versions import Release


def _balance(fractions: Sequence[float]) -> int:
    """50 (one resource full, the other empty) to 100 (all equally full).

    In upstream's order of floating point steps (which sum() does not keep), so that the cut to a
    whole number agrees.
    """
    deviation = 0.0
    if len(fractions) == 2:  # upstream's short cut for cpu and memory
        deviation = abs((fractions[0] - fractions[1]) / 2)
    elif len(fractions) > 2:
        total = 0.0
        for fraction in fractions:
            total += fraction
        mean = total / len(fractions)
        squares = 0.0
        for fraction in fractions:
            squares += (fraction - mean) * (fraction - mean)
        deviation = math.sqrt(squares / len(fractions))
    return int((1 - deviation) * MAX_NODE_SCORE)


@dataclass(frozen=True)
class NodeResourcesBalancedAllocation(ScorePlugin):
    """The rule."""

    name: ClassVar[str] = "NodeResourcesBalancedAllocation"
    has_prescore: ClassVar[bool] = True
    release: Release
    resources: tuple[ScoredResource, ...] = CPU_AND_MEMORY

    @classmethod
    def from_args(
        cls, args: Mapping[str, Any], release: Release
    ) -> NodeResourcesBalancedAllocation:
        """Raises KschedxError for arguments that the scheduler would refuse."""
        read = read_args(NodeResourcesBalancedAllocationArgs, cls.name, args)
        resources = scored_resources(cls.name, read.resources, max_weight=1)
        if len({resource.name for resource in resources}) < len(resources):
            raise unusable_args(cls.name, "a resource is named twice")
        return cls(release, resources)

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> Sequence[int] | None:
        """What the pod really requests of each resource; from 1.33 on best-effort pods skip."""
        asked = [pod.requests.get(resource.name, 0) for resource in self.resources]
        return asked if self.release.minor <= 32 or any(asked) else None

    def score(self, state: Sequence[int], node: NodeView) -> int:
        found = usages(node, self.resources, state, stand_ins=False)
        with_pod = _balance([min(1.0, float(u.requested) / float(u.allocatable)) for u in found])
        if self.release.minor <= 35:
            return with_pod
        without_pod = _balance([min(1.0, float(u.used) / float(u.allocatable)) for u in found])
        half = MAX_NODE_SCORE // 2
        return half + (half + with_pod - without_pod) // 2
