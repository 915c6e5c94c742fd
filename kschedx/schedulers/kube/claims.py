"""The claims behind a pod's volumes.

Upstream: component-helpers storage/ephemeral/ephemeral.go (v0.35.4).
Differences: none.
"""

from __future__ import annotations

from kschedx.api.pod import Pod, Volume
from kschedx.api.storage import PersistentVolumeClaim


def claim_name(pod: Pod, volume: Volume) -> str | None:
    """The name of the volume's claim in the pod's namespace; None for a volume without one."""
    if volume.persistent_volume_claim is not None:
        return volume.persistent_volume_claim.claim_name
    if volume.ephemeral is not None:
        return f"{pod.name}-{volume.name}"
    return None


def made_for(claim: PersistentVolumeClaim, pod: Pod) -> bool:
    """Whether the claim of a generic ephemeral volume belongs to this very pod."""
    owner = claim.metadata.controller
    return owner is not None and owner.uid == pod.metadata.uid
