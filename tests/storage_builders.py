"""Small storage objects for tests, and what a storage rule says of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kschedx.api.pod import Pod
from kschedx.api.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from kschedx.framework.plugin import FilterPlugin
from kschedx.framework.verdict import Reason
from kschedx.framework.views import ClusterView, PodView
from tests.builders import pod

ZONE = "topology.kubernetes.io/zone"
Expression = tuple[str, str, Sequence[str]]
"""(key, operator, values)"""


def expressions(*wanted: Expression) -> list[dict[str, Any]]:
    """Requirements as a node selector or a label selector writes them."""
    return [{"key": k, "operator": op, "values": list(values)} for k, op, values in wanted]


def claim(
    name: str = "c",
    storage_class: str | None = "waits",
    *,
    namespace: str = "default",
    bound: str = "",
    size: str = "10Gi",
    modes: Sequence[str] = ("ReadWriteOnce",),
    phase: str = "",
    annotations: Mapping[str, str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    spec: Mapping[str, Any] | None = None,
) -> PersistentVolumeClaim:
    """A claim, bound to the volume where one is given."""
    completed = {"pv.kubernetes.io/bind-completed": "yes"} if bound else {}
    raw = {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"claim-{name}",
            "annotations": {**completed, **(annotations or {})},
            **(metadata or {}),
        },
        "spec": {
            "accessModes": list(modes),
            "storageClassName": storage_class,
            "resources": {"requests": {"storage": size}} if size else {},
            "volumeName": bound,
            **(spec or {}),
        },
        "status": {"phase": phase or ("Bound" if bound else "Pending")},
    }
    return msgspec.convert(raw, PersistentVolumeClaim)


def volume(
    name: str = "v",
    storage_class: str = "waits",
    *,
    size: str = "10Gi",
    modes: Sequence[str] = ("ReadWriteOnce",),
    places: Sequence[Sequence[Expression]] | None = None,
    labels: Mapping[str, str] | None = None,
    driver: str = "",
    phase: str = "Available",
    metadata: Mapping[str, Any] | None = None,
    spec: Mapping[str, Any] | None = None,
) -> PersistentVolume:
    """A volume; `places` are the terms of its node affinity, `driver` makes it a CSI volume."""
    own: dict[str, Any] = {
        "accessModes": list(modes),
        "storageClassName": storage_class,
        "capacity": {"storage": size},
    }
    if driver:
        own["csi"] = {"driver": driver, "volumeHandle": name}
    if places is not None:
        terms = [{"matchExpressions": expressions(*place)} for place in places]
        own["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    raw = {
        "metadata": {"name": name, "labels": dict(labels or {}), **(metadata or {})},
        "spec": {**own, **(spec or {})},
        "status": {"phase": phase},
    }
    return msgspec.convert(raw, PersistentVolume)


def storage_class(
    name: str = "waits",
    provisioner: str = "csi.example.com",
    *,
    waits: bool = True,
    topologies: Sequence[Sequence[tuple[str, Sequence[str]]]] = (),
) -> StorageClass:
    """A class; `topologies` are the terms of allowedTopologies."""
    raw = {
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer" if waits else "Immediate",
        "allowedTopologies": [
            {"matchLabelExpressions": [{"key": k, "values": list(v)} for k, v in term]}
            for term in topologies
        ],
    }
    return msgspec.convert(raw, StorageClass)


def csi_node(
    name: str = "n1",
    limits: Mapping[str, int | None] | None = None,
    *,
    migrated: Sequence[str] = (),
) -> CSINode:
    """A CSINode with these drivers and their limits, None for a driver without one."""
    annotation = "storage.alpha.kubernetes.io/migrated-plugins"
    raw = {
        "metadata": {"name": name, "annotations": {annotation: ",".join(migrated)}},
        "spec": {
            "drivers": [
                {"name": driver, "nodeID": name, "allocatable": {"count": count}}
                for driver, count in (limits or {}).items()
            ]
        },
    }
    return msgspec.convert(raw, CSINode)


def csi_driver(
    name: str = "csi.example.com", *, tracks_capacity: bool = False, insists: bool = False
) -> CSIDriver:
    """A driver; `insists`: no pods where it is not installed."""
    spec = {"storageCapacity": tracks_capacity, "preventPodSchedulingIfMissing": insists}
    return msgspec.convert({"metadata": {"name": name}, "spec": spec}, CSIDriver)


def capacity(
    name: str = "cap",
    storage_class: str = "waits",
    *,
    labels: Mapping[str, str] | None = None,
    size: str | None = "100Gi",
    largest: str | None = None,
) -> CSIStorageCapacity:
    """How much a class can still provision for nodes with these labels."""
    raw = {
        "metadata": {"name": name, "namespace": "kube-system"},
        "storageClassName": storage_class,
        "nodeTopology": {"matchLabels": dict(labels or {})},
        "capacity": size,
        "maximumVolumeSize": largest,
    }
    return msgspec.convert(raw, CSIStorageCapacity)


def attachment(name: str, node: str, volume_name: str, driver: str) -> VolumeAttachment:
    """A volume that is attached to a node."""
    source = {"persistentVolumeName": volume_name}
    raw = {
        "metadata": {"name": name},
        "spec": {"attacher": driver, "nodeName": node, "source": source},
    }
    return msgspec.convert(raw, VolumeAttachment)


def uses(*claims: str) -> list[dict[str, Any]]:
    """Volumes that mount these claims."""
    return [
        {"name": f"v{index}", "persistentVolumeClaim": {"claimName": name}}
        for index, name in enumerate(claims)
    ]


def using(*claims: str, name: str = "p", node: str = "", **options: Any) -> Pod:
    """A pod that mounts these claims."""
    return pod(name, node=node, spec={"volumes": uses(*claims)}, **options)


def ephemeral(volume_name: str = "scratch") -> dict[str, Any]:
    """A generic ephemeral volume."""
    return {"name": volume_name, "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}


Said = dict[str, tuple[Reason, ...]] | tuple[Reason, ...] | None
"""Reasons by node, those of PreFilter alone, or None where the rule has nothing to say."""


def said(plugin: FilterPlugin, cluster: ClusterView, target: Pod) -> Said:
    """What the rule says of the pod; nodes that fit are left out."""
    prepared = plugin.prepare(PodView(target, cluster.accounting), cluster)
    if prepared.rejects:
        return prepared.rejects
    if prepared.skip:
        return None
    found = {n: tuple(plugin.filter(prepared.state, view)) for n, view in cluster.nodes.items()}
    return {name: reasons for name, reasons in found.items() if reasons}
