"""Classes that admission resolves. Upstream: api/scheduling/v1, api/node/v1 (v1.35.4)."""

from __future__ import annotations

from kschedx.api.meta import Object, StringMap, Struct
from kschedx.api.pod import ResourceList, Toleration

SYSTEM_PRIORITIES = {"system-node-critical": 2000001000, "system-cluster-critical": 2000000000}


class PriorityClass(Object, frozen=True, kw_only=True):
    value: int = 0
    global_default: bool = False
    preemption_policy: str | None = None


class Overhead(Struct, frozen=True):
    pod_fixed: ResourceList = {}


class RuntimeClassScheduling(Struct, frozen=True):
    node_selector: StringMap = {}
    tolerations: tuple[Toleration, ...] = ()


class RuntimeClass(Object, frozen=True, kw_only=True):
    overhead: Overhead | None = None
    scheduling: RuntimeClassScheduling | None = None
