"""Placement and nomination: pods that have a node, or have one held for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kschedx.api.pod import ContainerStatus, Pod
from kschedx.diagnose.blockers import Cause
from kschedx.diagnose.references import TerminatingPod
from kschedx.framework.views import ClusterView, PodView


@dataclass(frozen=True, slots=True)
class Placement:
    """A pod on its node."""

    node: str
    node_known: bool
    """The snapshot holds that node."""
    drift: tuple[Cause, ...] = ()
    """What would keep the pod off this node if it had to be placed now."""
    drift_unknown: str = ""
    """Why that could not be found out; empty where it was."""
    waits: tuple[str, ...] = ()
    """What the kubelet or a container reports while the pod is not ready."""


@dataclass(frozen=True, slots=True)
class Nomination:
    """The node that the scheduler holds for a pod: status.nominatedNodeName."""

    node: str
    node_known: bool
    victims: tuple[TerminatingPod, ...] = ()
    """Pods of lower priority there that are terminating."""
    fits_after: bool | None = None
    """Whether the pod fits there once they are gone; None where nothing has to go."""
    then: tuple[Cause, ...] = ()
    """What keeps it off even then."""


def terminating_victims(pod: PodView, cluster: ClusterView) -> tuple[PodView, ...]:
    """Pods of lower priority on the pod's nominated node that are on their way out."""
    node = cluster.nodes.get(pod.pod.status.nominated_node_name)
    if node is None:
        return ()
    return tuple(
        other for other in node.pods if other.terminating and other.priority < pod.priority
    )


def kubelet_waits(pod: Pod) -> tuple[str, ...]:
    """Why a pod that has its node is not ready, as its own status says it."""
    return tuple(dict.fromkeys(_waits(pod)))


def _waits(pod: Pod) -> Iterator[str]:
    status = pod.status
    if status.reason or status.message:
        yield ": ".join(part for part in (status.reason, status.message) if part)
    if pod.terminal:
        return
    if pod.terminating:
        yield f"being deleted since {pod.metadata.deletion_timestamp}"
    if status.phase == "Pending" and not status.container_statuses:
        yield "the kubelet has not reported any container yet"
    sandbox = pod.condition("PodReadyToStartContainers")
    if sandbox is not None and sandbox.status == "False":
        yield "sandbox, network or volumes are not ready"
    for container in (*status.init_container_statuses, *status.container_statuses):
        yield from _container_waits(container)


def _container_waits(container: ContainerStatus) -> Iterator[str]:
    waiting = container.state.waiting
    if waiting is None or waiting.reason == "PodInitializing":
        return
    restarts = f", restarted {container.restart_count} times" if container.restart_count else ""
    message = f": {waiting.message}" if waiting.message else ""
    yield f"container {container.name} waits: {waiting.reason}{restarts}{message}"
