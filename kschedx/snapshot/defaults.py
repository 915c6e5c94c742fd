"""The defaults that an API server gives every object that it reads, stored or new.

Upstream: pkg/apis/{core,storage,scheduling}/v1/defaults.go (v1.35.4).
Differences: only what scheduling and rollouts read; quantities are not rounded to milli here but
where they are counted.

A pod that lacks nothing is returned itself: 50,000 of an API server's cost a look each.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from msgspec.structs import replace

from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Container, Pod
from kschedx.api.policy import LimitRange, LimitRangeItem
from kschedx.api.quantity import Quantity
from kschedx.api.scheduling import PriorityClass
from kschedx.api.storage import (
    IMMEDIATE,
    CSIDriver,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from kschedx.api.workloads import Namespace
from kschedx.snapshot import workload_defaults
from kschedx.snapshot.pod_level import with_pod_level_requests
from kschedx.snapshot.server import Server
from kschedx.snapshot.snapshot import Snapshot
from kschedx.snapshot.spec_defaults import (
    AZURE_KIND,
    claim_spec,
    spec_changes,
    with_ports,
    with_volume_defaults,
)

NAMESPACE_LABEL: Final = "kubernetes.io/metadata.name"

T = TypeVar("T", bound=Object)


def with_defaults(snapshot: Snapshot, server: Server) -> Snapshot:
    """The snapshot as an API server of this version would show it."""
    objects: dict[type[Object], Mapping[str, Object]] = dict(snapshot.objects)
    for kind, items in snapshot.objects.items():
        rule = _RULES.get(kind)
        if rule is None:
            continue
        changed: dict[str, Object] = {}
        for key, item in items.items():
            full = rule(item, server)
            if full is not item:
                changed[key] = full
        if changed:
            objects[kind] = {**items, **changed}
    return dataclasses.replace(snapshot, objects=objects)


def defaulted(item: T, server: Server) -> T:
    """One object with its defaults; the object itself if it lacks none."""
    rule = _RULES.get(type(item))
    return item if rule is None else rule(item, server)


def pod_defaults(pod: Pod, server: Server) -> Pod:
    """A pod with its defaults: requests from limits, host ports, pod-level requests."""
    spec = pod.spec
    host_network = spec.host_network
    changes: dict[str, Any] = {}
    if _lacks(spec.containers, host_network=host_network):
        changes["containers"] = _complete(spec.containers, host_network=host_network)
    if spec.init_containers and _lacks(spec.init_containers, host_network=host_network):
        changes["init_containers"] = _complete(spec.init_containers, host_network=host_network)
    if not (
        spec.scheduler_name
        and spec.restart_policy
        and spec.termination_grace_period_seconds is not None
    ):
        changes |= spec_changes(spec)
    volumes = with_volume_defaults(spec.volumes)
    if volumes is not spec.volumes:
        changes["volumes"] = volumes
    if changes:
        pod = replace(pod, spec=replace(spec, **changes))
    if (
        spec.resources is not None
        and server.enabled("PodLevelResources")
        and not server.enabled("PodLevelResourcesFixDefaulting")
    ):
        return with_pod_level_requests(pod)
    return pod


def _lacks(containers: tuple[Container, ...], *, host_network: bool) -> bool:
    for container in containers:
        resources = container.resources
        if resources.limits and not resources.limits.keys() <= resources.requests.keys():
            return True
        for port in container.ports:
            if not port.protocol or (host_network and not port.host_port):
                return True
    return False


def _complete(containers: tuple[Container, ...], *, host_network: bool) -> tuple[Container, ...]:
    """With a request for every limit and, on the host's network, a host port for every port."""
    return tuple(
        replace(
            with_ports(container, host_network=host_network),
            resources=replace(
                container.resources,
                requests=_filled(container.resources.requests, container.resources.limits),
            ),
        )
        for container in containers
    )


def _filled(
    stated: Mapping[str, Quantity], fallback: Mapping[str, Quantity]
) -> dict[str, Quantity]:
    return {**stated, **{name: q for name, q in fallback.items() if name not in stated}}


def _node(node: Node, server: Server) -> Node:
    if node.status.allocatable or not node.status.capacity:
        return node
    return replace(node, status=replace(node.status, allocatable=node.status.capacity))


def _namespace(namespace: Namespace, server: Server) -> Namespace:
    meta = namespace.metadata
    if meta.labels.get(NAMESPACE_LABEL) == meta.name:
        return namespace
    labels = {**meta.labels, NAMESPACE_LABEL: meta.name}
    return replace(namespace, metadata=replace(meta, labels=labels))


def _volume_object(volume: PersistentVolume, server: Server) -> PersistentVolume:
    spec, status = volume.spec, volume.status
    if spec.azure_disk is not None and spec.azure_disk.kind is None:
        spec = replace(spec, azure_disk=replace(spec.azure_disk, kind=AZURE_KIND))
    elif spec.volume_mode is not None and spec.persistent_volume_reclaim_policy and status.phase:
        return volume
    return replace(
        volume,
        spec=replace(
            spec,
            volume_mode=spec.volume_mode or "Filesystem",
            persistent_volume_reclaim_policy=spec.persistent_volume_reclaim_policy or "Retain",
        ),
        status=replace(status, phase=status.phase or "Pending"),
    )


def _claim(claim: PersistentVolumeClaim, server: Server) -> PersistentVolumeClaim:
    spec, status = claim_spec(claim.spec), claim.status
    if spec is claim.spec and status.phase:
        return claim
    return replace(claim, spec=spec, status=replace(status, phase=status.phase or "Pending"))


def _storage_class(item: StorageClass, server: Server) -> StorageClass:
    if item.volume_binding_mode is not None and item.reclaim_policy is not None:
        return item
    return replace(
        item,
        volume_binding_mode=item.volume_binding_mode or IMMEDIATE,
        reclaim_policy=item.reclaim_policy or "Delete",
    )


def _csi_driver(driver: CSIDriver, server: Server) -> CSIDriver:
    if driver.spec.storage_capacity is not None:
        return driver
    return replace(driver, spec=replace(driver.spec, storage_capacity=False))


def _priority_class(item: PriorityClass, server: Server) -> PriorityClass:
    if item.preemption_policy is not None:
        return item
    return replace(item, preemption_policy="PreemptLowerPriority")


def _limit_range(item: LimitRange, server: Server) -> LimitRange:
    limits = tuple(map(_limit, item.spec.limits))
    return (
        item
        if limits == item.spec.limits
        else replace(item, spec=replace(item.spec, limits=limits))
    )


def _limit(limit: LimitRangeItem) -> LimitRangeItem:
    if limit.type != "Container":
        return limit
    default = _filled(limit.default, limit.max)
    request = _filled(_filled(limit.default_request, default), limit.min)
    return replace(limit, default=default, default_request=request)


_RULES: Final[Mapping[type[Object], Callable[[Any, Server], Any]]] = {
    **workload_defaults.RULES,
    Pod: pod_defaults,
    Node: _node,
    Namespace: _namespace,
    PersistentVolume: _volume_object,
    PersistentVolumeClaim: _claim,
    StorageClass: _storage_class,
    CSIDriver: _csi_driver,
    PriorityClass: _priority_class,
    LimitRange: _limit_range,
}
