"""The volumes of pods that CSI drivers attach to nodes, told apart by driver and handle.

Upstream: plugins/nodevolumelimits/csi.go (v1.35.4), filterAttachableVolumes, getCSIDriverInfo,
getNodeVolumeAttachmentInfo.
Differences: none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kschedx.api.pod import Pod, Volume
from kschedx.api.storage import (
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from kschedx.framework.verdict import SnapshotLacks
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.claims import (
    ClaimOfAnotherPod,
    claim_name,
    class_of,
    made_for,
)
from kschedx.schedulers.kube.csi_migration import (
    BY_NAME,
    NEVER_TAKEN_OVER,
    InTreePlugin,
    TranslationError,
    handle_of,
    inline_handle_of,
    inline_plugin_of,
    plugin_of,
)
from kschedx.snapshot.snapshot import Snapshot

_SHARED: Final = frozenset({"ReadWriteMany", "ReadOnlyMany"})
"""Access modes in which a volume may be attached to several nodes."""

Handle = tuple[str, str]
"""(driver, handle): one volume, however many pods use it."""


@dataclass(frozen=True, slots=True)
class Attachable:
    """A volume that counts; with an in-tree plugin only where a driver took that over."""

    handle: Handle
    plugin: InTreePlugin | None = None


@dataclass(frozen=True, slots=True)
class ClaimMissing:
    """A claim ("namespace/name") that does not exist."""

    claim: str


@dataclass(frozen=True, slots=True)
class Failing:
    """A volume on which upstream fails; with an in-tree plugin only where a driver took it over."""

    error: str
    plugin: InTreePlugin | None = None


Found = Attachable | ClaimMissing | Failing | SnapshotLacks
"""What is known of a volume; SnapshotLacks where it depends on what was not read."""


@dataclass(frozen=True, slots=True)
class PodVolumes:
    """A pod's volumes, without those that no driver attaches."""

    found: tuple[Found, ...]
    """All, in the pod's order."""
    handles: frozenset[Handle]
    """Of those, the ones that count on any node."""
    others: tuple[Found, ...]
    """The rest."""


def _pod_volumes(found: tuple[Found, ...]) -> PodVolumes:
    plain = [f for f in found if isinstance(f, Attachable) and f.plugin is None]
    others = tuple(f for f in found if not isinstance(f, Attachable) or f.plugin is not None)
    return PodVolumes(found, frozenset(f.handle for f in plain), others)


class AttachableVolumes:
    """Looks the volumes of pods up in one snapshot, each pod's once."""

    def __init__(self, snapshot: Snapshot, minor: int) -> None:
        self._snapshot = snapshot
        self._minor = minor
        self._pods: dict[str, PodVolumes] = {}

    def of(self, pod: PodView) -> PodVolumes:
        """What drivers attach for the pod."""
        known = self._pods.get(pod.key)
        if known is None:
            known = self._pods[pod.key] = _pod_volumes(tuple(self._find(pod.pod)))
        return known

    def _find(self, pod: Pod) -> Iterator[Found]:
        for volume in pod.spec.volumes:
            name = claim_name(pod, volume)
            found = _inline(volume) if name is None else self._claimed(pod, volume, name)
            if found is not None:
                yield found

    def _claimed(self, pod: Pod, volume: Volume, name: str) -> Found | None:
        key = f"{pod.namespace}/{name}"
        if not name:
            return Failing("PersistentVolumeClaim had no name")
        if not self._snapshot.read(PersistentVolumeClaim):
            return SnapshotLacks("PersistentVolumeClaim", f"PersistentVolumeClaim {key}")
        claim = self._snapshot.get(PersistentVolumeClaim, key)
        if claim is None:
            return ClaimMissing(key)
        if volume.persistent_volume_claim is None and not made_for(claim, pod):
            return Failing(ClaimOfAnotherPod(key, pod.key).upstream_text(self._minor))
        bound = claim.spec.volume_name
        if bound:
            if not self._snapshot.read(PersistentVolume):
                return SnapshotLacks("PersistentVolume", f"PersistentVolume {bound}")
            found = self._snapshot.get(PersistentVolume, bound)
            if found is not None:
                return _persistent(found)
        return self._by_class(key, class_of(claim))

    def _by_class(self, claim: str, class_name: str) -> Found | None:
        """A volume that is not there yet counts for the driver that will make it."""
        if not class_name:
            return None
        if not self._snapshot.read(StorageClass):
            return SnapshotLacks("StorageClass", f"StorageClass {class_name}")
        storage_class = self._snapshot.get(StorageClass, class_name)
        if storage_class is None or storage_class.provisioner in NEVER_TAKEN_OVER:
            return None
        provisioner = storage_class.provisioner
        plugin = BY_NAME.get(provisioner)
        driver = plugin.driver if plugin is not None else provisioner
        # The handle is not known yet; no other volume has this one.
        return Attachable((driver, f"claim {claim}"), plugin) if driver else None


def _inline(volume: Volume) -> Found | None:
    plugin = inline_plugin_of(volume)
    if plugin is None:
        return None
    try:
        return Attachable((plugin.driver, inline_handle_of(volume)), plugin)
    except TranslationError as error:
        text = f"converting volume({volume.name}) from inline to csi: {error}"
        return Failing(text, plugin)


def _persistent(volume: PersistentVolume) -> Attachable | None:
    csi = volume.spec.csi
    plugin = None
    if csi is not None:
        driver, handle = csi.driver, csi.volume_handle
    else:
        plugin = plugin_of(volume)
        if plugin is None:
            return None
        try:
            driver, handle = plugin.driver, handle_of(volume)
        except TranslationError:
            return None
    return Attachable((driver, handle), plugin) if driver and handle else None


def attachments(snapshot: Snapshot) -> Mapping[str, frozenset[Handle]]:
    """Volumes that are attached as VolumeAttachments say, by node."""
    by_node: dict[str, set[Handle]] = defaultdict(set)
    for attachment in snapshot.all(VolumeAttachment).values():
        spec = attachment.spec
        name = spec.source.persistent_volume_name
        if not spec.attacher or name is None:
            continue
        volume = snapshot.get(PersistentVolume, name)
        if volume is not None and volume.spec.csi is not None:
            by_node[spec.node_name].add((spec.attacher, volume.spec.csi.volume_handle))
        elif not snapshot.read(PersistentVolume):
            by_node[spec.node_name].add((spec.attacher, f"volume {name}"))
    return {node: frozenset(handles) for node, handles in by_node.items()}


def attachable_anywhere(cluster: ClusterView, volumes: AttachableVolumes) -> frozenset[Handle]:
    """Volumes of which no pod says where they are attached: unused, or shared between nodes."""
    placed = {
        found.handle
        for node in cluster.nodes.values()
        for pod in node.pods
        for found in volumes.of(pod).found
        if isinstance(found, Attachable)
    }
    anywhere = set()
    for volume in cluster.snapshot.all(PersistentVolume).values():
        csi = volume.spec.csi
        if csi is not None:
            handle = (csi.driver, csi.volume_handle)
            if handle not in placed or not _SHARED.isdisjoint(volume.spec.access_modes):
                anywhere.add(handle)
    return frozenset(anywhere)
