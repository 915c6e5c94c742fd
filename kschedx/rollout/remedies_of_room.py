"""Room for a rollout that stops: a few pods less of something else, or one node more; replayed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.meta import Object, ObjectMeta
from kschedx.api.node import Node, NodeStatus
from kschedx.api.pod import Pod
from kschedx.api.quantity import show
from kschedx.api.workloads import Deployment, ReplicaSet, StatefulSet
from kschedx.framework.accounting import Amounts
from kschedx.framework.views import ClusterView, PodView
from kschedx.rollout.case import Case
from kschedx.rollout.fitting import fits, rules
from kschedx.rollout.live_pod import LivePod, Owner, owner_of
from kschedx.rollout.replicaset import to_delete
from kschedx.rollout.report import Outcome, Remedy
from kschedx.rollout.statefulset import ordinal
from kschedx.rollout.timeline import amounts, short
from kschedx.rollout.world import World
from kschedx.schedulers.kube.filtering import Filters

MOST_FEWER: Final = 3
"""Pods that are scaled down together."""
MOST_REPLAYED: Final = 5
"""Sets of pods that are replayed, those of fewer and smaller pods first."""
_SHOWN: Final = 3
"""Sizes of nodes that are tried."""
_HOST: Final = "kubernetes.io/hostname"


# Something less


@dataclass(frozen=True, slots=True)
class _Smaller:
    """A workload with fewer pods, and those that it gives up: it chooses them itself."""

    owner: Owner
    gone: tuple[LivePod, ...]


def scale_down(case: Case) -> Iterator[Remedy]:
    """The smallest set of other workloads' pods without which it completes."""
    for chosen in _makes_room(case)[:MOST_REPLAYED]:
        snapshot = case.snapshot
        commands = []
        for one in chosen:
            for live in one.gone:
                snapshot = snapshot.without_object(Pod, live.key)
            changed, command = _scaled(case, one)
            snapshot = snapshot.with_objects(changed)
            commands.append(command)
        run = case.replay(snapshot=snapshot)
        if run.outcome is Outcome.COMPLETES:
            gone = [live for one in chosen for live in one.gone]
            names = ", ".join(short(live.key, case.owner.namespace) for live in gone)
            title = f"{names} scaled down ({amounts(_together(gone))})"
            yield case.told("scale-down", title, run, " && ".join(commands))
            return


def _makes_room(case: Case) -> list[tuple[_Smaller, ...]]:
    """Sets of pods in whose place one that is stuck would fit, the smallest first."""
    world = case.worst.world
    stuck = [world.pods[key] for key in case.worst.progress.not_ready if key in world.pods]
    filters = next(
        (rules(world.scheduler, live.view, world.cluster) for live in stuck if not live.node), None
    )
    if filters is None:
        return []
    smaller = list(_smaller(case))
    sets: list[tuple[_Smaller, ...]] = [(one,) for one in smaller]
    by_node: dict[str, list[_Smaller]] = {}
    for one in smaller:
        if len(one.gone) == 1:
            by_node.setdefault(one.gone[0].node, []).append(one)
    for size in range(2, MOST_FEWER + 1):
        for beside in by_node.values():
            sets += combinations(sorted(beside, key=_size)[-2 * MOST_FEWER :], size)
    return sorted(
        (chosen for chosen in sets if _fits(filters, world.cluster, chosen)),
        key=_order,
    )


def _smaller(case: Case) -> Iterator[_Smaller]:
    """Each other workload with one to a few pods less, as its own controller would choose."""
    opening = case.attempts.opening(case.snapshot)
    world = World(opening, case.attempts.scheduler, case.conditions.timing)
    for owner, item in sorted(opening.workloads.items()):
        if case.is_own(owner) or not isinstance(item, ReplicaSet | StatefulSet):
            continue
        active = [live for live in world.pods_of(owner) if live.active]
        wanted = 1 if item.spec.replicas is None else item.spec.replicas
        if len(active) != wanted:
            continue
        if isinstance(item, StatefulSet):
            order = sorted(active, key=lambda live: -(ordinal(live.pod.name) or 0))
        else:
            order = to_delete(world, item, active, min(MOST_FEWER, wanted))
        for count in range(1, min(MOST_FEWER, wanted) + 1):
            yield _Smaller(owner, tuple(order[:count]))


def _fits(filters: Filters, cluster: ClusterView, chosen: Sequence[_Smaller]) -> bool:
    """Whether a node takes the stuck pod once these are gone from it."""
    gone: dict[str, list[PodView]] = {}
    for one in chosen:
        for live in one.gone:
            gone.setdefault(live.node, []).append(live.view)
    for name, views in gone.items():
        node = cluster.nodes.get(name)
        if node is None:
            continue
        keys = {view.key for view in views}
        there = tuple(view for view in node.pods if view.key in keys)
        if there and fits(filters, node, removed=there):
            return True
    return False


def _together(gone: Sequence[LivePod]) -> Amounts:
    total: dict[str, int] = {}
    for live in gone:
        for name, amount in live.view.requests.items():
            total[name] = total.get(name, 0) + amount
    return total


def _size(one: _Smaller) -> tuple[int, int]:
    requests = _together(one.gone)
    return requests.get("cpu", 0), requests.get("memory", 0)


def _order(chosen: Sequence[_Smaller]) -> tuple[object, ...]:
    gone = [live for one in chosen for live in one.gone]
    requests = _together(gone)
    keys = [live.key for live in gone]
    return len(gone), requests.get("cpu", 0), requests.get("memory", 0), keys


def _scaled(case: Case, one: _Smaller) -> tuple[list[Object], str]:
    """The controller, and the Deployment above it, with fewer pods; and the command."""
    opening = case.attempts.opening(case.snapshot)
    item = opening.workloads[one.owner]
    assert isinstance(item, ReplicaSet | StatefulSet)
    count = (1 if item.spec.replicas is None else item.spec.replicas) - len(one.gone)
    changed: list[Object] = [replaced(item, spec=replaced(item.spec, replicas=count))]
    named: Object = item
    above = owner_of(item.metadata)
    parent = opening.workloads.get(above) if above is not None else None
    if isinstance(parent, Deployment):
        whole = (1 if parent.spec.replicas is None else parent.spec.replicas) - len(one.gone)
        changed.append(replaced(parent, spec=replaced(parent.spec, replicas=whole)))
        named, count = parent, whole
    kind = type(named).__name__.lower()
    return changed, f"kubectl -n {named.namespace} scale {kind} {named.name} --replicas={count}"


# Something more


def extra_node(case: Case) -> Iterator[Remedy]:
    """One more node, the smallest that suffices: as large as a pod, or like one that exists."""
    for shape in _shapes(case):
        node = _node_like(case, shape)
        run = case.replay(snapshot=case.snapshot.with_objects((node,)))
        if run.outcome is Outcome.COMPLETES:
            title = f"one more node with {room_text(shape)}"
            yield case.told("extra-node", title, run)
            return
    yield Remedy(
        "extra-node",
        "one more node",
        Outcome.AT_RISK if case.at_risk else Outcome.DEADLOCK,
        "none of the sizes that were tried makes it complete",
    )


def room_text(shape: Amounts) -> str:
    """Such as "4 cpu, 16Gi memory"."""
    return ", ".join(
        f"{show(name, shape[name])} {name}" for name in ("cpu", "memory") if shape.get(name)
    )


def _shapes(case: Case) -> list[Amounts]:
    """Sizes to try, the smallest first: one pod of the workload, then those of the nodes."""
    world = case.worst.world
    template = case.steps[-1].spec.template
    pod = world.cluster.view(Pod(metadata=ObjectMeta(name="one"), spec=template.spec)).asked
    found: list[Amounts] = [dict(pod)]
    known = {
        (node.allocatable.get("cpu", 0), node.allocatable.get("memory", 0)): node.allocatable
        for node in world.cluster.nodes.values()
    }
    larger = [known[size] for size in sorted(known) if size[0] >= pod.get("cpu", 0)]
    return [*found, *larger[:2]]


def _node_like(case: Case, shape: Amounts) -> Node:
    """A fresh node: labels of the node where the rollout stops, no taints."""
    nodes = case.snapshot.all(Node)
    freed = [m.node for m in case.worst.moments if m.code == "stopped" and m.node in nodes]
    model = nodes[freed[-1]] if freed else next(iter(nodes.values()), Node())
    return _fresh(model, shape)


def _fresh(model: Node, shape: Amounts) -> Node:
    name = "one-more-node"
    room = {key: show(key, value) for key, value in shape.items()} | {"pods": "110"}
    return Node(
        metadata=replaced(
            model.metadata, name=name, uid=name, labels={**model.labels, _HOST: name}
        ),
        status=NodeStatus(capacity=dict(room), allocatable=dict(room)),
    )


def node_like_any(cluster: ClusterView) -> list[tuple[Amounts, Node]]:
    """A fresh empty node of each size that exists, the smallest first; at most three."""
    found: dict[tuple[int, int], tuple[Amounts, Node]] = {}
    for view in cluster.nodes.values():
        shape = view.allocatable
        size = shape.get("cpu", 0), shape.get("memory", 0)
        if size not in found and not view.node.spec.taints and not view.node.spec.unschedulable:
            found[size] = shape, _fresh(view.node, shape)
    return [found[size] for size in sorted(found)][:_SHOWN]
