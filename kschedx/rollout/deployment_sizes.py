"""A Deployment's ReplicaSets and their sizes: how many pods it may have too many, or lack.

Upstream: util/deployment_util.go ResolveFenceposts, FindNewReplicaSet (v1.35.4).
Differences: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.meta import ObjectMeta, OwnerReference
from kschedx.api.workloads import Deployment, ReplicaSet, ReplicaSetSpec
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
