"""What could be done about a rollout that stops: each is replayed, none is guessed.

The scheduler changes that were proposed (policies.py) and what an operator can do today: a priority
above the waiting pods, the waiting pods out of the way, a canary by partition, one more node, one
pod less of something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.meta import ObjectMeta
from kschedx.api.pod import Pod, PodSchedulingGate
from kschedx.api.scheduling import PriorityClass
from kschedx.api.workloads import StatefulSet
from kschedx.rollout.case import Case
from kschedx.rollout.change import Workload, with_template
from kschedx.rollout.contention import run_of
from kschedx.rollout.policies import Hold, Reserve
from kschedx.rollout.remedies_of_room import extra_node, scale_down
from kschedx.rollout.remedies_of_strategy import canary, rules, strategy, stuck_pods
from kschedx.rollout.report import Outcome, Remedy
from kschedx.rollout.timeline import short

CLASS_NAME: Final = "above-waiting-pods"
MOST_PRIORITY: Final = 1_000_000_000
MOST_ROUNDS: Final = 5
"""How often another set of waiting pods is tried."""
NAMED: Final = 3
"""Pods that a title names."""


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
        scale_down,
        extra_node,
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
