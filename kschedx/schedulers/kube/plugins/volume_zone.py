"""VolumeZone: a volume with a zone or region label is used only from nodes with that label.

Upstream: plugins/volumezone/volume_zone.go (v1.35.4), PreFilter, Filter.
Differences: all labels that differ are told, not only the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from kschedx.api.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from kschedx.framework.plugin import SKIP, FilterPlugin, Prepared
from kschedx.framework.verdict import Reason, SnapshotLacks
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.claims import ClaimNotFound, class_of
from kschedx.schedulers.kube.topology_labels import (
    BETA_REGION,
    BETA_ZONE,
    CURRENT,
    REGION,
    SEVERAL,
    ZONE,
)
from kschedx.schedulers.kube.versions import Release

LABELS = (BETA_ZONE, BETA_REGION, ZONE, REGION)


@dataclass(frozen=True, slots=True)
class ClaimWithoutName(Reason):
    """A volume of the pod names no claim."""

    code: ClassVar[str] = "claim-without-name"

    def upstream_text(self, minor: int) -> str:
        return "PersistentVolumeClaim had no name"

    def sentence(self) -> str:
        return "a volume of the pod has a PersistentVolumeClaim without a name"


@dataclass(frozen=True, slots=True)
class ClaimWithoutClass(Reason):
    """The claim is bound to no volume and has no class that could provide one."""

    code: ClassVar[str] = "claim-without-class"
    claim: str
    """ "namespace/name"."""

    def upstream_text(self, minor: int) -> str:
        return "PersistentVolumeClaim had no pv name and storageClass name"

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} has neither a volume nor a StorageClass"


@dataclass(frozen=True, slots=True)
class StorageClassNotFound(Reason):
    """The claim's class does not exist."""

    code: ClassVar[str] = "storage-class-not-found"
    claim: str
    """ "namespace/name"."""
    storage_class: str

    def upstream_text(self, minor: int) -> str:
        return f'storageclass.storage.k8s.io "{self.storage_class}" not found'

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} wants StorageClass {self.storage_class}, which does not exist"


@dataclass(frozen=True, slots=True)
class BindingModeNotSet(Reason):
    """The claim's class does not say when claims are bound."""

    code: ClassVar[str] = "binding-mode-not-set"
    storage_class: str

    def upstream_text(self, minor: int) -> str:
        return f'VolumeBindingMode not set for StorageClass "{self.storage_class}"'

    def sentence(self) -> str:
        return f"StorageClass {self.storage_class} has no volumeBindingMode"


@dataclass(frozen=True, slots=True)
class ClaimWithoutVolume(Reason):
    """The claim should have been bound before the pod is scheduled."""

    code: ClassVar[str] = "claim-without-volume"
    claim: str
    """ "namespace/name"."""

    def upstream_text(self, minor: int) -> str:
        return "PersistentVolume had no name"

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} has no volume yet"


@dataclass(frozen=True, slots=True)
class VolumeNotFound(Reason):
    """The claim's volume does not exist."""

    code: ClassVar[str] = "volume-not-found"
    claim: str
    """ "namespace/name"."""
    volume: str

    def upstream_text(self, minor: int) -> str:
        return f'persistentvolume "{self.volume}" not found'

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} is bound to PersistentVolume {self.volume}, which does not exist"


@dataclass(frozen=True, slots=True)
class VolumeInOtherZone(Reason):
    """A zone or region label of the volume is not met by the node."""

    code: ClassVar[str] = "volume-in-other-zone"
    claim: str
    """ "namespace/name"."""
    volume: str
    label: str
    wanted: tuple[str, ...]
    """The values of which the node must have one, sorted."""
    has: str | None
    """The node's value; None without the label."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) had no available volume zone"

    def sentence(self) -> str:
        return (
            f"PersistentVolume {self.volume} of claim {self.claim} needs {self.label} "
            f"{' or '.join(self.wanted)}, {self._has}"
        )

    @property
    def _has(self) -> str:
        return f"the node has {self.has}" if self.has is not None else "the node has no such label"

    def detail(self) -> str:
        return f"PersistentVolume {self.volume}, {self._has}"

    def subject(self) -> str:
        wanted = " or ".join(self.wanted)
        return f"volume of claim {self.claim} needs {self.label} {wanted}"


@dataclass(frozen=True, slots=True)
class VolumePlace:
    """One label of one of the pod's volumes."""

    claim: str
    volume: str
    label: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VolumePlaces:
    """All such labels of the pod's volumes, or what rules the pod out on any node."""

    places: tuple[VolumePlace, ...] = ()
    rejects: tuple[Reason, ...] = ()


def _places(claim: str, volume: PersistentVolume) -> Iterator[VolumePlace]:
    """A label with an empty part is passed over. Upstream: getPVTopologies."""
    for label in LABELS:
        value = volume.labels.get(label)
        if value is not None:
            parts = {part.strip() for part in value.split(SEVERAL)}
            if "" not in parts:
                yield VolumePlace(claim, volume.name, label, tuple(sorted(parts)))


@dataclass(frozen=True)
class VolumeZone(FilterPlugin):
    """The rule."""

    name: ClassVar[str] = "VolumeZone"
    has_prefilter: ClassVar[bool] = True
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> Self:
        return cls(release)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        places: list[VolumePlace] = []
        for volume in pod.pod.spec.volumes:
            if volume.persistent_volume_claim is None:
                continue
            name = volume.persistent_volume_claim.claim_name
            found = _bound_volume(f"{pod.namespace}/{name}", cluster)
            if isinstance(found, Reason):
                # Without its PreFilter, the filter itself rules every node out.
                return Prepared(VolumePlaces(rejects=(found,)), rejects=(found,))
            if found is not None:
                places.extend(_places(f"{pod.namespace}/{name}", found))
        return Prepared(VolumePlaces(tuple(places))) if places else SKIP

    def filter(self, state: VolumePlaces, node: NodeView) -> Iterable[Reason]:
        labels = node.labels
        if state.rejects or not any(label in labels for label in LABELS):
            return state.rejects
        reasons = []
        for place in state.places:
            current = CURRENT.get(place.label, place.label)
            has = labels.get(place.label, labels.get(current))
            if has not in place.values:
                reasons.append(
                    VolumeInOtherZone(place.claim, place.volume, place.label, place.values, has)
                )
        return reasons


def _bound_volume(key: str, cluster: ClusterView) -> PersistentVolume | Reason | None:
    """The volume of a claim; None for a claim that is bound only once the pod has a node."""
    snapshot = cluster.snapshot
    if key.endswith("/"):
        return ClaimWithoutName()
    if not snapshot.read(PersistentVolumeClaim):
        return SnapshotLacks("PersistentVolumeClaim", f"PersistentVolumeClaim {key}")
    claim = snapshot.get(PersistentVolumeClaim, key)
    if claim is None:
        return ClaimNotFound(key)
    name = claim.spec.volume_name
    if not name:
        return _why_unbound(key, class_of(claim), cluster)
    if not snapshot.read(PersistentVolume):
        return SnapshotLacks("PersistentVolume", f"PersistentVolume {name}")
    return snapshot.get(PersistentVolume, name) or VolumeNotFound(key, name)


def _why_unbound(key: str, class_name: str, cluster: ClusterView) -> Reason | None:
    if not class_name:
        return ClaimWithoutClass(key)
    if not cluster.snapshot.read(StorageClass):
        return SnapshotLacks("StorageClass", f"StorageClass {class_name}")
    storage_class = cluster.snapshot.get(StorageClass, class_name)
    if storage_class is None:
        return StorageClassNotFound(key, class_name)
    if storage_class.volume_binding_mode is None:
        return BindingModeNotSet(class_name)
    if storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
        return None
    return ClaimWithoutVolume(key)
