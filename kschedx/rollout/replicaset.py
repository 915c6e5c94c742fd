"""The ReplicaSet controller; ReplicationControllers and Jobs replace lost pods alike.

Upstream: pkg/controller/replicaset/replica_set.go, controller_utils.go ActivePodsWithRanks
(v1.35.4).
Differences: a Job keeps as many pods as it had and never completes; sidecars' restarts are not
compared.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import takewhile

from kschedx.api.meta import Object
from kschedx.api.pod import Pod, PodTemplate
from kschedx.api.workloads import Deployment, Job, ReplicaSet, ReplicationController
from kschedx.framework.views import PodView
from kschedx.rollout.creation import pod_from_template
from kschedx.rollout.live_pod import LivePod, Owner, Seconds, owner_of
from kschedx.rollout.turns import next_in_turn
from kschedx.rollout.workloads import pod_suffix, without_hash
from kschedx.rollout.world import World

_COST = "controller.kubernetes.io/pod-deletion-cost"


def wanted(world: World, item: Object) -> tuple[int, PodTemplate | None]:
    """How many pods the controller keeps, and from which template."""
    if isinstance(item, ReplicaSet | ReplicationController):
        return 1 if item.spec.replicas is None else item.spec.replicas, item.spec.template
    if isinstance(item, Job):
        return world.running_at_first.get(Owner.of(item), 0), item.spec.template
    return 0, None


def sync(world: World, item: Object) -> None:
    """Create or delete pods until as many are active as wanted."""
    owner = Owner.of(item)
    count, template = wanted(world, item)
    active = [live for live in world.pods_of(owner) if live.active]
    missing = count - len(active)
    for _ in range(missing):
        if template is None or not create_one(world, item, owner, template):
            return
    if missing < 0:
        for live in to_delete(world, item, active, -missing):
            world.delete(live.key, why="one too many")


def create_one(world: World, item: Object, owner: Owner, template: PodTemplate) -> bool:
    """One more pod with a generated name."""
    name = f"{item.name}-{pod_suffix(world.next_serial())}"
    pod = pod_from_template(template, item, name, {}, world.timestamp())
    return world.create(world.admitted(pod), owner)


def to_delete(world: World, item: Object, active: Sequence[LivePod], many: int) -> list[LivePod]:
    """So many of the active pods, the first to go first. Upstream: ActivePodsWithRanks.Less."""
    related = _related(world, item)
    ranks: dict[str, int] = {}
    for owner in related:
        for live in world.pods_of(owner):
            if live.active:
                ranks[live.node] = ranks.get(live.node, 0) + 1
    phases = {"Pending": 0, "Unknown": 1, "Running": 2}

    def order(live: LivePod) -> tuple[float, ...]:
        restarts = max((s.restart_count for s in live.pod.status.container_statuses), default=0)
        return (
            bool(live.node),
            phases.get(live.pod.status.phase or "Running", 2),
            live.ready,
            _deletion_cost(live),
            -ranks.get(live.node, 0),
            _age_bucket(world, live.ready_since),
            -restarts,
            _age_bucket(world, live.created),
        )

    equals: dict[tuple[float, ...], list[LivePod]] = {}
    for live in sorted(active, key=lambda live: live.key):
        equals.setdefault(order(live), []).append(live)
    found: list[LivePod] = []
    for _, group in sorted(equals.items()):
        left = many - len(found)
        if left >= len(group):
            found += group
        else:
            found += _some(world, item, group, left)
    return found


def _some(world: World, item: Object, equals: list[LivePod], many: int) -> list[LivePod]:
    """So many of these equal pods: of ages that are nearly alike the lower uid goes first.

    Pods of exactly the same age come in any order, and uids that a run has made mean nothing.
    """
    found: list[LivePod] = []
    known = [live for live in equals if live.created <= 0 and live.pod.metadata.uid]
    known.sort(key=lambda live: live.pod.metadata.uid)
    unknown = [live for live in equals if live.created > 0 or not live.pod.metadata.uid]
    successor = _successor(world, item)
    while len(found) < many:
        same = takewhile(lambda live: _ages(live) == _ages(known[0]), known)
        free = sorted((*same, *unknown), key=lambda live: live.key)
        live = next_in_turn(world, free, successor)
        (unknown if live in unknown else known).remove(live)
        found.append(live)
    return found


def _ages(live: LivePod) -> tuple[Seconds | None, Seconds]:
    return live.ready_since, live.created


def _successor(world: World, item: Object) -> PodView | None:
    """The pod that a Deployment makes instead; None where the set is only too large."""
    owner = owner_of(item.metadata)
    above = world.workloads.get(owner) if owner is not None else None
    if not isinstance(above, Deployment) or not isinstance(item, ReplicaSet):
        return None
    template = above.spec.template
    if without_hash(item.spec.template) == template:
        return None
    return world.cluster.view(Pod(spec=template.spec))


def _related(world: World, item: Object) -> list[Owner]:
    """The ReplicaSet and its siblings of the same Deployment."""
    owner = owner_of(item.metadata)
    own = Owner.of(item)
    if owner is None:
        return [own]
    return sorted(
        other
        for other, workload in world.workloads.items()
        if other.kind == own.kind and owner_of(workload.metadata) == owner
    )


def _deletion_cost(live: LivePod) -> int:
    text = live.pod.metadata.annotations.get(_COST, "0")
    try:
        return int(text)
    except ValueError:
        return 0


def _age_bucket(world: World, since: Seconds | None) -> int:
    """Upstream compares ages by powers of two; the younger goes first."""
    if since is None:
        return 0
    age = world.now - since
    return int(math.log2(age * 10**9)) if age > 0 else -1
