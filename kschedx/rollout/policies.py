"""The scheduler changes proposed against the upgrade deadlock, beside the scheduler as it is.

`hold`: the deletion of a pod that is being upgraded wakes nobody, and in the active queue a pod of
an upgrade goes before any other. `reserve`: a pod that is deleted by an upgrade stays nominated to
its node until its successor has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from kschedx.api.change import replaced
from kschedx.framework.views import PodView
from kschedx.rollout.live_pod import LivePod, Owner, owner_of

if TYPE_CHECKING:
    from kschedx.rollout.world import World


@dataclass(frozen=True, slots=True)
class Policy:
    """The scheduler as it is."""

    name: ClassVar[str] = "today"

    def rank(self, world: World, pod: PodView) -> int:
        """Lower goes first in the active queue, whatever the priority."""
        return 0

    def on_removed(self, world: World, live: LivePod) -> None:
        """The scheduler drops a pod that had a node."""
        world.wake(live)

    def on_assumed(self, world: World, live: LivePod) -> None:
        """The scheduler gives a pod a node."""


TODAY: Final = Policy()


def _set_of(owner: Owner | None) -> Owner | None:
    return owner if owner is not None and owner.kind == "StatefulSet" else None


def upgrades(world: World, live: LivePod) -> bool:
    """A StatefulSet's pod whose revision is not the set's update revision."""
    owner = _set_of(live.owner)
    revisions = world.revisions.get(owner) if owner is not None else None
    return revisions is not None and live.revision() != revisions.update


def _of_an_upgrade(world: World, pod: PodView) -> bool:
    """A pod that a StatefulSet made for its new revision while old pods are left."""
    owner = _set_of(owner_of(pod.pod.metadata))
    revisions = world.revisions.get(owner) if owner is not None else None
    return revisions is not None and revisions.current != revisions.update


@dataclass(frozen=True, slots=True)
class Hold(Policy):
    """Proposal 1."""

    name: ClassVar[str] = "hold"

    def rank(self, world: World, pod: PodView) -> int:
        return 0 if _of_an_upgrade(world, pod) else 1

    def on_removed(self, world: World, live: LivePod) -> None:
        if upgrades(world, live):
            world.record("not-woken", live.key, live.node)
            return
        world.wake(live)


@dataclass(frozen=True, slots=True)
class Reserve(Policy):
    """Proposal 2."""

    name: ClassVar[str] = "reserve"

    def on_removed(self, world: World, live: LivePod) -> None:
        if upgrades(world, live):
            pod = live.pod.with_spec(node_name="")
            status = replaced(pod.status, phase="Pending", nominated_node_name=live.node)
            ghost = world.cluster.view(replaced(pod, status=status))
            world.reserved[live.key] = ghost
            world.hold_place(live.key, ghost)
            world.record("reserved", live.key, live.node)
        world.wake(live)

    def on_assumed(self, world: World, live: LivePod) -> None:
        if live.key in world.reserved:
            del world.reserved[live.key]
            world.hold_place(live.key, None)


POLICIES: Final = (TODAY, Hold(), Reserve())
