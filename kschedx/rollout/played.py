"""One rollout played from a snapshot to the end: what was done, and what is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.api.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.events import Choose, first_option
from kschedx.rollout.live_pod import LivePod, Moment, Owner, Seconds, Timing
from kschedx.rollout.policies import TODAY, Policy
from kschedx.rollout.progress import Progress, progress
from kschedx.rollout.simulation import Simulation
from kschedx.rollout.workloads import without_hash
from kschedx.rollout.world import World
from kschedx.snapshot.snapshot import Snapshot

_TEMPLATED: Final = (StatefulSet, Deployment, DaemonSet)


@dataclass(frozen=True, slots=True)
class EndPod:
    """A pod when the world stands still."""

    pod: str
    """ "namespace/name"."""
    node: str
    image: str
    ready: bool
    owner: Owner | None


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under which a rollout is played."""

    timing: Timing = field(default_factory=Timing)
    policy: Policy = TODAY
    never_ready: bool = False
    """The pods of the new revision never become Ready."""
    also: tuple[Object, ...] = ()
    """Other workloads that are written in the same moment as the first step."""
    arrivals: Mapping[str, Pod] = field(default_factory=dict)
    """Pod whose containers stop (its key) -> the bare pod that is created in that moment."""


@dataclass(frozen=True)
class Played:
    """The end of one run. `world` must not be changed any more."""

    world: World
    owner: Owner
    progress: Progress
    moments: tuple[Moment, ...]
    given_up: bool
    seconds: Seconds
    """How long it took until the world stood still."""

    @cached_property
    def pods(self) -> tuple[EndPod, ...]:
        """Every pod at the end, by key."""
        return tuple(
            EndPod(live.key, live.node, live.image, live.ready, live.owner)
            for _, live in sorted(self.world.pods.items())
        )

    @property
    def done(self) -> bool:
        return self.progress.done


def play(
    snapshot: Snapshot,
    steps: Sequence[Object],
    attempts: Attempts,
    conditions: Conditions = Conditions(),
    choose: Choose = first_option,
) -> Played:
    """Write the workload as each step has it, each after the world stood still."""
    opening = attempts.opening(snapshot)
    world = World(
        opening, attempts.scheduler, conditions.timing, policy=conditions.policy, choose=choose
    )
    simulation = Simulation(world, attempts)
    owner = Owner.of(steps[0])
    if conditions.never_ready:
        world.never_ready = _broken(world, steps[0])
    world.arrivals = dict(conditions.arrivals)
    world.rolling.update(Owner.of(item) for item in (steps[0], *conditions.also))
    simulation.open()
    for index, step in enumerate(steps):
        if index > 0:
            simulation.stand_still()
        simulation.begin((step, *conditions.also) if index == 0 else (step,))
        simulation.play()
    return ended(simulation, owner)


def _broken(world: World, item: Object) -> Callable[[LivePod], bool]:
    """Pods that the first step's template makes, however late they get a node."""
    owner = Owner.of(item)
    template = without_hash(item.spec.template) if isinstance(item, _TEMPLATED) else None

    def never_ready(live: LivePod) -> bool:
        if live.owner is None or world.workload_of(live) != owner:
            return False
        made_by = world.workloads.get(live.owner)
        if isinstance(made_by, ReplicaSet):
            return without_hash(made_by.spec.template) == template
        revisions = world.revisions.get(owner)
        if revisions is None:
            return True
        return revisions.templates.get(live.revision() or revisions.current) == template

    return never_ready


def ended(simulation: Simulation, owner: Owner) -> Played:
    """What the run has come to."""
    world = simulation.world
    last = max((m.at for m in world.moments), default=0)
    return Played(
        world,
        owner,
        progress(world, owner),
        tuple(world.moments),
        simulation.given_up,
        last,
    )
