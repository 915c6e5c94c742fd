"""The scheduler in a run: pods are taken from the queue one by one until nobody is to be tried.

Upstream: pkg/scheduler/schedule_one.go (v1.35.4), ScheduleOne, handleSchedulingFailure;
framework/preemption/preemption.go prepareCandidate.
Differences: an attempt takes no time; binding never fails.
"""

from __future__ import annotations

from kschedx.framework.attempt import Preemption
from kschedx.rollout import kubelet
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.live_pod import LivePod
from kschedx.rollout.volumes import bind_claims
from kschedx.rollout.world import World
from kschedx.schedulers.kube.queue import QueuedPod

_ERROR = frozenset({"error"})


def run(world: World, attempts: Attempts) -> bool:
    """Try whoever is to be tried now; whether anyone was."""
    tried = False
    while world.busy_for is None:
        entry = world.queue.pop(world.now)
        if entry is None:
            break
        tried = True
        live = world.pods.get(entry.key)
        if live is not None and not live.node:
            _try(world, attempts, entry, live)
    return tried


def _try(world: World, attempts: Attempts, entry: QueuedPod, live: LivePod) -> None:
    found = attempts.attempt(live.view, world.cluster)
    if found.winners:
        node = _pick(world, live, found.winners)
        bind_claims(world, live.view, node)
        kubelet.admit(world, world.place(live, node))
        return
    if found.doubt:
        world.not_checked[live.key] = found.doubt
    live = _after_preemption(world, live, found.preemption)
    if world.workload_of(live) in world.rolling:
        world.record("unschedulable", live.key, causes=found.causes, nodes=found.node_count)
    world.queue.fail(entry, live.view, found.rejected_by or _ERROR, world.now)


def _pick(world: World, live: LivePod, winners: tuple[str, ...]) -> str:
    """One of the top scorers; the real scheduler draws."""
    if len(winners) == 1:
        return winners[0]
    if world.workload_of(live) in world.rolling:
        order = sorted(winners)
    else:
        # Strangers are worst on the nodes that the rollout has freed, the latest first.
        freed = [m.node for m in reversed(world.moments) if m.code == "stopped"]
        ranks = {node: len(freed) - index for index, node in enumerate(reversed(freed))}
        order = sorted(winners, key=lambda n: (ranks.get(n, len(freed) + 1), n))
    return order[world.choose(f"{live.key} fits {len(order)} nodes equally", order)]


def _after_preemption(world: World, live: LivePod, preemption: Preemption | None) -> LivePod:
    """Victims are deleted and the place is held; without a candidate a held place is given up."""
    if preemption is None or not preemption.enabled or not preemption.eligible:
        return live
    if not preemption.nominated:
        return world.nominate(live, "")
    order = preemption.nominated
    node = order[world.choose(f"{live.key} may preempt on {len(order)} nodes equally", order)]
    candidate = preemption.candidates[node]
    victims = tuple(victim.key for victim in candidate.victims)
    world.record("preempts", live.key, node, victims=victims, violations=candidate.violations)
    world.evictions[live.key, live.incarnation, node] += 1
    live = world.nominate(live, node)
    for victim in victims:
        world.delete(victim, why=f"preempted by {live.key}", preempted=True)
    for other in world.cluster.nominated.get(node, ()):
        if other.priority < live.view.priority and other.key in world.pods:
            world.nominate(world.pods[other.key], "")
            world.queue.wake_one(other.key, world.now)
    return live
