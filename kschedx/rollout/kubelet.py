"""The kubelet: it admits what is bound to its node, starts it and stops it after given delays.

Upstream: pkg/kubelet/lifecycle/predicate.go (v1.35.4), generalFilter.
Differences: node pressure, device and topology managers, and preemption for critical pods are not
played.
"""

from __future__ import annotations

from kschedx.api.quantity import show_each
from kschedx.framework.views import NodeView
from kschedx.rollout.events import GONE, STARTED, STOPPED
from kschedx.rollout.live_pod import LivePod
from kschedx.rollout.world import World
from kschedx.schedulers.kube.required_node_affinity import RequiredNodeAffinity
from kschedx.schedulers.kube.tolerations import NO_EXECUTE, untolerated


def refusal(live: LivePod, node: NodeView) -> tuple[str, str] | None:
    """(reason, sentence) why the node's kubelet turns the pod away; `node` holds the pod."""
    others = node.without((live.view,))
    for name, wanted in sorted(live.view.requests.items()):
        capacity = others.allocatable.get(name, 0)
        used = others.requested.get(name, 0)
        known = name in others.allocatable or "/" not in name
        if wanted > 0 and known and wanted > capacity - used:
            need, in_use, most = show_each(name, wanted, used, capacity)
            return f"OutOf{name}", f"{need} of {name} wanted, {in_use} of {most} in use"
    if len(others.pods) + 1 > others.allocatable.get("pods", 0):
        return "OutOfpods", f"{len(others.pods)} pods are on the node already"
    if not RequiredNodeAffinity.of(live.pod).matches(node):
        return "NodeAffinity", "its node affinity does not match the node"
    taken = {(protocol, port) for _, protocol, port in others.host_ports}
    if any((protocol, port) in taken for _, protocol, port in live.view.host_ports):
        return "NodePorts", "a host port is in use"
    effects = (NO_EXECUTE,)
    if untolerated(node.node.spec.taints, live.pod.spec.tolerations, effects):
        return "TaintToleration", "a NoExecute taint is not tolerated"
    return None


def admit(world: World, live: LivePod) -> None:
    """A pod has reached its node."""
    refused = refusal(live, world.cluster.nodes[live.node])
    if refused is not None:
        world.refuse(live, *refused)
        return
    world.at(world.now + world.timing.start_seconds, STARTED, live.key, live.incarnation)


def act(world: World, what: str, key: str, incarnation: int) -> None:
    """What a kubelet has had in hand is done."""
    live = world.current(key, incarnation)
    if live is None:
        return
    if what == STARTED and live.active and not live.ready:
        world.make_ready(live)
    elif what == STOPPED and not live.terminal:
        world.stopped(live)
    elif what == GONE:
        world.vanish(key)
