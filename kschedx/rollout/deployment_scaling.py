"""Resizing a Deployment in the middle of a rollout, or while it is paused.

Upstream: pkg/controller/deployment/sync.go scale, util GetReplicaSetProportion (v1.35.4).
Differences: none.
"""

from __future__ import annotations

from fractions import Fraction

from kschedx.api.workloads import ReplicaSet
from kschedx.rollout.deployment_sizes import DESIRED, MAXIMUM, RECREATE, Sizes, count


def scale_proportionally(sizes: Sizes) -> None:
    """Spread a change of replicas over the active ReplicaSets."""
    every = sizes.all()
    active = [r for r in every if count(r) > 0]
    wanted = sizes.posts.replicas
    if len(active) <= 1:
        only = active[0] if active else (sizes.new() or (every[-1] if every else None))
        if only is not None:
            sizes.scale(only, wanted)
        return
    new = sizes.new()
    if new is not None and _is_saturated(sizes, new):
        for replica_set in sizes.old():
            sizes.scale(replica_set, 0)
        return
    if sizes.item.spec.strategy.type == RECREATE:
        return
    allowed = wanted + sizes.posts.surge if wanted > 0 else 0
    delta = allowed - sum(count(r) for r in active)
    growing = delta > 0
    # The largest first; of equals the newer one grows and the older one shrinks.
    ages = {r.name: index for index, r in enumerate(every)}
    active.sort(key=lambda r: (-count(r), -ages[r.name] if growing else ages[r.name]))
    added = 0
    targets: dict[str, int] = {}
    for replica_set in active:
        change = _proportion(replica_set, allowed, delta, added) if delta else 0
        targets[replica_set.name] = count(replica_set) + change
        added += change
    if active and delta:
        first = active[0].name
        targets[first] = max(targets[first] + delta - added, 0)
    for replica_set in active:
        if not sizes.scale(replica_set, targets[replica_set.name]):
            sizes.annotate(replica_set)


def _is_saturated(sizes: Sizes, new: ReplicaSet) -> bool:
    """Its size was set for what the Deployment wants now, and is reached. Upstream: IsSaturated."""
    wanted = sizes.posts.replicas
    stated = new.metadata.annotations.get(DESIRED, "")
    return stated == str(wanted) and count(new) == wanted == sizes.available(new)


def _proportion(replica_set: ReplicaSet, allowed: int, delta: int, added: int) -> int:
    size = count(replica_set)
    left = delta - added
    if left == 0:
        return 0
    if allowed == 0:
        return -size
    text = replica_set.metadata.annotations.get(MAXIMUM, "")
    before = int(text) if text.isdecimal() and int(text) > 0 else allowed
    # Half away from zero, as Go's math.Round does.
    fraction = int(Fraction(size * allowed, before) + Fraction(1, 2)) - size
    return min(fraction, left) if delta > 0 else max(fraction, left)
