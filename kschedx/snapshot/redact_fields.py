"""What each text field of the API holds, for redaction: a name, a label, an image, a plain word.

A field that is not named here is taken for a name and replaced, so that one added later cannot
leak. Texts for people are dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from kschedx.snapshot import kinds
from kschedx.snapshot.pseudonyms import VALUE, Names

_DRIVERS: Final = frozenset(
    {
        "cinder.csi.openstack.org",
        "disk.csi.azure.com",
        "ebs.csi.aws.com",
        "file.csi.azure.com",
        "pd.csi.storage.gke.io",
        "pxd.portworx.com",
        "csi.vsphere.vmware.com",
    }
)
"""CSI drivers that took over an in-tree plugin: volumes of both are told apart by these names."""
_HANDLE_WORDS: Final = frozenset(
    {"", "aws:", "projects", "zones", "regions", "disks", "UNSPECIFIED"}
)
_OWNERS: Final = frozenset(kind.name for kind in kinds.ALL) | {"CronJob", "PodGroup"}
_KUBERNETES_GROUP: Final = re.compile(r"(|apps|batch|policy|([a-z0-9-]+\.)*(kubernetes|k8s)\.io)")
_PLAIN_WORD: Final = re.compile(r"[A-Za-z]+")
_ANY_ADDRESS: Final = frozenset({"", "0.0.0.0", "::", "127.0.0.1", "::1"})
_STORAGE_QUOTA: Final = ".storageclass.storage.k8s.io/"
_DEVICE_CLASS: Final = "deviceclass.resource.kubernetes.io/"

Leaf = Callable[[Names, str], str]


def keep(names: Names, text: str) -> str:
    """A word of Kubernetes' own, a time, a quantity."""
    return text


def _drop(names: Names, text: str) -> str:
    return ""


def name(names: Names, text: str) -> str:
    """The name of anything."""
    return names.text(text, "name")


def label_value(names: Names, text: str) -> str:
    """A label value; that of a volume in several zones names them all."""
    if "__" in text:
        return "__".join(names.text(part, VALUE) for part in text.split("__"))
    return names.text(text, VALUE)


def _key(names: Names, text: str) -> str:
    return names.key(text)


def _image(names: Names, text: str) -> str:
    return names.image(text) if text else text


def _handle(names: Names, text: str) -> str:
    """A volume as its driver knows it: a path of names, some of which stand elsewhere too."""
    parts = text.split("/")
    return "/".join(p if p in _HANDLE_WORDS else names.text(p, "disk") for p in parts)


def _driver(names: Names, text: str) -> str:
    known = text in _DRIVERS or text.startswith("kubernetes.io/")
    return text if known else names.text(text, "driver")


def _owner(names: Names, text: str) -> str:
    return text if text in _OWNERS else names.text(text, "kind")


def _group(names: Names, text: str) -> str:
    """An API group, with or without a version."""
    group, slash, version = text.partition("/")
    if not slash and text == "v1":
        return text
    shown = group if _KUBERNETES_GROUP.fullmatch(group) else names.text(group, "group")
    return f"{shown}{slash}{version}"


def _condition(names: Names, text: str) -> str:
    return text if _PLAIN_WORD.fullmatch(text) else names.key(text)


def _prefix(names: Names, text: str) -> str:
    """A generateName: what stands before the dash is mostly the owner's name."""
    return f"{names.text(text[:-1], 'name')}-" if text.endswith("-") else name(names, text)


def _address(names: Names, text: str) -> str:
    return text if text in _ANY_ADDRESS else names.text(text, "address")


def _uid(names: Names, text: str) -> str:
    return names.text(text, "uid")


def resource(names: Names, text: str) -> str:
    """A resource's name: kept, as a scheduler configuration may name it, but for names in it."""
    before, storage, after = text.partition(_STORAGE_QUOTA)
    if storage:
        return f"{names.text(before, 'storageclass')}{storage}{after}"
    if text.startswith(_DEVICE_CLASS):
        return _DEVICE_CLASS + names.text(text.removeprefix(_DEVICE_CLASS), "deviceclass")
    return text


_KEPT_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "AzureDiskVolume": ("kind",),
    "CSIStorageCapacity": (
        "capacity",
        "maximum_volume_size",
    ),
    "ClaimRetentionPolicy": (
        "when_deleted",
        "when_scaled",
    ),
    "Container": ("restart_policy",),
    "ContainerPort": ("protocol",),
    "ContainerRestartRule": ("action",),
    "DaemonSetUpdateStrategy": ("type",),
    "DeploymentStrategy": ("type",),
    "LabelSelectorRequirement": ("operator",),
    "LimitRangeItem": ("type",),
    "NodeCondition": ("status",),
    "NodeSelectorRequirement": ("operator",),
    "NodeStatus": ("declared_features",),
    "NodeSystemInfo": ("kubelet_version",),
    "ObjectMeta": (
        "creation_timestamp",
        "deletion_timestamp",
    ),
    "PersistentDisk": ("kind",),
    "PersistentVolumeClaimSpec": (
        "access_modes",
        "volume_mode",
    ),
    "PersistentVolumeClaimStatus": ("phase",),
    "PersistentVolumeSpec": (
        "access_modes",
        "persistent_volume_reclaim_policy",
        "volume_mode",
    ),
    "PersistentVolumeStatus": ("phase",),
    "PodCondition": (
        "last_transition_time",
        "status",
    ),
    "PodDisruptionBudgetSpec": (
        "max_unavailable",
        "min_available",
        "unhealthy_pod_eviction_policy",
    ),
    "PodSpec": (
        "preemption_policy",
        "restart_policy",
    ),
    "PodStatus": (
        "phase",
        "resize",
        "start_time",
    ),
    "PriorityClass": ("preemption_policy",),
    "ResourceQuotaSpec": ("scopes",),
    "RollingUpdateDaemonSet": (
        "max_surge",
        "max_unavailable",
    ),
    "RollingUpdateDeployment": (
        "max_surge",
        "max_unavailable",
    ),
    "RollingUpdateStatefulSet": ("max_unavailable",),
    "ScopedResourceSelectorRequirement": (
        "operator",
        "scope_name",
    ),
    "StatefulSetSpec": ("pod_management_policy",),
    "StatefulSetUpdateStrategy": ("type",),
    "StorageClass": (
        "reclaim_policy",
        "volume_binding_mode",
    ),
    "Taint": ("effect",),
    "Toleration": (
        "effect",
        "operator",
    ),
    "TopologySpreadConstraint": (
        "node_affinity_policy",
        "node_taints_policy",
        "when_unsatisfiable",
    ),
    "VolumeMount": ("bind_mount_options",),
    "WorkloadCondition": (
        "last_transition_time",
        "status",
    ),
}
LEAVES: Final[Mapping[str, Leaf]] = {
    **{f"{cls}.{field}": keep for cls, fields in _KEPT_FIELDS.items() for field in fields},
    "ObjectMeta.resource_version": _drop,
    "NodeCondition.reason": _drop,
    "PodCondition.message": _drop,
    "PodStatus.message": _drop,
    "Waiting.message": _drop,
    "WorkloadCondition.message": _drop,
    "NodeCondition.type": _condition,
    "PodCondition.type": _condition,
    "PodCondition.reason": _condition,
    "PodStatus.reason": _condition,
    "Waiting.reason": _condition,
    "WorkloadCondition.type": _condition,
    "WorkloadCondition.reason": _condition,
    "Container.image": _image,
    "ContainerImage.names": _image,
    "ImageVolume.reference": _image,
    "Container.name": lambda names, text: names.text(text, "container"),
    "ContainerPort.host_ip": _address,
    "CSINodeDriver.name": _driver,
    "CSIVolume.driver": _driver,
    "PersistentCSI.driver": _driver,
    "StorageClass.provisioner": _driver,
    "VolumeAttachmentSpec.attacher": _driver,
    "CSINodeDriver.topology_keys": _key,
    "LabelSelectorRequirement.key": _key,
    "NodeSelectorRequirement.key": _key,
    "ObjectMeta.finalizers": _key,
    "PodAffinityTerm.match_label_keys": _key,
    "PodAffinityTerm.mismatch_label_keys": _key,
    "PodAffinityTerm.topology_key": _key,
    "PodSchedulingGate.name": _key,
    "Taint.key": _key,
    "Toleration.key": _key,
    "TopologySelectorLabelRequirement.key": _key,
    "TopologySpreadConstraint.match_label_keys": _key,
    "TopologySpreadConstraint.topology_key": _key,
    "LabelSelectorRequirement.values": label_value,
    "NodeSelectorRequirement.values": label_value,
    "Taint.value": label_value,
    "Toleration.value": label_value,
    "TopologySelectorLabelRequirement.values": label_value,
    "AWSElasticBlockStore.volume_id": _handle,
    "AzureDiskVolume.disk_uri": _handle,
    "CinderVolume.volume_id": _handle,
    "NodeSpec.provider_id": _handle,
    "PersistentCSI.volume_handle": _handle,
    "PersistentDisk.disk_uri": _handle,
    "PersistentDisk.volume_id": _handle,
    "PersistentDisk.volume_path": _handle,
    "PortworxVolume.volume_id": _handle,
    "VsphereVolume.volume_path": _handle,
    "DeviceClassSpec.extended_resource_name": resource,
    "ObjectMeta.generate_name": _prefix,
    "ObjectMeta.uid": _uid,
    "ObjectReference.uid": _uid,
    "OwnerReference.uid": _uid,
    "ObjectReference.kind": _owner,
    "OwnerReference.kind": _owner,
    "TypedReference.kind": _owner,
    "OwnerReference.api_version": _group,
    "TypedReference.api_group": _group,
}
"""What a text field holds; a name where it is not said."""

LABEL_MAPS: Final = frozenset(
    {
        "LabelSelector.match_labels",
        "ObjectMeta.labels",
        "PodSpec.node_selector",
        "ReplicationControllerSpec.selector",
        "RuntimeClassScheduling.node_selector",
        "ServiceSpec.selector",
    }
)
ANNOTATIONS: Final[Mapping[str, Leaf]] = {
    "kubernetes.io/config.mirror": lambda names, text: "true",
    "scheduling.k8s.io/group-name": name,
    "volume.beta.kubernetes.io/storage-class": name,
    "volume.kubernetes.io/selected-node": name,
}
"""Values of kept annotations that hold names; the others are numbers, flags and Kubernetes' own."""
