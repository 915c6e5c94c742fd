"""A StatefulSet's claims: one per template and ordinal, kept for the next pod of that ordinal.

Upstream: pkg/controller/statefulset/stateful_set_utils.go getPersistentVolumeClaims (v1.35.4).
Differences: claims are never deleted (retention Delete is not played).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kschedx.api.meta import ObjectMeta
from kschedx.api.storage import (
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
)
from kschedx.api.workloads import StatefulSet

if TYPE_CHECKING:
    from kschedx.rollout.world import World


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
