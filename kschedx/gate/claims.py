"""Claims as the volume controllers leave them: bound where a volume suits, or provisioned.

Upstream: pkg/controller/volume/persistentvolume/pv_controller.go syncUnboundClaim;
pkg/controller/volume/ephemeral/controller.go (v1.35.4).
Differences: a class that provisions at once is taken to succeed, in a zone that suits the pod.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedx.api.change import replaced
from kschedx.api.meta import Object, ObjectMeta, OwnerReference
from kschedx.api.pod import Pod
from kschedx.api.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
    PersistentVolumeSpec,
    StorageClass,
)
from kschedx.api.workloads import StatefulSet
from kschedx.rollout.statefulset_claims import claims_of
from kschedx.schedulers.kube.claims import claim_name, class_of, volume_class
from kschedx.schedulers.kube.provisioning import NO_PROVISIONER
from kschedx.schedulers.kube.volume_matching import storage_nano
from kschedx.snapshot.admission import Admission
from kschedx.snapshot.snapshot import Snapshot


def settled(claims: Iterable[PersistentVolumeClaim], snapshot: Snapshot) -> Iterator[Object]:
    """The claims and the volumes that they are bound to at once; others wait as they are."""
    taken: set[str] = set()
    for claim in claims:
        volume = None if claim.spec.volume_name else _volume_for(claim, snapshot, taken)
        if volume is None:
            yield claim
            continue
        taken.add(volume.name)
        reference = ObjectReference(
            "PersistentVolumeClaim", claim.namespace, claim.name, claim.metadata.uid
        )
        yield replaced(volume, spec=replaced(volume.spec, claim_ref=reference))
        done = {"pv.kubernetes.io/bind-completed": "yes"}
        notes = {**claim.metadata.annotations, **done}
        yield replaced(
            claim,
            metadata=replaced(claim.metadata, annotations=notes),
            spec=replaced(claim.spec, volume_name=volume.name),
            status=replaced(claim.status, phase="Bound"),
        )


def _volume_for(
    claim: PersistentVolumeClaim, snapshot: Snapshot, taken: set[str]
) -> PersistentVolume | None:
    """The smallest existing volume that suits, or a new one; None where the claim has to wait."""
    name = class_of(claim)
    storage_class = snapshot.get(StorageClass, name) if name else None
    if storage_class is not None and storage_class.volume_binding_mode == WAIT_FOR_FIRST_CONSUMER:
        return None
    if not claim.spec.selector:
        fitting = [
            volume
            for volume in snapshot.all(PersistentVolume).values()
            if volume.name not in taken and _suits(volume, claim)
        ]
        if fitting:
            return min(fitting, key=lambda v: (storage_nano(v.spec.capacity), v.name))
        provisioner = storage_class.provisioner if storage_class is not None else ""
        if provisioner not in ("", NO_PROVISIONER):
            return PersistentVolume(
                metadata=ObjectMeta(name=f"provisioned-{claim.namespace}-{claim.name}"),
                spec=PersistentVolumeSpec(
                    capacity=claim.spec.resources.requests,
                    access_modes=claim.spec.access_modes,
                    storage_class_name=name,
                    volume_mode=claim.spec.volume_mode,
                ),
            )
    return None


def _suits(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    want, have = claim.spec, volume.spec
    reference = have.claim_ref
    return (
        volume_class(volume) == class_of(claim)
        and storage_nano(have.capacity) >= storage_nano(want.resources.requests)
        and set(want.access_modes) <= set(have.access_modes)
        and (want.volume_mode or "Filesystem") == (have.volume_mode or "Filesystem")
        and volume.metadata.deletion_timestamp is None
        and (
            volume.status.phase == "Available"
            if reference is None
            else (reference.namespace, reference.name, reference.uid or claim.metadata.uid)
            == (claim.namespace, claim.name, claim.metadata.uid)
        )
    )


def of_set(item: StatefulSet, snapshot: Snapshot, admission: Admission) -> Iterator[Object]:
    """The claims that a StatefulSet's pods lack, as its controller makes them."""
    templates = {claim.metadata.name: claim for claim in item.spec.volume_claim_templates}
    start = item.spec.ordinals.start if item.spec.ordinals is not None else 0
    made = []
    for number in range(start, start + (item.spec.replicas or 0) if templates else start):
        for template, name in claims_of(item, f"{item.name}-{number}").items():
            if snapshot.get(PersistentVolumeClaim, f"{item.namespace}/{name}") is None:
                claim = PersistentVolumeClaim(
                    metadata=ObjectMeta(
                        name=name, namespace=item.namespace, uid=f"applied-{item.namespace}-{name}"
                    ),
                    spec=templates[template].spec,
                    status=PersistentVolumeClaimStatus(phase="Pending"),
                )
                made.append(admission.claim(claim))
    return settled(made, snapshot)


def ephemeral(pod: Pod, snapshot: Snapshot, admission: Admission) -> Iterator[Object]:
    """The claims of a pod's generic ephemeral volumes."""
    made = []
    for volume in pod.spec.volumes:
        template = volume.ephemeral.volume_claim_template if volume.ephemeral is not None else None
        name = claim_name(pod, volume)
        key = f"{pod.namespace}/{name}"
        if template is None or snapshot.get(PersistentVolumeClaim, key) is not None:
            continue
        owner = OwnerReference("Pod", pod.name, pod.metadata.uid, "v1", controller=True)
        claim = PersistentVolumeClaim(
            metadata=ObjectMeta(
                name=name or "",
                namespace=pod.namespace,
                uid=f"applied-{pod.namespace}-{name}",
                owner_references=(owner,),
            ),
            spec=template.spec,
            status=PersistentVolumeClaimStatus(phase="Pending"),
        )
        made.append(admission.claim(claim))
    return settled(made, snapshot)
