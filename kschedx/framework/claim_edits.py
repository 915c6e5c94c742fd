"""Changes to the claims that a pod waits for."""

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
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus,
)
from kschedx.framework.edit import Cost, Edit, Patch
from kschedx.framework.views import ClusterView

_SMALL: Final[dict[str, Quantity]] = {"storage": "1Gi"}
"""What a claim that does not exist is taken to ask for."""


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
