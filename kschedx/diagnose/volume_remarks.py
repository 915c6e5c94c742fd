"""Remarks about claims, volumes and classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kschedx.api.pod import Pod
from kschedx.api.quantity import show_bytes, whole
from kschedx.api.selectors import parse
from kschedx.api.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from kschedx.diagnose.blockers import says_cordoned
from kschedx.diagnose.headline import listed
from kschedx.diagnose.remarks import Found, Remark, reasons_by_node
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import Reason
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.bound_claims import VolumeOutOfReach
from kschedx.schedulers.kube.claims import ClaimNotBound
from kschedx.schedulers.kube.plugins.node_affinity import NodeAffinityMismatch
from kschedx.schedulers.kube.waiting_claims import NoVolumeToBind, StorageExhausted

_VOLUMES: Final = 3
"""So many volumes that do not suit are told."""
_DEFAULT_CLASS: Final = "storageclass.kubernetes.io/is-default-class"
_AT_ONCE: Final = "Immediate"
_LATE: Final = "WaitForFirstConsumer"


def volume_remarks(attempt: Attempt, cluster: ClusterView) -> tuple[Remark, ...]:
    """What stands behind causes that are about volumes; each said once."""
    reasons = [reason for each in reasons_by_node(attempt).values() for reason in each]
    if attempt.prefilter is not None:
        reasons += attempt.prefilter.reasons
    found = [
        *_not_bound(reasons, cluster),
        *_out_of_reach(attempt, cluster),
        *_none_suits(reasons, cluster),
        *_exhausted(reasons),
        *_used_elsewhere(attempt, cluster),
    ]
    return tuple(dict.fromkeys(found))


def placed_remarks(pod: Pod, cluster: ClusterView) -> tuple[Remark, ...]:
    """Claims that wait for the scheduler to choose a node, of a pod that it never sees."""
    if pod.status.phase != "Pending" or not pod.spec.node_name:
        return ()
    found = []
    for volume in pod.spec.volumes:
        source = volume.persistent_volume_claim
        key = f"{pod.namespace}/{source.claim_name}" if source is not None else ""
        claim = cluster.snapshot.get(PersistentVolumeClaim, key)
        name = claim.spec.storage_class_name if claim is not None else None
        of = cluster.snapshot.get(StorageClass, name) if name else None
        if claim and not claim.spec.volume_name and of and of.volume_binding_mode == _LATE:
            message = (
                f"claim {key} waits for the scheduler to choose a node, and the scheduler passes "
                "by a pod whose spec.nodeName was set by someone else: it is never bound"
            )
            found.append(Remark("node-named-by-hand", message))
    if not found:
        message = "whether volumes attach and devices are well is not shown by a snapshot"
        found.append(Remark("kubelet-not-shown", message))
    return tuple(found)


def _not_bound(reasons: list[Reason], cluster: ClusterView) -> Found:
    classes = cluster.snapshot.all(StorageClass)
    for reason in reasons:
        if not isinstance(reason, ClaimNotBound):
            continue
        present = listed(sorted(classes)) if classes else "none"
        if not reason.storage_class and not reason.volume:
            defaults = [
                item.name
                for item in classes.values()
                if item.metadata.annotations.get(_DEFAULT_CLASS) == "true"
            ]
            default = f"the default is {listed(defaults)}" if defaults else "none is the default"
            message = f"StorageClasses in the snapshot: {present}; {default}"
            yield Remark("default-class", message)
        elif not reason.class_exists:
            message = (
                f"StorageClasses in the snapshot: {present}; the scheduler takes a class that does "
                "not exist for one that binds at once, hence its word immediate"
            )
            yield Remark("class-unknown", message)


def _out_of_reach(attempt: Attempt, cluster: ClusterView) -> Found:
    by_node = reasons_by_node(attempt)
    volumes: dict[str, tuple[VolumeOutOfReach, list[str]]] = {}
    forbidden: set[str] = set()
    for name, reasons in by_node.items():
        for reason in reasons:
            if isinstance(reason, VolumeOutOfReach):
                volumes.setdefault(reason.volume, (reason, []))[1].append(name)
            elif isinstance(reason, NodeAffinityMismatch):
                forbidden.add(name)
    allowed = [name for name in by_node if name not in forbidden]
    for volume, (reason, closed) in volumes.items():
        usable = [name for name in by_node if name not in closed]
        if forbidden and not set(allowed) & set(usable):
            message = (
                f"the pod's own rules allow {listed(allowed) or 'no node'}, PersistentVolume "
                f"{volume} allows {listed(usable) or 'no node'}: no node is in both"
            )
            yield Remark("no-common-node", message)
        elif usable:
            others = sorted(
                {r.subject() for name in usable for r in by_node[name] if not says_cordoned(r)}
            )
            if others:
                message = f"{volume} can be used from {listed(usable)}, closed by: {listed(others)}"
                yield Remark("volume-place-closed", message)
        yield from _bound_at_once(reason, cluster)


def _bound_at_once(reason: VolumeOutOfReach, cluster: ClusterView) -> Found:
    claim = cluster.snapshot.get(PersistentVolumeClaim, reason.claim)
    name = claim.spec.storage_class_name if claim is not None else None
    found = cluster.snapshot.get(StorageClass, name) if name else None
    if found is not None and found.volume_binding_mode in (None, _AT_ONCE):
        message = (
            f"StorageClass {name} binds claims at once, before the pod has a node; only "
            "WaitForFirstConsumer heeds where the pod may go, and only for a claim made anew"
        )
        yield Remark("class-binds-at-once", message)


def _none_suits(reasons: list[Reason], cluster: ClusterView) -> Found:
    for reason in dict.fromkeys(r for r in reasons if isinstance(r, NoVolumeToBind)):
        claim = cluster.snapshot.get(PersistentVolumeClaim, reason.claim)
        if claim is None:
            continue
        near = [
            (missing, volume)
            for volume in cluster.snapshot.all(PersistentVolume).values()
            if volume.spec.storage_class_name == reason.storage_class
            and (missing := list(_missing(claim, volume)))
        ]
        near.sort(key=lambda item: (len(item[0]), item[1].name))
        for missing, volume in near[:_VOLUMES]:
            yield Remark("nearest-volume", f"PersistentVolume {volume.name} {listed(missing)}")


def _missing(claim: PersistentVolumeClaim, volume: PersistentVolume) -> Iterator[str]:
    """What keeps the claim from this volume."""
    held = volume.spec.claim_ref
    if held is not None and (held.namespace, held.name) != (claim.namespace, claim.name):
        yield f"belongs to claim {held.namespace}/{held.name}"
    mode, wanted = volume.spec.volume_mode or "Filesystem", claim.spec.volume_mode or "Filesystem"
    if mode != wanted:
        yield f"has volumeMode {mode}, the claim wants {wanted}"
    modes = [m for m in claim.spec.access_modes if m not in volume.spec.access_modes]
    if modes:
        yield f"lacks access mode {listed(modes)}"
    size = whole(volume.spec.capacity.get("storage", 0))
    need = whole(claim.spec.resources.requests.get("storage", 0))
    if size < need:
        yield f"has {show_bytes(size)}, the claim wants {show_bytes(need)}"
    phase = volume.status.phase
    if held is None and phase not in ("", "Available"):
        yield f"is {phase}"
    selector = claim.spec.selector
    if selector is not None and not parse(selector).matches(volume.labels):
        yield "lacks the labels that the claim selects"


def _exhausted(reasons: list[Reason]) -> Found:
    for reason in reasons:
        if isinstance(reason, StorageExhausted):
            if reason.capacities:
                message = (
                    f"the driver of StorageClass {reason.storage_class} says so itself; a snapshot "
                    "does not show the disks"
                )
                yield Remark("capacity-as-published", message)
            else:
                message = (
                    f"the driver of StorageClass {reason.storage_class} declares storageCapacity "
                    "and publishes no CSIStorageCapacity for the node: information is missing, "
                    "the disk need not be full"
                )
                yield Remark("capacity-not-published", message)


def _used_elsewhere(attempt: Attempt, cluster: ClusterView) -> Found:
    """ReadWriteOnce is no matter of the scheduler: the volume cannot follow to another node."""
    pod = attempt.pod
    for volume in pod.pod.spec.volumes:
        source = volume.persistent_volume_claim
        claim = source and cluster.snapshot.get(
            PersistentVolumeClaim, f"{pod.namespace}/{source.claim_name}"
        )
        if not claim or claim.spec.access_modes != ("ReadWriteOnce",):
            continue
        for name, pods in cluster.pods_in_namespace(pod.namespace).items():
            users = [p.key for p in pods if _uses(p.pod.spec.volumes, claim.name)]
            if users and attempt.winners and name not in attempt.winners:
                message = (
                    f"claim {claim.namespace}/{claim.name} is ReadWriteOnce and in use on {name} "
                    f"by {listed(users)}; the scheduler does not heed that, and on another node "
                    "the pod would wait for the volume in ContainerCreating"
                )
                yield Remark("volume-in-use-on-another-node", message)


def _uses(volumes: tuple[object, ...], claim: str) -> bool:
    sources = (getattr(volume, "persistent_volume_claim", None) for volume in volumes)
    return any(source is not None and source.claim_name == claim for source in sources)
