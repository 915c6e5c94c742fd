"""What an API server derives for a pod's own spec.resources from those of its containers.

Upstream: pkg/apis/core/v1/defaults.go, defaultHugePagePodLimits, defaultPodRequests (v1.35.4);
pkg/api/pod/util.go, DefaultPodLevelResources (v1.37.2).
Differences: limits that change no request are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from kschedx.api.pod import Container, Pod, ResourceList, ResourceRequirements
from kschedx.api.quantity import CPU, MEMORY, nano

_HUGEPAGES: Final = "hugepages-"
_NANO_PER_UNIT: Final = 10**9
_NANO_PER_MILLI: Final = 10**6


def with_pod_level_requests(pod: Pod, *, from_requests_alone: bool = False) -> Pod:
    """The pod with the pod-level requests that its containers and its own limits imply.

    `from_requests_alone`: 1.37 derives them also where the pod states no limits of its own.
    """
    stated = pod.spec.resources
    if stated is None or not (stated.limits or stated.requests):
        return pod
    limits = dict(stated.limits)
    for name, total in _together(pod, "limits").items():
        if name.startswith(_HUGEPAGES) and name not in stated.requests:
            limits.setdefault(name, total)
    if not limits and not from_requests_alone:
        return pod
    requests = dict(stated.requests)
    for name, total in _together(pod, "requests").items():
        if name in (CPU, MEMORY):
            requests.setdefault(name, total)
    for name, limit in limits.items():
        if name in (CPU, MEMORY) or name.startswith(_HUGEPAGES):
            requests.setdefault(name, limit)
    if requests == stated.requests and limits == stated.limits:
        return pod
    resources = ResourceRequirements(requests, limits, stated.claims)
    return replace(pod, spec=replace(pod.spec, resources=resources))


def _together(pod: Pod, what: str) -> ResourceList:
    """All containers at the worst moment. Upstream: AggregateContainerRequests, ...Limits."""
    total: dict[str, int] = {}
    for container in pod.spec.containers:
        for name, value in _amounts(container, what):
            total[name] = total.get(name, 0) + value
    sidecars: dict[str, int] = {}
    worst: dict[str, int] = {}
    for container in pod.spec.init_containers:
        need = dict(sidecars)
        for name, value in _amounts(container, what):
            need[name] = need.get(name, 0) + value
            if container.restartable:
                total[name] = total.get(name, 0) + value
        if container.restartable:
            sidecars = need
        for name, value in need.items():
            worst[name] = max(value, worst.get(name, value))
    for name, value in worst.items():
        total[name] = max(value, total.get(name, value))
    return {name: _quantity(value) for name, value in total.items()}


def _amounts(container: Container, what: str) -> Iterator[tuple[str, int]]:
    resources = container.resources
    for name, quantity in (resources.limits if what == "limits" else resources.requests).items():
        yield name, nano(quantity)


def _quantity(amount: int) -> str:
    """A sum of 10^-9 as a quantity, in the largest unit that leaves no rest."""
    if amount % _NANO_PER_UNIT == 0:
        return str(amount // _NANO_PER_UNIT)
    return f"{amount // _NANO_PER_MILLI}m" if amount % _NANO_PER_MILLI == 0 else f"{amount}n"
