"""Remarks about nodes: taints and what they stand for, slots, resources that are not reported."""

from __future__ import annotations

from typing import Final

from kschedx.api.node import Taint
from kschedx.api.quantity import CPU, EPHEMERAL_STORAGE, MEMORY, show_each
from kschedx.diagnose.headline import listed
from kschedx.diagnose.node_trouble import UNINITIALIZED, trouble_of
from kschedx.diagnose.remark import ByNode, Found, measured, remark
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.plugins.node_resources_fit import InsufficientResource, TooManyPods
from kschedx.schedulers.kube.plugins.taint_toleration import UntoleratedTaint

_OF_THE_KUBELET: Final = (CPU, MEMORY, EPHEMERAL_STORAGE)
"""Resources that every kubelet reports by itself."""
_SYSTEM: Final = 2_000_000_000
"""The least of the priorities that are kept for the system."""


def node_remarks(pod: PodView, cluster: ClusterView, by_node: ByNode) -> Found:
    """For nodes that reject the pod."""
    yield from _slots(cluster, by_node)
    yield from _silent(cluster, by_node)
    yield from _taints(pod, cluster, by_node)


def _slots(cluster: ClusterView, by_node: ByNode) -> Found:
    """A node that lacks nothing but a slot looks idle to who looks at its usage."""
    for name, reasons in by_node.items():
        if len(reasons) != 1 or not isinstance(reasons[0], TooManyPods):
            continue
        node, full = cluster.nodes[name], reasons[0]
        total = node.allocatable.get(CPU, 0)
        free = total - node.requested.get(CPU, 0)
        if free > 0:
            left, in_all = show_each(CPU, free, total)
            yield remark(
                "slots-not-usage",
                f"each pod takes a slot, however little it uses: {name} has none left of "
                f"{full.allocatable}, while {left} of {in_all} cpu are not asked for",
                node.node,
                pods=full.pods,
                allocatable_pods=full.allocatable,
                **measured("free_cpu", CPU, free),
            )
            return


def _silent(cluster: ClusterView, by_node: ByNode) -> Found:
    silent: dict[str, list[NodeView]] = {}
    for name, reasons in by_node.items():
        for reason in reasons:
            node = cluster.nodes[name]
            if (
                isinstance(reason, InsufficientResource)
                and reason.resource in _OF_THE_KUBELET
                and reason.resource not in node.node.status.allocatable
            ):
                silent.setdefault(reason.resource, []).append(node)
    for resource, nodes in silent.items():
        whose = "its kubelet" if len(nodes) == 1 else "their kubelets"
        yield remark(
            "resource-not-reported",
            f"{listed([node.name for node in nodes])}: {resource} is missing in "
            f"status.allocatable, a matter of {whose}, not a lack of space",
            *(node.node for node in nodes),
            resource=resource,
            node_count=len(nodes),
        )


def _taints(pod: PodView, cluster: ClusterView, by_node: ByNode) -> Found:
    tainted: dict[Taint, list[NodeView]] = {}
    for name, reasons in by_node.items():
        for reason in reasons:
            if isinstance(reason, UntoleratedTaint):
                taint = Taint(reason.key, reason.value, reason.effect)
                tainted.setdefault(taint, []).append(cluster.nodes[name])
    for taint, nodes in tainted.items():
        yield from _taint(pod, taint, nodes)


def _taint(pod: PodView, taint: Taint, nodes: list[NodeView]) -> Found:
    effects = sorted(
        {
            toleration.effect
            for toleration in pod.pod.spec.tolerations
            if toleration.key == taint.key and toleration.effect
        }
        - {taint.effect}
    )
    if effects:
        yield remark(
            "tolerated-with-other-effect",
            f"the pod tolerates {taint.key} with {listed(effects)}, not with {taint.effect}",
            *(node.node for node in nodes),
            key=taint.key,
            effect=taint.effect,
            tolerated_effects=effects,
            node_count=len(nodes),
        )
    if trouble_of(taint.key, nodes[0].node):
        whose = "comes and goes with the node's condition: the node has to get well"
        if taint.key == UNINITIALIZED:
            whose = "is taken off by the cloud controller manager once it has set the node up"
        yield remark(
            "taint-of-condition",
            f"taint {taint} {whose}, a toleration would put the pod on a node that does not work",
            *(node.node for node in nodes),
            key=taint.key,
            value=taint.value,
            effect=taint.effect,
            node_count=len(nodes),
        )
    if pod.priority >= _SYSTEM:
        yield remark(
            "priority-is-no-toleration",
            f"priority {pod.priority} gets it past no taint: only a toleration does",
            priority=pod.priority,
            key=taint.key,
        )
