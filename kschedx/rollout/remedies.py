"""What could be done about a rollout that stops: each is replayed, none is guessed.

The scheduler changes that were proposed (policies.py) and what an operator can do today: a priority
above the waiting pods, the waiting pods out of the way, a canary by partition, one more node, one
pod less of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.meta import Object, ObjectMeta
from kschedx.api.node import Node, NodeStatus
from kschedx.api.pod import Pod, PodSchedulingGate
from kschedx.api.quantity import show
from kschedx.api.scheduling import PriorityClass
from kschedx.api.workloads import (
    Deployment,
    ReplicaSet,
    StatefulSet,
)
from kschedx.framework.accounting import Amounts
from kschedx.framework.views import ClusterView
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import Workload, with_template
from kschedx.rollout.contention import run_of
from kschedx.rollout.exploration import Answers
from kschedx.rollout.live_pod import Owner, owner_of
from kschedx.rollout.played import Conditions, Played, play
from kschedx.rollout.policies import Hold, Policy, Reserve
from kschedx.rollout.remedies_of_strategy import canary, rules, strategy, stuck_pods
from kschedx.rollout.report import NewPod, Outcome, Remedy, Run
from kschedx.rollout.timeline import amounts, short
from kschedx.rollout.workloads import CONTROLLERS
from kschedx.snapshot.snapshot import Snapshot

CLASS_NAME: Final = "above-waiting-pods"
MOST_PRIORITY: Final = 1_000_000_000
MOST_ROUNDS: Final = 5
"""How often another set of waiting pods, or another pod to scale down, is tried."""
NAMED: Final = 3
"""Pods that a title names."""
HOST: Final = "kubernetes.io/hostname"


@dataclass(frozen=True)
class Case:
    """A rollout and what is known of it as things are."""

    snapshot: Snapshot
    steps: Sequence[Workload]
    attempts: Attempts
    conditions: Conditions
    worst: Played
    answers: Answers
    """The order of events that stops it."""
    at_risk: bool
    """Another order does not stop it."""
    arrival: NewPod | None = None
    """The new pod without which it would not stop; `conditions` has it."""

    @property
    def item(self) -> Workload:
        return self.steps[0]

    @property
    def owner(self) -> Owner:
        return Owner.of(self.item)

    def told(
        self, code: str, title: str, run: Run, command: str = "", short_title: str = ""
    ) -> Remedy:
        """A replay's outcome and what is to be known about it."""
        names = [short(key, self.owner.namespace) for key in run.evicted]
        if run.outcome is Outcome.COMPLETES:
            detail = f"evicts {', '.join(names)}" if names else ""
        elif run.outcome is Outcome.HELD:
            detail = run.reason
        else:
            detail = f"step {run.step} of {run.wanted}: {run.reason}"
        deadlock = run.outcome is Outcome.DEADLOCK
        outcome = Outcome.AT_RISK if deadlock and self.at_risk else run.outcome
        return Remedy(code, title, outcome, detail, command, short_title)

    def is_own(self, owner: Owner | None) -> bool:
        """Whether a controller is the workload, or belongs to it."""
        if owner == self.owner:
            return True
        item = self.worst.world.workloads.get(owner) if owner is not None else None
        return item is not None and owner_of(item.metadata) == self.owner

    def workload(self, owner: Owner | None) -> Object | None:
        """A controller as the snapshot has it."""
        for kind in CONTROLLERS:
            if owner is not None and kind.__name__ == owner.kind:
                return self.snapshot.all(kind).get(f"{owner.namespace}/{owner.name}")
        return None

    def replay(
        self,
        *,
        snapshot: Snapshot | None = None,
        steps: Sequence[Workload] | None = None,
        policy: Policy | None = None,
    ) -> Run:
        """The order that stops it again, and the least favourable one, with something changed."""
        conditions = self.conditions
        if policy is not None:
            conditions = replace(conditions, policy=policy)

        def again(answers: Answers) -> Run:
            where, what = snapshot or self.snapshot, steps or self.steps
            return run_of(play(where, what, self.attempts, conditions, answers.choose))

        run = again(self.answers.again)
        if self.answers.plain or run.outcome not in (Outcome.COMPLETES, Outcome.HELD):
            return run
        plain = again(Answers())
        return run if plain.outcome in (Outcome.COMPLETES, Outcome.HELD) else plain


def proposals(case: Case) -> tuple[Remedy, ...]:
    """Today's scheduler beside the two that were proposed."""
    run = run_of(case.worst)
    today = case.told("today", "the scheduler as it is", run, short_title="today")
    found = [today]
    for policy in (Hold(), Reserve()):
        title = f"proposal {policy.name}"
        if isinstance(case.item, StatefulSet):
            run = case.replay(policy=policy)
            found.append(case.told(policy.name, title, run, short_title=policy.name))
        else:
            why = "for the pods of StatefulSets alone"
            found.append(Remedy(policy.name, title, None, why, short=policy.name))
    return tuple(found)


def remedies(case: Case) -> tuple[Remedy, ...]:
    """What an operator can do, in the order of effort."""
    makers: tuple[Callable[[Case], Iterator[Remedy]], ...] = (
        stuck_pods,
        _no_arrivals,
        strategy,
        rules,
        _priority,
        _waiting_pods_aside,
        canary,
        _scale_down,
        _extra_node,
    )
    return tuple(remedy for maker in makers for remedy in maker(case))


# New pods


def _no_arrivals(case: Case) -> Iterator[Remedy]:
    """Nobody adds a pod meanwhile."""
    if case.arrival is None:
        return
    quiet = replace(case, conditions=replace(case.conditions, arrivals={}))
    title = f"no new pod of {case.arrival.like} during the rollout"
    yield case.told("no-arrivals", title, quiet.replay())


# Priority


def _priority(case: Case) -> Iterator[Remedy]:
    """A PriorityClass just above every pod that waits or took room."""
    own = {live.key for live in case.worst.world.pods.values() if case.is_own(live.owner)}
    rivals = [
        pod.priority
        for key, pod in case.snapshot.all(Pod).items()
        if not pod.spec.node_name and not pod.terminal and key not in own
    ]
    rivals += [thief.priority for thief in run_of(case.worst).thieves]
    if not rivals:
        return
    own_priority = max((case.worst.world.pods[key].view.priority for key in own), default=0)
    # A set that is high enough already may lack the right to preempt: the class gives it that.
    value = max(max(rivals) + 1, own_priority)
    if value > MOST_PRIORITY:
        yield Remedy(
            "priority",
            "a priority above the waiting pods",
            None,
            f"a waiting pod has priority {value - 1}, the highest a class can have is "
            f"{MOST_PRIORITY}",
        )
        return
    item = PriorityClass(metadata=ObjectMeta(name=CLASS_NAME, uid=CLASS_NAME), value=value)
    steps = [_with_class(step) for step in case.steps]
    run = case.replay(snapshot=case.snapshot.with_objects((item,)), steps=steps)
    kind, name = type(case.item).__name__.lower(), case.item.name
    patch = f'{{"spec":{{"template":{{"spec":{{"priorityClassName":"{CLASS_NAME}"}}}}}}}}'
    command = (
        f"kubectl create priorityclass {CLASS_NAME} --value={value} && "
        f"kubectl -n {case.owner.namespace} patch {kind} {name} -p '{patch}'"
    )
    title = f"priority {value}"
    yield case.told("priority", f"{title} for its pods", run, command, title)


def _with_class(item: Workload) -> Workload:
    template = item.spec.template
    spec = replaced(
        template.spec, priority_class_name=CLASS_NAME, priority=None, preemption_policy=None
    )
    return with_template(item, replaced(template, spec=spec))


# Waiting pods out of the way


def _waiting_pods_aside(case: Case) -> Iterator[Remedy]:
    """The pods that take room are gated for the duration, one set after the other."""
    aside: list[str] = []
    run = run_of(case.worst)
    for _ in range(MOST_ROUNDS):
        new = [thief.pod for thief in run.thieves if thief.pod not in aside]
        waiting = case.snapshot.all(Pod)
        new = [key for key in new if key in waiting and not waiting[key].spec.node_name]
        if not new:
            break
        aside += new
        gated = [
            waiting[key].with_spec(scheduling_gates=(PodSchedulingGate("example.com/wait"),))
            for key in aside
        ]
        run = case.replay(snapshot=case.snapshot.with_objects(gated))
        if run.outcome is not Outcome.DEADLOCK:
            break
    if not aside:
        return
    names = [short(key, case.owner.namespace) for key in aside]
    shown = ", ".join(names[:NAMED])
    if len(names) > NAMED:
        shown += f" and {len(names) - NAMED} more"
    yield case.told("gate", f"{shown} gated or suspended for the duration", run)


# Something less


def _scale_down(case: Case) -> Iterator[Remedy]:
    """One pod less of something else, the smallest that suffices."""
    run = run_of(case.worst)
    world = case.worst.world
    nodes = {m.node for m in case.worst.moments if m.code == "stopped"}
    candidates = []
    for key, pod in case.snapshot.all(Pod).items():
        live = world.pods.get(key)
        owner = live.owner if live is not None else None
        if not pod.spec.node_name or owner is None or case.is_own(owner):
            continue
        item = world.workloads.get(owner)
        if not isinstance(item, ReplicaSet | StatefulSet) or live is None:
            continue
        candidates.append((_weight(live.view.requests), pod.spec.node_name not in nodes, key))
    tried = 0
    for _, _, key in sorted(candidates):
        if tried >= MOST_ROUNDS:
            return
        owner = owner_of(case.snapshot.all(Pod)[key].metadata)
        smaller = _without_one(case, key, owner)
        if smaller is None or not _helps(case, key, run):
            continue
        tried += 1
        result = case.replay(snapshot=smaller[0])
        if result.outcome is Outcome.COMPLETES:
            name = short(key, case.owner.namespace)
            asks = amounts(world.cluster.view(case.snapshot.all(Pod)[key]).requests)
            title = f"{name} scaled down ({asks})"
            yield case.told("scale-down", title, result, smaller[1])
            return


def _weight(requests: Amounts) -> tuple[int, int]:
    return requests.get("cpu", 0), requests.get("memory", 0)


def _helps(case: Case, key: str, run: Run) -> bool:
    """Whether the pod's room could be enough for a pod that is stuck."""
    freed = case.worst.world.cluster.view(case.snapshot.all(Pod)[key]).requests
    return bool(freed) and (bool(run.thieves) or bool(run.stuck))


def _without_one(case: Case, key: str, owner: Owner | None) -> tuple[Snapshot, str] | None:
    """The snapshot with the pod gone and its controller one smaller; and the command."""
    world = case.worst.world
    item = case.workload(owner)
    if not isinstance(item, ReplicaSet | StatefulSet):
        return None
    count = 1 if item.spec.replicas is None else item.spec.replicas
    changed: list[Object] = [replaced(item, spec=replaced(item.spec, replicas=count - 1))]
    named: Object = item
    above = owner_of(item.metadata)
    parent = world.workloads.get(above) if above is not None else None
    if isinstance(parent, Deployment):
        changed.append(replaced(parent, spec=replaced(parent.spec, replicas=count - 1)))
        named = parent
    kind = type(named).__name__.lower()
    command = f"kubectl -n {named.namespace} scale {kind} {named.name} --replicas={count - 1}"
    return case.snapshot.without_object(Pod, key).with_objects(changed), command


# Something more


def _extra_node(case: Case) -> Iterator[Remedy]:
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
        metadata=replaced(model.metadata, name=name, uid=name, labels={**model.labels, HOST: name}),
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
    return [found[size] for size in sorted(found)][:NAMED]
