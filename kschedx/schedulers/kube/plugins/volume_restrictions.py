"""VolumeRestrictions: some volumes can be used by one pod only.

Upstream: plugins/volumerestrictions/volume_restrictions.go (v1.35.4), PreFilter, AddPod,
RemovePod, Filter.
Differences: none. As upstream, a dry run counts claims by name alone, whatever the namespace.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from kschedx.api.pod import RBDVolume, Volume
from kschedx.api.storage import PersistentVolumeClaim
from kschedx.framework.plugin import SKIP, FilterPlugin, Prepared
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.claims import ClaimNotFound
from kschedx.schedulers.kube.versions import Release

READ_WRITE_ONCE_POD: Final = "ReadWriteOncePod"


@dataclass(frozen=True, slots=True)
class DiskInUse(Reason):
    """A pod on the node has the disk that this pod names itself, without a claim."""

    code: ClassVar[str] = "disk-in-use"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    disk: str
    """Kind and name, such as "gcePersistentDisk data"."""
    pod: str
    """ "namespace/name" of the pod that has it."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) had no available disk"

    def sentence(self) -> str:
        return f"{self.disk} is in use by pod {self.pod} on the node"

    def detail(self) -> str:
        return f"by pod {self.pod}"

    def subject(self) -> str:
        return f"{self.disk} in use"


@dataclass(frozen=True, slots=True)
class ClaimInUse(Reason):
    """Another pod has a claim that only one pod in the cluster may use."""

    code: ClassVar[str] = "claim-in-use"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    claim: str
    """ "namespace/name"."""
    pods: tuple[str, ...]
    """ "namespace/name" of the pods that have it, sorted."""

    def upstream_text(self, minor: int) -> str:
        if minor >= 34:
            return (
                "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                "mode already in-use by another pod"
            )
        return (
            "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod "
            "access mode"
        )

    def sentence(self) -> str:
        return (
            f"PersistentVolumeClaim {self.claim} is for one pod ({READ_WRITE_ONCE_POD}) "
            f"and in use {self.detail()}"
        )

    def detail(self) -> str:
        return f"by pod {', '.join(self.pods)}" if self.pods else "by another pod"

    def subject(self) -> str:
        return f"claim {self.claim} is for one pod and in use"


@dataclass(frozen=True, slots=True)
class ExclusiveVolumes:
    """What the pod wants for itself."""

    disks: tuple[Volume, ...]
    """Volumes whose disk conflicts by node."""
    claims: frozenset[str]
    """Names of its claims that only one pod may use."""
    uses: int
    """How often pods use them, as upstream counts."""
    users: Mapping[str, tuple[str, ...]]
    """Each of them as "namespace/name" -> the pods that use it."""
    gone: frozenset[str] = frozenset()
    """Of those, the ones that a dry run has taken away."""


def _conflicting_disks(volume: Volume) -> bool:
    return (
        volume.gce_persistent_disk is not None
        or volume.aws_elastic_block_store is not None
        or volume.rbd is not None
        or volume.iscsi is not None
    )


def _same_image(mine: RBDVolume, other: RBDVolume) -> bool:
    return (
        not set(mine.monitors).isdisjoint(other.monitors)
        and (mine.pool, mine.image) == (other.pool, other.image)
        and not (mine.read_only and other.read_only)
    )


def shared_disk(mine: Volume, other: Volume) -> str:
    """Kind and name of the disk that both volumes want to write; empty for none.

    Upstream: isVolumeConflict.
    """
    gce, other_gce = mine.gce_persistent_disk, other.gce_persistent_disk
    if (
        gce is not None
        and other_gce is not None
        and gce.pd_name == other_gce.pd_name
        and not (gce.read_only and other_gce.read_only)
    ):
        return f"gcePersistentDisk {gce.pd_name}"
    ebs, other_ebs = mine.aws_elastic_block_store, other.aws_elastic_block_store
    if ebs is not None and other_ebs is not None and ebs.volume_id == other_ebs.volume_id:
        return f"awsElasticBlockStore {ebs.volume_id}"
    iscsi, other_iscsi = mine.iscsi, other.iscsi
    if (
        iscsi is not None
        and other_iscsi is not None
        and iscsi.iqn == other_iscsi.iqn
        and not (iscsi.read_only and other_iscsi.read_only)
    ):
        return f"iscsi {iscsi.iqn}"
    rbd, other_rbd = mine.rbd, other.rbd
    if rbd is not None and other_rbd is not None and _same_image(rbd, other_rbd):
        return f"rbd {rbd.pool}/{rbd.image}"
    return ""


def _claims(pod: PodView) -> Iterator[str]:
    """The names of the claims that the pod names itself, one for each volume."""
    for volume in pod.pod.spec.volumes:
        if volume.persistent_volume_claim is not None:
            yield volume.persistent_volume_claim.claim_name


def _users(
    namespace: str, names: Collection[str], cluster: ClusterView
) -> dict[str, tuple[str, ...]]:
    users: dict[str, set[str]] = {name: set() for name in sorted(names)}
    if users:
        for pods in cluster.pods_in_namespace(namespace).values():
            for pod in pods:
                for name in _claims(pod):
                    if name in users:
                        users[name].add(pod.key)
    return {f"{namespace}/{name}": tuple(sorted(keys)) for name, keys in users.items()}


@dataclass(frozen=True)
class VolumeRestrictions(FilterPlugin):
    """The rule."""

    name: ClassVar[str] = "VolumeRestrictions"
    has_prefilter: ClassVar[bool] = True
    needs_prefilter: ClassVar[bool] = True
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> Self:
        return cls(release)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        disks = tuple(volume for volume in pod.pod.spec.volumes if _conflicting_disks(volume))
        names = dict.fromkeys(_claims(pod))
        exclusive: set[str] = set()
        for name in names:
            key = f"{pod.namespace}/{name}"
            if not cluster.snapshot.read(PersistentVolumeClaim):
                lacks = SnapshotLacks("PersistentVolumeClaim", f"PersistentVolumeClaim {key}")
                return Prepared(rejects=(lacks,))
            claim = cluster.snapshot.get(PersistentVolumeClaim, key)
            if claim is None:
                return Prepared(rejects=(ClaimNotFound(key),))
            if READ_WRITE_ONCE_POD in claim.spec.access_modes:
                exclusive.add(name)
        users = _users(pod.namespace, exclusive, cluster)
        # However many pods use it, upstream starts with one use for each claim.
        uses = sum(bool(pods) for pods in users.values())
        if not disks and not uses:
            return SKIP
        return Prepared(ExclusiveVolumes(disks, frozenset(exclusive), uses, users))

    def filter(self, state: ExclusiveVolumes, node: NodeView) -> Iterable[Reason]:
        conflicts = [
            DiskInUse(disk, other.key)
            for mine in state.disks
            for other in node.pods
            for disk in dict.fromkeys(shared_disk(mine, v) for v in other.pod.spec.volumes)
            if disk
        ]
        if conflicts or state.uses <= 0:
            return conflicts
        left = {
            claim: tuple(key for key in pods if key not in state.gone)
            for claim, pods in state.users.items()
        }
        in_use = [ClaimInUse(claim, pods) for claim, pods in left.items() if pods]
        return in_use or [ClaimInUse(claim, ()) for claim in left]

    def after(
        self,
        state: ExclusiveVolumes,
        node: NodeView,
        added: Sequence[PodView],
        removed: Sequence[PodView],
    ) -> ExclusiveVolumes:
        if not state.claims:
            return state
        more = sum(name in state.claims for pod in added for name in _claims(pod))
        fewer = sum(name in state.claims for pod in removed for name in _claims(pod))
        if not more and not fewer:
            return state
        gone = (state.gone | {pod.key for pod in removed}) - {pod.key for pod in added}
        return replace(state, uses=state.uses + more - fewer, gone=gone)
