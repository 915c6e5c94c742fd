"""Changes to priorities: the pod's own, or that of a pod which preemption should spare.

The priority of a living pod cannot be changed: the pod is made again, from its workload's template
or by hand.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kschedx.api.pod import Pod
from kschedx.framework.edit import Cost, Edit, Patch
from kschedx.framework.pod_edits import PodEdit
from kschedx.framework.views import ClusterView

NEVER: Final = "Never"
"""The preemptionPolicy of pods that evict nobody."""


def class_named(priority_class: str, priority: int) -> str:
    """The class to use, which may have to be created."""
    return priority_class or f"priority-{priority}"


def class_created(priority_class: str, priority: int) -> str:
    """The command that creates the class; empty where there is one."""
    if priority_class:
        return ""
    return f"kubectl create priorityclass {class_named('', priority)} --value={priority}"


def with_class(name: str) -> dict[str, Any]:
    """The patch operation that gives a pod's spec a class, its path relative to the spec."""
    return {"op": "add", "path": "/priorityClassName", "value": name}


def made_again(pod: Pod, operations: Iterable[dict[str, Any]]) -> str:
    """The command that replaces a living pod by one with a changed spec.

    What admission computed from the former class has to go: it would refuse another value.
    """
    spec = pod.spec
    computed = {
        "/priority": spec.priority is not None,
        "/preemptionPolicy": spec.preemption_policy is not None,
        "/nodeName": bool(spec.node_name),
    }
    removed = [{"op": "remove", "path": path} for path, there in computed.items() if there]
    wanted = list(operations)
    wanted += [each for each in removed if each not in wanted]
    patch = [{**each, "path": f"/spec{each['path']}"} for each in wanted]
    body = json.dumps(patch, separators=(",", ":"))
    return (
        f"kubectl get pod {pod.name} -n {pod.namespace} -o json | "
        f"kubectl patch --local -f - --type=json -p '{body}' -o json | "
        "kubectl replace --force -f -"
    )


@dataclass(frozen=True, slots=True)
class RaisePriority(PodEdit):
    """The pod gets a higher priority, and then evicts others."""

    code: ClassVar[str] = "raise-priority"
    cost: ClassVar[Cost] = Cost.OTHER_POD
    priority: int
    priority_class: str
    """Empty where the snapshot has no class of that value."""

    def changed(self, pod: Pod) -> Pod:
        return pod.with_spec(priority=self.priority, priority_class_name=self.priority_class)

    def prerequisite(self) -> str:
        return class_created(self.priority_class, self.priority)

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        return (with_class(class_named(self.priority_class, self.priority)),)

    def sentence(self) -> str:
        if self.priority_class:
            return f"give it PriorityClass {self.priority_class} ({self.priority})"
        return f"give it a PriorityClass of value {self.priority}"


@dataclass(frozen=True, slots=True)
class AllowPreemption(RaisePriority):
    """The pod gets a class that lets it evict others: its own has preemptionPolicy Never."""

    code: ClassVar[str] = "allow-preemption"

    def changed(self, pod: Pod) -> Pod:
        return RaisePriority.changed(self, pod).with_spec(preemption_policy=None)

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        added = RaisePriority.operations(self, pod)
        if pod.spec.preemption_policy is None:
            return added
        return (*added, {"op": "remove", "path": "/preemptionPolicy"})

    def sentence(self) -> str:
        return f"{RaisePriority.sentence(self)} with preemptionPolicy PreemptLowerPriority"


@dataclass(frozen=True, slots=True)
class RaiseOtherPriority(Edit):
    """Another pod gets a priority that spares it, and so do all pods of its template."""

    code: ClassVar[str] = "raise-other-priority"
    cost: ClassVar[Cost] = Cost.OTHER_POD
    pods: tuple[str, ...]
    """ "namespace/name"; the one that should be spared first."""
    priority: int
    priority_class: str
    """Empty where the snapshot has no class that is high enough."""
    places: tuple[str, ...] = ()
    """The nodes that they get when they are made again, in the order of the pods."""

    def raised(self, pod: Pod) -> Pod:
        """One of the pods, made again and without a node yet."""
        name = class_named(self.priority_class, self.priority)
        return pod.recreated().with_spec(
            priority=self.priority, priority_class_name=name, preemption_policy=None
        )

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        found = [view for key in self.pods if (view := cluster.find(key)) is not None]
        cluster = cluster.without_pods(self.pods)
        for view, place in zip(found, self.places, strict=True):
            cluster = cluster.with_pod_on(cluster.view(self.raised(view.pod)), place)
        return pod, cluster

    def prerequisite(self) -> str:
        """A kubectl command that has to come first; empty for none."""
        return class_created(self.priority_class, self.priority)

    def operations(self) -> tuple[dict[str, Any], ...]:
        """JSON patch operations with paths relative to the spec of the other pod."""
        return (with_class(class_named(self.priority_class, self.priority)),)

    def patch(self, pod: Pod) -> Patch:
        namespace, _, name = self.pods[0].partition("/")
        return Patch("Pod", namespace, name, self.operations())

    def sentence(self) -> str:
        first, *others = self.pods
        if others:
            plural = "s" if len(others) > 1 else ""
            first = f"{first} and {len(others)} other pod{plural} of its template"
        # No event makes the scheduler try a pod that lacked room because of a pod that comes.
        places = " and ".join(dict.fromkeys(self.places))
        again = f" (made again on {places}; within about 5 minutes the waiting pod is tried)"
        if self.priority_class:
            return f"give {first} PriorityClass {self.priority_class} ({self.priority}){again}"
        return f"give {first} a PriorityClass of value {self.priority}{again}"
