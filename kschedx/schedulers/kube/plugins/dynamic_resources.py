"""DynamicResources: devices for the pod's claims, allocated by the scheduler itself.

Upstream: plugins/dynamicresources/dynamicresources.go, extendeddynamicresources.go (v1.35.4,
v1.37.2), PreFilter, Filter, Score.
Differences: allocation is not replayed: a pod that needs devices is reported as not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.framework.plugin import SKIP, FilterPlugin, Prepared, ScorePlugin
from kschedx.framework.verdict import NotModelled, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.device_resources import device_resources
from kschedx.schedulers.kube.versions import Release


@dataclass(frozen=True)
class DynamicResources(FilterPlugin, ScorePlugin):
    """The rule."""

    name: ClassVar[str] = "DynamicResources"
    has_prefilter: ClassVar[bool] = True
    needs_prefilter: ClassVar[bool] = True
    score_since: ClassVar[int] = 35
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> DynamicResources:
        return cls(release)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        if not self.release.enabled("DynamicResourceAllocation"):
            return SKIP
        claims = pod.pod.spec.resource_claims
        if claims:
            names = ", ".join(claim.name for claim in claims)
            return Prepared(rejects=(NotModelled(f"allocation of device claims ({names})"),))
        backed = device_resources(pod.asked.items(), cluster, self.release).backed
        return Prepared(sorted(backed), skip=not backed)

    def filter(self, state: Sequence[str], node: NodeView) -> Iterator[Reason]:
        for resource in state:
            if node.allocatable.get(resource, 0) <= 0:
                yield NotModelled(f"allocation of devices for {resource}")

    def prepare_score(self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]) -> None:
        """Only alternatives within claims score, and those are not replayed."""
        return

    def score(self, state: None, node: NodeView) -> int:
        return 0
