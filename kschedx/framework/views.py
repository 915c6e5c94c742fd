"""ClusterView, NodeView, PodView: what a rule may look at. Values: a change makes a new view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.quantity import amount
from kschedx.framework.accounting import (
    Accounting,
    Amounts,
    counted_requests,
    nonzero_requests,
)
from kschedx.framework.affinity import NO_TERMS, AffinityTerms, affinity_terms
from kschedx.snapshot.snapshot import Snapshot

HostPort = tuple[str, str, int]
"""(ip, protocol, port), "0.0.0.0" for every address."""


class PodView:
    """A pod with what rules derive from it, computed once. Upstream: framework PodInfo."""

    def __init__(self, pod: Pod, accounting: Accounting) -> None:
        meta = pod.metadata
        self.pod = pod
        self.accounting = accounting
        self.namespace = meta.namespace
        self.name = meta.name
        self.key = f"{meta.namespace}/{meta.name}"
        self.labels = meta.labels
        self.priority: int = pod.spec.priority or 0
        self.terminating = meta.deletion_timestamp is not None

    def __repr__(self) -> str:
        return f"PodView({self.key})"

    @cached_property
    def requests(self) -> Amounts:
        """What it takes from the node that it is on: cpu in milli, the rest in whole units."""
        return counted_requests(self.pod, self.accounting, use_status=True)

    @cached_property
    def asked(self) -> Amounts:
        """What it asks for when it is scheduled: the spec alone, no resize in progress."""
        return counted_requests(self.pod, self.accounting, use_status=False)

    @cached_property
    def nonzero(self) -> tuple[int, int]:
        """(milli cpu, memory bytes) with stand-ins for containers that request none."""
        return nonzero_requests(self.pod, self.accounting)

    @cached_property
    def host_ports(self) -> tuple[HostPort, ...]:
        """Host ports of containers and sidecars. Upstream: schedutil.GetHostPorts (1.33 on)."""
        containers = [*self.pod.spec.containers]
        containers += [c for c in self.pod.spec.init_containers if c.restartable]
        return tuple(
            (port.host_ip or "0.0.0.0", port.protocol or "TCP", port.host_port)
            for container in containers
            for port in container.ports
            if port.host_port > 0
        )

    @cached_property
    def affinity(self) -> AffinityTerms:
        """Parsed inter-pod terms; equal ones in one namespace are one object."""
        affinity = self.pod.spec.affinity
        if affinity is None or not (affinity.pod_affinity or affinity.pod_anti_affinity):
            return NO_TERMS
        return affinity_terms(affinity, self.namespace)

    @property
    def has_affinity(self) -> bool:
        """Any inter-pod term, required or preferred."""
        affinity = self.pod.spec.affinity
        return affinity is not None and bool(affinity.pod_affinity or affinity.pod_anti_affinity)

    @property
    def has_required_anti_affinity(self) -> bool:
        affinity = self.pod.spec.affinity
        apart = affinity.pod_anti_affinity if affinity is not None else None
        return apart is not None and bool(apart.required)


class NodeView:
    """A node and the pods that hold room on it. Upstream: framework NodeInfo."""

    def __init__(self, node: Node, pods: tuple[PodView, ...] = ()) -> None:
        self.node = node
        self.name = node.metadata.name
        self.labels = node.metadata.labels
        self.pods = pods

    def __repr__(self) -> str:
        return f"NodeView({self.name}, {len(self.pods)} pods)"

    @cached_property
    def allocatable(self) -> Amounts:
        """What pods may take in all. A resource that is not reported counts as 0."""
        return {name: amount(name, q) for name, q in self.node.status.allocatable.items()}

    @cached_property
    def requested(self) -> Amounts:
        """What the pods take together."""
        total: dict[str, int] = {}
        for pod in self.pods:
            for name, value in pod.requests.items():
                total[name] = total.get(name, 0) + value
        return total

    @cached_property
    def nonzero_requested(self) -> tuple[int, int]:
        """(milli cpu, memory bytes) that scoring counts."""
        cpu = memory = 0
        for pod in self.pods:
            more_cpu, more_memory = pod.nonzero
            cpu += more_cpu
            memory += more_memory
        return cpu, memory

    @cached_property
    def host_ports(self) -> frozenset[HostPort]:
        return frozenset(port for pod in self.pods for port in pod.host_ports)

    @cached_property
    def pods_with_affinity(self) -> tuple[PodView, ...]:
        return tuple(pod for pod in self.pods if pod.has_affinity)

    @cached_property
    def pods_with_required_anti_affinity(self) -> tuple[PodView, ...]:
        return tuple(pod for pod in self.pods_with_affinity if pod.has_required_anti_affinity)

    @cached_property
    def required_anti_affinities(self) -> frozenset[AffinityTerms]:
        """Those of its pods, each once."""
        return frozenset(pod.affinity for pod in self.pods_with_required_anti_affinity)

    def with_pod(self, pod: PodView) -> NodeView:
        """The same node with one more pod."""
        return self._changed((*self.pods, pod), (pod,), ())

    def without(self, pods: Iterable[PodView]) -> NodeView:
        """The same node after these pods are gone (told apart by key)."""
        gone = tuple(pods)
        keys = {pod.key for pod in gone}
        return self._changed(tuple(p for p in self.pods if p.key not in keys), (), gone)

    def _changed(
        self, pods: tuple[PodView, ...], added: tuple[PodView, ...], gone: tuple[PodView, ...]
    ) -> NodeView:
        """Carry the sums along instead of adding everything up again."""
        view = NodeView(self.node, pods)
        own, new = self.__dict__, view.__dict__
        if "allocatable" in own:
            new["allocatable"] = own["allocatable"]
        # As upstream's set of ports does: a port that two pods hold is free once either is gone.
        if any(pod.host_ports for pod in gone) or "host_ports" in own:
            left = self.host_ports.difference(port for pod in gone for port in pod.host_ports)
            new["host_ports"] = left.union(port for pod in added for port in pod.host_ports)
        if "requested" in own:
            total = dict(own["requested"])
            for sign, changed in ((1, added), (-1, gone)):
                for pod in changed:
                    for name, value in pod.requests.items():
                        total[name] = total.get(name, 0) + sign * value
            new["requested"] = total
        if "nonzero_requested" in own:
            cpu, memory = own["nonzero_requested"]
            for sign, changed in ((1, added), (-1, gone)):
                for pod in changed:
                    cpu += sign * pod.nonzero[0]
                    memory += sign * pod.nonzero[1]
            new["nonzero_requested"] = (cpu, memory)
        return view


class ClusterView:
    """Nodes with their pods, and everything else that rules look up. Upstream: Snapshot, listers.

    Terminal pods are not in it. A pod whose node does not exist is on no node and in no sum.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        accounting: Accounting,
        nodes: dict[str, NodeView],
        waiting: dict[str, PodView],
        by_namespace: dict[str, dict[str, tuple[PodView, ...]]],
    ) -> None:
        """Use `ClusterView.of`; the parts must agree with each other."""
        self.snapshot = snapshot
        self.accounting = accounting
        self.nodes = nodes
        """In the snapshot's order."""
        self.waiting = waiting
        """Pods without a node, by key, in the snapshot's order."""
        self._by_namespace = by_namespace

    @classmethod
    def of(
        cls,
        snapshot: Snapshot,
        accounting: Accounting | None = None,
        like: ClusterView | None = None,
    ) -> ClusterView:
        """The view of a whole snapshot. O(pods + nodes).

        Views of what is the same in `like`, counted the same way, are taken from there.
        """
        accounting = accounting or Accounting()
        if like is not None and like.accounting != accounting:
            like = None
        known = like.pod_views() if like is not None else {}
        placed: dict[str, list[PodView]] = {name: [] for name in snapshot.all(Node)}
        waiting: dict[str, PodView] = {}
        gathered: dict[str, dict[str, list[PodView]]] = {}
        for pod in snapshot.all(Pod).values():
            if pod.terminal:
                continue
            old = known.get(pod.key)
            view = old if old is not None and old.pod is pod else PodView(pod, accounting)
            node_name = pod.spec.node_name
            if not node_name:
                waiting[view.key] = view
            elif node_name in placed:
                placed[node_name].append(view)
                gathered.setdefault(view.namespace, {}).setdefault(node_name, []).append(view)
        nodes = {
            name: _node_view(node, tuple(placed[name]), like)
            for name, node in snapshot.all(Node).items()
        }
        by_namespace = {
            namespace: {node: tuple(pods) for node, pods in on_nodes.items()}
            for namespace, on_nodes in gathered.items()
        }
        return cls(snapshot, accounting, nodes, waiting, by_namespace)

    def pod_views(self) -> dict[str, PodView]:
        """Every pod that waits or is on a node, by key."""
        found = {view.key: view for node in self.nodes.values() for view in node.pods}
        found.update(self.waiting)
        return found

    @cached_property
    def nominated(self) -> Mapping[str, tuple[PodView, ...]]:
        """Waiting pods by the node that is held for them (status.nominatedNodeName)."""
        held: dict[str, list[PodView]] = {}
        for pod in self.waiting.values():
            if pod.pod.status.nominated_node_name:
                held.setdefault(pod.pod.status.nominated_node_name, []).append(pod)
        return {node: tuple(pods) for node, pods in held.items()}

    @cached_property
    def affinity_nodes(self) -> tuple[NodeView, ...]:
        """Nodes that hold a pod with any inter-pod term."""
        return tuple(node for node in self.nodes.values() if node.pods_with_affinity)

    @cached_property
    def required_anti_affinity_nodes(self) -> tuple[NodeView, ...]:
        return tuple(n for n in self.affinity_nodes if n.pods_with_required_anti_affinity)

    @cached_property
    def required_anti_affinities(self) -> frozenset[AffinityTerms]:
        """Those of all pods on nodes, each once."""
        nodes = self.required_anti_affinity_nodes
        return frozenset[AffinityTerms]().union(*(node.required_anti_affinities for node in nodes))

    def pods_in_namespace(self, namespace: str) -> Mapping[str, tuple[PodView, ...]]:
        """The namespace's pods on nodes, by node name."""
        return self._by_namespace.get(namespace, {})

    @property
    def namespaces_with_pods(self) -> Iterable[str]:
        return self._by_namespace.keys()

    def find(self, key: str) -> PodView | None:
        """A living pod by "namespace/name": waiting, on a node, or bound to one that is missing."""
        if key in self.waiting:
            return self.waiting[key]
        for pods in self.pods_in_namespace(key.partition("/")[0]).values():
            for pod in pods:
                if pod.key == key:
                    return pod
        lost = self.snapshot.get(Pod, key)
        if lost is None or lost.terminal or lost.spec.node_name in ("", *self.snapshot.all(Node)):
            return None
        return self.view(lost)

    def view(self, pod: Pod) -> PodView:
        """A pod as this cluster's rules count it."""
        return PodView(pod, self.accounting)

    def _replaced(
        self, nodes: Mapping[str, NodeView | None], waiting: dict[str, PodView] | None = None
    ) -> ClusterView:
        """These nodes changed (None: gone), the namespace index along with them."""
        waiting = self.waiting if waiting is None else waiting
        if not nodes:
            own = self.nodes, waiting, self._by_namespace
            return ClusterView(self.snapshot, self.accounting, *own)
        changed = dict(self.nodes)
        by_namespace = dict(self._by_namespace)
        touched: dict[str, dict[str, tuple[PodView, ...]]] = {}
        for name, view in nodes.items():
            old = changed.get(name)
            if view is None:
                changed.pop(name, None)
            else:
                changed[name] = view
            pods = view.pods if view is not None else ()
            before = old.pods if old is not None else ()
            for namespace in {pod.namespace for pod in (*before, *pods)}:
                if namespace not in touched:
                    touched[namespace] = dict(by_namespace.get(namespace, {}))
                mine = tuple(pod for pod in pods if pod.namespace == namespace)
                if mine:
                    touched[namespace][name] = mine
                else:
                    touched[namespace].pop(name, None)
        for namespace, on_nodes in touched.items():
            if on_nodes:
                by_namespace[namespace] = on_nodes
            else:
                by_namespace.pop(namespace, None)
        return ClusterView(
            self.snapshot,
            self.accounting,
            changed,
            waiting,
            by_namespace,
        )

    def with_node(self, view: NodeView) -> ClusterView:
        """This node added or replaced, with the pods of the view."""
        return self._replaced({view.name: view})

    def with_nodes(self, views: Iterable[NodeView]) -> ClusterView:
        """These nodes added or replaced, with the pods of the views."""
        return self._replaced({view.name: view for view in views})

    def without_node(self, name: str) -> ClusterView:
        """This node gone, and the pods on it as well."""
        return self._replaced({name: None})

    def with_pod_on(self, pod: PodView, node: str) -> ClusterView:
        """The pod placed on an existing node; it no longer waits, if it did."""
        waiting = {key: view for key, view in self.waiting.items() if key != pod.key}
        return self._replaced({node: self.nodes[node].with_pod(pod)}, waiting)

    def with_waiting(self, pod: PodView) -> ClusterView:
        """One more pod that waits for a node, or another in the place of one with its key."""
        return self._replaced({}, {**self.waiting, pod.key: pod})

    def without_waiting(self, name: str) -> ClusterView:
        """This waiting pod gone, or the reservation of this name; the cost of the waiting pods."""
        return self._replaced({}, {key: pod for key, pod in self.waiting.items() if key != name})

    def with_reservation(self, name: str, pod: PodView) -> ClusterView:
        """One more waiting pod under a name of its own: another of its key may wait beside it."""
        return self._replaced({}, {**self.waiting, name: pod})

    def without_pods(self, keys: Iterable[str]) -> ClusterView:
        """These pods gone, wherever they are."""
        gone = set(keys)
        nodes = {
            name: view.without(tuple(pod for pod in view.pods if pod.key in gone))
            for name, view in self.nodes.items()
            if any(pod.key in gone for pod in view.pods)
        }
        waiting = {key: view for key, view in self.waiting.items() if key not in gone}
        return self._replaced(nodes, waiting)

    def with_snapshot(self, snapshot: Snapshot) -> ClusterView:
        """The same pods on the same nodes, with other objects to look up (claims, classes)."""
        return ClusterView(snapshot, self.accounting, self.nodes, self.waiting, self._by_namespace)


def _node_view(node: Node, pods: tuple[PodView, ...], like: ClusterView | None) -> NodeView:
    old = like.nodes.get(node.metadata.name) if like is not None else None
    same = old is not None and old.node is node and old.pods == pods
    return old if old is not None and same else NodeView(node, pods)
