"""NodeDeclaredFeatures: a pod that needs a feature of the kubelet goes where it is declared.

Upstream: plugins/nodedeclaredfeatures/nodedeclaredfeatures.go (v1.35.4, v1.37.2), PreFilter,
Filter; component-helpers nodedeclaredfeatures/features (v0.35.4, v0.36.3, v0.37.2).
Differences: mount options of ephemeral containers, which a waiting pod does not have, are not read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kschedx.api.pod import PodSpec
from kschedx.framework.plugin import FilterPlugin, Prepared
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.versions import Release


def _restarts_all_containers(spec: PodSpec) -> bool:
    return any(
        rule.action == "RestartAllContainers"
        for container in (*spec.containers, *spec.init_containers)
        for rule in container.restart_policy_rules
    )


def _user_namespace_on_host_network(spec: PodSpec) -> bool:
    return spec.host_network and spec.host_users is False


def _bind_mount_options(spec: PodSpec) -> bool:
    return any(
        mount.bind_mount_options
        for container in (*spec.containers, *spec.init_containers)
        for mount in container.volume_mounts
    )


FEATURES: Final[tuple[tuple[str, int, Callable[[PodSpec], bool]], ...]] = (
    ("RestartAllContainersOnContainerExits", 35, _restarts_all_containers),
    ("UserNamespacesHostNetworkSupport", 36, _user_namespace_on_host_network),
    ("VolumeBindMountOptions", 37, _bind_mount_options),
)
"""(feature, first minor version that looks for it, whether a pod needs it), sorted by name."""


@dataclass(frozen=True, slots=True)
class FeatureNotDeclared(Reason):
    """The node's kubelet does not declare features that the pod needs."""

    code: ClassVar[str] = "feature-not-declared"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE
    features: tuple[str, ...]
    """The missing ones, sorted."""

    def upstream_text(self, minor: int) -> str:
        if minor >= 36:
            return "node(s) didn't match Pod's required features"
        missing = ", ".join(self.features)
        return f"node declared features check failed - unsatisfied requirements: {missing}"

    def sentence(self) -> str:
        return f"needs {', '.join(self.features)}, which the node's kubelet does not declare"

    def subject(self) -> str:
        return f"feature {', '.join(self.features)} not declared"


@dataclass(frozen=True)
class NodeDeclaredFeatures(FilterPlugin):
    """The rule."""

    name: ClassVar[str] = "NodeDeclaredFeatures"
    has_prefilter: ClassVar[bool] = True
    needs_prefilter: ClassVar[bool] = True
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> NodeDeclaredFeatures:
        return cls(release)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        spec = pod.pod.spec
        minor = self.release.minor
        needed = tuple(name for name, since, needs in FEATURES if minor >= since and needs(spec))
        return Prepared(needed, skip=not needed or not self.release.enabled(self.name))

    def filter(self, state: tuple[str, ...], node: NodeView) -> Iterator[Reason]:
        declared = node.node.status.declared_features
        missing = tuple(name for name in state if name not in declared)
        if missing:
            yield FeatureNotDeclared(missing)
