"""Remarks about claims, volumes and classes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from kschedx.api.pod import Pod
from kschedx.api.quantity import STORAGE, show_each, whole
from kschedx.api.selectors import parse
from kschedx.api.storage import (
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from kschedx.diagnose.blockers import says_cordoned
from kschedx.diagnose.headline import listed
from kschedx.diagnose.remark import (
    NAMED_OBJECTS,
    Found,
    Remark,
    each_once,
    reasons_by_node,
    remark,
)
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
        *_exhausted(reasons, cluster),
        *_used_elsewhere(attempt, cluster),
        *_without_limit(attempt, cluster),
    ]
    return each_once(found)


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
            said = remark(
                "node-named-by-hand",
                f"claim {key} waits for the scheduler to choose a node, and the scheduler passes "
                "by a pod whose spec.nodeName was set by someone else: it is never bound",
                pod,
                claim,
                of,
                node=pod.spec.node_name,
                claim=key,
                storage_class=of.name,
            )
            found.append(said)
    if not found:
        message = "whether volumes attach and devices are well is not shown by a snapshot"
        found.append(remark("kubelet-not-shown", message, pod, node=pod.spec.node_name))
    return tuple(found)


def _not_bound(reasons: list[Reason], cluster: ClusterView) -> Found:
    classes = cluster.snapshot.all(StorageClass)
    for reason in reasons:
        if not isinstance(reason, ClaimNotBound):
            continue
        present = listed(sorted(classes)) if classes else "none"
        about = (cluster.snapshot.get(PersistentVolumeClaim, reason.claim), *classes.values())
        if not reason.storage_class and not reason.volume:
            defaults = [
                item.name
                for item in classes.values()
                if item.metadata.annotations.get(_DEFAULT_CLASS) == "true"
            ]
            default = f"the default is {listed(defaults)}" if defaults else "none is the default"
            yield remark(
                "default-class",
                f"StorageClasses in the snapshot: {present}; {default}",
                *about,
                claim=reason.claim,
                class_count=len(classes),
                default_classes=sorted(defaults),
            )
        elif not reason.class_exists and reason.storage_class:
            yield remark(
                "class-unknown",
                f"StorageClasses in the snapshot: {present}; the scheduler takes a class that does "
                "not exist for one that binds at once, hence its word immediate",
                *about,
                claim=reason.claim,
                storage_class=reason.storage_class,
                class_count=len(classes),
            )


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
        about = (
            cluster.snapshot.get(PersistentVolume, volume),
            cluster.snapshot.get(PersistentVolumeClaim, reason.claim),
        )
        if forbidden and not set(allowed) & set(usable):
            yield remark(
                "no-common-node",
                f"the pod's own rules allow {listed(allowed) or 'no node'}, PersistentVolume "
                f"{volume} allows {listed(usable) or 'no node'}: no node is in both",
                *about,
                volume=volume,
                claim=reason.claim,
                allowed_by_pod=allowed[:NAMED_OBJECTS],
                allowed_by_pod_count=len(allowed),
                allowed_by_volume=usable[:NAMED_OBJECTS],
                allowed_by_volume_count=len(usable),
            )
        elif usable:
            closing = [r for name in usable for r in by_node[name] if not says_cordoned(r)]
            others = sorted({r.subject() for r in closing})
            if others:
                yield remark(
                    "volume-place-closed",
                    f"{volume} can be used from {listed(usable)}, closed by: {listed(others)}",
                    *about,
                    *(cluster.nodes[name].node for name in usable),
                    volume=volume,
                    claim=reason.claim,
                    node_count=len(usable),
                    closed_by=sorted({r.code for r in closing}),
                )
        yield from _bound_at_once(reason, cluster)


def _bound_at_once(reason: VolumeOutOfReach, cluster: ClusterView) -> Found:
    claim = cluster.snapshot.get(PersistentVolumeClaim, reason.claim)
    name = claim.spec.storage_class_name if claim is not None else None
    found = cluster.snapshot.get(StorageClass, name) if name else None
    if found is not None and found.volume_binding_mode in (None, _AT_ONCE):
        yield remark(
            "class-binds-at-once",
            f"StorageClass {name} binds claims at once, before the pod has a node; only "
            "WaitForFirstConsumer heeds where the pod may go, and only for a claim made anew, whose "
            "volume begins empty",
            found,
            claim,
            claim=reason.claim,
            storage_class=found.name,
            volume_binding_mode=_AT_ONCE,
        )


Missing = list[tuple[str, dict[str, Any]]]
"""What keeps a claim from a volume, in words and as facts."""


def nearest_volumes(
    reason: NoVolumeToBind, cluster: ClusterView
) -> Iterator[tuple[PersistentVolume, Missing]]:
    """The volumes of the claim's class that do not suit, first those that lack the least."""
    claim = cluster.snapshot.get(PersistentVolumeClaim, reason.claim)
    if claim is None:
        return
    near = [
        (volume, missing)
        for volume in cluster.snapshot.all(PersistentVolume).values()
        if volume.spec.storage_class_name == reason.storage_class
        and (missing := list(_missing(claim, volume)))
    ]
    yield from sorted(near, key=lambda item: (len(item[1]), item[0].name))


def _none_suits(reasons: list[Reason], cluster: ClusterView) -> Found:
    for reason in dict.fromkeys(r for r in reasons if isinstance(r, NoVolumeToBind)):
        claim = cluster.snapshot.get(PersistentVolumeClaim, reason.claim)
        for volume, missing in islice(nearest_volumes(reason, cluster), _VOLUMES):
            differs: dict[str, Any] = {}
            for _, facts in missing:
                differs |= facts
            yield remark(
                "nearest-volume",
                f"PersistentVolume {volume.name} {listed([said for said, _ in missing])}",
                volume,
                claim,
                volume=volume.name,
                claim=reason.claim,
                **differs,
            )


def _missing(
    claim: PersistentVolumeClaim, volume: PersistentVolume
) -> Iterator[tuple[str, dict[str, Any]]]:
    """What keeps the claim from this volume, in words and as facts."""
    held = volume.spec.claim_ref
    if held is not None and (held.namespace, held.name) != (claim.namespace, claim.name):
        holder = f"{held.namespace}/{held.name}"
        yield f"belongs to claim {holder}", {"held_by_claim": holder}
    mode, wanted = volume.spec.volume_mode or "Filesystem", claim.spec.volume_mode or "Filesystem"
    if mode != wanted:
        said = f"has volumeMode {mode}, the claim wants {wanted}"
        yield said, {"volume_mode": mode, "wanted_volume_mode": wanted}
    modes = [m for m in claim.spec.access_modes if m not in volume.spec.access_modes]
    if modes:
        yield f"lacks access mode {listed(modes)}", {"missing_access_modes": modes}
    size = whole(volume.spec.capacity.get("storage", 0))
    need = whole(claim.spec.resources.requests.get("storage", 0))
    if size < need:
        has, wants = show_each(STORAGE, size, need)
        yield f"has {has}, the claim wants {wants}", {"capacity_bytes": size, "wanted_bytes": need}
    phase = volume.status.phase
    if held is None and phase not in ("", "Available"):
        yield f"is {phase}", {"phase": phase}
    selector = claim.spec.selector
    if selector is not None:
        selected = parse(selector)
        if not selected.matches(volume.labels):
            yield "lacks the labels that the claim selects", {"selector": str(selected)}


def _exhausted(reasons: list[Reason], cluster: ClusterView) -> Found:
    for reason in reasons:
        if not isinstance(reason, StorageExhausted):
            continue
        if reason.capacities:
            code = "capacity-as-published"
            message = (
                f"the driver of StorageClass {reason.storage_class} says so itself; a snapshot "
                "does not show the disks"
            )
        else:
            code = "capacity-not-published"
            message = (
                f"the driver of StorageClass {reason.storage_class} declares storageCapacity "
                "and publishes no CSIStorageCapacity for the node: information is missing, "
                "the disk need not be full"
            )
        yield remark(
            code,
            message,
            cluster.snapshot.get(StorageClass, reason.storage_class),
            cluster.snapshot.get(PersistentVolumeClaim, reason.claim),
            claim=reason.claim,
            storage_class=reason.storage_class,
            wanted_bytes=reason.size_bytes,
            largest_bytes=reason.largest_bytes,
            capacity_count=reason.capacities,
        )


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
            users = [p for p in pods if _uses(p.pod.spec.volumes, claim.name)]
            if users and attempt.winners and name not in attempt.winners:
                key = f"{claim.namespace}/{claim.name}"
                yield remark(
                    "volume-in-use-on-another-node",
                    f"claim {key} is ReadWriteOnce and in use on {name} by "
                    f"{listed([user.key for user in users])}; the scheduler does not heed that, "
                    "and on another node the pod would wait for the volume in ContainerCreating",
                    claim,
                    *(user.pod for user in users),
                    claim=key,
                    node=name,
                    pod_count=len(users),
                )


def _without_limit(attempt: Attempt, cluster: ClusterView) -> Found:
    """A driver that has not registered on the node yet names no limit there."""
    pod, snapshot = attempt.pod, cluster.snapshot
    drivers: dict[str, None] = {}
    for volume in pod.pod.spec.volumes:
        source = volume.persistent_volume_claim
        key = f"{pod.namespace}/{source.claim_name}" if source is not None else ""
        claim = snapshot.get(PersistentVolumeClaim, key)
        bound = snapshot.get(PersistentVolume, claim.spec.volume_name) if claim else None
        if bound is not None and bound.spec.csi is not None:
            drivers[bound.spec.csi.driver] = None
    entries = snapshot.all(CSINode).values()
    known = {driver.name for entry in entries for driver in entry.spec.drivers}
    for driver in drivers:
        if driver not in known:
            continue
        new = [name for name in attempt.winners if not _registered(driver, name, cluster)]
        if new:
            yield remark(
                "driver-not-registered",
                f"driver {driver} has not registered on {listed(new)} (CSINode): the scheduler "
                "knows no limit of volumes there, and one too many would wait in ContainerCreating",
                *(cluster.nodes[name].node for name in new),
                driver=driver,
                node_count=len(new),
            )


def _registered(driver: str, node: str, cluster: ClusterView) -> bool:
    entry = cluster.snapshot.get(CSINode, node)
    return entry is not None and any(own.name == driver for own in entry.spec.drivers)


def _uses(volumes: tuple[object, ...], claim: str) -> bool:
    sources = (getattr(volume, "persistent_volume_claim", None) for volume in volumes)
    return any(source is not None and source.claim_name == claim for source in sources)
