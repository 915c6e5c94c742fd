"""How much of each resource a pod takes: which step, sidecar or field decides.

Upstream: component-helpers resource/helpers.go (v0.35.4), PodRequests;
pkg/scheduler/util/pod_resources.go for the non-zero stand-ins.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from kschedx.api.pod import Container, ContainerStatus, Pod, ResourceList
from kschedx.api.quantity import CPU, EPHEMERAL_STORAGE, MEMORY, milli

Amounts = Mapping[str, int]
"""Resource name to amount: cpu in milli, everything else in whole units."""

DEFAULT_MILLI_CPU: Final = 100
DEFAULT_MEMORY: Final = 200 * 1024 * 1024
_HUGEPAGES: Final = "hugepages-"


@dataclass(frozen=True, slots=True)
class Accounting:
    """What differs between versions in counting a pod's resources."""

    pod_level: bool = True
    """PodLevelResources: spec.resources overrides the containers' sum."""
    resize_status: bool = True
    """InPlacePodVerticalScaling: pods on nodes count what is allocated and actuated too."""
    pod_level_resize_status: bool = False
    """InPlacePodLevelResourcesVerticalScaling: the same for spec.resources."""
    resize_by_pod_sums: bool = False
    """1.37: the largest of the three pod-wide sums, instead of the sum of each largest."""
    nonzero_counts_sidecars: bool = True
    """1.32 on: the non-zero stand-ins of existing pods sum sidecars and honour pod-level."""


@lru_cache(maxsize=4096)
def counts(resource: str) -> bool:
    """Whether the scheduler keeps track of a resource of this name at all.

    Upstream: component-helpers scheduling/corev1 IsScalarResourceName, framework Resource.Add.
    """
    if resource in (CPU, MEMORY, EPHEMERAL_STORAGE):
        return True
    if resource.startswith((_HUGEPAGES, "attachable-volumes-")):
        return True
    prefix, slash, _ = resource.partition("/")
    return bool(slash) and not prefix.startswith("requests.")


def supported_at_pod_level(resource: str) -> bool:
    """Upstream: IsSupportedPodLevelResource."""
    return resource in (CPU, MEMORY) or resource.startswith(_HUGEPAGES)


def _milli(requests: ResourceList) -> dict[str, int]:
    return {name: milli(quantity) for name, quantity in requests.items()}


def _add(total: dict[str, int], more: Amounts) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _raise(total: dict[str, int], other: Amounts) -> None:
    for name, value in other.items():
        if name not in total or value > total[name]:
            total[name] = value


def in_units(thousandths: Amounts) -> dict[str, int]:
    """Sums in thousandths as the scheduler keeps them: cpu in milli, the rest rounded up."""
    return {
        name: value if name == CPU else -(-value // 1000)
        for name, value in thousandths.items()
        if counts(name)
    }


def resize_infeasible(pod: Pod) -> bool:
    """The kubelet has said that the wanted resize can never fit its node."""
    pending = pod.condition("PodResizePending")
    return pending is not None and pending.reason == "Infeasible"


@dataclass(frozen=True, slots=True)
class _Source:
    """Which of a container's three request lists count: spec, actuated, allocated."""

    statuses: Mapping[str, ContainerStatus]
    infeasible: bool
    stand_ins: Amounts
    take: str = "largest"
    """"largest" of the lists per container, or one list alone: "spec", "actuated", "allocated"."""

    def of(self, container: Container, *, resizable: bool) -> dict[str, int]:
        requests = _milli(container.resources.requests)
        status = self.statuses.get(container.name) if resizable else None
        if status is not None and status.resources is not None:
            actuated = _milli(status.resources.requests)
            allocated = _milli(status.allocated_resources)
            if self.take == "largest":
                if self.infeasible:
                    requests = {}
                _raise(requests, actuated)
                _raise(requests, allocated)
            elif self.take == "actuated":
                requests = actuated
            elif self.take == "allocated":
                requests = allocated
        for name, value in self.stand_ins.items():
            requests.setdefault(name, value)
        return requests


def _containers(pod: Pod, source: _Source) -> dict[str, int]:
    """What all containers need at the worst moment, in thousandths.

    Upstream: AggregateContainerRequests.
    """
    total: dict[str, int] = {}
    for container in pod.spec.containers:
        _add(total, source.of(container, resizable=True))
    if pod.spec.init_containers:
        sidecars: dict[str, int] = {}
        worst: dict[str, int] = {}
        for container in pod.spec.init_containers:
            need = source.of(container, resizable=container.restartable)
            if container.restartable:
                _add(total, need)
                _add(sidecars, need)
                need = dict(sidecars)
            else:
                _add(need, sidecars)
            _raise(worst, need)
        _raise(total, worst)
    return total


def pod_requests(
    pod: Pod,
    accounting: Accounting,
    *,
    use_status: bool,
    stand_ins: Amounts | None = None,
    pod_level: bool | None = None,
) -> dict[str, int]:
    """What the pod takes of each resource, in thousandths. Upstream: PodRequests.

    `use_status` counts what the kubelet has allocated and actuated (pods on nodes);
    `stand_ins` (thousandths) replace missing container requests; `pod_level` overrides the
    accounting's own choice.
    """
    spec = pod.spec
    resized = use_status and accounting.resize_status
    statuses: dict[str, ContainerStatus] = {}
    if resized:
        statuses = {
            status.name: status
            for status in (*pod.status.container_statuses, *pod.status.init_container_statuses)
            if status.resources is not None
        }
    source = _Source(statuses, bool(statuses) and resize_infeasible(pod), stand_ins or {})
    if statuses and accounting.resize_by_pod_sums:
        total: dict[str, int] = {}
        lists = (
            ("actuated", "allocated") if source.infeasible else ("spec", "actuated", "allocated")
        )
        for take in lists:
            _raise(total, _containers(pod, replace(source, take=take)))
    else:
        total = _containers(pod, source)
    wanted = spec.resources.requests if spec.resources is not None else {}
    if wanted and (accounting.pod_level if pod_level is None else pod_level):
        effective = _milli(wanted)
        status = pod.status.resources
        if resized and accounting.pod_level_resize_status and status is not None:
            if resize_infeasible(pod):
                effective = {}
            _raise(effective, _milli(status.requests))
            _raise(effective, _milli(pod.status.allocated_resources))
        for name in wanted:
            if supported_at_pod_level(name):
                total[name] = effective.get(name, 0)
    if spec.overhead:
        _add(total, _milli(spec.overhead))
    return total


STAND_INS: Final[Amounts] = {CPU: DEFAULT_MILLI_CPU, MEMORY: DEFAULT_MEMORY * 1000}
"""Thousandths that a container without a request counts for in scoring."""


def stand_ins_for(pod: Pod, requests: Amounts, accounting: Accounting) -> Amounts:
    """Upstream: getNonMissingContainerRequests (v1.35.4)."""
    resources = pod.spec.resources
    if (
        accounting.pod_level
        and resources is not None
        and any(supported_at_pod_level(name) for name in resources.requests)
    ):
        return {name: value for name, value in STAND_INS.items() if name not in requests}
    return STAND_INS
