"""NodeName: a pod that names its node runs there or nowhere.

Upstream: plugins/nodename/node_name.go (v1.35.4), Filter; v1.37.2 for PreFilter.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.framework.plugin import SKIP, FilterPlugin, Prepared
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.versions import Release


@dataclass(frozen=True, slots=True)
class OtherNodeNamed(Reason):
    """spec.nodeName asks for another node."""

    code: ClassVar[str] = "other-node-named"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE
    node_name: str
    """The node that the pod names."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't match the requested node name"

    def sentence(self) -> str:
        return f"asks for node/{self.node_name} by name"


@dataclass(frozen=True)
class NodeName(FilterPlugin):
    """The rule."""

    name: ClassVar[str] = "NodeName"
    has_prefilter: ClassVar[bool] = True
    prefilter_since: ClassVar[int] = 37
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> NodeName:
        return cls(release)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        node_name = pod.pod.spec.node_name
        if not node_name:
            return SKIP
        narrows = self.release.minor >= self.prefilter_since
        return Prepared(node_name, nodes=frozenset((node_name,)) if narrows else None)

    def filter(self, state: str, node: NodeView) -> Iterator[Reason]:
        if node.name != state:
            yield OtherNodeNamed(state)
