"""The Deployment controller: a new ReplicaSet grows while the old ones shrink.

Upstream: pkg/controller/deployment/{rolling,recreate,sync,deployment_controller}.go,
util/deployment_util.go (v1.35.4).
Differences: sizes change at once; the progress deadline, only a condition, is read from the run's
moments (progress_deadline.py).
"""

from __future__ import annotations

from kschedx.api.workloads import Deployment, ReplicaSet
from kschedx.rollout.deployment_scaling import scale_proportionally
from kschedx.rollout.deployment_sizes import DESIRED, RECREATE, Fenceposts, Sizes, count, total
from kschedx.rollout.events import RESYNC
from kschedx.rollout.live_pod import Owner
from kschedx.rollout.world import World


def sync(world: World, item: Deployment) -> None:
    """One pass. Upstream: syncDeployment."""
    sizes = Sizes(world, item)
    if item.metadata.deletion_timestamp is not None:
        return
    resized = any(
        r.metadata.annotations.get(DESIRED, str(sizes.posts.replicas)) != str(sizes.posts.replicas)
        for r in sizes.all()
        if count(r) > 0
    )
    if item.spec.paused or resized:
        scale_proportionally(sizes)
    elif item.spec.strategy.type == RECREATE:
        _recreate(sizes)
    else:
        _roll(sizes)
    _come_back(sizes)


def _roll(sizes: Sizes) -> None:
    posts = sizes.posts
    new = sizes.new()
    if new is None:
        new = sizes.create_new(_new_size(posts, 0, total(sizes.all())))
        return
    size = count(new)
    if size > posts.replicas:
        changed = sizes.scale(new, posts.replicas)
    else:
        changed = sizes.scale(new, _new_size(posts, size, total(sizes.all())))
    if not changed:
        _shrink_old(sizes, new)


def _new_size(posts: Fenceposts, size: int, existing: int) -> int:
    """Upstream: NewRSNewReplicas."""
    limit = posts.replicas + posts.surge
    if existing >= limit:
        return size
    return size + min(limit - existing, posts.replicas - size)


def _shrink_old(sizes: Sizes, new: ReplicaSet) -> None:
    """Upstream: reconcileOldReplicaSets."""
    old = sizes.old()
    if total(old) == 0:
        return
    least = sizes.posts.replicas - sizes.posts.unavailable
    new_unavailable = count(new) - sizes.available(new)
    removable = total(sizes.all()) - least - new_unavailable
    if removable <= 0:
        return
    # Availability as it was seen before the unhealthy ones go.
    available = sum(sizes.available(r) for r in sizes.all())
    done = 0
    left: dict[str, int] = {r.name: count(r) for r in old}
    for replica_set in old:
        broken = left[replica_set.name] - sizes.available(replica_set)
        take = max(min(removable - done, broken), 0)
        left[replica_set.name] -= take
        done += take
    budget = available - least
    for replica_set in old:
        take = max(min(left[replica_set.name], budget), 0)
        left[replica_set.name] -= take
        budget -= take
    for replica_set in old:
        sizes.scale(replica_set, left[replica_set.name])


def _recreate(sizes: Sizes) -> None:
    """Upstream: rolloutRecreate."""
    old = sizes.old()
    shrunk = [r.name for r in old if sizes.scale(r, 0)]
    if shrunk:
        return
    world = sizes.world
    if any(not live.terminal for r in old for live in world.pods_of(Owner.of(r))):
        return
    new = sizes.new()
    if new is None:
        sizes.create_new(sizes.posts.replicas)
    else:
        sizes.scale(new, sizes.posts.replicas)


def _come_back(sizes: Sizes) -> None:
    wait = sizes.item.spec.min_ready_seconds
    now = sizes.world.now
    due = [
        live.ready_since + wait
        for r in sizes.all()
        for live in sizes.world.pods_of(Owner.of(r))
        if wait and live.ready_since is not None and live.ready_since + wait > now
    ]
    if due:
        sizes.world.at(min(due), RESYNC, sizes.owner)
