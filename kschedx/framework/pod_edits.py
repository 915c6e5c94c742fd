"""Changes to the pod itself. Their patches are relative to the pod's spec.

A Pending pod's spec is mostly immutable, so they are made where the pod comes from: its
workload's template, or its manifest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kschedx.api.node import Taint
from kschedx.api.pod import Container, Pod, Toleration, TopologySpreadConstraint
from kschedx.api.quantity import CPU, EPHEMERAL_STORAGE, MEMORY, amount, exact
from kschedx.framework.edit import Cost, Edit, Patch
from kschedx.framework.views import ClusterView

OVERCOMMITTED: Final = frozenset({CPU, MEMORY, EPHEMERAL_STORAGE})
"""Resources whose limit may be above the request."""

NODE_AFFINITY: Final = "nodeAffinity"
POD_AFFINITY: Final = "podAffinity"
POD_ANTI_AFFINITY: Final = "podAntiAffinity"


def escaped(key: str) -> str:
    """A key as one step of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _place(pod: Pod, container: str) -> str:
    for field, containers in (
        ("containers", pod.spec.containers),
        ("initContainers", pod.spec.init_containers),
    ):
        for index, own in enumerate(containers):
            if own.name == container:
                return f"/{field}/{index}"
    return "/containers/0"


@dataclass(frozen=True, slots=True)
class PodEdit(Edit):
    """Base of all changes to the pod."""

    cost: ClassVar[Cost] = Cost.POD_CHANGED

    def changed(self, pod: Pod) -> Pod:
        """The pod after the change."""
        raise NotImplementedError

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        """JSON patch operations with paths relative to the pod's spec."""
        raise NotImplementedError

    def command(self, pod: Pod, target: str) -> str:
        """A kubectl command that says the patch in fewer words; empty where there is none.

        `target` is "KIND/NAME -n NAMESPACE" of the workload.
        """
        return ""

    def prerequisite(self) -> str:
        """A kubectl command that has to come first; empty for none."""
        return ""

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        return self.changed(pod), cluster

    def patch(self, pod: Pod) -> Patch:
        return Patch("Pod", pod.namespace, pod.name, self.operations(pod))


@dataclass(frozen=True, slots=True)
class LowerRequest(PodEdit):
    """One container asks for less of one resource."""

    code: ClassVar[str] = "lower-request"
    container: str
    resource: str
    before: int
    """In the scheduler's unit: cpu in milli, the rest whole."""
    after: int

    def changed(self, pod: Pod) -> Pod:
        quantity = exact(self.resource, self.after)
        return pod.with_containers(
            lambda own: (
                own.with_request(self.resource, quantity) if own.name == self.container else own
            )
        )

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        path = f"{_place(pod, self.container)}/resources"
        key = escaped(self.resource)
        value = exact(self.resource, self.after)
        containers = (*pod.spec.containers, *pod.spec.init_containers)
        own = next((each.resources for each in containers if each.name == self.container), None)
        request: dict[str, Any] = {"op": "add", "path": f"{path}/requests/{key}", "value": value}
        if own is not None and not own.requests:  # a template may have limits alone
            request = {"op": "add", "path": f"{path}/requests", "value": {self.resource: value}}
        # What cannot be overcommitted must have a limit that equals its request.
        if own is None or self.resource not in own.limits or self.resource in OVERCOMMITTED:
            return (request,)
        return request, {"op": "add", "path": f"{path}/limits/{key}", "value": value}

    def command(self, pod: Pod, target: str) -> str:
        if not any(own.name == self.container for own in pod.spec.containers):
            return ""
        amounts = f"{self.resource}={exact(self.resource, self.after)}"
        limits = f" --limits={amounts}" if len(self.operations(pod)) > 1 else ""
        return f"kubectl set resources {target} -c {self.container} --requests={amounts}{limits}"

    def sentence(self) -> str:
        before, after = exact(self.resource, self.before), exact(self.resource, self.after)
        return (
            f"lower container {self.container}'s {self.resource} request from {before} to {after}"
        )


def largest_request(
    pod: Pod, container: Container, resource: str, fits: Callable[[Pod], bool]
) -> LowerRequest | None:
    """The edit that lowers a container's request just enough; None where even 0 is too much.

    `fits` says whether a pod asks for little enough; asking for less never makes it say no.
    """
    quantity = container.resources.requests.get(resource)
    if quantity is None:
        return None
    before = amount(resource, quantity)

    def lowered(after: int) -> LowerRequest:
        return LowerRequest(container.name, resource, before, after)

    if before <= 0 or not fits(lowered(0).changed(pod)):
        return None
    low, high = 0, before
    while high - low > 1:
        middle = (low + high) // 2
        if fits(lowered(middle).changed(pod)):
            low = middle
        else:
            high = middle
    return lowered(low) if low > 0 else None


@dataclass(frozen=True, slots=True)
class AddToleration(PodEdit):
    """The pod tolerates one taint."""

    code: ClassVar[str] = "add-toleration"
    key: str
    value: str
    effect: str

    @property
    def toleration(self) -> Toleration:
        operator = "Equal" if self.value else "Exists"
        return Toleration(self.key, operator, self.value, self.effect)

    def changed(self, pod: Pod) -> Pod:
        return pod.with_spec(tolerations=(*pod.spec.tolerations, self.toleration))

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        value = {"key": self.key, "operator": self.toleration.operator, "effect": self.effect}
        if self.value:
            value["value"] = self.value
        if pod.spec.tolerations:
            return ({"op": "add", "path": "/tolerations/-", "value": value},)
        return ({"op": "add", "path": "/tolerations", "value": [value]},)

    def sentence(self) -> str:
        return f"tolerate {Taint(self.key, self.value, self.effect)}"


@dataclass(frozen=True, slots=True)
class DropNodeSelector(PodEdit):
    """One pair of the nodeSelector goes."""

    code: ClassVar[str] = "drop-node-selector"
    key: str
    value: str

    def changed(self, pod: Pod) -> Pod:
        left = {key: value for key, value in pod.spec.node_selector.items() if key != self.key}
        return pod.with_spec(node_selector=left)

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        return ({"op": "remove", "path": f"/nodeSelector/{escaped(self.key)}"},)

    def sentence(self) -> str:
        return f"drop {self.key}={self.value} from the nodeSelector"


@dataclass(frozen=True, slots=True)
class DropNodeAffinity(PodEdit):
    """What the pod requires of nodes goes; what it prefers stays."""

    code: ClassVar[str] = "drop-node-affinity"
    gives_up: ClassVar[bool] = True
    required: str
    """What it requires, as people write it."""

    @property
    def rule(self) -> tuple[str, ...]:
        return (NODE_AFFINITY,)

    def changed(self, pod: Pod) -> Pod:
        affinity = pod.spec.affinity
        return (
            pod if affinity is None else pod.with_spec(affinity=affinity.without_required_nodes())
        )

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        path = f"/affinity/{NODE_AFFINITY}/requiredDuringSchedulingIgnoredDuringExecution"
        return ({"op": "remove", "path": path},)

    def sentence(self) -> str:
        return f"drop the required node affinity {self.required}".rstrip()


@dataclass(frozen=True, slots=True)
class DropPodAffinity(PodEdit):
    """The pod no longer has to be near certain pods, or apart from them."""

    code: ClassVar[str] = "drop-pod-affinity"
    gives_up: ClassVar[bool] = True
    topology_key: str
    selector: str
    anti: bool

    @property
    def rule(self) -> tuple[str, ...]:
        return (POD_ANTI_AFFINITY if self.anti else POD_AFFINITY, self.topology_key)

    def changed(self, pod: Pod) -> Pod:
        affinity = pod.spec.affinity
        if affinity is None:
            return pod
        return pod.with_spec(
            affinity=affinity.without_required_pods(self.topology_key, anti=self.anti)
        )

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        side = POD_ANTI_AFFINITY if self.anti else POD_AFFINITY
        affinity = pod.spec.affinity
        own = None
        if affinity is not None:
            own = affinity.pod_anti_affinity if self.anti else affinity.pod_affinity
        terms = own.required if own is not None else ()
        path = f"/affinity/{side}/requiredDuringSchedulingIgnoredDuringExecution"
        indexes = [i for i, term in enumerate(terms) if term.topology_key == self.topology_key]
        # From the last: each removal would shift those behind it.
        return tuple({"op": "remove", "path": f"{path}/{index}"} for index in reversed(indexes))

    def sentence(self) -> str:
        side = "anti-affinity to" if self.anti else "affinity to"
        return f"drop the required {side} pods matching {self.selector} by {self.topology_key}"


def is_hard(constraint: TopologySpreadConstraint, topology_key: str) -> bool:
    """Whether it forbids nodes, and spreads over this key."""
    return (
        constraint.topology_key == topology_key and constraint.when_unsatisfiable == "DoNotSchedule"
    )


@dataclass(frozen=True, slots=True)
class RaiseMaxSkew(PodEdit):
    """Pods may be spread less evenly over one topology key."""

    code: ClassVar[str] = "raise-max-skew"
    topology_key: str
    before: int
    after: int

    def changed(self, pod: Pod) -> Pod:
        constraints = tuple(
            own.changed(max_skew=max(own.max_skew, self.after))
            if is_hard(own, self.topology_key)
            else own
            for own in pod.spec.topology_spread_constraints
        )
        return pod.with_spec(topology_spread_constraints=constraints)

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        path = "/topologySpreadConstraints"
        return tuple(
            {"op": "replace", "path": f"{path}/{index}/maxSkew", "value": self.after}
            for index, own in enumerate(pod.spec.topology_spread_constraints)
            if is_hard(own, self.topology_key) and own.max_skew < self.after
        )

    def sentence(self) -> str:
        return f"raise maxSkew over {self.topology_key} from {self.before} to {self.after}"


@dataclass(frozen=True, slots=True)
class HonorTaints(PodEdit):
    """Nodes with taints that the pod does not tolerate no longer count as spread domains."""

    code: ClassVar[str] = "honor-taints-in-spread"
    topology_key: str

    def changed(self, pod: Pod) -> Pod:
        constraints = tuple(
            own.changed(node_taints_policy="Honor") if is_hard(own, self.topology_key) else own
            for own in pod.spec.topology_spread_constraints
        )
        return pod.with_spec(topology_spread_constraints=constraints)

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        path = "/topologySpreadConstraints"
        return tuple(
            {"op": "add", "path": f"{path}/{index}/nodeTaintsPolicy", "value": "Honor"}
            for index, own in enumerate(pod.spec.topology_spread_constraints)
            if is_hard(own, self.topology_key)
        )

    def sentence(self) -> str:
        return f"set nodeTaintsPolicy: Honor in the spread over {self.topology_key}"


@dataclass(frozen=True, slots=True)
class DropHostPort(PodEdit):
    """The pod gives up a port on the host."""

    code: ClassVar[str] = "drop-host-port"
    port: int
    protocol: str

    def changed(self, pod: Pod) -> Pod:
        return pod.with_containers(lambda own: own.without_host_port(self.port, self.protocol))

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        return tuple(
            {"op": "remove", "path": f"{_place(pod, container.name)}/ports/{index}/hostPort"}
            for container in (*pod.spec.containers, *pod.spec.init_containers)
            for index, port in enumerate(container.ports)
            if port.host_port == self.port and (port.protocol or "TCP") == self.protocol
        )

    def sentence(self) -> str:
        return f"do without host port {self.port}/{self.protocol}"


@dataclass(frozen=True, slots=True)
class LeaveHostNetwork(PodEdit):
    """The pod gets a network of its own; on the host's each of its ports is one of the host."""

    code: ClassVar[str] = "leave-host-network"
    gives_up: ClassVar[bool] = True

    def changed(self, pod: Pod) -> Pod:
        without = pod.with_spec(host_network=False)
        for container in (*pod.spec.containers, *pod.spec.init_containers):
            for port in container.ports:
                without = DropHostPort(port.host_port, port.protocol or "TCP").changed(without)
        return without

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        if not pod.spec.host_network:
            return ()
        ports = tuple(
            {"op": "remove", "path": f"{_place(pod, container.name)}/ports/{index}/hostPort"}
            for container in (*pod.spec.containers, *pod.spec.init_containers)
            for index, port in enumerate(container.ports)
            if port.host_port
        )
        return ({"op": "remove", "path": "/hostNetwork"}, *ports)

    def sentence(self) -> str:
        return "leave the host network (hostNetwork: false), and with it every host port"
