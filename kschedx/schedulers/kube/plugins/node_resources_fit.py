"""NodeResourcesFit: a node needs room for all that the pod requests, and a free pod slot.

Upstream: plugins/noderesources/fit.go (v1.35.4; v1.33.13, v1.36.3, v1.37.2 for what differs),
PreFilter, Filter.
Differences: the gated InPlacePodVerticalScalingSchedulerPreemption is not modelled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kschedx.api.devices import DeviceClass
from kschedx.api.plugin_args import NodeResourcesFitArgs, read_args
from kschedx.api.quantity import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, show_each
from kschedx.framework.accounting import is_extended, is_scalar
from kschedx.framework.plugin import FilterPlugin, Prepared, ScorePlugin
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.allocation_strategies import (
    LEAST_ALLOCATED,
    Strategy,
    added,
    strategy,
)
from kschedx.schedulers.kube.device_resources import NO_DEVICES, DeviceResources, device_resources
from kschedx.schedulers.kube.resource_scores import usages
from kschedx.schedulers.kube.versions import Release


@dataclass(frozen=True, slots=True)
class InsufficientResource(Reason):
    """The pod requests more of a resource than is left. Cpu in milli, the rest in whole units."""

    code: ClassVar[str] = "insufficient-resource"
    resource: str
    requested: int
    """By the pod."""
    used: int
    """By the pods on the node."""
    allocatable: int
    """What the node has for pods in all."""
    preemptible: bool = True
    """Evicting pods may make room. From 1.34 on the scheduler knows where it cannot."""

    @property
    def outcome(self) -> Outcome:
        return Outcome.UNSCHEDULABLE if self.preemptible else Outcome.UNRESOLVABLE

    def upstream_text(self, minor: int) -> str:
        return f"Insufficient {self.resource}"

    def sentence(self) -> str:
        need, total, free = show_each(
            self.resource, self.requested, self.allocatable, self.allocatable - self.used
        )
        return f"needs {need} {self.resource}, {free} of {total} free"

    def short_by(self) -> int:
        return self.requested + self.used - self.allocatable

    def subject(self) -> str:
        return f"insufficient {self.resource}"


@dataclass(frozen=True, slots=True)
class TooManyPods(Reason):
    """The node already holds as many pods as it may."""

    code: ClassVar[str] = "too-many-pods"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    pods: int
    """How many it holds."""
    allocatable: int

    def upstream_text(self, minor: int) -> str:
        return "Too many pods"

    def sentence(self) -> str:
        return f"holds {self.pods} pods of at most {self.allocatable}"

    def short_by(self) -> int:
        return self.pods + 1 - self.allocatable


@dataclass(frozen=True, slots=True)
class SidecarsDisabled(Reason):
    """The pod has a restartable init container, and the scheduler is told not to know them."""

    code: ClassVar[str] = "sidecars-disabled"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE

    def upstream_text(self, minor: int) -> str:
        return "Pod has a restartable init container and the SidecarContainers feature is disabled"

    def sentence(self) -> str:
        return "has a restartable init container; feature gate SidecarContainers is off"


@dataclass(frozen=True, slots=True)
class Requests:
    """What a pod requests, without what is zero or ignored."""

    amounts: tuple[tuple[str, int], ...]
    devices: DeviceResources = NO_DEVICES


@dataclass(frozen=True)
class NodeResourcesFit(FilterPlugin, ScorePlugin):
    """The rule."""

    name: ClassVar[str] = "NodeResourcesFit"
    has_prefilter: ClassVar[bool] = True
    needs_prefilter: ClassVar[bool] = True
    has_prescore: ClassVar[bool] = True
    release: Release
    ignored_resources: frozenset[str] = frozenset()
    ignored_resource_groups: frozenset[str] = frozenset()
    """Parts of resource names before the slash."""
    scoring: Strategy = field(default=LEAST_ALLOCATED)

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> NodeResourcesFit:
        """Raises KschedxError for arguments that the scheduler would refuse."""
        read = read_args(NodeResourcesFitArgs, cls.name, args)
        return cls(
            release,
            frozenset(read.ignored_resources),
            frozenset(read.ignored_resource_groups),
            strategy(cls.name, read.scoring_strategy),
        )

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        if not self.release.enabled("SidecarContainers") and any(
            container.restartable for container in pod.pod.spec.init_containers
        ):
            return Prepared(rejects=(SidecarsDisabled(),))
        asked = pod.asked
        names = [name for name in (CPU, MEMORY, EPHEMERAL_STORAGE) if name in asked]
        names += sorted(name for name in asked if is_scalar(name) and not self._ignored(name))
        amounts = tuple((name, asked[name]) for name in names if asked[name] > 0)
        return Prepared(Requests(amounts, device_resources(amounts, cluster, self.release)))

    def _ignored(self, resource: str) -> bool:
        return is_extended(resource) and (
            resource in self.ignored_resources
            or resource.partition("/")[0] in self.ignored_resource_groups
        )

    def filter(self, state: Requests, node: NodeView) -> Iterable[Reason]:
        allocatable = node.allocatable
        used = node.requested
        reasons: list[Reason] = []
        pods = len(node.pods)
        if pods + 1 > allocatable.get(PODS, 0):
            reasons.append(TooManyPods(pods, allocatable.get(PODS, 0)))
        for name, amount in state.amounts:
            total = allocatable.get(name, 0)
            taken = used.get(name, 0)
            if amount > total - taken:
                reasons += self._lacking(state, InsufficientResource(name, amount, taken, total))
        return reasons

    def _lacking(self, state: Requests, found: InsufficientResource) -> Iterable[Reason]:
        """The reason, unless devices behind the resource's name may provide it."""
        name = found.resource
        if found.allocatable <= 0 and name in state.devices.backed:
            return
        if found.allocatable <= 0 and name in state.devices.unknown:
            yield SnapshotLacks(DeviceClass.__name__, f"for resource {name}")
        elif self.release.minor >= 34 and found.requested > found.allocatable:
            yield InsufficientResource(
                name, found.requested, found.used, found.allocatable, preemptible=False
            )
        else:
            yield found

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> Sequence[int]:
        return added(pod, self.scoring.resources, self.release)

    def score(self, state: Sequence[int], node: NodeView) -> int:
        return self.scoring.score(usages(node, self.scoring.resources, state, stand_ins=True))
