"""Kinds by every name that kubectl takes, and by the API group that serves them.

Upstream: `kubectl api-resources` of 1.35.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Final

from kschedx.api.devices import DeviceClass, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.policy import LimitRange, PodDisruptionBudget, ResourceQuota
from kschedx.api.scheduling import PriorityClass, RuntimeClass
from kschedx.api.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    VolumeAttachment,
)
from kschedx.api.workloads import (
    ControllerRevision,
    DaemonSet,
    Deployment,
    Job,
    Namespace,
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
)
from kschedx.snapshot.snapshot import NAMESPACED

EXIT_USAGE: Final = 2


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind that scheduling reads."""

    type: type[Object]
    groups: tuple[str, ...]
    """API groups that serve it, or once did; "" is the core group. Any of their versions is read."""
    plural: str
    short: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.type.__name__

    @property
    def namespaced(self) -> bool:
        return self.type in NAMESPACED

    def key(self, name: str, namespace: str) -> str:
        """The key of such an object in a Snapshot."""
        return f"{namespace}/{name}" if self.namespaced else name


_CORE: Final = ("",)
_APPS: Final = ("apps", "extensions")
_STORAGE: Final = ("storage.k8s.io",)
_DEVICES: Final = ("resource.k8s.io",)

ALL: Final[tuple[Kind, ...]] = (
    Kind(Pod, _CORE, "pods", ("po",)),
    Kind(Node, _CORE, "nodes", ("no",)),
    Kind(Namespace, _CORE, "namespaces", ("ns",)),
    Kind(PersistentVolume, _CORE, "persistentvolumes", ("pv",)),
    Kind(PersistentVolumeClaim, _CORE, "persistentvolumeclaims", ("pvc",)),
    Kind(Service, _CORE, "services", ("svc",)),
    Kind(ReplicationController, _CORE, "replicationcontrollers", ("rc",)),
    Kind(LimitRange, _CORE, "limitranges", ("limits",)),
    Kind(ResourceQuota, _CORE, "resourcequotas", ("quota",)),
    Kind(ReplicaSet, _APPS, "replicasets", ("rs",)),
    Kind(StatefulSet, ("apps",), "statefulsets", ("sts",)),
    Kind(Deployment, _APPS, "deployments", ("deploy",)),
    Kind(DaemonSet, _APPS, "daemonsets", ("ds",)),
    Kind(ControllerRevision, ("apps",), "controllerrevisions"),
    Kind(Job, ("batch",), "jobs"),
    Kind(PodDisruptionBudget, ("policy",), "poddisruptionbudgets", ("pdb",)),
    Kind(PriorityClass, ("scheduling.k8s.io",), "priorityclasses", ("pc",)),
    Kind(RuntimeClass, ("node.k8s.io",), "runtimeclasses"),
    Kind(StorageClass, _STORAGE, "storageclasses", ("sc",)),
    Kind(CSINode, _STORAGE, "csinodes"),
    Kind(CSIDriver, _STORAGE, "csidrivers"),
    Kind(CSIStorageCapacity, _STORAGE, "csistoragecapacities"),
    Kind(VolumeAttachment, _STORAGE, "volumeattachments"),
    Kind(ResourceClaim, _DEVICES, "resourceclaims"),
    Kind(ResourceClaimTemplate, _DEVICES, "resourceclaimtemplates"),
    Kind(ResourceSlice, _DEVICES, "resourceslices"),
    Kind(DeviceClass, _DEVICES, "deviceclasses"),
)

BY_TYPE: Final[dict[type[Object], Kind]] = {kind.type: kind for kind in ALL}
_BY_GROUP: Final[dict[tuple[str, str], Kind]] = {
    (group, kind.name): kind for kind in ALL for group in kind.groups
}
_BY_WORD: Final[dict[str, Kind]] = {
    word: kind for kind in ALL for word in (kind.name.lower(), kind.plural, *kind.short)
}


def served_as(api_version: str, kind: str) -> Kind | None:
    """The kind of an object that says so of itself; None if scheduling does not read it.

    The group decides: a Service of serving.knative.dev is none of ours. An object that names no
    apiVersion is taken for the kind of that name.
    """
    if not api_version:
        found = _BY_WORD.get(kind.lower())
        return found if found is not None and found.name == kind else None
    group, slash, _ = api_version.partition("/")
    return _BY_GROUP.get((group if slash else "", kind))


def named(word: str) -> Kind | None:
    """The kind that kubectl means by this word: "po", "pods", "Pod", "deployments.apps"."""
    plain, dot, group = word.lower().partition(".")
    kind = _BY_WORD.get(plain)
    if kind is None or not dot:
        return kind
    return kind if any(group == g or group.endswith(f".{g}") for g in kind.groups if g) else None


def parse_kind(word: str) -> Kind:
    """As `named`. Raises KschedxError (wrong usage) for a word that names no kind."""
    kind = named(word)
    if kind is None:
        near = difflib.get_close_matches(word.lower(), _BY_WORD, n=1)
        raise KschedxError(
            "unknown-kind",
            f"{word!r} is not a kind that scheduling reads",
            hint=f"did you mean {near[0]}?" if near else "kinds are named as kubectl names them",
            exit_code=EXIT_USAGE,
        )
    return kind


def parse_object_name(text: str, namespace: str = "default") -> tuple[type[Object], str]:
    """ "KIND/NAME" or "KIND/NAMESPACE/NAME" as a kind and a Snapshot key.

    `namespace` is taken where the text names none. Raises KschedxError (wrong usage).
    """
    word, _, rest = text.partition("/")
    kind = parse_kind(word)
    parts = rest.split("/")
    if not all(parts) or len(parts) > (2 if kind.namespaced else 1):
        form = "KIND/[NAMESPACE/]NAME" if kind.namespaced else f"{word}/NAME"
        raise KschedxError(
            "not-an-object-name",
            f"{text!r} does not name an object",
            hint=f"write {form}, such as {_example(kind)}",
            exit_code=EXIT_USAGE,
        )
    return kind.type, kind.key(parts[-1], parts[0] if len(parts) > 1 else namespace)


def _example(kind: Kind) -> str:
    return f"{kind.plural}/prod/db-0" if kind.namespaced else f"{kind.plural}/worker-1"


def shown(kind: type[Object], key: str) -> str:
    """An object as people name it: "Pod prod/api-7"."""
    return f"{kind.__name__} {key}"
