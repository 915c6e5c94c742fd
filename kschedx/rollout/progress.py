"""How far a rollout is: updated, ready, done, or held by the workload's own strategy."""

from __future__ import annotations

from dataclasses import dataclass

from kschedx.api.meta import Object
from kschedx.api.workloads import DaemonSet, Deployment, StatefulSet
from kschedx.rollout import daemonset, statefulset
from kschedx.rollout.deployment_sizes import Sizes
from kschedx.rollout.live_pod import LivePod, Owner
from kschedx.rollout.world import World


@dataclass(frozen=True, slots=True)
class Progress:
    """A workload at one moment."""

    wanted: int
    """Pods that the workload is written to have."""
    updated: int
    """Of the new revision, and Ready."""
    old: int
    """Of another revision."""
    not_ready: tuple[str, ...]
    """Pods (keys) that are not available, or indices that have no pod."""
    done: bool
    held_by: str = ""
    """Why the rest stays old by the user's own will; empty where it is not so."""


def pods_of_workload(world: World, owner: Owner) -> list[LivePod]:
    """The workload's pods; a Deployment's are those of its ReplicaSets."""
    if owner.kind != "Deployment":
        return world.pods_of(owner)
    sets = sorted(world.sets.get(owner, ()))
    return [live for replica_set in sets for live in world.pods_of(replica_set)]


def is_new(world: World, owner: Owner, live: LivePod) -> bool:
    """Whether the pod is of the workload's newest revision."""
    item = world.workloads[owner]
    if isinstance(item, Deployment):
        new = Sizes(world, item).new()
        return new is not None and live.owner == Owner.of(new)
    revisions = world.revisions.get(owner)
    if revisions is None:
        return True
    return (live.revision() or revisions.current) == revisions.update


def progress(world: World, owner: Owner) -> Progress:
    """Where the rollout stands now."""
    item = world.workloads[owner]
    pods = [live for live in pods_of_workload(world, owner) if not live.terminal]
    wanted = _wanted(world, item)
    wait = getattr(getattr(item, "spec", None), "min_ready_seconds", 0)
    new = [live for live in pods if is_new(world, owner, live)]
    good = [live for live in new if live.active and live.available(wait, world.now)]
    unwell = tuple(
        live.key for live in pods if live.terminating or not live.available(wait, world.now)
    )
    done = len(good) == wanted == len(pods)
    held = "" if done else _held(world, item, pods, unwell, wanted)
    old = sum(not is_new(world, owner, live) for live in pods)
    return Progress(wanted, len(good), old, unwell, done, held)


def _wanted(world: World, item: Object) -> int:
    if isinstance(item, DaemonSet):
        return len(daemonset.nodes_for(world, item))
    spec = getattr(item, "spec", None)
    replicas = getattr(spec, "replicas", None)
    return 1 if replicas is None else int(replicas)


def _held(
    world: World, item: Object, pods: list[LivePod], unwell: tuple[str, ...], wanted: int
) -> str:
    owner = Owner.of(item)
    if isinstance(item, Deployment):
        return "the Deployment is paused" if item.spec.paused else ""
    if unwell or len(pods) != wanted:
        return ""
    if isinstance(item, DaemonSet):
        on_delete = item.spec.update_strategy.type == daemonset.ON_DELETE
        return "its update strategy is OnDelete" if on_delete else ""
    if isinstance(item, StatefulSet):
        gate = world.release.enabled("MaxUnavailableStatefulSet")
        spec = statefulset.settings(item, gate=gate)
        if spec.strategy == statefulset.ON_DELETE:
            return "its update strategy is OnDelete"
        below = spec.start + spec.partition
        old = [live for live in pods if not is_new(world, owner, live)]
        if old and all((statefulset.ordinal(live.pod.name) or 0) < below for live in old):
            return f"partition {spec.partition} keeps ordinals below {below} at the old revision"
    return ""
