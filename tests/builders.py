"""Small Kubernetes objects for tests: only what a test is about is spelled out."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.policy import PodDisruptionBudget
from kschedx.framework.accounting import Accounting
from kschedx.framework.plugin import FilterPlugin, ScorePlugin
from kschedx.framework.verdict import Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.snapshot.snapshot import Snapshot


def pod(
    name: str = "p",
    *,
    namespace: str = "default",
    labels: Mapping[str, str] | None = None,
    requests: Mapping[str, str] | None = None,
    node: str = "",
    priority: int = 0,
    started: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    spec: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
) -> Pod:
    """A pod with one container; `metadata`, `spec` and `status` are merged over the rest."""
    raw = {
        "metadata": {
            "name": name,
            "namespace": namespace,
            "uid": f"{namespace}-{name}",
            "labels": dict(labels or {}),
            **(metadata or {}),
        },
        "spec": {
            "containers": [{"name": "main", "resources": {"requests": dict(requests or {})}}],
            "schedulerName": "default-scheduler",
            "priority": priority,
            **({"nodeName": node} if node else {}),
            **(spec or {}),
        },
        "status": {
            "phase": "Running" if node else "Pending",
            **({"startTime": started} if started else {}),
            **(status or {}),
        },
    }
    return msgspec.convert(raw, Pod)


def node(
    name: str = "n1",
    *,
    labels: Mapping[str, str] | None = None,
    allocatable: Mapping[str, str] | None = None,
    taints: Sequence[Mapping[str, str]] = (),
    unschedulable: bool = False,
    status: Mapping[str, Any] | None = None,
) -> Node:
    """A node with 4 cpu, 8Gi and room for 110 pods, where nothing else is said."""
    room = {"cpu": "4", "memory": "8Gi", "pods": "110", **(allocatable or {})}
    raw = {
        "metadata": {
            "name": name,
            "uid": f"node-{name}",
            "labels": {"kubernetes.io/hostname": name, **(labels or {})},
        },
        "spec": {"taints": list(taints), "unschedulable": unschedulable},
        "status": {"capacity": room, "allocatable": room, **(status or {})},
    }
    return msgspec.convert(raw, Node)


def budget(
    name: str = "pdb",
    *,
    namespace: str = "default",
    labels: Mapping[str, str] | None = None,
    allowed: int = 0,
    disrupted: Sequence[str] = (),
) -> PodDisruptionBudget:
    """A disruption budget over the pods with these labels."""
    raw = {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": dict(labels or {})}},
        "status": {"disruptionsAllowed": allowed, "disruptedPods": dict.fromkeys(disrupted)},
    }
    return msgspec.convert(raw, PodDisruptionBudget)


def snapshot(*objects: Object, complete: bool = True) -> Snapshot:
    """All that the cluster holds."""
    return Snapshot(complete=complete).with_objects(objects)


def cluster(*objects: Object, accounting: Accounting | None = None) -> ClusterView:
    """A view of these objects, which are all that the cluster holds."""
    return ClusterView.of(snapshot(*objects), accounting)


def pod_view(*args: Any, accounting: Accounting | None = None, **kwargs: Any) -> PodView:
    """The view of one `pod(...)`."""
    return PodView(pod(*args, **kwargs), accounting or Accounting())


def node_view(host: Node, *pods: Pod, accounting: Accounting | None = None) -> NodeView:
    """A node with these pods on it."""
    accounting = accounting or Accounting()
    return NodeView(host, tuple(PodView(p, accounting) for p in pods))


def rejections(
    rule: FilterPlugin, waiting: Pod, view: ClusterView
) -> dict[str, tuple[Reason, ...]]:
    """What the rule has against each node, by name; {} where it has nothing to say of the pod."""
    prepared = rule.prepare(view.view(waiting), view)
    if prepared.skip:
        return {}
    if prepared.rejects:
        return dict.fromkeys(view.nodes, prepared.rejects)
    return {name: tuple(rule.filter(prepared.state, host)) for name, host in view.nodes.items()}


def scores(rule: ScorePlugin, waiting: Pod, view: ClusterView) -> dict[str, int]:
    """Each node's normalised score, all of them feasible; {} where the rule adds nothing."""
    hosts = tuple(view.nodes.values())
    state = rule.prepare_score(view.view(waiting), view, hosts)
    if state is None:
        return {}
    return dict(rule.normalize(state, {host.name: rule.score(state, host) for host in hosts}))
