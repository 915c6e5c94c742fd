"""A rollout played: controllers and scheduler at every event until the world stands still.

After each event the scheduler tries whoever it was woken for, and then the controllers look: what
the scheduler sees free (a pod's containers have stopped) comes before its successor exists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import Final

from kschedx.api.meta import Object
from kschedx.framework.views import PodView
from kschedx.rollout import controllers, kubelet, scheduling
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.disruption import DisruptionController
from kschedx.rollout.events import ARRIVES, GONE, RESYNC, STARTED, STOPPED
from kschedx.rollout.live_pod import LivePod, Owner, Seconds
from kschedx.rollout.world import World

MOST_EVENTS: Final = 20_000
"""Events after which a run is given up: something repeats for ever."""
MOST_EVICTIONS: Final = 10
"""A pod that has made room for itself on one node so often never gets it: its victim comes back
where the pod cannot be beside it."""
_OVERDUE_SECONDS: Final = 60
"""A pod that should have been gone this long ago is taken to stay: its kubelet does not act."""
_TROUBLES: Final = frozenset(
    {
        "CrashLoopBackOff",
        "ImagePullBackOff",
        "ErrImagePull",
        "InvalidImageName",
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
    }
)


class Simulation:
    """One run: a world, and the attempts that it shares with other runs on the same snapshot."""

    def __init__(self, world: World, attempts: Attempts) -> None:
        self.world = world
        self.attempts = attempts
        self.disruption = DisruptionController(world)
        self.given_up = False
        """Events had not come to an end."""

    def open(self) -> None:
        """The snapshot as it is: who waits has been tried before, what is under way goes on."""
        world = self.world
        waiting = sorted(
            world.cluster.waiting.values(),
            key=lambda view: (-view.priority, world.pods[view.key].created, view.key),
        )
        for view in self._in_order_of_failure(waiting):
            world.queue.add(view, 0, held=world.scheduler.held(view) is not None)
        for key in world.opening.under_way:
            self._resume(world.pods[key])
        scheduling.run(world, self.attempts)
        world.queue.age()

    def _in_order_of_failure(self, waiting: list[PodView]) -> list[PodView]:
        """The queue takes equals by when they last failed, which no object says."""
        if not any(self._matters(one, other) for one, other in pairwise(waiting)):
            return waiting
        options = ("in the order in which they were created", "the other way round")
        if self.world.choose("equal waiting pods have failed last", options) == 0:
            return waiting
        newest_first = list(reversed(waiting))
        newest_first.sort(key=lambda view: -view.priority)
        return newest_first

    def _matters(self, one: PodView, other: PodView) -> bool:
        """Whether it makes a difference which of two equals is tried first.

        Pods of one size can stand for each other, unless a StatefulSet waits for one of them.
        """
        if one.priority != other.priority:
            return False
        owners = {self.world.pods[view.key].owner for view in (one, other)}
        numbered = any(owner is not None and owner.kind == "StatefulSet" for owner in owners)
        return one.asked != other.asked or numbered

    def _resume(self, live: LivePod) -> None:
        """What the pod's kubelet has in hand at second 0."""
        world = self.world
        if live.terminating:
            due = world.calendar.seconds(live.pod.metadata.deletion_timestamp)
            overdue = due is not None and world.snapshot.taken_at and due < -_OVERDUE_SECONDS
            if live.pod.metadata.finalizers or overdue:
                world.pods[live.key] = replace(live, stuck=True)
            elif live.terminal:
                world.at(world.timing.gone_seconds, GONE, live.key, live.incarnation)
            else:
                world.at(world.timing.stop(live.pod), STOPPED, live.key, live.incarnation)
        elif not live.ready and live.pod.status.phase in ("", "Pending"):
            statuses = (
                *live.pod.status.container_statuses,
                *live.pod.status.init_container_statuses,
            )
            reasons = {s.state.waiting.reason for s in statuses if s.state.waiting is not None}
            if not reasons & _TROUBLES:
                world.at(world.timing.start_seconds, STARTED, live.key, live.incarnation)

    def begin(self, changed: Iterable[Object]) -> None:
        """Write the changed workloads; their rollouts are what is watched."""
        for item in changed:
            owner = Owner.of(item)
            self.world.rolling.add(owner)
            self.world.record("started-rollout", str(owner))
            self.world.set_workload(item)
            self.world.dirty[owner] = None
        self.world.last_change = self.world.now

    def stand_still(self) -> None:
        """The time goes by in which whoever makes the next change sees that nothing happens."""
        world = self.world
        if world.timing.still_seconds is not None:
            world.now = max(world.now, world.last_change + world.timing.still_seconds)

    def play(self) -> None:
        """Run until nothing can happen any more, or nothing has happened for long enough."""
        world = self.world
        for _ in range(MOST_EVENTS):
            self._settle()
            moment = self._next()
            if max(world.evictions.values(), default=0) > MOST_EVICTIONS:
                self.given_up = True
            if moment is None or self.given_up:
                return
            self._advance(moment)
        self.given_up = True

    def _settle(self) -> None:
        """Scheduler and controllers at this instant, until neither has anything to do."""
        for _ in range(MOST_EVENTS):
            tried = scheduling.run(self.world, self.attempts)
            synced = controllers.run(self.world)
            self.disruption.sync()
            if not tried and not synced:
                return
        self.given_up = True

    def _next(self) -> Seconds | None:
        world = self.world
        moments = [
            world.next_event_at(),
            world.queue.next_backoff_end(),
            world.queue.next_flush(world.pods_changed),
        ]
        known = [moment for moment in moments if moment is not None]
        if not known:
            return None
        moment = max(min(known), world.now)
        still = world.timing.still_seconds
        if still is not None and moment > world.last_change + still:
            return None
        return moment

    def _advance(self, moment: Seconds) -> None:
        world = self.world
        due = world.next_event_at()
        if due is not None and due <= moment:
            what, subject, incarnation = world.take_event()
            if what == RESYNC:
                if subject in world.workloads:
                    world.dirty[subject] = None
            elif what == ARRIVES:
                world.arrive(subject)
            else:
                kubelet.act(world, what, subject, incarnation)
            if what == GONE and world.busy_for is not None:
                controllers.run(world)
                world.busy_for = None
            return
        world.now = moment
        world.queue.flush_backoff(moment)
        world.queue.flush_unschedulable(moment)
