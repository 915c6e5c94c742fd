"""All controllers, run until none has anything left to do."""

from __future__ import annotations

from typing import Final

from kschedx.api.workloads import DaemonSet, Deployment, StatefulSet
from kschedx.rollout import daemonset, deployment, replicaset, statefulset
from kschedx.rollout.world import World

MOST_SYNCS: Final = 100_000
"""A controller that never comes to rest would be a fault of the simulation."""


class NeverAtRestError(Exception):
    """Controllers keep undoing each other; the text names the last one."""


def run(world: World) -> bool:
    """Sync every controller that has something to look at; whether anything was synced."""
    synced = 0
    while world.dirty:
        owner = min(world.dirty)
        del world.dirty[owner]
        item = world.workloads[owner]
        match item:
            case StatefulSet():
                statefulset.sync(world, item)
            case Deployment():
                deployment.sync(world, item)
            case DaemonSet():
                daemonset.sync(world, item)
            case _:
                replicaset.sync(world, item)
        synced += 1
        if synced > MOST_SYNCS:
            raise NeverAtRestError(str(owner))
    return synced > 0
