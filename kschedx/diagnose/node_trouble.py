"""What a taint in Kubernetes' own name says of its node's health."""

from __future__ import annotations

from typing import Final

from kschedx.api.node import Node

_CONDITIONS: Final = {
    "node.kubernetes.io/not-ready": ("Ready", "not ready"),
    "node.kubernetes.io/unreachable": ("Ready", "unreachable"),
    "node.kubernetes.io/disk-pressure": ("DiskPressure", "short of disk"),
    "node.kubernetes.io/memory-pressure": ("MemoryPressure", "short of memory"),
    "node.kubernetes.io/pid-pressure": ("PIDPressure", "short of process ids"),
    "node.kubernetes.io/network-unavailable": ("NetworkUnavailable", "without a network yet"),
}
UNINITIALIZED: Final = "node.cloudprovider.kubernetes.io/uninitialized"


def trouble_of(key: str, node: Node) -> str:
    """ "not ready: Ready=False"; empty for a taint that says nothing of the node's health."""
    if key == UNINITIALIZED:
        return "not initialized by the cloud controller manager yet"
    known = _CONDITIONS.get(key)
    if known is None:
        return ""
    kind, said = known
    condition = next((c for c in node.status.conditions if c.type == kind), None)
    if condition is None:
        return said
    why = f", {condition.reason}" if condition.reason else ""
    return f"{said}: condition {kind}={condition.status}{why}"
