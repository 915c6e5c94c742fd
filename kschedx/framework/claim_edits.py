"""Changes to claims: to those that a pod waits for, and to those that keep pods where they are."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar, Final

from kschedx.api.change import replaced
from kschedx.api.meta import ObjectMeta
from kschedx.api.pod import Pod
from kschedx.api.quantity import Quantity
from kschedx.api.storage import (
    ClaimResources,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
    StorageClass,
)
from kschedx.framework.cluster_edits import MovePods
from kschedx.framework.edit import Cost, Edit, Patch
from kschedx.framework.views import ClusterView

_SMALL: Final[dict[str, Quantity]] = {"storage": "1Gi"}
"""What a claim that does not exist is taken to ask for."""

LATE: Final = "WaitForFirstConsumer"
_NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"
_BOOKKEEPING: Final = ("pv.kubernetes.io/", "volume.kubernetes.io/")
"""Annotations that binding and provisioning leave."""


def own_claims(pod: Pod, cluster: ClusterView) -> tuple[str, ...]:
    """A StatefulSet pod's claims that are made anew when deleted, and whose volumes pin it.

    The controller names them after the volume and the pod.
    """
    owner = pod.metadata.controller
    if owner is None or owner.kind != "StatefulSet":
        return ()
    names = [
        f"{pod.namespace}/{volume.persistent_volume_claim.claim_name}"
        for volume in pod.spec.volumes
        if volume.persistent_volume_claim is not None
        and volume.persistent_volume_claim.claim_name == f"{volume.name}-{pod.name}"
    ]
    return tuple(
        name
        for name in names
        if (volume := _volume(name, cluster)) is not None and volume.spec.node_affinity is not None
    )


def _volume(claim: str, cluster: ClusterView) -> PersistentVolume | None:
    found = cluster.snapshot.get(PersistentVolumeClaim, claim)
    name = found.spec.volume_name if found is not None else ""
    return cluster.snapshot.get(PersistentVolume, name) if name else None


@dataclass(frozen=True, slots=True)
class MovePodsWithoutClaims(MovePods):
    """Pods of StatefulSets go to other nodes, where they begin with new, empty volumes."""

    code: ClassVar[str] = "move-pods-without-claims"
    claims: tuple[str, ...] = ()
    """Those that are deleted as well, "namespace/name"."""
    lost: tuple[str, ...] = ()
    """Volumes that go with them (reclaim policy Delete); others keep their data for nobody."""

    @classmethod
    def of(
        cls, node: str, pods: tuple[str, ...], claims: tuple[str, ...], cluster: ClusterView
    ) -> MovePodsWithoutClaims:
        """The change before places for the pods are known."""
        volumes = [_volume(claim, cluster) for claim in claims]
        lost = tuple(
            volume.name
            for volume in volumes
            if volume is not None and volume.spec.persistent_volume_reclaim_policy == "Delete"
        )
        return cls(node, pods, claims=claims, lost=lost)

    def renewed(self, cluster: ClusterView) -> ClusterView:
        """The cluster with new claims under the same names, not bound yet."""
        snapshot = cluster.snapshot
        claims = [snapshot.all(PersistentVolumeClaim)[claim] for claim in self.claims]
        for volume in self.lost:
            snapshot = snapshot.without_object(PersistentVolume, volume)
        return cluster.with_snapshot(snapshot.with_objects(map(_renewed, claims)))

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        return MovePods.apply(self, pod, self.renewed(cluster))

    def patch(self, pod: Pod) -> Patch:
        # The claims first, or the controller would take them for its new pods.
        commands = [
            f"kubectl delete pvc -n {namespace} {name} --wait=false"
            for namespace, _, name in (claim.partition("/") for claim in self.claims)
        ]
        return Patch(command=" && ".join([*commands, MovePods.patch(self, pod).command]))

    def sentence(self) -> str:
        moves = [f"{key} to {place}" for key, place in zip(self.pods, self.places, strict=True)]
        plural = "s" if len(self.claims) > 1 else ""
        lost = f"; the data of {' and '.join(self.lost)} is lost" if self.lost else ""
        return (
            f"move {' and '.join(moves)} (deleted on {self.node} with claim{plural} "
            f"{' and '.join(self.claims)}, its controller makes both again, the volume "
            f"empty{lost}{self.proviso})"
        )


def _renewed(claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
    kept = {
        key: value
        for key, value in claim.metadata.annotations.items()
        if not key.startswith(_BOOKKEEPING)
    }
    return replaced(
        claim,
        metadata=replaced(claim.metadata, uid="", annotations=kept, deletion_timestamp=None),
        spec=replaced(claim.spec, volume_name=""),
        status=PersistentVolumeClaimStatus("Pending"),
    )


@dataclass(frozen=True, slots=True)
class RecreateClaim(Edit):
    """A claim whose volume is out of reach is made anew, by a class that waits for the pod's node.

    Its new volume is empty.
    """

    code: ClassVar[str] = "recreate-claim"
    cost: ClassVar[Cost] = Cost.OTHER_POD
    claim: str
    """ "namespace/name"."""
    volume: str
    lost: bool
    """The volume goes with the claim (reclaim policy Delete); otherwise it stays, for nobody."""
    former: str
    """Its StorageClass, which binds at once."""
    storage_class: str
    """One that waits; where it is the former, that is made anew as well."""
    bookkeeping: tuple[str, ...] = ()
    """Annotations that the new claim must not have."""

    @classmethod
    def of(cls, claim: PersistentVolumeClaim, cluster: ClusterView) -> RecreateClaim | None:
        """None where the claim's class waits already, or provisions nothing."""
        classes = cluster.snapshot.all(StorageClass)
        former = classes.get(claim.spec.storage_class_name or "")
        volume = cluster.snapshot.get(PersistentVolume, claim.spec.volume_name)
        if former is None or volume is None or former.provisioner == _NO_PROVISIONER:
            return None
        if former.volume_binding_mode == LATE:
            return None
        alike = [c for c in classes.values() if c.provisioner == former.provisioner]
        late = sorted(item.name for item in alike if item.volume_binding_mode == LATE)
        return cls(
            f"{claim.namespace}/{claim.name}",
            volume.name,
            volume.spec.persistent_volume_reclaim_policy == "Delete",
            former.name,
            late[0] if late else former.name,
            tuple(key for key in claim.metadata.annotations if key.startswith(_BOOKKEEPING)),
        )

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        snapshot = cluster.snapshot
        changed = replaced(snapshot.all(StorageClass)[self.storage_class], volume_binding_mode=LATE)
        claim = _renewed(snapshot.all(PersistentVolumeClaim)[self.claim])
        spec = replaced(claim.spec, storage_class_name=self.storage_class)
        if self.lost:
            snapshot = snapshot.without_object(PersistentVolume, self.volume)
        return pod, cluster.with_snapshot(
            snapshot.with_objects([changed, replaced(claim, spec=spec)])
        )

    def patch(self, pod: Pod) -> Patch:
        namespace, _, name = self.claim.partition("/")
        operations = [{"op": "remove", "path": "/spec/volumeName"}]
        operations += [
            {"op": "remove", "path": f"/metadata/annotations/{key.replace('/', '~1')}"}
            for key in self.bookkeeping
        ]
        path = "/spec/storageClassName"
        if self.storage_class != self.former:
            operations.append({"op": "replace", "path": path, "value": self.storage_class})
        commands = [_replaced_by(f"pvc {name} -n {namespace}", operations)]
        if self.storage_class == self.former:
            mode = {"op": "add", "path": "/volumeBindingMode", "value": LATE}
            commands.insert(0, _replaced_by(f"storageclass {self.former}", [mode]))
        return Patch(command=" && ".join(commands))

    def sentence(self) -> str:
        data = "is lost" if self.lost else f"stays in {self.volume}"
        again = f"make claim {self.claim} again, of StorageClass {self.storage_class}"
        if self.storage_class == self.former:
            again = (
                f"make StorageClass {self.former} again with volumeBindingMode: {LATE}, then claim "
                f"{self.claim}"
            )
        return f"{again} (its volume begins empty, its data {data})"


def _replaced_by(place: str, operations: list[dict[str, str]]) -> str:
    """The command that deletes an object and makes it again, changed."""
    body = json.dumps(operations, separators=(",", ":"))
    return (
        f"kubectl get {place} -o json | kubectl patch --local -f - --type=json -p '{body}' -o json "
        "| kubectl replace --force -f -"
    )


@dataclass(frozen=True, slots=True)
class ProvideClaim(Edit):
    """A claim that is not bound gets a StorageClass that can bind it, or is there at all."""

    code: ClassVar[str] = "provide-claim"
    cost: ClassVar[Cost] = Cost.NOTHING_RESTARTED
    claim: str
    """ "namespace/name"."""
    storage_class: str
    former: str | None
    """Its class until now, which cannot be changed in place; empty for none."""

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        claim = cluster.snapshot.get(PersistentVolumeClaim, self.claim) or self._new()
        spec = replaced(claim.spec, storage_class_name=self.storage_class)
        changed = replaced(claim, spec=spec)
        return pod, cluster.with_snapshot(cluster.snapshot.with_objects([changed]))

    def _new(self) -> PersistentVolumeClaim:
        namespace, _, name = self.claim.partition("/")
        return PersistentVolumeClaim(
            metadata=ObjectMeta(name=name, namespace=namespace),
            spec=PersistentVolumeClaimSpec(("ReadWriteOnce",), ClaimResources(_SMALL)),
            status=PersistentVolumeClaimStatus("Pending"),
        )

    def sentence(self) -> str:
        if self.former is None:
            return f"create claim {self.claim} of StorageClass {self.storage_class}"
        if self.former:
            return f"make claim {self.claim} again, of StorageClass {self.storage_class}"
        return f"give claim {self.claim} StorageClass {self.storage_class}"

    def patch(self, pod: Pod) -> Patch:
        if self.former is None:
            return Patch()
        namespace, _, name = self.claim.partition("/")
        operation = {"op": "add", "path": "/spec/storageClassName", "value": self.storage_class}
        body = json.dumps({"spec": {"storageClassName": self.storage_class}})
        command = f"kubectl patch pvc {name} -n {namespace} -p '{body}'"
        return Patch(
            "PersistentVolumeClaim",
            namespace,
            name,
            (operation,),
            "" if self.former else command,
        )
