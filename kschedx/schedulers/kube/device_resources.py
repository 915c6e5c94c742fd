"""Which resource names stand for devices that a driver hands out (DRA), instead of node capacity.

Upstream: dynamic-resource-allocation deviceclass/extendedresourcecache (v0.37.2).
Differences: where DeviceClasses were not read, a resource that some node offers itself is taken
for ordinary; what the scheduler makes of any other is not known. 1.34 with the gate (alpha) on is
taken for 1.35.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kschedx.api.devices import DeviceClass
from kschedx.framework.accounting import is_extended
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.versions import Release

IMPLICIT_PREFIX: Final = "deviceclass.resource.kubernetes.io/"
"""Followed by a DeviceClass' name: a resource that every class backs of itself."""


@dataclass(frozen=True, slots=True)
class DeviceResources:
    """Of the resources that a pod requests, those that may come from devices."""

    backed: frozenset[str] = frozenset()
    """A DeviceClass stands behind them, on nodes that offer none themselves."""
    unknown: frozenset[str] = frozenset()
    """DeviceClasses were not read: one might stand behind them."""


NO_DEVICES: Final = DeviceResources()


def device_resources(
    requests: Iterable[tuple[str, int]], cluster: ClusterView, release: Release
) -> DeviceResources:
    """What the DeviceClasses of the cluster make of these requested resources. O(nodes) at most."""
    if not release.enabled("DRAExtendedResource"):
        return NO_DEVICES
    names = {
        name
        for name, amount in requests
        if amount > 0 and (is_extended(name) or name.startswith(IMPLICIT_PREFIX))
    }
    if not names:
        return NO_DEVICES
    if cluster.snapshot.read(DeviceClass):
        classes = cluster.snapshot.all(DeviceClass).values()
        behind = {IMPLICIT_PREFIX + c.name for c in classes}
        behind.update(c.spec.extended_resource_name or "" for c in classes)
        return DeviceResources(backed=frozenset(names & behind))
    return DeviceResources(
        unknown=frozenset(
            name
            for name in names
            if not any(node.allocatable.get(name, 0) > 0 for node in cluster.nodes.values())
        )
    )
