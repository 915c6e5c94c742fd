"""Changes to nodes and to other pods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar, Final

from kschedx.api.node import Node, Taint
from kschedx.api.pod import Pod
from kschedx.api.quantity import CPU, MEMORY, PODS, exact, show
from kschedx.framework.edit import Cost, Edit, Patch
from kschedx.framework.views import ClusterView, NodeView

KUBELET: Final = "KubeletConfiguration"
"""The kind of a file on the node, which no API server holds."""
_NAMED: Final = 3
"""So many nodes are named; of more it is said how many they are, and a command selects them."""


@dataclass(frozen=True, slots=True)
class NodeEdit(Edit):
    """Base of all changes to one node."""

    cost: ClassVar[Cost] = Cost.NODE_CHANGED
    node: str

    def changed(self, node: Node) -> Node:
        """The node after the change."""
        raise NotImplementedError

    def command(self) -> str:
        """The kubectl command that makes it; empty where the patch says it."""
        raise NotImplementedError

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        view = cluster.nodes[self.node]
        return pod, cluster.with_node(NodeView(self.changed(view.node), view.pods))

    def patch(self, pod: Pod) -> Patch:
        return Patch("Node", "", self.node, command=self.command())


@dataclass(frozen=True, slots=True)
class Uncordon(NodeEdit):
    """The node takes new pods again."""

    code: ClassVar[str] = "uncordon"
    cost: ClassVar[Cost] = Cost.NOTHING_RESTARTED

    def changed(self, node: Node) -> Node:
        return node.cordoned(unschedulable=False)

    def command(self) -> str:
        return f"kubectl uncordon {self.node}"

    def sentence(self) -> str:
        return f"uncordon {self.node}"


@dataclass(frozen=True, slots=True)
class RemoveTaint(NodeEdit):
    """One taint of the node goes."""

    code: ClassVar[str] = "remove-taint"
    key: str
    value: str
    effect: str

    @property
    def taint(self) -> Taint:
        return Taint(self.key, self.value, self.effect)

    def changed(self, node: Node) -> Node:
        return node.without_taint(self.taint)

    def command(self) -> str:
        return f"kubectl taint nodes {self.node} {self.taint}-"

    def sentence(self) -> str:
        return f"remove taint {self.taint} from {self.node}"


@dataclass(frozen=True, slots=True)
class LabelNode(NodeEdit):
    """The node gets a label, or another value of it."""

    code: ClassVar[str] = "label-node"
    key: str
    value: str

    def changed(self, node: Node) -> Node:
        return node.with_label(self.key, self.value)

    def command(self) -> str:
        return f"kubectl label nodes {self.node} {self.key}={self.value} --overwrite"

    def sentence(self) -> str:
        return f"label {self.node} {self.key}={self.value}"


@dataclass(frozen=True, slots=True)
class LabelNodes(Edit):
    """All nodes that lack a label get it."""

    code: ClassVar[str] = "label-nodes"
    cost: ClassVar[Cost] = Cost.NODE_CHANGED
    key: str
    values: tuple[tuple[str, str], ...]
    """(node, value), in the cluster's order."""
    source: str
    """The label, or "name", whose value each node gets; empty: the value is made up."""

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        views = [(cluster.nodes[node], value) for node, value in self.values]
        return pod, cluster.with_nodes(
            NodeView(view.node.with_label(self.key, value), view.pods) for view, value in views
        )

    def _by_value(self) -> dict[str, list[str]]:
        nodes: dict[str, list[str]] = {}
        for node, value in self.values:
            nodes.setdefault(value, []).append(node)
        return nodes

    def patch(self, pod: Pod) -> Patch:
        commands = []
        for value, nodes in self._by_value().items():
            of = f"{self.source}={value}," if self.source else ""
            which = " ".join(nodes) if len(nodes) <= _NAMED else f"-l '{of}!{self.key}'"
            commands.append(f"kubectl label nodes {which} {self.key}={value}")
        return Patch(command=" && ".join(commands))

    def sentence(self) -> str:
        nodes = [node for node, _ in self.values]
        named = ", ".join(nodes[:-1]) + f" and {nodes[-1]}" if len(nodes) > 1 else nodes[0]
        if len(nodes) > _NAMED:
            named = f"{len(nodes)} nodes"
        values = " or ".join(self._by_value())
        if self.source:
            return f"label {named} {self.key}={values}, each as its {self.source} says"
        return f"label {named} {self.key}={values} (a made-up value: none is known)"


@dataclass(frozen=True, slots=True)
class RaiseMaxPods(NodeEdit):
    """The node takes more pods."""

    code: ClassVar[str] = "raise-max-pods"
    before: int
    after: int

    def changed(self, node: Node) -> Node:
        return node.with_room(PODS, exact(PODS, self.after))

    def command(self) -> str:
        return ""

    def patch(self, pod: Pod) -> Patch:
        operation = {"op": "add", "path": "/maxPods", "value": self.after}
        return Patch(KUBELET, "", self.node, (operation,))

    def sentence(self) -> str:
        return f"raise the kubelet's maxPods on {self.node} from {self.before} to {self.after}"


def delete_command(pods: Iterable[str]) -> str:
    """The commands that delete these pods, "namespace/name"."""
    return " && ".join(
        f"kubectl delete pod -n {namespace} {name}"
        for namespace, _, name in (key.partition("/") for key in pods)
    )


@dataclass(frozen=True, slots=True)
class DeletePods(Edit):
    """Other pods go for good, or until their controllers find them another node."""

    code: ClassVar[str] = "delete-pods"
    cost: ClassVar[Cost] = Cost.OTHER_POD
    node: str
    pods: tuple[str, ...]
    """ "namespace/name"."""

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        return pod, cluster.without_pods(self.pods)

    def patch(self, pod: Pod) -> Patch:
        return Patch(command=delete_command(self.pods))

    def sentence(self) -> str:
        return f"delete {' and '.join(self.pods)} on {self.node}"


@dataclass(frozen=True, slots=True)
class EndDeletion(DeletePods):
    """Pods that are being deleted already go at once: to delete them again changes nothing."""

    code: ClassVar[str] = "end-deletion"
    finalizers: tuple[tuple[str, ...], ...] = ()
    """Those that hold each of the pods, in the order of the pods."""

    def patch(self, pod: Pod) -> Patch:
        commands = []
        for key, held in zip(self.pods, self.finalizers, strict=True):
            namespace, _, name = key.partition("/")
            place = f"pod -n {namespace} {name}"
            if held:
                commands.append(
                    f"""kubectl patch {place} --type=merge -p '{{"metadata":{{"finalizers":null}}}}'"""
                )
            else:
                commands.append(f"kubectl delete {place} --grace-period=0 --force")
        return Patch(command=" && ".join(commands))

    def sentence(self) -> str:
        ways = [
            f"take finalizer {' and '.join(held)} off {key}" if held else f"force-delete {key}"
            for key, held in zip(self.pods, self.finalizers, strict=True)
        ]
        return f"{' and '.join(ways)} on {self.node}, being deleted already"


@dataclass(frozen=True, slots=True)
class MovePods(DeletePods):
    """Other pods go to other nodes, where the replay has found them a place."""

    code: ClassVar[str] = "move-pods"
    places: tuple[str, ...] = ()
    """Their new nodes, in the order of the pods."""
    contested: bool = False
    """Back before the waiting pod is tried, they may take what they had again."""

    @property
    def proviso(self) -> str:
        return f"; if back first, may take {self.node} again" if self.contested else ""

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        moved = [found for key in self.pods if (found := cluster.find(key)) is not None]
        cluster = cluster.without_pods(self.pods)
        for view, place in zip(moved, self.places, strict=True):
            cluster = cluster.with_pod_on(cluster.view(view.pod.recreated()), place)
        return pod, cluster

    def sentence(self) -> str:
        moves = [f"{key} to {place}" for key, place in zip(self.pods, self.places, strict=True)]
        return (
            f"move {' and '.join(moves)} (deleted on {self.node}, its controller makes it again"
            f"{self.proviso})"
        )


@dataclass(frozen=True, slots=True)
class AddNode(Edit):
    """One more node like one that is there, without any pods yet."""

    code: ClassVar[str] = "add-node"
    cost: ClassVar[Cost] = Cost.NODE_ADDED
    like: str
    cpu_milli: int
    memory_bytes: int
    labels: tuple[tuple[str, str], ...] = ()
    """Labels that it has otherwise."""
    untainted: bool = False
    """It has none of the taints of its like."""
    larger: tuple[tuple[str, int], ...] = ()
    """What it has more of, by resource: just enough."""

    @property
    def name(self) -> str:
        return f"new-like-{self.like}"

    @property
    def differences(self) -> int:
        """From the node that is there; labels of its own make it no worse."""
        return len(self.larger) + self.untainted

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        twin = cluster.nodes[self.like].node.twin(self.name)
        for key, value in self.labels:
            twin = twin.with_label(key, value)
        for resource, room in self.larger:
            twin = twin.with_room(resource, exact(resource, room))
        for taint in twin.spec.taints if self.untainted else ():
            twin = twin.without_taint(taint)
        return pod, cluster.with_node(NodeView(twin))

    def patch(self, pod: Pod) -> Patch:
        return Patch()

    def sentence(self) -> str:
        room = f"{show(CPU, self.cpu_milli)} cpu, {show(MEMORY, self.memory_bytes)}"
        labels = "".join(f", but {key}={value}" for key, value in self.labels)
        taints = ", but without its taints" if self.untainted else ""
        if self.larger:
            more = " and ".join(f"{exact(name, room)} {name}" for name, room in self.larger)
            return f"add one node like {self.like}, but with at least {more}{labels}{taints}"
        return f"add one node like {self.like} ({room}){labels}{taints}"
