"""Changes to what a pod asks for as a whole: spec.resources, and the overhead of its RuntimeClass."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.api.change import replaced
from kschedx.api.pod import Pod
from kschedx.api.quantity import amount, exact
from kschedx.framework.edit import Cost, Edit, Patch
from kschedx.framework.pod_edits import PodEdit, escaped
from kschedx.framework.views import ClusterView


@dataclass(frozen=True, slots=True)
class LowerPodRequest(PodEdit):
    """The pod asks for less of one resource in spec.resources."""

    code: ClassVar[str] = "lower-pod-request"
    resource: str
    before: int
    """In the scheduler's unit: cpu in milli, the rest whole."""
    after: int

    @classmethod
    def of(cls, pod: Pod, resource: str, free: int, cluster: ClusterView) -> LowerPodRequest | None:
        """The largest request that fits; None where the field does not count or cannot be lower.

        The API server refuses one below the sum of the containers.
        """
        wanted = pod.spec.resources.requests if pod.spec.resources is not None else {}
        if resource not in wanted:
            return None
        before = amount(resource, wanted[resource])
        overhead = amount(resource, pod.spec.overhead.get(resource, 0))
        summed = cluster.view(pod.with_spec(resources=None)).asked.get(resource, 0) - overhead
        edit = cls(resource, before, free - overhead)
        if not max(summed, 1) <= edit.after < before:
            return None
        fits = cluster.view(edit.changed(pod)).asked.get(resource, 0) <= free
        return edit if fits else None

    def changed(self, pod: Pod) -> Pod:
        own = pod.spec.resources
        if own is None:
            return pod
        requests = {**own.requests, self.resource: exact(self.resource, self.after)}
        return pod.with_spec(resources=replaced(own, requests=requests))

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        if pod.spec.resources is None or self.resource not in pod.spec.resources.requests:
            return ()
        path = f"/resources/requests/{escaped(self.resource)}"
        return ({"op": "replace", "path": path, "value": exact(self.resource, self.after)},)

    def sentence(self) -> str:
        before, after = exact(self.resource, self.before), exact(self.resource, self.after)
        return f"lower the {self.resource} request of spec.resources from {before} to {after}"


@dataclass(frozen=True, slots=True)
class LowerOverhead(Edit):
    """The pod's RuntimeClass adds less of one resource to every pod that uses it."""

    code: ClassVar[str] = "lower-overhead"
    cost: ClassVar[Cost] = Cost.POD_CHANGED
    gives_up: ClassVar[bool] = True
    runtime_class: str
    resource: str
    before: int
    """In the scheduler's unit: cpu in milli, the rest whole."""
    after: int

    @classmethod
    def of(cls, pod: Pod, resource: str, short_by: int) -> LowerOverhead | None:
        """The largest overhead with which it fits; None where even none would be too much."""
        if resource not in pod.spec.overhead or not pod.spec.runtime_class_name:
            return None
        before = amount(resource, pod.spec.overhead[resource])
        after = before - short_by
        return cls(pod.spec.runtime_class_name, resource, before, after) if after > 0 else None

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        overhead = {**pod.spec.overhead, self.resource: exact(self.resource, self.after)}
        return pod.with_spec(overhead=overhead), cluster

    def patch(self, pod: Pod) -> Patch:
        value = exact(self.resource, self.after)
        path = f"/overhead/podFixed/{escaped(self.resource)}"
        body = json.dumps({"overhead": {"podFixed": {self.resource: value}}}, separators=(",", ":"))
        command = f"kubectl patch runtimeclass {self.runtime_class} --type=merge -p '{body}'"
        operation = {"op": "replace", "path": path, "value": value}
        return Patch("RuntimeClass", "", self.runtime_class, (operation,), command)

    def sentence(self) -> str:
        before, after = exact(self.resource, self.before), exact(self.resource, self.after)
        return (
            f"lower the {self.resource} overhead of RuntimeClass {self.runtime_class} from {before} "
            f"to {after}, then create the pod again"
        )
