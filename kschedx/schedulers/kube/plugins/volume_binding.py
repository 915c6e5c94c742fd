"""VolumeBinding: bound volumes reach the node, and claims that wait can be given one there.

Upstream: plugins/volumebinding/volume_binding.go, binder.go (v1.35.4), PreFilter, Filter,
FindPodVolumes; Score of v1.37.2.
Differences: of claims that fail alike all are told, upstream stops at the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

from kschedx.api.node import Node
from kschedx.api.plugin_args import VolumeBindingArgs, read_args, unusable_args
from kschedx.api.selectors import SelectorError
from kschedx.api.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    CSINode,
    PersistentVolumeClaim,
    StorageClass,
)
from kschedx.framework.plugin import SKIP, CycleError, FilterPlugin, Prepared, ScorePlugin
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.bound_claims import BoundClaims, bound_claim, is_bound
from kschedx.schedulers.kube.claims import (
    ClaimBeingDeleted,
    ClaimLost,
    ClaimNotBound,
    ClaimNotFound,
    ClaimOfAnotherPod,
    EphemeralClaimPending,
    claim_name,
    class_of,
    made_for,
)
from kschedx.schedulers.kube.csi_migration import TranslationError
from kschedx.schedulers.kube.storage_scores import DEFAULT_SHAPE, storage_score
from kschedx.schedulers.kube.utilization_shape import UtilizationShape, utilization_shape
from kschedx.schedulers.kube.versions import Release
from kschedx.schedulers.kube.waiting_claims import (
    ChosenVolumes,
    WaitingClaim,
    choose_volumes,
    waiting_claims,
)

_LOST: Final = "Lost"


@dataclass(frozen=True, slots=True)
class PodClaims:
    """All claims of a pod; a claim stands as often as the pod mounts it."""

    bound: BoundClaims
    waiting: tuple[WaitingClaim, ...]
    known: dict[str, tuple[Node, list[Reason], ChosenVolumes]] = field(
        default_factory=dict, compare=False, repr=False
    )
    """What was found for a node; pods don't matter, so that it holds through a dry run."""


@dataclass(frozen=True)
class VolumeBinding(FilterPlugin, ScorePlugin):
    """The rule."""

    name: ClassVar[str] = "VolumeBinding"
    has_prefilter: ClassVar[bool] = True
    needs_prefilter: ClassVar[bool] = True
    has_prescore: ClassVar[bool] = True
    release: Release
    shape: UtilizationShape = field(default=DEFAULT_SHAPE)
    """How good a utilization of storage is."""

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> Self:
        """Raises KschedxError for arguments that the scheduler would refuse."""
        read = read_args(VolumeBindingArgs, cls.name, args)
        if read.bind_timeout_seconds < 0:
            raise unusable_args(cls.name, "bindTimeoutSeconds is negative")
        if not read.shape:
            return cls(release)
        if not release.enabled("StorageCapacityScoring"):
            raise unusable_args(cls.name, "shape needs feature gate StorageCapacityScoring")
        return cls(release, utilization_shape(cls.name, read.shape))

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        claims: list[PersistentVolumeClaim] = []
        for volume in pod.pod.spec.volumes:
            name = claim_name(pod.pod, volume)
            if name is None:
                continue
            key = f"{pod.namespace}/{name}"
            if not cluster.snapshot.read(PersistentVolumeClaim):
                lacks = SnapshotLacks("PersistentVolumeClaim", f"PersistentVolumeClaim {key}")
                return Prepared(rejects=(lacks,))
            claim = cluster.snapshot.get(PersistentVolumeClaim, key)
            ephemeral = volume.persistent_volume_claim is None
            refused = _refused(key, claim, pod, ephemeral=ephemeral)
            if refused is not None or claim is None:
                return Prepared(rejects=(refused or ClaimNotFound(key),))
            claims.append(claim)
        return self._looked_up(claims, cluster) if claims else SKIP

    def _looked_up(self, claims: Sequence[PersistentVolumeClaim], cluster: ClusterView) -> Prepared:
        """Upstream: GetPodVolumeClaims."""
        snapshot = cluster.snapshot
        bound: list[PersistentVolumeClaim] = []
        waiting: list[tuple[PersistentVolumeClaim, StorageClass]] = []
        refused: list[Reason] = []
        for claim in claims:
            if is_bound(claim):
                bound.append(claim)
                continue
            name = class_of(claim)
            storage_class = snapshot.get(StorageClass, name) if name else None
            if storage_class is not None and storage_class.volume_binding_mode is None:
                raise CycleError(
                    f'running PreFilter plugin "{self.name}": '
                    f'VolumeBindingMode not set for StorageClass "{name}"'
                )
            wanted = claim.spec.volume_name
            if name and not wanted and not snapshot.read(StorageClass):
                refused.append(SnapshotLacks("StorageClass", f"StorageClass {name}"))
            elif (
                storage_class is not None
                and storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER
                and not wanted
            ):
                waiting.append((claim, storage_class))
            else:
                key = f"{claim.namespace}/{claim.name}"
                refused.append(ClaimNotBound(key, name, storage_class is not None, wanted))
        if refused:
            certain = [reason for reason in refused if reason.outcome > Outcome.NOT_CHECKED]
            return Prepared(rejects=tuple(dict.fromkeys(certain or refused)))
        return Prepared(
            PodClaims(
                BoundClaims(
                    tuple(bound_claim(claim, snapshot) for claim in bound),
                    snapshot.all(CSINode) if snapshot.read(CSINode) else None,
                    self.release,
                ),
                tuple(waiting_claims(waiting, snapshot, self.release.minor)),
            )
        )

    def filter(self, state: PodClaims, node: NodeView) -> Iterable[Reason]:
        reasons, _ = self._choose(state, node)
        return reasons

    def _choose(self, state: PodClaims, node: NodeView) -> tuple[list[Reason], ChosenVolumes]:
        """What rules the node out, and otherwise the volumes that would be taken there."""
        known = state.known.get(node.name)
        if known is not None and known[0] is node.node:
            return known[1], known[2]
        try:
            reasons = list(state.bound.problems(node))
            more, chosen = choose_volumes(state.waiting, node)
        except (TranslationError, SelectorError) as error:
            raise CycleError(f'running "{self.name}" filter plugin: {error}') from None
        told = list(dict.fromkeys((*reasons, *more)))
        state.known[node.name] = (node.node, told, chosen)
        return told, chosen

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> PodClaims | None:
        if not self.release.enabled("StorageCapacityScoring"):
            return None
        prepared = self.prepare(pod, cluster)
        return prepared.state if isinstance(prepared.state, PodClaims) else None

    def score(self, state: PodClaims, node: NodeView) -> int:
        _, chosen = self._choose(state, node)
        return storage_score(self.shape, chosen)


def _refused(
    key: str, claim: PersistentVolumeClaim | None, pod: PodView, *, ephemeral: bool
) -> Reason | None:
    """What rules the pod out on any node. Upstream: podHasPVCs."""
    if claim is None:
        return EphemeralClaimPending(key) if ephemeral else ClaimNotFound(key)
    if claim.status.phase == _LOST:
        return ClaimLost(key, claim.spec.volume_name)
    if claim.metadata.deletion_timestamp is not None:
        return ClaimBeingDeleted(key)
    if ephemeral and not made_for(claim, pod.pod):
        return ClaimOfAnotherPod(key, pod.key)
    return None
