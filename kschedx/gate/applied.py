"""Applied: the cluster after the manifests, played until it stands still.

New workloads, bare pods and larger sizes are written at once; controllers, API server, scheduler
and kubelets then act as in a rollout, so that all of them share the room. Changed templates are
not written here: each is a rollout of its own, played on what this has come to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from kschedx.api.change import replaced
from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.api.policy import PodDisruptionBudget
from kschedx.api.storage import (
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
    PersistentVolumeStatus,
)
from kschedx.api.workloads import Job, StatefulSet
from kschedx.gate import claims
from kschedx.gate.findings import ObjectName
from kschedx.gate.refused import Refusal, refusals
from kschedx.gate.targets import CHANGED, NEW, SCALED, Target, pods_of_job, targets
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.creation import admitted
from kschedx.rollout.live_pod import LivePod, Owner, Timing
from kschedx.rollout.opening import Opening
from kschedx.rollout.progress import pods_of_workload
from kschedx.rollout.simulation import Simulation
from kschedx.rollout.workloads import CONTROLLERS
from kschedx.rollout.world import World
from kschedx.snapshot.admission import Admission
from kschedx.snapshot.defaults import with_defaults
from kschedx.snapshot.manifests import Manifests
from kschedx.snapshot.snapshot import KINDS, Snapshot, key_of

_PLAYED = frozenset({*CONTROLLERS, Pod})
"""Kinds that are not simply written: something happens when they are."""


class _AppliedWorld(World):
    """A world whose claims are bound or provisioned as soon as they are made."""

    def keep_object(self, items: Iterable[Object]) -> None:
        every = list(items)
        waiting = [i for i in every if isinstance(i, PersistentVolumeClaim)]
        waiting = [self._admission.claim(i) for i in waiting if not i.spec.volume_name]
        others = [
            i for i in every if not isinstance(i, PersistentVolumeClaim) or i.spec.volume_name
        ]
        super().keep_object([*others, *claims.settled(waiting, self.snapshot)])

    def make_ready(self, live: LivePod) -> None:
        super().make_ready(live)
        if live.owner is not None and live.owner.kind == "DaemonSet":
            self.dirty.pop(live.owner, None)  # all its pods are new: nothing follows from it

    def create(self, pod: Pod, owner: Owner | None) -> bool:
        made = list(claims.ephemeral(pod, self.snapshot, self._admission))
        if made:
            super().keep_object(made)
        return super().create(pod, owner)


@dataclass(frozen=True)
class Applied:
    """What applying the manifests comes to."""

    today: Snapshot
    written: Snapshot
    """Today's cluster with everything of the manifests that has no pods."""
    targets: tuple[Target, ...]
    manifest_budgets: tuple[PodDisruptionBudget, ...]
    refused: Mapping[ObjectName, tuple[Refusal, ...]]
    """What the API server would not take."""
    world: World
    """At the end; not to be changed any more."""
    attempts: Attempts
    settled: bool
    """Events came to an end."""

    def pods(self, target: Target) -> list[LivePod]:
        """The target's pods at the end, by name."""
        if target.pod:
            live = self.world.pods.get(key_of(target.item))
            return [] if live is None else [live]
        return pods_of_workload(self.world, target.owner)

    @cached_property
    def by_pod(self) -> Mapping[str, Target]:
        """Pod key -> the target that it belongs to."""
        return {live.key: target for target in self.targets for live in self.pods(target)}

    @property
    def played(self) -> Iterator[Target]:
        """Targets whose pods were placed here."""
        for target in self.targets:
            if target.change in (NEW, SCALED) and target.shown not in self.refused:
                yield target

    @property
    def changed(self) -> Iterator[Target]:
        """Targets whose change is a rollout."""
        for target in self.targets:
            if target.change == CHANGED and target.shown not in self.refused:
                yield target

    @cached_property
    def after(self) -> Snapshot:
        """The cluster at the end as a snapshot, with the claims that rollouts will want."""
        world = self.world
        objects: dict[type[Object], dict[str, Object]] = {kind: {} for kind in CONTROLLERS}
        for item in world.workloads.values():
            objects[type(item)][key_of(item)] = item
        pods: dict[str, Object] = {key: _as_stored(live) for key, live in world.pods.items()}
        snapshot = replace(world.snapshot, objects={**world.snapshot.objects, **objects, Pod: pods})
        admission = Admission(snapshot, self.attempts.scheduler.release)
        for target in self.changed:
            if isinstance(target.item, StatefulSet):
                snapshot = snapshot.with_objects(claims.of_set(target.item, snapshot, admission))
        return snapshot


def _as_stored(live: LivePod) -> Pod:
    """The pod with a condition that says whether it is Ready, where the run has changed that."""
    pod = live.pod
    if live.created <= 0 or not live.node:
        return pod
    return replaced(pod, status=replaced(pod.status, conditions=()))


def apply(today: Snapshot, manifests: Manifests, attempts: Attempts) -> Applied:
    """Write the manifests into the cluster and let it come to rest."""
    release = attempts.scheduler.release
    every = targets(manifests, today, release)
    written = _written(today, manifests, attempts)
    admission = Admission(written, release)
    refused = {}
    for target in every:
        if target.change in (NEW, SCALED, CHANGED):
            why = tuple(refusals(target.item, admission))
            if why:
                refused[target.shown] = why
    world = _AppliedWorld(Opening.of(written, release.accounting()), attempts.scheduler, Timing())
    simulation = Simulation(world, attempts)
    simulation.open()
    budgets = tuple(manifests.objects.all(PodDisruptionBudget).values())
    applied = Applied(today, written, tuple(every), budgets, refused, world, attempts, settled=True)
    _begin(simulation, list(applied.played), admission)
    simulation.play()
    return replace(applied, settled=not simulation.given_up)


def _begin(simulation: Simulation, new: list[Target], admission: Admission) -> None:
    world = simulation.world
    jobs = {t.owner: pods_of_job(t.item) for t in new if isinstance(t.item, Job)}
    world.running_at_first = {**world.running_at_first, **jobs}
    for target in new:
        if isinstance(target.item, Pod):
            pod = admitted(target.item, admission, f"applied-{target.item.key}")
            world.create(pod, None)
    simulation.begin(target.item for target in new if not target.pod)


def _written(today: Snapshot, manifests: Manifests, attempts: Attempts) -> Snapshot:
    """Today's cluster with the objects of the manifests that have no pods."""
    release = attempts.scheduler.release
    stated = with_defaults(manifests.objects, release)
    unread = {name for name, kind in KINDS.items() if not today.read(kind)}
    snapshot = replace(today, unread=today.unread | unread)
    waiting = []
    for kind, items in stated.objects.items():
        if kind in _PLAYED:
            continue
        for key, item in items.items():
            before = today.get(kind, key)
            if isinstance(item, PersistentVolumeClaim):
                if before is None:
                    waiting.append(item)
            else:
                snapshot = snapshot.with_objects([_beside(before, item)])
    admission = Admission(snapshot, release)
    waiting = [_new_claim(admission.claim(claim)) for claim in waiting]
    return snapshot.with_objects(claims.settled(waiting, snapshot))


def _beside(before: Object | None, item: Object) -> Object:
    """An object that is applied over one that is there keeps its status and its metadata."""
    if before is None:
        if isinstance(item, PersistentVolume) and not item.status.phase:
            return replaced(item, status=PersistentVolumeStatus(phase="Available"))
        return item
    if isinstance(item, PodDisruptionBudget) and isinstance(before, PodDisruptionBudget):
        return replaced(before, spec=item.spec)
    return before if hasattr(item, "status") else item


def _new_claim(claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
    metadata = replaced(claim.metadata, uid=f"applied-{claim.namespace}-{claim.name}")
    return replaced(claim, metadata=metadata, status=PersistentVolumeClaimStatus(phase="Pending"))
