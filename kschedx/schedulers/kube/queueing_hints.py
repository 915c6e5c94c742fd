"""Which waiting pods an event wakes: the rejecting plugins' queueing hints.

Upstream: plugins/*/ EventsToRegister and isSchedulableAfter* (v1.30.14 to v1.37.2),
backend/queue/scheduling_queue.go isPodWorthRequeuing.
Differences: only events on pods; nodes, claims and classes do not change while a rollout is played.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kschedx.api.selectors import SelectorError, parse
from kschedx.framework.affinity import AffinityTerm
from kschedx.framework.views import HostPort, PodView
from kschedx.schedulers.kube.versions import Release


class Change(enum.Enum):
    """What happened to a pod that has a node."""

    ADDED = "added"
    """It was bound."""
    DELETED = "deleted"
    """It is gone, or its phase became terminal."""


@dataclass(frozen=True, slots=True)
class PodEvent:
    """An event on a pod with a node. Upstream: AssignedPod/Add and AssignedPod/Delete."""

    change: Change
    pod: PodView


_REGISTERED: Final = {
    Change.DELETED: frozenset(
        {
            "NodeResourcesFit",
            "NodePorts",
            "VolumeRestrictions",
            "NodeVolumeLimits",
            "PodTopologySpread",
            "InterPodAffinity",
        }
    ),
    Change.ADDED: frozenset({"PodTopologySpread", "InterPodAffinity"}),
}
"""Plugins that want to hear of the event at all."""


def wakes(
    rejected_by: Iterable[str], event: PodEvent, waiting: PodView, release: Release
) -> str | None:
    """The first of the rejecting plugins that wants the pod tried again; None: it stays."""
    registered = _REGISTERED[event.change]
    for plugin in sorted(rejected_by):
        if plugin not in registered:
            continue
        if not release.enabled("SchedulerQueueingHints") or _hint(plugin, event, waiting, release):
            return plugin
    return None


def _hint(plugin: str, event: PodEvent, waiting: PodView, release: Release) -> bool:
    other = event.pod
    match plugin:
        case "NodeResourcesFit":
            # Neither the node nor the resource is looked at.
            return True
        case "NodePorts":
            return _share_a_port(waiting.host_ports, other.host_ports)
        case "VolumeRestrictions":
            return waiting.namespace == other.namespace and bool(
                _claims(waiting) & _claims(other) or _disks(waiting) & _disks(other)
            )
        case "NodeVolumeLimits":
            return any(_counted(other))
        case "PodTopologySpread":
            return waiting.namespace == other.namespace and _spread_over(waiting, other)
        case _:
            return _affinity_concerned(event, waiting, release)


def _share_a_port(wanted: Iterable[HostPort], freed: Iterable[HostPort]) -> bool:
    used = tuple(freed)
    everywhere = "0.0.0.0"
    return any(
        port == other_port
        and protocol == other_protocol
        and (address == other_address or everywhere in (address, other_address))
        for address, protocol, port in wanted
        for other_address, other_protocol, other_port in used
    )


def _claims(pod: PodView) -> set[str]:
    return {
        volume.persistent_volume_claim.claim_name
        for volume in pod.pod.spec.volumes
        if volume.persistent_volume_claim is not None
    }


def _disks(pod: PodView) -> set[str]:
    """In-tree disks that only one pod of a node may mount."""
    disks: set[str] = set()
    for volume in pod.pod.spec.volumes:
        if volume.gce_persistent_disk is not None:
            disks.add(f"gce {volume.gce_persistent_disk.pd_name}")
        if volume.aws_elastic_block_store is not None:
            disks.add(f"aws {volume.aws_elastic_block_store.volume_id}")
        if volume.iscsi is not None:
            disks.add(f"iscsi {volume.iscsi.iqn}")
        if volume.rbd is not None:
            disks |= {f"rbd {m} {volume.rbd.pool} {volume.rbd.image}" for m in volume.rbd.monitors}
    return disks


def _counted(pod: PodView) -> Iterable[bool]:
    for volume in pod.pod.spec.volumes:
        yield volume.persistent_volume_claim is not None or volume.ephemeral is not None
        yield volume.gce_persistent_disk is not None or volume.aws_elastic_block_store is not None
        yield volume.azure_disk is not None or volume.cinder is not None
        yield volume.portworx_volume is not None or volume.vsphere_volume is not None


def _spread_over(waiting: PodView, other: PodView) -> bool:
    for constraint in waiting.pod.spec.topology_spread_constraints:
        if constraint.when_unsatisfiable != "DoNotSchedule":
            continue
        try:
            selected = parse(constraint.label_selector).matches(other.labels)
        except SelectorError:
            return True
        same_revision = all(
            waiting.labels[key] == other.labels.get(key)
            for key in constraint.match_label_keys
            if key in waiting.labels
        )
        if selected and same_revision:
            return True
    return False


def _all_match(terms: Iterable[AffinityTerm], pod: PodView) -> bool:
    listed = tuple(terms)
    return bool(listed) and all(_matches(term, pod) for term in listed)


def _matches(term: AffinityTerm, pod: PodView) -> bool:
    # The hint does not look up namespace labels: a namespaceSelector counts as matching.
    in_namespace = pod.namespace in term.namespaces or term.term.namespace_selector is not None
    return in_namespace and term.selector.matches(pod.labels)


def _affinity_concerned(event: PodEvent, waiting: PodView, release: Release) -> bool:
    other = event.pod
    if event.change is Change.ADDED:
        return _all_match(waiting.affinity.required, other)
    anti = waiting.affinity.required_anti
    if release.minor <= 36:
        # Until 1.36 all terms must match, and the deleted pod's own terms are overlooked.
        return _all_match(anti, other)
    return any(_matches(term, other) for term in anti) or any(
        _matches(term, waiting) for term in other.affinity.required_anti
    )
