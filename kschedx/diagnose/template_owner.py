"""The workload whose template a pod is made from, so that a change of the template changes the pod."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.api.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kschedx.snapshot.snapshot import Snapshot

Templated = Deployment | StatefulSet | DaemonSet | ReplicaSet
"""Workloads whose template can be changed while they run."""
_TEMPLATED: Mapping[str, type[Templated]] = {
    kind.__name__: kind for kind in (Deployment, StatefulSet, DaemonSet, ReplicaSet)
}

WITH_TEMPLATE: Final = (*_TEMPLATED, "Job", "ReplicationController")
"""Kinds whose pods' spec is at /spec/template/spec."""


def template_owner(pod: Pod, snapshot: Snapshot) -> Templated | None:
    """None if there is none in the snapshot."""
    owner = _owner(pod, snapshot)
    if isinstance(owner, ReplicaSet):
        above = _owner(owner, snapshot)
        return above if above is not None else owner
    return owner


def _owner(item: Object, snapshot: Snapshot) -> Templated | None:
    reference = item.metadata.controller
    kind = _TEMPLATED.get(reference.kind) if reference is not None else None
    if reference is None or kind is None:
        return None
    return snapshot.get(kind, f"{item.namespace}/{reference.name}")


def replaces_pods(workload: Templated) -> bool:
    """Whether it makes its pods again by itself when its template changes."""
    if isinstance(workload, ReplicaSet):
        return False
    if isinstance(workload, Deployment):
        return True
    return workload.spec.update_strategy.type != "OnDelete"
