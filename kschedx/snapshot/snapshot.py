"""Snapshot: all objects that scheduling reads, by kind, and what could not be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from kschedx.api.devices import DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.policy import LimitRange, PodDisruptionBudget, ResourceQuota
from kschedx.api.scheduling import PriorityClass, RuntimeClass
from kschedx.api.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from kschedx.api.workloads import (
    ControllerRevision,
    DaemonSet,
    Deployment,
    Job,
    Namespace,
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
)

NAMESPACED: Final[tuple[type[Object], ...]] = (
    Pod,
    PersistentVolumeClaim,
    CSIStorageCapacity,
    Service,
    ReplicationController,
    ReplicaSet,
    StatefulSet,
    Deployment,
    DaemonSet,
    ControllerRevision,
    Job,
    PodDisruptionBudget,
    LimitRange,
    ResourceQuota,
    ResourceClaim,
    ResourceClaimTemplate,
)
CLUSTER_WIDE: Final[tuple[type[Object], ...]] = (
    Node,
    Namespace,
    PersistentVolume,
    StorageClass,
    CSINode,
    CSIDriver,
    VolumeAttachment,
    PriorityClass,
    RuntimeClass,
    ResourceSlice,
    DeviceClass,
)
KINDS: Final[Mapping[str, type[Object]]] = {
    kind.__name__: kind for kind in NAMESPACED + CLUSTER_WIDE
}

T = TypeVar("T", bound=Object)


def key_of(item: Object) -> str:
    """ "namespace/name" of a namespaced object, "name" of any other: unique within its kind."""
    return f"{item.namespace}/{item.name}" if isinstance(item, NAMESPACED) else item.name


@dataclass(frozen=True)
class Source:
    """Where an object came from; line and column count from 1, 0 where they are not known."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}" if self.line else self.file


@dataclass(frozen=True)
class Snapshot:
    """A cluster at one moment. A value: a change makes a new one."""

    objects: Mapping[type[Object], Mapping[str, Object]] = field(default_factory=dict)
    """By kind, then by key_of."""
    complete: bool = False
    """The objects are all that the cluster holds: a kind without objects is empty, not unread."""
    unread: frozenset[str] = frozenset()
    """Kinds known to be missing (forbidden, not served), whatever `complete` says."""
    version: str | None = None
    """The Kubernetes version as the source states it, such as "v1.35.4"."""
    taken_at: str | None = None
    supposed: bool = False
    """Some of it is a what-if: what the cluster has recorded was not of this."""
    notes: tuple[str, ...] = ()
    """What the loader wants the user to know: replaced duplicates, kinds passed over."""
    sources: Mapping[tuple[type[Object], str], Source] = field(default_factory=dict, repr=False)

    def all(self, kind: type[T]) -> Mapping[str, T]:
        """All objects of a kind by key; empty where there are none or they were not read."""
        return self.objects.get(kind, {})  # type: ignore[return-value]

    def get(self, kind: type[T], key: str) -> T | None:
        return self.all(kind).get(key)

    def read(self, kind: type[Object]) -> bool:
        """Whether this kind was read: if not, nothing may be concluded from its absence."""
        if kind.__name__ in self.unread:
            return False
        return self.complete or bool(self.objects.get(kind))

    def with_objects(self, items: Iterable[Object]) -> Snapshot:
        """These objects added, or put in the place of those with the same kind and key."""
        changed: dict[type[Object], dict[str, Object]] = {}
        for item in items:
            kind = type(item)
            if kind not in changed:
                changed[kind] = dict(self.objects.get(kind, {}))
            changed[kind][key_of(item)] = item
        return replace(self, objects={**self.objects, **changed})

    def without_object(self, kind: type[Object], key: str) -> Snapshot:
        """This object gone. Raises KeyError if it is not there."""
        remaining = dict(self.objects.get(kind, {}))
        del remaining[key]
        return replace(self, objects={**self.objects, kind: remaining})
