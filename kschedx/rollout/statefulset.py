"""The StatefulSet controller: ordinals, revisions, one step at a time.

Upstream: pkg/controller/statefulset/stateful_set_control.go, stateful_set_utils.go
(v1.30.14 to v1.37.2).
Differences: one sync sees its own writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.pod import ClaimVolume, Pod, PodTemplate, Volume
from kschedx.api.workloads import ControllerRevision, RollingUpdateStatefulSet, StatefulSet
from kschedx.rollout.creation import pod_from_template
from kschedx.rollout.events import RESYNC
from kschedx.rollout.live_pod import REVISION_LABEL, LivePod, Owner, owner_of
from kschedx.rollout.statefulset_claims import (
    claims_of,
    collect_claims,
    disown_claims,
    ensure_claims,
    go_when_scaled,
    own_claims,
)
from kschedx.rollout.workloads import Revisions, share, template_hash
from kschedx.rollout.world import World

ORDERED_READY: Final = "OrderedReady"
ROLLING_UPDATE: Final = "RollingUpdate"
ON_DELETE: Final = "OnDelete"
_ORDINAL: Final = re.compile(r"(.*)-([0-9]+)")


def ordinal(name: str) -> int | None:
    """The number at the end of a pod's name; None where there is none."""
    match = _ORDINAL.fullmatch(name)
    return int(match.group(2)) if match else None


@dataclass(frozen=True, slots=True)
class Settings:
    """A set's spec with its defaults filled in."""

    start: int
    replicas: int
    ordered: bool
    strategy: str
    partition: int
    """An index, counted from `start`."""
    rolling_update: RollingUpdateStatefulSet | None
    min_ready_seconds: int
    max_unavailable: int | None
    """None where the gate is off: one at a time."""


def settings(item: StatefulSet, *, gate: bool) -> Settings:
    """`gate`: MaxUnavailableStatefulSet is on."""
    spec = item.spec
    strategy = spec.update_strategy
    rolling = strategy.rolling_update
    if not strategy.type and rolling is None:
        # Only an absent type is defaulted together with its partition.
        rolling = RollingUpdateStatefulSet(partition=0)
    replicas = 1 if spec.replicas is None else spec.replicas
    unavailable = rolling.max_unavailable if rolling is not None else None
    return Settings(
        start=spec.ordinals.start if spec.ordinals is not None else 0,
        replicas=replicas,
        ordered=spec.pod_management_policy in ("", ORDERED_READY),
        strategy=strategy.type or ROLLING_UPDATE,
        partition=(rolling.partition or 0) if rolling is not None else 0,
        rolling_update=rolling,
        min_ready_seconds=spec.min_ready_seconds,
        max_unavailable=max(share(unavailable, replicas, default=1, round_up=False), 1)
        if gate
        else None,
    )


def first_revisions(world: World, item: StatefulSet) -> Revisions:
    """What the snapshot says of the set's revisions before anything changes."""
    owner = Owner.of(item)
    templates = {
        revision.name: revision.data.spec.template
        for revision in world.snapshot.all(ControllerRevision).values()
        if owner_of(revision.metadata) == owner and revision.data.spec.template is not None
    }
    labels = sorted({live.revision() for live in world.pods_of(owner)} - {""})
    fallback = labels[-1] if labels else f"{item.name}-{template_hash(item.spec.template)}"
    update = item.status.update_revision or fallback
    current = item.status.current_revision or update
    templates[update] = item.spec.template
    return Revisions(current, update, templates)


class _Sync:
    """One pass over a set."""

    def __init__(self, world: World, item: StatefulSet) -> None:
        self.world = world
        self.item = item
        self.owner = Owner.of(item)
        self.now = world.now
        self.spec = settings(item, gate=world.release.enabled("MaxUnavailableStatefulSet"))
        self.revisions = world.revisions[self.owner]
        self.claims_go = go_when_scaled(item)
        self.refused = False
        """A pod could not be created."""
        end = self.spec.start + self.spec.replicas
        self.replicas: list[LivePod | None] = [None] * self.spec.replicas
        self.condemned: list[LivePod] = []
        for live in world.pods_of(self.owner):
            number = ordinal(live.pod.name)
            if number is None:
                continue
            if self.spec.start <= number < end:
                self.replicas[number - self.spec.start] = live
            else:
                self.condemned.append(live)
        self.condemned.sort(key=lambda live: -(ordinal(live.pod.name) or 0))

    # Health

    def running_and_ready(self, live: LivePod | None) -> bool:
        return live is not None and live.ready and not live.terminal

    def available(self, live: LivePod | None) -> bool:
        return (
            live is not None
            and self.running_and_ready(live)
            and live.available(self.spec.min_ready_seconds, self.now)
        )

    def unavailable(self, live: LivePod | None) -> bool:
        """What the update step waits for. Upstream: isUnavailable; isHealthy until 1.33."""
        if live is None or live.terminating:
            return True
        if self.world.release.minor <= 33:
            return not self.running_and_ready(live)
        return not self.available(live)

    def revision(self, live: LivePod) -> str:
        # A pod of a hand-written snapshot may lack the label: it is of the set's first revision.
        return live.revision() or self.revisions.current

    def outdated(self, live: LivePod) -> bool:
        return self.revision(live) != self.revisions.update

    # The pass

    def run(self) -> None:
        if self.item.metadata.deletion_timestamp is not None:
            return
        if self.claims_go:
            collect_claims(self.world, self.item)
        if self.spec.strategy not in (ROLLING_UPDATE, ON_DELETE):
            strategy = f"update strategy {self.spec.strategy} is not modelled"
            self.world.not_checked[str(self.owner)] = strategy
        if self._fill() and self._shrink() and self.spec.strategy != ON_DELETE:
            self._update()
        self._complete()
        self._come_back()

    def _fill(self) -> bool:
        """Every ordinal in order. False: this sync ends here. Upstream: processReplica, runForAll.

        A Parallel set takes 1, 2, 4, ... ordinals at a time, until a quota refuses one of its pods.
        """
        done, batch = 0, 1
        while done < self.spec.replicas:
            for index in range(done, min(done + batch, self.spec.replicas)):
                if not self._replica(index) and self.spec.ordered:
                    return False
            if self.refused:
                return False
            done, batch = done + batch, 2 * batch
        return True

    def _replica(self, index: int) -> bool:
        live = self.replicas[index]
        if live is None:
            return self._build(index)
        if live.terminal:
            self.world.delete(live.key, why="it has ended")
            return False
        if self.spec.ordered and (live.terminating or not self.available(live)):
            return False
        if self.claims_go:
            disown_claims(self.world, self.item, live)
        return True

    def _build(self, index: int) -> bool:
        number = self.spec.start + index
        name = f"{self.item.name}-{number}"
        revision = self._revision_for(number)
        template = self.revisions.templates.get(revision)
        if template is None:
            self.world.not_checked[f"{self.owner}"] = f"revision {revision} is not in the snapshot"
            template = self.item.spec.template
        labels = {
            "statefulset.kubernetes.io/pod-name": name,
            "apps.kubernetes.io/pod-index": str(number),
            REVISION_LABEL: revision,
        }
        ensure_claims(self.world, self.item, name)
        pod = pod_from_template(template, self.item, name, labels, self.world.timestamp())
        pod = with_claims(pod, claims_of(self.item, name))
        created = self.world.create(self.world.admitted(pod), self.owner)
        self.refused |= not created
        return created and not self.spec.ordered

    def _revision_for(self, number: int) -> str:
        """Upstream: newVersionedStatefulSetPod."""
        spec = self.spec
        current = self.revisions.current
        if spec.strategy == ROLLING_UPDATE:
            if spec.rolling_update is None:
                held = sum(
                    1
                    for live in self.replicas
                    if live is not None and not live.terminating and self.revision(live) == current
                )
                return current if number < spec.start + held else self.revisions.update
            if number < spec.start + spec.partition:
                return current
        return self.revisions.update

    def _shrink(self) -> bool:
        """Pods out of range, the highest first. Upstream: processCondemned."""
        for live in self.condemned if self.claims_go else ():
            own_claims(self.world, self.item, live)
        first = self._first_unhealthy()
        for live in self.condemned:
            if live.terminating:
                if self.spec.ordered:
                    return False
                continue
            blocked = not self.running_and_ready(live) or not self.available(live)
            if self.spec.ordered and blocked and live is not first:
                return False
            self.world.delete(live.key, why="scaled down")
            if self.spec.ordered:
                return False
        return True

    def _first_unhealthy(self) -> LivePod | None:
        ascending = sorted(self.condemned, key=lambda live: ordinal(live.pod.name) or 0)
        for live in (*self.replicas, *ascending):
            if live is not None and self.unavailable(live):
                return live
        return None

    def _update(self) -> None:
        """The rolling step. Upstream: updateStatefulSetAfterInvariantEstablished."""
        targets = range(self.spec.replicas - 1, self.spec.partition - 1, -1)
        limit = self.spec.max_unavailable
        if limit is None:
            self._one_by_one(targets)
        elif self.world.release.minor >= 37 and not self.spec.ordered:
            self._broken_first(targets, limit)
        else:
            missing = sum(1 for live in self.replicas if self.unavailable(live))
            self._roll(targets, limit - missing)

    def _one_by_one(self, targets: Sequence[int]) -> None:
        for index in targets:
            live = self._now(index)
            if live is not None and self.outdated(live) and not live.terminating:
                self.world.delete(live.key, why="its revision is old")
                return
            if self.unavailable(live):
                return

    def _now(self, index: int) -> LivePod | None:
        """The pod of an index as this very sync has left it."""
        return self.world.pods.get(
            f"{self.item.namespace}/{self.item.name}-{self.spec.start + index}"
        )

    def _roll(self, targets: Sequence[int], budget: int) -> None:
        for index in targets:
            if budget <= 0:
                return
            live = self.replicas[index]
            if live is not None and self.outdated(live) and not live.terminating:
                self.world.delete(live.key, why="its revision is old")
                budget -= 1

    def _broken_first(self, targets: Sequence[int], limit: int) -> None:
        """1.37, Parallel: broken old pods go without counting against the limit."""
        broken = [
            live
            for live in reversed(self.replicas)
            if live is not None
            and self.unavailable(live)
            and self.outdated(live)
            and not live.terminating
        ]
        missing = sum(1 for live in self.replicas if self.unavailable(live))
        if missing >= limit and not broken:
            return
        for live in broken:
            if (ordinal(live.pod.name) or 0) - self.spec.start >= self.spec.partition:
                self.world.delete(live.key, why="its revision is old and it is not available")
        healthy = [index for index in targets if not self.unavailable(self.replicas[index])]
        self._roll(healthy, limit - missing)

    def _complete(self) -> None:
        """Upstream: completeRollingUpdate; completeUpdate from 1.37 on."""
        rolling = self.spec.strategy == ROLLING_UPDATE or self.world.release.minor >= 37
        pods = [live for live in self.world.pods_of(self.owner) if not live.terminal]
        updated = [p for p in pods if not p.terminating and not self.outdated(p)]
        ready = [p for p in pods if self.running_and_ready(p)]
        if rolling and len(updated) == len(ready) == len(pods) == self.spec.replicas:
            self.world.revisions[self.owner] = self.revisions.advanced()

    def _come_back(self) -> None:
        """Look again when the next pod has been ready for long enough."""
        wait = self.spec.min_ready_seconds
        due = [
            live.ready_since + wait
            for live in self.world.pods_of(self.owner)
            if wait and live.ready_since is not None and live.ready_since + wait > self.now
        ]
        if due:
            self.world.at(min(due), RESYNC, self.owner)


def with_claims(pod: Pod, claims: dict[str, str]) -> Pod:
    """The pod with a volume per claim template, in the place of template volumes of that name."""
    if not claims:
        return pod
    kept = tuple(volume for volume in pod.spec.volumes if volume.name not in claims)
    made = tuple(
        Volume(name=name, persistent_volume_claim=ClaimVolume(claim_name=claim))
        for name, claim in claims.items()
    )
    return replaced(pod, spec=replaced(pod.spec, volumes=(*made, *kept)))


def sync(world: World, item: StatefulSet) -> None:
    """Bring one set a step closer to what it is written to be."""
    owner = Owner.of(item)
    known = world.revisions.get(owner) or first_revisions(
        world, world.snapshot.get(StatefulSet, f"{item.namespace}/{item.name}") or item
    )
    world.revisions[owner] = known.with_template(
        revision_name(item, item.spec.template), item.spec.template
    )
    _Sync(world, item).run()


def revision_name(item: StatefulSet, template: PodTemplate) -> str:
    """The name of the set's revision with this template."""
    return f"{item.name}-{template_hash(template)}"
