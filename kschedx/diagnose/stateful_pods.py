"""The order in which a StatefulSet makes its pods."""

from __future__ import annotations

from kschedx.api.pod import Pod
from kschedx.api.workloads import StatefulSet
from kschedx.snapshot.snapshot import Snapshot

_AT_ONCE = "Parallel"


def ordinal(pod: Pod) -> int | None:
    """The number at the end of its name; None for a pod of anything else."""
    owner = pod.metadata.controller
    number = pod.name.rpartition("-")[2]
    if owner is None or owner.kind != "StatefulSet" or not number.isdecimal():
        return None
    return int(number)


def waits_for(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Whether the pod is made only once the other, of the same StatefulSet, is ready."""
    owner, own, others = pod.metadata.controller, ordinal(pod), ordinal(other)
    same = (pod.namespace, owner) == (other.namespace, other.metadata.controller)
    if owner is None or own is None or others is None or not same:
        return False
    item = snapshot.get(StatefulSet, f"{pod.namespace}/{owner.name}")
    return item is not None and item.spec.pod_management_policy != _AT_ONCE and others < own
