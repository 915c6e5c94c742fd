"""The disruption controller: how many evictions each budget allows as pods come, go and become Ready.

Upstream: pkg/controller/disruption/disruption.go trySync, getExpectedPodCount, countHealthyPods
(v1.35.4).
Differences: a budget keeps the status that the snapshot states until one of its pods changes, and
for good where it covers pods of a controller whose size is not in the snapshot; entries of
disruptedPods do not expire.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.policy import PodDisruptionBudget
from kschedx.api.workloads import (
    DaemonSet,
    Deployment,
    IntOrString,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedx.rollout.live_pod import LivePod, Owner, owner_of
from kschedx.rollout.workloads import share
from kschedx.rollout.world import World

_SIZED: Final = (Deployment, ReplicaSet, ReplicationController, StatefulSet)


@dataclass(frozen=True, slots=True)
class _Count:
    """Upstream: currentHealthy, desiredHealthy, expectedPods."""

    healthy: int
    desired: int
    expected: int
    failed: bool = False
    """The controller gives up and allows nothing."""

    @property
    def allowed(self) -> int:
        if self.failed or self.expected <= 0:
            return 0
        return max(self.healthy - self.desired, 0)


class DisruptionController:
    """Keeps the budgets of one world current."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._members: dict[str, set[str]] = {}
        """Budget -> the pods that it covers now."""
        self._stated: dict[str, tuple[PodDisruptionBudget, _Count | None]] = {}
        """Budgets that were looked at: as the snapshot has them, and counted as it was then."""

    def sync(self) -> None:
        """Look at the budgets of all pods that have changed."""
        world = self._world
        if not world.touched:
            return
        touched = list(world.touched.values())
        world.touched.clear()
        if not world.snapshot.all(PodDisruptionBudget):
            return
        guards = world.opening.guards
        due: dict[str, None] = {}
        for live in touched:
            for key in guards.of(live.pod):
                due[key] = None
                members = self._members.setdefault(key, set(guards.members.get(key, ())))
                if live.key in world.pods:
                    members.add(live.key)
                else:
                    members.discard(live.key)
        changed = [budget for key in due if (budget := self._counted_anew(key)) is not None]
        if changed:
            world.keep_object(changed)

    def _counted_anew(self, key: str) -> PodDisruptionBudget | None:
        """The budget with another status; None where it stays as it is."""
        world = self._world
        current = world.snapshot.all(PodDisruptionBudget)[key]
        if key not in self._stated:
            opening = world.opening
            pods = [opening.pods[name] for name in opening.guards.members.get(key, ())]
            self._stated[key] = current, _count(current, pods, opening.workloads)
        stated, before = self._stated[key]
        now = _count(stated, [world.pods[name] for name in self._members[key]], world.workloads)
        if now is None or before is None:
            return None
        changed = stated
        if now != before:
            status = replaced(
                stated.status,
                disruptions_allowed=now.allowed,
                current_healthy=now.healthy,
                desired_healthy=now.desired,
                expected_pods=now.expected,
            )
            changed = replaced(stated, status=status)
        return changed if changed != current else None


def _count(
    budget: PodDisruptionBudget, pods: list[LivePod], workloads: Mapping[Owner, object]
) -> _Count | None:
    """None where the size of one of the controllers is not known."""
    spec = budget.spec
    disrupted = budget.status.disrupted_pods
    healthy = sum(
        live.ready and not live.terminating and live.pod.name not in disrupted for live in pods
    )
    if spec.max_unavailable is None and spec.min_available is None:
        return _Count(healthy, 0, 0)
    if spec.max_unavailable is None and isinstance(spec.min_available, int):
        return _Count(healthy, spec.min_available, len(pods))
    owners = {owner for live in pods if (owner := live.owner) is not None}
    if any(owner.kind in (DaemonSet.__name__, Job.__name__) for owner in owners):
        return _Count(healthy, 0, 0, failed=True)
    expected = _scale(owners, workloads)
    if expected is None:
        return None
    if spec.max_unavailable is not None:
        return _Count(healthy, max(expected - _of(spec.max_unavailable, expected), 0), expected)
    return _Count(healthy, _of(spec.min_available, expected), expected)


def _of(value: IntOrString | None, whole: int) -> int:
    return share(value, whole, default=0, round_up=True)


def _scale(owners: Iterable[Owner], workloads: Mapping[Owner, object]) -> int | None:
    """The sizes of the controllers together, a Deployment's once. Upstream: getExpectedScale."""
    sizes: dict[Owner, int] = {}
    for owner in owners:
        item = workloads.get(owner)
        if not isinstance(item, _SIZED):
            return None
        above = owner_of(item.metadata) if isinstance(item, ReplicaSet) else None
        parent = workloads.get(above) if above is not None else None
        named, sized = owner, item
        if above is not None and isinstance(parent, Deployment):
            named, sized = above, parent
        sizes[named] = 1 if sized.spec.replicas is None else sized.spec.replicas
    return sum(sizes.values())
