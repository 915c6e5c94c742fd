"""not-created: pods that the API server refuses, told before any is made.

Upstream: plugin/pkg/admission/{limitranger,priority,runtimeclass}, pkg/apis/core/validation
ValidateResourceRequirements (v1.35.4).
Differences: quotas are counted while pods are made, see kschedx.gate.pending.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from kschedx.api.change import replaced
from kschedx.api.meta import Object
from kschedx.api.pod import Container, Pod
from kschedx.api.policy import LimitRange, LimitRangeItem
from kschedx.api.quantity import Quantity, nano
from kschedx.api.scheduling import SYSTEM_PRIORITIES, PriorityClass, RuntimeClass
from kschedx.framework.accounting import is_extended
from kschedx.gate.targets import template_of
from kschedx.rollout.creation import admitted
from kschedx.snapshot.admission import Admission

Resources = Mapping[str, Quantity]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a pod would not be created."""

    about: str
    """The limit, the class or the resource that is at stake."""
    sentence: str


def refusals(item: Object, admission: Admission) -> Iterator[Refusal]:
    """Everything that the API server would say against a workload's pods, or a bare pod."""
    template = template_of(item)
    bare = Pod(metadata=template.metadata, spec=template.spec)
    namespace = item.namespace
    pod = bare if isinstance(item, Pod) else _in(bare, namespace)
    stored = admitted(pod, admission, "applied")
    yield from _classes(stored, admission)
    yield from _requests(stored)
    for own in sorted(admission.snapshot.all(LimitRange).values(), key=lambda own: own.name):
        if own.namespace == namespace:
            for limit in own.spec.limits:
                yield from _limit(stored, own, limit)


def _in(pod: Pod, namespace: str) -> Pod:
    return replaced(pod, metadata=replaced(pod.metadata, name="new", namespace=namespace))


def _classes(pod: Pod, admission: Admission) -> Iterator[Refusal]:
    snapshot = admission.snapshot
    name = pod.spec.priority_class_name
    known = not name or name in SYSTEM_PRIORITIES or snapshot.get(PriorityClass, name) is not None
    if not known and snapshot.read(PriorityClass):
        yield Refusal(f"PriorityClass {name}", f"there is no PriorityClass {name}")
    runtime = pod.spec.runtime_class_name
    missing = runtime is not None and snapshot.get(RuntimeClass, runtime) is None
    if missing and snapshot.read(RuntimeClass):
        yield Refusal(f"RuntimeClass {runtime}", f"there is no RuntimeClass {runtime}")


def _containers(pod: Pod) -> tuple[Container, ...]:
    return (*pod.spec.init_containers, *pod.spec.containers)


def _requests(pod: Pod) -> Iterator[Refusal]:
    """No request may be above its limit; of extended resources both must be the same."""
    for container in _containers(pod):
        requests, limits = container.resources.requests, container.resources.limits
        for name in sorted(requests):
            place = f"container {container.name}"
            about = f"{container.name} {name}"
            if name not in limits:
                if is_extended(name):
                    yield Refusal(about, f"{place} requests {name} and sets no limit for it")
                continue
            above = nano(requests[name]) - nano(limits[name])
            said = f"{place} requests {requests[name]} {name}"
            if above > 0:
                yield Refusal(about, f"{said}, above its limit of {limits[name]}")
            elif above < 0 and is_extended(name):
                yield Refusal(about, f"{said}, which must equal its limit of {limits[name]}")


def _limit(pod: Pod, item: LimitRange, limit: LimitRangeItem) -> Iterator[Refusal]:
    if limit.type == "Container":
        for container in _containers(pod):
            resources = container.resources
            place = f"container {container.name}"
            yield from _bounds(place, item.name, limit, resources.requests, resources.limits)
    elif limit.type == "Pod":
        requests, limits = _sums(pod)
        yield from _bounds("the pod", item.name, limit, requests, limits)


def _sums(pod: Pod) -> tuple[dict[str, Quantity], dict[str, Quantity]]:
    """Requests and limits of all containers, a larger init container in their place.

    Upstream: limitranger podRequests, podLimits. In thousandths of millionths, as texts.
    """
    sums: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for total, field in zip(sums, ("requests", "limits"), strict=True):
        for container in pod.spec.containers:
            for name, quantity in getattr(container.resources, field).items():
                total[name] = total.get(name, 0) + nano(quantity)
        for container in pod.spec.init_containers:
            for name, quantity in getattr(container.resources, field).items():
                total[name] = max(total.get(name, 0), nano(quantity))
    requests, limits = sums
    return _as_texts(requests), _as_texts(limits)


def _as_texts(total: Mapping[str, int]) -> dict[str, Quantity]:
    return {name: f"{value}n" for name, value in total.items()}


def _shown(quantity: Quantity) -> str:
    """Sums as people write them."""
    text = str(quantity)
    if not text.endswith("n") or not text[:-1].isdecimal():
        return text
    value = int(text[:-1])
    whole, rest = divmod(value, 10**9)
    return str(whole) if not rest else f"{value // 10**6}m"


def _bounds(
    place: str, owner: str, limit: LimitRangeItem, requests: Resources, limits: Resources
) -> Iterator[Refusal]:
    """Upstream: limitranger PodValidateLimitFunc."""
    for name, least in sorted(limit.min.items()):
        why = _below(least, requests.get(name), limits.get(name))
        if why:
            said = f"LimitRange {owner} wants at least {least} {name} of {place}, {why}"
            yield Refusal(f"LimitRange {owner} {place} min {name}", said)
    for name, most in sorted(limit.max.items()):
        why = _above(most, requests.get(name), limits.get(name))
        if why:
            said = f"LimitRange {owner} allows {place} at most {most} {name}, {why}"
            yield Refusal(f"LimitRange {owner} {place} max {name}", said)
    for name, ratio in sorted(limit.max_limit_request_ratio.items()):
        why = _apart(ratio, requests.get(name), limits.get(name))
        if why:
            said = f"LimitRange {owner} allows {place} a {name} limit of {ratio} times its request"
            yield Refusal(f"LimitRange {owner} {place} ratio {name}", f"{said}, {why}")


def _below(least: Quantity, request: Quantity | None, limit: Quantity | None) -> str:
    if request is None:
        return "which requests none"
    if nano(request) < nano(least):
        return f"which requests {_shown(request)}"
    if limit is not None and nano(limit) < nano(least):
        return f"whose limit is {_shown(limit)}"
    return ""


def _above(most: Quantity, request: Quantity | None, limit: Quantity | None) -> str:
    if limit is None:
        return "which sets no limit"
    if nano(limit) > nano(most):
        return f"whose limit is {_shown(limit)}"
    if request is not None and nano(request) > nano(most):
        return f"which requests {_shown(request)}"
    return ""


def _apart(ratio: Quantity, request: Quantity | None, limit: Quantity | None) -> str:
    if request is None or limit is None or not nano(request):
        return "which does not state both"
    if nano(limit) * 10**9 > nano(ratio) * nano(request):
        return f"which requests {_shown(request)} with a limit of {_shown(limit)}"
    return ""
