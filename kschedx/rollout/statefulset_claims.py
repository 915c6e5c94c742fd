"""A StatefulSet's claims: one per template and ordinal, kept for the next pod of that ordinal.

Where whenScaled is Delete, a pod that is scaled away becomes the owner of its claims, and the
garbage collector takes them once it is gone.

Upstream: pkg/controller/statefulset/stateful_set_utils.go getPersistentVolumeClaims,
isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod; stateful_pod_control.go (v1.30.14 to
v1.37.2).
Differences: the garbage collector takes no time, so no claim is ever found stale; owners are
looked after only while whenScaled is Delete; the volume of a claim that is gone stays as it is,
bound to it and of use to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kschedx.api.change import replaced
from kschedx.api.meta import ObjectMeta, OwnerReference
from kschedx.api.storage import (
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
)
from kschedx.api.workloads import StatefulSet
from kschedx.schedulers.kube.claims import claim_name

if TYPE_CHECKING:
    from kschedx.rollout.live_pod import LivePod
    from kschedx.rollout.world import World

DELETE: Final = "Delete"
_POD: Final = "Pod"
_SET: Final = "StatefulSet"


def go_when_scaled(item: StatefulSet) -> bool:
    """Whether the claims of pods that are scaled away go with them."""
    policy = item.spec.persistent_volume_claim_retention_policy
    return (
        policy is not None
        and policy.when_scaled == DELETE
        and policy.when_deleted in ("", "Retain", DELETE)
        and bool(item.spec.volume_claim_templates)
    )


def claims_of(item: StatefulSet, pod_name: str) -> dict[str, str]:
    """Volume name -> claim name of one pod."""
    return {
        claim.metadata.name: f"{claim.metadata.name}-{pod_name}"
        for claim in item.spec.volume_claim_templates
    }


def ensure_claims(world: World, item: StatefulSet, pod_name: str) -> None:
    """Create the claims that the pod lacks; existing ones are used again."""
    names = claims_of(item, pod_name)
    made = [
        PersistentVolumeClaim(
            metadata=ObjectMeta(
                name=names[template.metadata.name],
                namespace=item.namespace,
                uid=f"simulated-{item.namespace}-{names[template.metadata.name]}",
                labels=template.metadata.labels,
                creation_timestamp=world.timestamp(),
            ),
            spec=template.spec,
            status=PersistentVolumeClaimStatus(phase="Pending"),
        )
        for template in item.spec.volume_claim_templates
        if f"{item.namespace}/{names[template.metadata.name]}"
        not in world.snapshot.all(PersistentVolumeClaim)
    ]
    if made:
        world.keep_object(made)


def own_claims(world: World, item: StatefulSet, live: LivePod) -> None:
    """The pod is scaled away: its claims will go with it."""
    reference = OwnerReference(
        kind=_POD, name=live.pod.name, uid=live.pod.metadata.uid, api_version="v1", controller=True
    )
    _refer(world, item, live, (reference,))


def disown_claims(world: World, item: StatefulSet, live: LivePod) -> None:
    """The pod is wanted again: its claims stay."""
    kept = any(_owned_by(claim, live) for claim in _claims(world, item, live))
    if kept:
        _refer(world, item, live, ())


def _claims(world: World, item: StatefulSet, live: LivePod) -> Iterator[PersistentVolumeClaim]:
    claims = world.snapshot.all(PersistentVolumeClaim)
    for name in claims_of(item, live.pod.name).values():
        claim = claims.get(f"{item.namespace}/{name}")
        if claim is not None:
            yield claim


def _owned_by(claim: PersistentVolumeClaim, live: LivePod) -> bool:
    return any(
        owner.kind == _POD and owner.uid == live.pod.metadata.uid
        for owner in claim.metadata.owner_references
    )


def _refer(
    world: World, item: StatefulSet, live: LivePod, references: tuple[OwnerReference, ...]
) -> None:
    """These instead of what the claims say of the set and the pod; others' claims stay theirs."""
    ours = {(_SET, item.name): item.metadata.uid, (_POD, live.pod.name): live.pod.metadata.uid}
    changed = []
    for claim in _claims(world, item, live):
        owners = claim.metadata.owner_references
        known = [(owner, ours.get((owner.kind, owner.name))) for owner in owners]
        foreign = tuple(owner for owner, uid in known if uid is None)
        # Left by an earlier set or pod of the name: upstream does not touch the claim.
        stale = any(uid is not None and owner.uid != uid for owner, uid in known)
        if stale or any(owner.controller for owner in foreign):
            continue
        wanted = (*foreign, *references)
        if wanted != owners:
            metadata = replaced(claim.metadata, owner_references=wanted)
            changed.append(replaced(claim, metadata=metadata))
    if changed:
        world.keep_object(changed)


def collect_claims(world: World, item: StatefulSet) -> None:
    """The garbage collector: claims whose only owners were pods that are gone."""
    snapshot = world.snapshot
    for key, claim in snapshot.all(PersistentVolumeClaim).items():
        owners = claim.metadata.owner_references
        if claim.namespace != item.namespace or not owners:
            continue
        if any(owner.kind != _POD or _lives(world, claim, owner) for owner in owners):
            continue
        user = _user(world, claim)
        if user is None:
            snapshot = snapshot.without_object(PersistentVolumeClaim, key)
        else:
            world.not_checked[user] = f"claim {claim.name} is deleted while the pod uses it"
    if snapshot is not world.snapshot:
        world.cluster = world.cluster.with_snapshot(snapshot)


def _lives(world: World, claim: PersistentVolumeClaim, owner: OwnerReference) -> bool:
    live = world.pods.get(f"{claim.namespace}/{owner.name}")
    return live is not None and live.pod.metadata.uid == owner.uid


def _user(world: World, claim: PersistentVolumeClaim) -> str | None:
    """A living pod that uses the claim, whoever made it: then pvc-protection keeps the claim."""
    for live in world.pods.values():
        if live.pod.namespace == claim.namespace and not live.terminal:
            for volume in live.pod.spec.volumes:
                if claim_name(live.pod, volume) == claim.name:
                    return live.key
    return None
