"""cannot-lose-a-node: pods of the manifests that find no other node if theirs is lost."""

from __future__ import annotations

from collections.abc import Iterator

from kschedx.diagnose.headline import counted
from kschedx.framework.views import ClusterView, NodeView
from kschedx.gate.applied import Applied
from kschedx.gate.findings import Finding
from kschedx.gate.targets import Target
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.live_pod import owner_of

Lost = dict[str, tuple[Target, int, int]]
"""Target's name -> the target, pods on the node, pods without another place."""


def node_loss(applied: Applied) -> Iterator[Finding]:
    """Per workload the node whose loss leaves most of its pods without a place."""
    worst: dict[str, tuple[Target, str, int, int, int]] = {}
    for node in applied.world.cluster.nodes.values():
        for name, (target, there, lost) in _without(applied, node).items():
            nodes = worst[name][4] if name in worst else 0
            if name not in worst or lost > worst[name][3]:
                worst[name] = target, node.name, there, lost, nodes + 1
            else:
                worst[name] = (*worst[name][:4], nodes + 1)
    for target, node_name, there, lost, nodes in worst.values():
        verb = "finds" if lost == 1 else "find"
        sentence = (
            f"if {node_name} is lost, {lost} of {counted(there, 'pod')} there {verb} no other node"
        )
        lines = (f"the loss of any of {nodes} nodes does so",) if nodes > 1 else ()
        yield Finding("cannot-lose-a-node", target.shown, sentence, lines, amount=lost)


def _without(applied: Applied, node: NodeView) -> Lost:
    """All controlled pods of the node placed again, in the order of the scheduler's queue."""
    mine = [pod for pod in node.pods if pod.key in applied.by_pod]
    if not mine:
        return {}
    rest: ClusterView = applied.world.cluster.without_node(node.name)
    attempts: Attempts = applied.attempts
    found: Lost = {}
    for pod in sorted(node.pods, key=lambda pod: (-pod.priority, pod.key)):
        owner = owner_of(pod.pod.metadata)
        target = applied.by_pod.get(pod.key)
        if (owner is None and target is None) or (owner is not None and owner.kind == "DaemonSet"):
            continue
        fresh = rest.view(pod.pod.recreated())
        attempt = attempts.scheduler.attempt(fresh, rest, every_rule=False)
        preemption = attempt.preemption
        evicts = preemption is not None and bool(preemption.nominated) and preemption.enabled
        if attempt.winners:
            bound = rest.view(fresh.pod.with_spec(node_name=attempt.winners[0]))
            rest = rest.with_pod_on(bound, attempt.winners[0])
        if target is not None:
            _, there, lost = found.get(str(target.shown), (target, 0, 0))
            failed = not attempt.winners and not evicts
            found[str(target.shown)] = target, there + 1, lost + failed
    return {name: row for name, row in found.items() if row[2]}
