"""Node and what the scheduler reads of it. Upstream: api/core/v1/types.go (v1.35.4)."""

from __future__ import annotations

from msgspec.structs import replace

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

    def cordoned(self, *, unschedulable: bool) -> Node:
        """The same node cordoned or uncordoned, with the taint that goes with it."""
        taints = tuple(t for t in self.spec.taints if t.key != "node.kubernetes.io/unschedulable")
        if unschedulable:
            taints += (Taint(key="node.kubernetes.io/unschedulable", effect="NoSchedule"),)
        return replace(self, spec=replace(self.spec, unschedulable=unschedulable, taints=taints))

    def without_taint(self, taint: Taint) -> Node:
        """The same node without this taint."""
        left = tuple(own for own in self.spec.taints if own != taint)
        return replace(self, spec=replace(self.spec, taints=left))

    def with_label(self, key: str, value: str) -> Node:
        """The same node with one label set."""
        labels = {**self.metadata.labels, key: value}
        return replace(self, metadata=replace(self.metadata, labels=labels))

    def with_room(self, resource: str, quantity: Quantity) -> Node:
        """The same node with another amount of one resource."""
        status = self.status
        return replace(
            self,
            status=replace(
                status,
                capacity={**status.capacity, resource: quantity},
                allocatable={**status.allocatable, resource: quantity},
            ),
        )

    def twin(self, name: str) -> Node:
        """Another node of the same shape, labels and taints, under its own name."""
        labels = {**self.metadata.labels}
        if "kubernetes.io/hostname" in labels:
            labels["kubernetes.io/hostname"] = name
        metadata = replace(self.metadata, name=name, uid="", labels=labels)
        return replace(self, metadata=metadata)
