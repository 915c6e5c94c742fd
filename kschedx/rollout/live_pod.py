"""LivePod: a pod object while a rollout is played, and the moments of its life."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, Final, NamedTuple

from kschedx.api.meta import Object, ObjectMeta
from kschedx.api.pod import Pod
from kschedx.framework.views import PodView

Seconds = Fraction | int

REVISION_LABEL: Final = "controller-revision-hash"
TEMPLATE_HASH_LABEL: Final = "pod-template-hash"


class Owner(NamedTuple):
    """A controller by kind, namespace and name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"

    @classmethod
    def of(cls, item: Object) -> Owner:
        return cls(type(item).__name__, item.namespace, item.name)


def owner_of(metadata: ObjectMeta) -> Owner | None:
    """The controller that an object names as its own."""
    reference = metadata.controller
    if reference is None:
        return None
    return Owner(reference.kind, metadata.namespace, reference.name)


@dataclass(frozen=True, slots=True)
class LivePod:
    """A pod object as the API server holds it now."""

    view: PodView
    owner: Owner | None
    incarnation: int
    """Tells pods of the same name apart; later ones are higher."""
    created: Seconds
    """When it was made, in the run's seconds; 0 for pods of the snapshot."""
    ready_since: Seconds | None = None
    stuck: bool = False
    """Its kubelet does not act: the node is gone, or nothing in the snapshot says it will start."""

    @property
    def pod(self) -> Pod:
        return self.view.pod

    @property
    def key(self) -> str:
        return self.view.key

    @property
    def node(self) -> str:
        return self.pod.spec.node_name

    @property
    def ready(self) -> bool:
        """Condition Ready; a terminating pod keeps it until its containers have stopped."""
        return self.ready_since is not None

    @property
    def terminating(self) -> bool:
        return self.pod.terminating

    @property
    def terminal(self) -> bool:
        return self.pod.terminal

    @property
    def active(self) -> bool:
        """Neither finished nor being deleted. Upstream: IsPodActive."""
        return not self.terminal and not self.terminating

    @property
    def image(self) -> str:
        containers = self.pod.spec.containers
        return containers[0].image if containers else ""

    def available(self, min_ready_seconds: int, now: Seconds) -> bool:
        """Ready for long enough. Upstream: IsPodAvailable."""
        return self.ready_since is not None and self.ready_since + min_ready_seconds <= now

    def revision(self, label: str = REVISION_LABEL) -> str:
        return self.pod.labels.get(label, "")


@dataclass(frozen=True, slots=True)
class Moment:
    """Something that happened to a pod or a workload."""

    at: Seconds
    code: str
    """deleted, stopped, gone, created, arrived, bound, ready, unschedulable, preempts, refused,
    quota, woken, started-rollout, reserved, not-woken."""
    subject: str
    """ "namespace/name" of the pod, or the workload."""
    node: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Timing:
    """How long kubelets take, and when the world counts as standing still."""

    stop_seconds: Seconds | None = None
    """From deletion to stopped containers; None: each pod's own grace period."""
    gone_seconds: Seconds = 1
    """From stopped containers to the removal of the object."""
    start_seconds: Seconds = 10
    """From binding to Ready."""
    still_seconds: Seconds | None = None
    """No change for this long ends the run; None: it is played until nothing can happen."""

    def stop(self, pod: Pod) -> Seconds:
        if self.stop_seconds is not None:
            return self.stop_seconds
        grace = pod.spec.termination_grace_period_seconds
        return 30 if grace is None else max(grace, 1)


class Calendar:
    """Turns the run's seconds into timestamps."""

    EPOCH: Final = "2000-01-01T00:00:00Z"

    def __init__(self, taken_at: str | None, *, known: bool = True) -> None:
        """`taken_at`: second 0; `known`: the snapshot states it."""
        self.known = known and taken_at is not None
        try:
            self._start = datetime.fromisoformat(taken_at or self.EPOCH)
        except ValueError:
            self._start = datetime.fromisoformat(self.EPOCH)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Calendar) and self._parts() == other._parts()

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[datetime, bool]:
        return self._start, self.known

    def timestamp(self, now: Seconds) -> str:
        moment = self._start + timedelta(seconds=int(now // 1))
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    def seconds(self, timestamp: str | None) -> int | None:
        """Seconds from second 0, negative for the past; None for what is no timestamp."""
        if timestamp is None:
            return None
        try:
            return int((datetime.fromisoformat(timestamp) - self._start).total_seconds())
        except (ValueError, TypeError):
            return None
