"""The claims behind a pod's volumes, and what can be wrong with them on any node.

Upstream: component-helpers storage/ephemeral/ephemeral.go, storage/volume/helpers.go (v0.35.4);
plugins/volumebinding/volume_binding.go podHasPVCs (v1.35.4).
Differences: none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from kschedx.api.pod import Pod, Volume
from kschedx.api.storage import PersistentVolume, PersistentVolumeClaim
from kschedx.framework.verdict import Reason

_BETA_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
"""Annotation of claims and volumes that wins over the field."""


@dataclass(frozen=True, slots=True)
class ClaimNotFound(Reason):
    """The pod names a claim that does not exist."""

    code: ClassVar[str] = "claim-not-found"
    claim: str
    """ "namespace/name"."""

    def upstream_text(self, minor: int) -> str:
        return f'persistentvolumeclaim "{_name(self.claim)}" not found'

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} does not exist"

    def subject(self) -> str:
        return f"claim {self.claim} does not exist"


@dataclass(frozen=True, slots=True)
class EphemeralClaimPending(Reason):
    """The claim of a generic ephemeral volume has not been made yet."""

    code: ClassVar[str] = "ephemeral-claim-pending"
    claim: str
    """ "namespace/name"."""

    def upstream_text(self, minor: int) -> str:
        return (
            "waiting for ephemeral volume controller to create the "
            f'persistentvolumeclaim "{_name(self.claim)}"'
        )

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} of an ephemeral volume does not exist yet"

    def subject(self) -> str:
        return f"claim {self.claim} does not exist yet"


@dataclass(frozen=True, slots=True)
class ClaimOfAnotherPod(Reason):
    """The claim has the name that an ephemeral volume's would have, but is not the pod's."""

    code: ClassVar[str] = "claim-of-another-pod"
    claim: str
    """ "namespace/name"."""
    pod: str
    """ "namespace/name"."""

    def upstream_text(self, minor: int) -> str:
        return f"PVC {self.claim} was not created for pod {self.pod} (pod is not owner)"

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} exists but was not made for pod {self.pod}"

    def subject(self) -> str:
        return f"claim {self.claim} is not the pod's own"


@dataclass(frozen=True, slots=True)
class ClaimLost(Reason):
    """The claim's volume is gone."""

    code: ClassVar[str] = "claim-lost"
    claim: str
    """ "namespace/name"."""
    volume: str

    def upstream_text(self, minor: int) -> str:
        return (
            f'persistentvolumeclaim "{_name(self.claim)}" bound to non-existent '
            f'persistentvolume "{self.volume}"'
        )

    def sentence(self) -> str:
        return (
            f"PersistentVolumeClaim {self.claim} is Lost: "
            f"its PersistentVolume {self.volume} does not exist"
        )

    def subject(self) -> str:
        return f"claim {self.claim} is lost"


@dataclass(frozen=True, slots=True)
class ClaimBeingDeleted(Reason):
    """The claim is on its way out."""

    code: ClassVar[str] = "claim-being-deleted"
    claim: str
    """ "namespace/name"."""

    def upstream_text(self, minor: int) -> str:
        return f'persistentvolumeclaim "{_name(self.claim)}" is being deleted'

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} is being deleted"

    def subject(self) -> str:
        return f"claim {self.claim} is being deleted"


@dataclass(frozen=True, slots=True)
class ClaimNotBound(Reason):
    """The claim does not wait for the pod to get a node, and is not bound yet."""

    code: ClassVar[str] = "claim-not-bound"
    claim: str
    """ "namespace/name"."""
    storage_class: str
    """Empty for none."""
    class_exists: bool
    volume: str = ""
    """The volume that the claim asks for by name, if any."""

    def upstream_text(self, minor: int) -> str:
        return "pod has unbound immediate PersistentVolumeClaims"

    def sentence(self) -> str:
        claim = f"PersistentVolumeClaim {self.claim}"
        if self.volume:
            return f"{claim} asks for PersistentVolume {self.volume} and is not bound to it yet"
        if not self.storage_class:
            return f"{claim} is not bound and has no StorageClass"
        if not self.class_exists:
            return f"{claim} is not bound, StorageClass {self.storage_class} does not exist"
        return (
            f"{claim} is not bound, and StorageClass {self.storage_class} "
            "does not wait for the pod to get a node"
        )

    def subject(self) -> str:
        return f"claim {self.claim} is not bound"


def _name(claim: str) -> str:
    return claim.partition("/")[2]


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


def class_of(claim: PersistentVolumeClaim) -> str:
    """The claim's StorageClass; empty for none."""
    return claim.metadata.annotations.get(_BETA_CLASS, claim.spec.storage_class_name or "")


def volume_class(volume: PersistentVolume) -> str:
    """The volume's StorageClass; empty for none."""
    return volume.metadata.annotations.get(_BETA_CLASS, volume.spec.storage_class_name)
