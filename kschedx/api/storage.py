"""Volumes, claims, classes and CSI objects. Upstream: api/core/v1 and api/storage/v1 (v1.35.4)."""

from __future__ import annotations

import msgspec

from kschedx.api.meta import (
    LabelSelector,
    Object,
    ObjectMeta,
    StringMap,
    Struct,
)
from kschedx.api.quantity import Quantity
from kschedx.api.selectors import NodeSelector

WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"
IMMEDIATE = "Immediate"


class ClaimResources(Struct, frozen=True):
    requests: dict[str, Quantity] = {}


class TypedReference(Struct, frozen=True):
    kind: str = ""
    name: str = ""
    api_group: str = ""


class PersistentVolumeClaimSpec(Struct, frozen=True):
    access_modes: tuple[str, ...] = ()
    resources: ClaimResources = ClaimResources()
    storage_class_name: str | None = None
    volume_name: str = ""
    volume_mode: str | None = None
    selector: LabelSelector | None = None
    volume_attributes_class_name: str | None = None
    data_source: TypedReference | None = None


class PersistentVolumeClaimStatus(Struct, frozen=True):
    phase: str = ""
    capacity: dict[str, Quantity] = {}


class PersistentVolumeClaim(Object, frozen=True, kw_only=True):
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class PersistentVolumeClaimTemplate(Struct, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()


class ObjectReference(Struct, frozen=True):
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class VolumeNodeAffinity(Struct, frozen=True):
    required: NodeSelector | None = None


class PersistentCSI(Struct, frozen=True):
    driver: str = ""
    volume_handle: str = ""


class PersistentDisk(Struct, frozen=True):
    """What an old in-tree volume source names: each source uses some of these fields."""

    pd_name: str = ""
    volume_id: str = msgspec.field(name="volumeID", default="")
    disk_name: str = ""
    disk_uri: str = msgspec.field(name="diskURI", default="")
    kind: str | None = None
    volume_path: str = ""


class PersistentVolumeSpec(Struct, frozen=True):
    capacity: dict[str, Quantity] = {}
    access_modes: tuple[str, ...] = ()
    claim_ref: ObjectReference | None = None
    storage_class_name: str = ""
    volume_mode: str | None = None
    node_affinity: VolumeNodeAffinity | None = None
    csi: PersistentCSI | None = None
    gce_persistent_disk: PersistentDisk | None = None
    aws_elastic_block_store: PersistentDisk | None = None
    azure_disk: PersistentDisk | None = None
    cinder: PersistentDisk | None = None
    portworx_volume: PersistentDisk | None = None
    vsphere_volume: PersistentDisk | None = None
    local: Struct | None = None
    host_path: Struct | None = None
    persistent_volume_reclaim_policy: str = ""
    volume_attributes_class_name: str | None = None


class PersistentVolumeStatus(Struct, frozen=True):
    phase: str = ""


class PersistentVolume(Object, frozen=True, kw_only=True):
    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: PersistentVolumeStatus = PersistentVolumeStatus()

    @property
    def labels(self) -> StringMap:
        return self.metadata.labels


class TopologySelectorLabelRequirement(Struct, frozen=True):
    key: str = ""
    values: tuple[str, ...] = ()


class TopologySelectorTerm(Struct, frozen=True):
    match_label_expressions: tuple[TopologySelectorLabelRequirement, ...] = ()


class StorageClass(Object, frozen=True, kw_only=True):
    provisioner: str = ""
    volume_binding_mode: str | None = None
    allowed_topologies: tuple[TopologySelectorTerm, ...] = ()
    reclaim_policy: str | None = None


class VolumeNodeResources(Struct, frozen=True):
    count: int | None = None


class CSINodeDriver(Struct, frozen=True):
    name: str = ""
    node_id: str = msgspec.field(name="nodeID", default="")
    topology_keys: tuple[str, ...] = ()
    allocatable: VolumeNodeResources | None = None


class CSINodeSpec(Struct, frozen=True):
    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(Object, frozen=True, kw_only=True):
    spec: CSINodeSpec = CSINodeSpec()


class CSIDriverSpec(Struct, frozen=True):
    storage_capacity: bool | None = None
    prevent_pod_scheduling_if_missing: bool | None = None


class CSIDriver(Object, frozen=True, kw_only=True):
    spec: CSIDriverSpec = CSIDriverSpec()


class CSIStorageCapacity(Object, frozen=True, kw_only=True):
    storage_class_name: str = ""
    node_topology: LabelSelector | None = None
    capacity: Quantity | None = None
    maximum_volume_size: Quantity | None = None


class VolumeAttachmentSource(Struct, frozen=True):
    persistent_volume_name: str | None = None


class VolumeAttachmentSpec(Struct, frozen=True):
    attacher: str = ""
    node_name: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()


class VolumeAttachmentStatus(Struct, frozen=True):
    attached: bool = False


class VolumeAttachment(Object, frozen=True, kw_only=True):
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
    status: VolumeAttachmentStatus = VolumeAttachmentStatus()
