"""How reports name objects: enough to find them again, and to tell two of one name apart."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.snapshot.snapshot import key_of


@dataclass(frozen=True, slots=True)
class ObjectReference:
    """Any object as it was when the snapshot was taken."""

    kind: str
    namespace: str
    """Empty for what belongs to no namespace."""
    name: str
    uid: str = ""
    resource_version: str = ""

    @classmethod
    def of(cls, item: Object) -> ObjectReference:
        namespace, _, name = key_of(item).rpartition("/")
        meta = item.metadata
        return cls(type(item).__name__, namespace, name, meta.uid, meta.resource_version)


@dataclass(frozen=True, slots=True)
class PodReference:
    """A pod as it was when the snapshot was taken."""

    namespace: str
    name: str
    uid: str = ""
    resource_version: str = ""
    priority: int = 0
    owner: str = ""
    """Its controller as "Kind/name"; empty without one."""

    @classmethod
    def of(cls, pod: Pod) -> PodReference:
        meta = pod.metadata
        controller = meta.controller
        return cls(
            meta.namespace,
            meta.name,
            meta.uid,
            meta.resource_version,
            pod.priority,
            f"{controller.kind}/{controller.name}" if controller is not None else "",
        )

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"


@dataclass(frozen=True, slots=True)
class TerminatingPod:
    """A pod that still holds its room although its deletion was asked for."""

    pod: PodReference
    since: str
    """The deletion timestamp: when its grace period ends."""
    grace_seconds: int | None
    finalizers: tuple[str, ...]
    overdue_seconds: int | None = None
    """How long it should have been gone when the snapshot was taken; None where not known."""

    @classmethod
    def of(cls, pod: Pod, taken_at: str | None = None) -> TerminatingPod:
        return cls(
            PodReference.of(pod),
            pod.metadata.deletion_timestamp or "",
            pod.spec.termination_grace_period_seconds,
            pod.metadata.finalizers,
            _seconds_between(pod.metadata.deletion_timestamp, taken_at),
        )


def _seconds_between(first: str | None, then: str | None) -> int | None:
    """0 where the second is the earlier one; None where a time is missing or unreadable."""
    try:
        passed = datetime.fromisoformat(then or "") - datetime.fromisoformat(first or "")
    except (ValueError, TypeError):
        return None
    return max(0, int(passed.total_seconds()))
