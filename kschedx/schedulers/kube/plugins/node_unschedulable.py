"""NodeUnschedulable: a cordoned node takes no new pods, unless they tolerate its taint.

Upstream: plugins/nodeunschedulable/node_unschedulable.go (v1.35.4), Filter.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.framework.plugin import FilterPlugin, Prepared
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.tolerations import UNSCHEDULABLE, tolerated
from kschedx.schedulers.kube.versions import Release


@dataclass(frozen=True, slots=True)
class NodeCordoned(Reason):
    """spec.unschedulable is set on the node."""

    code: ClassVar[str] = "node-cordoned"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE

    def upstream_text(self, minor: int) -> str:
        return "node(s) were unschedulable"

    def sentence(self) -> str:
        return "the node is cordoned"

    def detail(self) -> str:
        return ""

    def subject(self) -> str:
        return "cordoned"


@dataclass(frozen=True)
class NodeUnschedulable(FilterPlugin):
    """The rule."""

    name: ClassVar[str] = "NodeUnschedulable"
    has_prefilter: ClassVar[bool] = True
    prefilter_since: ClassVar[int] = 37
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> NodeUnschedulable:
        return cls(release)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        return Prepared(skip=tolerated(UNSCHEDULABLE, pod.pod.spec.tolerations))

    def filter(self, state: None, node: NodeView) -> Iterator[Reason]:
        if node.node.spec.unschedulable:
            yield NodeCordoned()
