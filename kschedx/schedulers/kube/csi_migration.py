"""In-tree volumes that a CSI driver has taken over: by which driver, as which volume, where.

Upstream: csi-translation-lib translate.go, plugins/*.go (v0.35.4); which plugins count as taken
over: plugins/nodevolumelimits/utils.go, plugins/volumebinding/binder.go (v1.35.4).
Differences: what a URL-like EBS name escapes with % stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from kschedx.api.pod import Volume
from kschedx.api.selectors import IN, NodeSelectorRequirement, NodeSelectorTerm
from kschedx.api.storage import CSINode, PersistentVolume
from kschedx.schedulers.kube.topology_labels import (
    BETA_REGION,
    BETA_ZONE,
    REGION,
    SEVERAL,
    ZONE,
)
from kschedx.schedulers.kube.versions import Release

MIGRATED_PLUGINS: Final = "storage.alpha.kubernetes.io/migrated-plugins"
"""CSINode annotation: the in-tree plugins that this node's kubelet leaves to CSI drivers."""
_UNSPECIFIED: Final = "UNSPECIFIED"
_EBS_VOLUME: Final = re.compile(r"vol-[^/]*")


class TranslationError(ValueError):
    """An in-tree volume that upstream cannot express as a CSI volume; the text is upstream's."""


@dataclass(frozen=True, slots=True)
class InTreePlugin:
    """An in-tree plugin that schedulers count as taken over by a CSI driver."""

    name: str
    driver: str
    topology_key: str = ""
    """The driver's own label for a zone; empty where volumes keep their node affinity."""


EBS: Final = InTreePlugin(
    "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"
)
GCE_PD: Final = InTreePlugin(
    "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"
)
CINDER: Final = InTreePlugin(
    "kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone"
)
AZURE_DISK: Final = InTreePlugin("kubernetes.io/azure-disk", "disk.csi.azure.com")
PORTWORX: Final = InTreePlugin("kubernetes.io/portworx-volume", "pxd.portworx.com")

BY_NAME: Final = {plugin.name: plugin for plugin in (EBS, GCE_PD, CINDER, AZURE_DISK, PORTWORX)}
NEVER_TAKEN_OVER: Final = frozenset({"kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"})
"""They can be translated, but the scheduler never counts them as CSI volumes."""


def _portworx_gate(release: Release) -> bool:
    return release.minor >= 31


def _annotated(plugin: InTreePlugin, node: CSINode) -> bool:
    return plugin.name in node.metadata.annotations.get(MIGRATED_PLUGINS, "").split(",")


def counts_as_csi(plugin: InTreePlugin, node: CSINode | None, release: Release) -> bool:
    """Whether volume limits count this plugin's volumes as the driver's on this node.

    Upstream: nodevolumelimits isCSIMigrationOn.
    """
    if node is None:
        return False
    if plugin is not PORTWORX or release.minor >= 36:
        return True
    return _portworx_gate(release) and _annotated(plugin, node)


def moved_on(plugin: InTreePlugin, node: CSINode | None, release: Release) -> bool:
    """Whether this node's kubelet leaves the plugin's volumes to the driver.

    Upstream: volumebinding isCSIMigrationOnForPlugin, isPluginMigratedToCSIOnNode.
    """
    if node is None or (plugin is PORTWORX and not _portworx_gate(release)):
        return False
    return _annotated(plugin, node)


def plugin_of(volume: PersistentVolume) -> InTreePlugin | None:
    """The plugin of a persistent volume; None for other kinds of volumes."""
    spec = volume.spec
    sources = (
        (EBS, spec.aws_elastic_block_store),
        (GCE_PD, spec.gce_persistent_disk),
        (CINDER, spec.cinder),
        (AZURE_DISK, spec.azure_disk),
        (PORTWORX, spec.portworx_volume),
    )
    return next((plugin for plugin, source in sources if source is not None), None)


def inline_plugin_of(volume: Volume) -> InTreePlugin | None:
    """The plugin of a volume that stands in a pod itself; None for other kinds of volumes."""
    sources = (
        (EBS, volume.aws_elastic_block_store),
        (GCE_PD, volume.gce_persistent_disk),
        (CINDER, volume.cinder),
        (AZURE_DISK, volume.azure_disk),
        (PORTWORX, volume.portworx_volume),
    )
    return next((plugin for plugin, source in sources if source is not None), None)


def _ebs_handle(volume_id: str) -> str:
    """Upstream: KubernetesVolumeIDToEBSVolumeID: "aws://zone/vol-1" is vol-1."""
    prefix = "aws://"
    if not volume_id.startswith(prefix):
        return volume_id
    location = volume_id.removeprefix(prefix).partition("#")[0].partition("?")[0]
    name = location.partition("/")[2].strip("/")
    if _EBS_VOLUME.fullmatch(name) is None:
        raise TranslationError(
            "failed to translate Kubernetes ID to EBS Volume ID "
            f"Invalid format for AWS volume ({volume_id})"
        )
    return name


def _gce_region(zones: list[str]) -> str:
    """Upstream: gceGetRegionFromZones: "us-east1-b" lies in us-east1."""
    regions = set()
    for zone in zones:
        parts = zone.split("-")
        if len(parts) != 3:
            raise TranslationError(
                "failed to get region from zones: zone in unexpected format, expected: "
                f"{{locale}}-{{region}}-{{zone}}, got: {zone}"
            )
        regions.add("-".join(parts[:2]))
    if len(regions) != 1:
        listed = " ".join(f"{region}:{{}}" for region in sorted(regions))
        raise TranslationError(
            "failed to get region from zones: multiple or no regions gotten from zones, "
            f"got: map[{listed}]"
        )
    return regions.pop()


def _gce_handle(disk: str, zone_label: str) -> str:
    zones = zone_label.split(SEVERAL)
    if len(zones) > 1:
        return f"projects/{_UNSPECIFIED}/regions/{_gce_region(zones)}/disks/{disk}"
    return f"projects/{_UNSPECIFIED}/zones/{zones[0] or _UNSPECIFIED}/disks/{disk}"


def _azure_handle(disk_uri: str, kind: str | None) -> str:
    if kind is not None and kind.lower() != "managed":
        raise TranslationError(f"kind({kind}) is not supported in csi migration")
    return disk_uri


def handle_of(volume: PersistentVolume) -> str:
    """The driver's handle of an in-tree persistent volume; empty for other kinds of volumes.

    Raises TranslationError where upstream cannot translate the volume.
    """
    spec = volume.spec
    if spec.aws_elastic_block_store is not None:
        return _ebs_handle(spec.aws_elastic_block_store.volume_id)
    if spec.gce_persistent_disk is not None:
        label = volume.labels.get(BETA_ZONE) or volume.labels.get(ZONE, "")
        return _gce_handle(spec.gce_persistent_disk.pd_name, label)
    if spec.azure_disk is not None:
        return _azure_handle(spec.azure_disk.disk_uri, spec.azure_disk.kind)
    other = spec.cinder or spec.portworx_volume
    return other.volume_id if other is not None else ""


def inline_handle_of(volume: Volume) -> str:
    """The driver's handle of an in-tree volume in a pod; empty for other kinds of volumes.

    Raises TranslationError where upstream cannot translate the volume.
    """
    if volume.aws_elastic_block_store is not None:
        return _ebs_handle(volume.aws_elastic_block_store.volume_id)
    if volume.gce_persistent_disk is not None:
        return _gce_handle(volume.gce_persistent_disk.pd_name, "")
    if volume.azure_disk is not None:
        return _azure_handle(volume.azure_disk.disk_uri, volume.azure_disk.kind)
    other = volume.cinder or volume.portworx_volume
    return other.volume_id if other is not None else ""


def _renamed(
    terms: tuple[NodeSelectorTerm, ...], old: str, new: str
) -> tuple[NodeSelectorTerm, ...]:
    return tuple(
        NodeSelectorTerm(
            tuple(
                NodeSelectorRequirement(new, e.operator, e.values) if e.key == old else e
                for e in term.match_expressions
            ),
            term.match_fields,
        )
        for term in terms
    )


def _has_values(terms: tuple[NodeSelectorTerm, ...], key: str) -> bool:
    return any(e.key == key and e.values for term in terms for e in term.match_expressions)


def _zone_key(volume: PersistentVolume, terms: tuple[NodeSelectorTerm, ...]) -> str:
    """Which zone label the volume uses: in its node affinity, else in its labels.

    Upstream: getTopologyLabel.
    """
    keys = {e.key for term in terms for e in term.match_expressions}
    for used in (keys, volume.labels):
        for key in (ZONE, BETA_ZONE):
            if key in used:
                return key
    return ZONE


def driver_affinity(
    volume: PersistentVolume, plugin: InTreePlugin
) -> tuple[NodeSelectorTerm, ...] | None:
    """The node affinity of the CSI volume that takes the in-tree volume's place; None for none.

    Zones turn into the driver's own topology label. Upstream: translateTopologyFromInTreeToCSI.
    """
    affinity = volume.spec.node_affinity
    required = affinity.required if affinity is not None else None
    terms = required.node_selector_terms if required is not None else ()
    if not plugin.topology_key:
        return terms if required is not None else None
    zone_key = _zone_key(volume, terms)
    if _has_values(terms, zone_key):
        terms = _renamed(terms, zone_key, plugin.topology_key)
    else:
        label = volume.labels.get(zone_key, "")
        zones = sorted({zone.strip() for zone in label.split(SEVERAL)} - {""})
        if zones:
            extra = NodeSelectorRequirement(plugin.topology_key, IN, tuple(zones))
            terms = tuple(
                NodeSelectorTerm((*term.match_expressions, extra), term.match_fields)
                for term in terms or (NodeSelectorTerm(),)
            )
    if zone_key == BETA_ZONE and _has_values(terms, BETA_REGION):
        terms = _renamed(terms, BETA_REGION, REGION)
    return terms if terms or required is not None else None
