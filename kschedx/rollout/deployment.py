"""The Deployment controller: a new ReplicaSet grows while the old ones shrink.

Upstream: pkg/controller/deployment/{rolling,recreate,sync,deployment_controller}.go,
util/deployment_util.go (v1.35.4).
Differences: sizes change at once; the progress deadline, only a condition, is read from the run's
moments (progress_deadline.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.meta import ObjectMeta, OwnerReference
from kschedx.api.workloads import Deployment, ReplicaSet, ReplicaSetSpec
from kschedx.rollout.deployment_scaling import scale_proportionally
from kschedx.rollout.events import RESYNC
from kschedx.rollout.live_pod import TEMPLATE_HASH_LABEL, Owner
from kschedx.rollout.workloads import share, template_hash, without_hash
from kschedx.rollout.world import World

RECREATE: Final = "Recreate"
DESIRED: Final = "deployment.kubernetes.io/desired-replicas"
MAXIMUM: Final = "deployment.kubernetes.io/max-replicas"


@dataclass(frozen=True, slots=True)
class Fenceposts:
    """Upstream: ResolveFenceposts, MaxSurge, MaxUnavailable."""

    replicas: int
    surge: int
    unavailable: int


def fenceposts(item: Deployment) -> Fenceposts:
    """A Deployment's, with its defaults and roundings."""
    replicas = 1 if item.spec.replicas is None else item.spec.replicas
    if item.spec.strategy.type == RECREATE or replicas == 0:
        return Fenceposts(replicas, 0, 0)
    rolling = item.spec.strategy.rolling_update
    surge = share(rolling.max_surge if rolling else None, replicas, default="25%", round_up=True)
    unavailable = share(
        rolling.max_unavailable if rolling else None, replicas, default="25%", round_up=False
    )
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return Fenceposts(replicas, surge, min(unavailable, replicas))


class Sizes:
    """A Deployment's ReplicaSets, their wanted sizes and what is available of them."""

    def __init__(self, world: World, item: Deployment) -> None:
        self.world = world
        self.item = item
        self.owner = Owner.of(item)
        self.posts = fenceposts(item)

    def all(self) -> list[ReplicaSet]:
        """The oldest first."""
        listed = (self.world.workloads[o] for o in self.world.sets.get(self.owner, ()))
        own = [item for item in listed if isinstance(item, ReplicaSet)]
        return sorted(own, key=lambda r: (r.metadata.creation_timestamp or "", r.name))

    def new(self) -> ReplicaSet | None:
        """The oldest with the Deployment's template. Upstream: FindNewReplicaSet."""
        wanted = without_hash(self.item.spec.template)
        for candidate in self.all():
            if without_hash(candidate.spec.template) == wanted:
                return candidate
        return None

    def old(self) -> list[ReplicaSet]:
        new = self.new()
        return [r for r in self.all() if new is None or r.name != new.name]

    def available(self, replica_set: ReplicaSet) -> int:
        wait = self.item.spec.min_ready_seconds
        return sum(
            live.active and live.available(wait, self.world.now)
            for live in self.world.pods_of(Owner.of(replica_set))
        )

    def scale(self, replica_set: ReplicaSet, size: int) -> bool:
        """Set a ReplicaSet's size; whether that changes it."""
        if count(replica_set) == size:
            return False
        self.annotate(replaced(replica_set, spec=replaced(replica_set.spec, replicas=size)))
        return True

    def annotate(self, replica_set: ReplicaSet) -> None:
        """Keep the ReplicaSet with the sizes that the Deployment has now."""
        notes = {
            **replica_set.metadata.annotations,
            DESIRED: str(self.posts.replicas),
            MAXIMUM: str(self.posts.replicas + self.posts.surge),
        }
        metadata = replaced(replica_set.metadata, annotations=notes)
        self.world.set_workload(replaced(replica_set, metadata=metadata))

    def create_new(self, size: int) -> ReplicaSet:
        template = self.item.spec.template
        digest = template_hash(template)
        labels = {**template.metadata.labels, TEMPLATE_HASH_LABEL: digest}
        template = replaced(template, metadata=replaced(template.metadata, labels=labels))
        posts = self.posts
        made = ReplicaSet(
            metadata=ObjectMeta(
                name=f"{self.item.name}-{digest}",
                namespace=self.item.namespace,
                uid=f"simulated-{self.item.name}-{digest}",
                labels=labels,
                annotations={
                    DESIRED: str(posts.replicas),
                    MAXIMUM: str(posts.replicas + posts.surge),
                },
                owner_references=(
                    OwnerReference(
                        kind="Deployment",
                        name=self.item.name,
                        uid=self.item.metadata.uid,
                        controller=True,
                    ),
                ),
                creation_timestamp=self.world.timestamp(),
            ),
            spec=ReplicaSetSpec(
                replicas=size,
                min_ready_seconds=self.item.spec.min_ready_seconds,
                selector=self.item.spec.selector,
                template=template,
            ),
        )
        self.world.set_workload(made)
        return made


def count(replica_set: ReplicaSet) -> int:
    """How many pods it is written to have."""
    return 1 if replica_set.spec.replicas is None else replica_set.spec.replicas


def total(replica_sets: Sequence[ReplicaSet]) -> int:
    """How many pods they are written to have together."""
    return sum(count(r) for r in replica_sets)


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
