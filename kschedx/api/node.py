"""Node and what the scheduler reads of it. Upstream: api/core/v1/types.go (v1.35.4)."""

from __future__ import annotations

from kschedx.api.meta import Object, StringMap, Struct
from kschedx.api.quantity import Quantity


class Taint(Struct, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""

    def __str__(self) -> str:
        """As kubectl writes it: "key=value:Effect", or "key:Effect" without a value."""
        return (
            f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"
        )


class NodeSpec(Struct, frozen=True):
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    provider_id: str = ""


class ContainerImage(Struct, frozen=True):
    names: tuple[str, ...] = ()
    size_bytes: int = 0


class NodeCondition(Struct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""


class NodeSystemInfo(Struct, frozen=True):
    kubelet_version: str = ""


class NodeStatus(Struct, frozen=True):
    capacity: dict[str, Quantity] = {}
    allocatable: dict[str, Quantity] = {}
    conditions: tuple[NodeCondition, ...] = ()
    images: tuple[ContainerImage, ...] = ()
    node_info: NodeSystemInfo = NodeSystemInfo()
    declared_features: tuple[str, ...] = ()


class Node(Object, frozen=True, kw_only=True):
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()

    @property
    def labels(self) -> StringMap:
        return self.metadata.labels
