"""A pod's request of one resource taken apart: which containers, step or field it comes from."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kschedx.api.pod import Container
from kschedx.api.quantity import CPU, milli, show
from kschedx.framework.accounting import supported_at_pod_level
from kschedx.framework.views import PodView

_TOLD: Final = 6
"""So many parts of a sum are told."""


class PartKind(enum.StrEnum):
    """Where a part comes from."""

    CONTAINER = "container"
    SIDECAR = "sidecar"
    """An init container that goes on running."""
    INIT_STEP = "init-step"
    POD_LEVEL = "pod-level"
    """spec.resources, in the place of the containers' sum."""
    OVERHEAD = "overhead"


@dataclass(frozen=True, slots=True)
class RequestPart:
    """One of the amounts that add up to the request."""

    kind: PartKind
    name: str
    """Of the container, or of the RuntimeClass; empty for spec.resources."""
    amount: int
    """Cpu in milli, the rest in whole units, rounded up."""


@dataclass(frozen=True, slots=True)
class RequestApart:
    """How much the pod asks for of one resource, and why that much."""

    resource: str
    amount: int
    parts: tuple[RequestPart, ...]
    """What decides, those without any share left out."""
    containers: int
    """What all containers ask for together, whether that decides or not."""
    step: str = ""
    """The init container during which most is needed; empty where that is later."""

    @property
    def plain(self) -> bool:
        """One container asks for it and nothing else has a say."""
        return len(self.parts) <= 1 and all(p.kind is PartKind.CONTAINER for p in self.parts)

    def sum(self) -> str:
        """ "200m init step init + 100m sidecar proxy"; the largest first where they are many."""
        if len(self.parts) <= _TOLD:
            return " + ".join(self._said(part) for part in self.parts)
        largest = sorted(self.parts, key=lambda part: -part.amount)
        told, left = largest[: _TOLD - 1], largest[_TOLD - 1 :]
        rest = show(self.resource, sum(part.amount for part in left))
        return " + ".join([*map(self._said, told), f"{rest} of {len(left)} more"])

    def _said(self, part: RequestPart) -> str:
        amount = show(self.resource, part.amount)
        match part.kind:
            case PartKind.POD_LEVEL:
                instead = show(self.resource, self.containers)
                return (
                    f"{amount} of spec.resources, the containers' sum of {instead} does not count"
                )
            case PartKind.OVERHEAD:
                of = f" of RuntimeClass {part.name}" if part.name else ""
                return f"{amount} overhead{of}"
            case PartKind.INIT_STEP:
                return f"{amount} init step {part.name}"
            case _:
                return f"{amount} {part.kind.value} {part.name}"


def requests_apart(pod: PodView) -> tuple[RequestApart, ...]:
    """Every resource that the pod asks for, by name."""
    return tuple(request_apart(pod, name) for name, value in sorted(pod.asked.items()) if value)


def request_apart(pod: PodView, resource: str) -> RequestApart:
    """The request as the scheduler counts it. Upstream: PodRequests."""
    spec = pod.pod.spec
    regular = [_part(PartKind.CONTAINER, c, resource) for c in spec.containers]
    sidecars = [_part(PartKind.SIDECAR, c, resource) for c in spec.init_containers if c.restartable]
    parts, step = [*regular, *sidecars], ""
    containers = sum(part.amount for part in parts)
    for worst in _init_steps(spec.init_containers, resource):
        needed = sum(part.amount for part in worst)
        if needed > containers:
            parts, containers, step = worst, needed, worst[0].name
    wanted = spec.resources.requests if spec.resources is not None else {}
    if pod.accounting.pod_level and resource in wanted and supported_at_pod_level(resource):
        amount = _units(resource, milli(wanted[resource]))
        parts, step = [RequestPart(PartKind.POD_LEVEL, "", amount)], ""
    if resource in spec.overhead:
        amount = _units(resource, milli(spec.overhead[resource]))
        parts = [
            *parts,
            RequestPart(PartKind.OVERHEAD, spec.runtime_class_name or "", amount),
        ]
    shares = tuple(part for part in parts if part.amount)
    return RequestApart(resource, pod.asked.get(resource, 0), shares, containers, step)


def _init_steps(containers: tuple[Container, ...], resource: str) -> Iterator[list[RequestPart]]:
    """What is needed while each init container runs that has to end, sidecars before it included."""
    running: list[RequestPart] = []
    for container in containers:
        if container.restartable:
            running.append(_part(PartKind.SIDECAR, container, resource))
        else:
            yield [_part(PartKind.INIT_STEP, container, resource), *running]


def _part(kind: PartKind, container: Container, resource: str) -> RequestPart:
    quantity = container.resources.requests.get(resource)
    amount = 0 if quantity is None else _units(resource, milli(quantity))
    return RequestPart(kind, container.name, amount)


def _units(resource: str, thousandths: int) -> int:
    return thousandths if resource == CPU else -(-thousandths // 1000)
