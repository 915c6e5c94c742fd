"""How much of each resource a pod takes: which step, sidecar or field decides.

Upstream: component-helpers resource/helpers.go (v0.34.4 to v0.37.2), PodRequests;
pkg/scheduler/framework/types.go CalculateResource, pkg/scheduler/util/pod_resources.go.
Differences: the gated DRANodeAllocatableResources is not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from kschedx.api.label_syntax import key_complaint
from kschedx.api.pod import Container, ContainerStatus, Pod, ResourceList
from kschedx.api.quantity import (
    CPU,
    EPHEMERAL_STORAGE,
    MEMORY,
    Quantity,
    amount,
    milli,
    whole,
    wrapped,
)

Amounts = Mapping[str, int]
"""Resource name to amount: cpu in milli, everything else in whole units."""

DEFAULT_MILLI_CPU: Final = 100
DEFAULT_MEMORY: Final = 200 * 1024 * 1024
_HUGEPAGES: Final = "hugepages-"
_NATIVE: Final = "kubernetes.io/"
_QUOTA: Final = "requests."


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
def is_extended(resource: str) -> bool:
    """A resource outside Kubernetes' own names, such as "nvidia.com/gpu".

    Upstream: pkg/apis/core/v1/helper IsExtendedResourceName.
    """
    return (
        "/" in resource
        and _NATIVE not in resource
        and not resource.startswith(_QUOTA)
        and not key_complaint(_QUOTA + resource)
    )


@lru_cache(maxsize=4096)
def is_scalar(resource: str) -> bool:
    """A counted resource besides cpu, memory and ephemeral storage.

    Upstream: pkg/scheduler/util IsScalarResourceName.
    """
    return (
        resource.startswith((_HUGEPAGES, "attachable-volumes-"))
        or _NATIVE in resource
        or is_extended(resource)
    )


@lru_cache(maxsize=4096)
def counts(resource: str) -> bool:
    """Whether the scheduler keeps track of a resource of this name at all.

    Upstream: framework Resource.Add.
    """
    return resource in (CPU, MEMORY, EPHEMERAL_STORAGE) or is_scalar(resource)


def supported_at_pod_level(resource: str) -> bool:
    """Upstream: IsSupportedPodLevelResource."""
    return resource in (CPU, MEMORY) or resource.startswith(_HUGEPAGES)


_BEYOND: Final = 2**63
"""The first number that 64 bits with a sign do not hold."""


def _milli(requests: ResourceList) -> dict[str, int]:
    return {name: milli(quantity) for name, quantity in requests.items()}


def _add(total: dict[str, int], more: Amounts) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _raise(total: dict[str, int], other: Amounts) -> None:
    for name, value in other.items():
        if name not in total or value > total[name]:
            total[name] = value


def in_units(
    thousandths: Amounts, written: Callable[[str], Iterable[Quantity]] = lambda _: ()
) -> dict[str, int]:
    """Sums in thousandths as the scheduler keeps them: cpu in milli, the rest rounded up.

    `written` gives the quantities that a resource's sum is made of: beyond 64 bits a single one
    reads as its spelling has it, and a sum wraps round.
    """
    units = {
        name: value if name == CPU else -(-value // 1000)
        for name, value in thousandths.items()
        if counts(name)
    }
    for name, value in units.items():
        if not -_BEYOND <= value < _BEYOND:
            parts = list(written(name))
            alone = len(parts) == 1
            units[name] = amount(name, parts[0]) if alone else wrapped(value)
    return units


def resize_infeasible(pod: Pod) -> bool:
    """The kubelet has said that the wanted resize can never fit its node."""
    pending = pod.condition("PodResizePending")
    return pending is not None and pending.reason == "Infeasible"


class _Seen(NamedTuple):
    """A container and what its kubelet says of it."""

    container: Container
    status: ContainerStatus | None
    infeasible: bool
    """The wanted resize can never fit the node."""


def _spec(seen: _Seen) -> dict[str, int]:
    return _milli(seen.container.resources.requests)


def _largest(seen: _Seen) -> dict[str, int]:
    """Until 1.36: the largest of wanted, actuated and allocated, container by container."""
    status = seen.status
    if status is None or status.resources is None:
        return _spec(seen)
    requests = {} if seen.infeasible else _spec(seen)
    _raise(requests, _milli(status.resources.requests))
    _raise(requests, _milli(status.allocated_resources))
    return requests


def _allocated(seen: _Seen) -> dict[str, int]:
    if seen.status is not None and seen.status.allocated_resources:
        return _milli(seen.status.allocated_resources)
    return {} if seen.infeasible else _spec(seen)


def _actuated(seen: _Seen) -> dict[str, int]:
    resources = seen.status.resources if seen.status is not None else None
    if resources is not None and resources.requests:
        return _milli(resources.requests)
    return _allocated(seen)


@dataclass(frozen=True, slots=True)
class _Sum:
    """How the requests of a pod's containers are added up."""

    stand_ins: Amounts
    statuses: Mapping[str, ContainerStatus] = field(default_factory=dict)
    infeasible: bool = False
    init_statuses: bool = False
    """1.37: the status of an init container that runs to its end counts as well."""

    def _need(
        self, container: Container, share: Callable[[_Seen], dict[str, int]], *, with_status: bool
    ) -> dict[str, int]:
        status = self.statuses.get(container.name) if with_status else None
        requests = share(_Seen(container, status, self.infeasible))
        for name, value in self.stand_ins.items():
            requests.setdefault(name, value)
        return requests

    def of(self, pod: Pod, share: Callable[[_Seen], dict[str, int]]) -> dict[str, int]:
        """What all containers need at the worst moment, in thousandths.

        Upstream: AggregateContainerRequests.
        """
        total: dict[str, int] = {}
        for container in pod.spec.containers:
            _add(total, self._need(container, share, with_status=True))
        if pod.spec.init_containers:
            sidecars: dict[str, int] = {}
            worst: dict[str, int] = {}
            for container in pod.spec.init_containers:
                with_status = container.restartable or self.init_statuses
                need = self._need(container, share, with_status=with_status)
                if container.restartable:
                    _add(total, need)
                    _add(sidecars, need)
                    need = sidecars
                else:
                    _add(need, sidecars)
                _raise(worst, need)
            _raise(total, worst)
        return total


def _reports_resources(pod: Pod) -> bool:
    """Whether the kubelet says anything of the pod's resources that differs from the spec."""
    status = pod.status
    if status.resources is not None or (status.conditions and resize_infeasible(pod)):
        return True
    for reports, containers in (
        (status.container_statuses, pod.spec.containers),
        (status.init_container_statuses, pod.spec.init_containers),
    ):
        for report in reports:
            if report.resources is None and not report.allocated_resources:
                continue
            wanted = next((c.resources.requests for c in containers if c.name == report.name), None)
            if report.resources is not None and report.resources.requests != wanted:
                return True
            if report.allocated_resources and report.allocated_resources != wanted:
                return True
    return False


def _statuses(pod: Pod) -> Iterable[ContainerStatus]:
    return (*pod.status.container_statuses, *pod.status.init_container_statuses)


def _with_statuses(pod: Pod, accounting: Accounting, stand_ins: Amounts) -> dict[str, int]:
    """The containers of a pod on a node: also what its kubelet has allocated and actuated."""
    status = pod.status
    infeasible = resize_infeasible(pod)
    statuses = {s.name: s for s in _statuses(pod)}
    sums = _Sum(stand_ins, statuses, infeasible, accounting.resize_by_pod_sums)
    if not accounting.resize_by_pod_sums:
        return sums.of(pod, _largest)
    total = {} if infeasible else sums.of(pod, _spec)
    if (
        accounting.pod_level_resize_status
        and status.allocated_resources
        and status.resources is not None
        and status.resources.requests
    ):
        _raise(total, _milli(status.resources.requests))
        _raise(total, _milli(status.allocated_resources))
    else:
        _raise(total, sums.of(pod, _actuated))
        _raise(total, sums.of(pod, _allocated))
    return total


def _at_pod_level(pod: Pod, accounting: Accounting, *, use_status: bool) -> dict[str, int]:
    """What spec.resources puts in the place of the containers' sum, in thousandths."""
    wanted = pod.spec.resources.requests if pod.spec.resources is not None else {}
    if not any(supported_at_pod_level(name) for name in wanted):
        return {}
    effective = _milli(wanted)
    status = pod.status.resources
    names: Iterable[str] = wanted
    if use_status and accounting.pod_level_resize_status and status is not None:
        if resize_infeasible(pod):
            effective = {}
        _raise(effective, _milli(status.requests))
        _raise(effective, _milli(pod.status.allocated_resources))
        if accounting.resize_by_pod_sums:
            names = effective
    return {name: effective.get(name, 0) for name in names if supported_at_pod_level(name)}


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
    use_status = use_status and accounting.resize_status and _reports_resources(pod)
    if use_status:
        total = _with_statuses(pod, accounting, stand_ins or {})
    else:
        total = _Sum(stand_ins or {}).of(pod, _spec)
    if accounting.pod_level if pod_level is None else pod_level:
        total.update(_at_pod_level(pod, accounting, use_status=use_status))
    if pod.spec.overhead:
        _add(total, _milli(pod.spec.overhead))
    return total


STAND_INS: Final[Amounts] = {CPU: DEFAULT_MILLI_CPU, MEMORY: DEFAULT_MEMORY * 1000}
"""Thousandths that a container without a request counts for in scoring."""

_Shape = tuple[tuple[tuple[str, Quantity], ...], ...]
"""The requests of each container: all that counts for a plain pod."""


def _plain_shape(pod: Pod, *, use_status: bool) -> _Shape | None:
    """What the pods of one workload share; None where more than their containers counts."""
    spec = pod.spec
    if spec.init_containers or spec.overhead or spec.resources is not None:
        return None
    if use_status and _reports_resources(pod):
        return None
    return tuple([tuple(c.resources.requests.items()) for c in spec.containers])


@lru_cache(maxsize=16384)
def _plain(shape: _Shape, *, stand_ins: bool) -> Amounts:
    total: dict[str, int] = {}
    for container in shape:
        need = _milli(dict(container))
        _add(total, {**STAND_INS, **need} if stand_ins else need)
    return in_units(total, lambda name: [q for own in shape for n, q in own if n == name])


def counted_requests(pod: Pod, accounting: Accounting, *, use_status: bool) -> Amounts:
    """What the pod takes of each resource that the scheduler keeps track of; not to be changed."""
    shape = _plain_shape(pod, use_status=use_status and accounting.resize_status)
    if shape is not None:
        return _plain(shape, stand_ins=False)
    return in_units(
        pod_requests(pod, accounting, use_status=use_status), lambda name: _written(pod, name)
    )


def _written(pod: Pod, resource: str) -> list[Quantity]:
    """Every quantity of a resource in the pod's spec."""
    spec = pod.spec
    lists = [own.resources.requests for own in (*spec.containers, *spec.init_containers)]
    lists.append(spec.overhead)
    if spec.resources is not None:
        lists.append(spec.resources.requests)
    return [own[resource] for own in lists if resource in own]


def nonzero_requests(pod: Pod, accounting: Accounting) -> tuple[int, int]:
    """(milli cpu, memory bytes) that scoring counts for a pod on a node.

    Upstream: framework PodInfo.CalculateResource.
    """
    if not accounting.nonzero_counts_sidecars:
        return _nonzero_until_1_31(pod)
    shape = _plain_shape(pod, use_status=accounting.resize_status)
    if shape is not None:
        total = _plain(shape, stand_ins=True)
    else:
        stand_ins = STAND_INS
        if accounting.pod_level and _at_pod_level(pod, accounting, use_status=False):
            requests = pod_requests(pod, accounting, use_status=True)
            stand_ins = {name: value for name, value in STAND_INS.items() if name not in requests}
        total = in_units(pod_requests(pod, accounting, use_status=True, stand_ins=stand_ins))
    return total.get(CPU, 0), total.get(MEMORY, 0)


def _nonzero_until_1_31(pod: Pod) -> tuple[int, int]:
    """Regular containers alone are added up; sidecars count beside an init container only."""
    cpu = memory = 0
    for container in pod.spec.containers:
        requests = container.resources.requests
        cpu += milli(requests[CPU]) if CPU in requests else DEFAULT_MILLI_CPU
        memory += whole(requests[MEMORY]) if MEMORY in requests else DEFAULT_MEMORY
    sidecars: dict[str, int] = {}
    for container in pod.spec.init_containers:
        need = _milli(container.resources.requests)
        if container.restartable:
            _add(sidecars, need)
            need = sidecars
        else:
            _add(need, sidecars)
        cpu = max(cpu, need.get(CPU, STAND_INS[CPU]))
        memory = max(memory, -(-need.get(MEMORY, STAND_INS[MEMORY]) // 1000))
    overhead = pod.spec.overhead
    return (
        cpu + (milli(overhead[CPU]) if CPU in overhead else 0),
        memory + (whole(overhead[MEMORY]) if MEMORY in overhead else 0),
    )
