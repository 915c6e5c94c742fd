"""Every quantity of every object can be read, or the first that cannot is named with its path.

Nothing else is validated: negative and huge quantities are none of our business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import msgspec.inspect as types

from kschedx.api.meta import Struct
from kschedx.api.pod import ContainerStatus, EphemeralVolume, Pod, PodSpec, PodStatus, Volume
from kschedx.api.quantity import Quantity, QuantityError, nano

Collect = Callable[[Any, set[Quantity]], None]
"""Adds all quantities that an object holds to a set."""


def collector(kind: type[Struct]) -> Collect | None:
    """What gathers the quantities of an object of this kind; None for kinds that hold none."""
    return _of_pod if kind is Pod else struct_collector(kind)


def problem(quantity: Quantity) -> str:
    """Why this is no quantity; empty if it is one."""
    try:
        nano(quantity)
    except QuantityError as error:
        return str(error)
    return ""


def paths(item: Struct, wrong: Iterable[Quantity]) -> Iterator[tuple[str, Quantity]]:
    """Where in an object these quantities stand, such as "spec.overhead.cpu"."""
    wanted = set(wrong)
    for path, quantity in _quantities(item, types.type_info(type(item)), ""):
        if quantity in wanted:
            yield path.removeprefix("."), quantity


def _of_pod(pod: Pod, seen: set[Quantity]) -> None:
    """As struct_collector has it, spelled out: of a large snapshot nearly all objects are pods."""
    spec, status = pod.spec, pod.status
    for container in spec.containers:
        resources = container.resources
        if resources.requests:
            seen.update(resources.requests.values())
        if resources.limits:
            seen.update(resources.limits.values())
    for container in spec.init_containers:
        seen.update(container.resources.requests.values(), container.resources.limits.values())
    if spec.overhead or spec.resources is not None:
        _of_pod_level(spec, seen)
    _of_volumes(spec.volumes, seen)
    _of_status(status, seen)
    for state in status.container_statuses:
        _of_status(state, seen)
    for state in status.init_container_statuses:
        _of_status(state, seen)


def _of_status(status: ContainerStatus | PodStatus, seen: set[Quantity]) -> None:
    if status.allocated_resources:
        seen.update(status.allocated_resources.values())
    if status.resources is not None:
        seen.update(status.resources.requests.values(), status.resources.limits.values())


def _of_pod_level(spec: PodSpec, seen: set[Quantity]) -> None:
    seen.update(spec.overhead.values())
    if spec.resources is not None:
        seen.update(spec.resources.requests.values(), spec.resources.limits.values())


def _of_volumes(volumes: tuple[Volume, ...], seen: set[Quantity]) -> None:
    for volume in volumes:
        if volume.ephemeral is not None:
            collect = struct_collector(EphemeralVolume)
            if collect is not None:
                collect(volume.ephemeral, seen)


def _is_quantity(info: types.Type) -> bool:
    return isinstance(info, types.UnionType) and any(
        isinstance(part, types.FloatType) for part in info.types
    )


def _without_none(info: types.Type) -> types.Type:
    if isinstance(info, types.UnionType) and not _is_quantity(info):
        others = [part for part in info.types if not isinstance(part, types.NoneType)]
        return others[0] if len(others) == 1 else info
    return info


def _collector(info: types.Type) -> Collect | None:
    """A function that gathers the quantities below a value of this type; None if there are none."""
    info = _without_none(info)
    if _is_quantity(info):
        return _add
    if isinstance(info, types.DictType):
        return _add_values if _is_quantity(info.value_type) else None
    if isinstance(info, types.VarTupleType):
        below = _collector(info.item_type)
        return None if below is None else _each(below)
    return struct_collector(info.cls) if isinstance(info, types.StructType) else None


def _add(value: Quantity | None, seen: set[Quantity]) -> None:
    if value is not None:
        seen.add(value)


def _add_values(value: dict[str, Quantity], seen: set[Quantity]) -> None:
    seen.update(value.values())


def _each(below: Collect) -> Collect:
    def collect(values: tuple[Any, ...], seen: set[Quantity]) -> None:
        for value in values:
            below(value, seen)

    return collect


@cache
def struct_collector(cls: type[Any]) -> Collect | None:
    """Derived from the type alone."""
    info = types.type_info(cls)
    assert isinstance(info, types.StructType)
    found = ((field.name, _collector(field.type)) for field in info.fields)
    parts = tuple((name, below) for name, below in found if below is not None)
    if not parts:
        return None

    def collect(item: Any, seen: set[Quantity]) -> None:
        for name, below in parts:
            value = getattr(item, name)
            if value:
                below(value, seen)

    return collect


def _quantities(value: Any, info: types.Type, path: str) -> Iterator[tuple[str, Quantity]]:
    """Every quantity below a value with its path, in the order of the fields."""
    info = _without_none(info)
    if value is None:
        return
    if _is_quantity(info):
        yield path, value
    elif isinstance(info, types.DictType):
        for key, part in value.items():
            step = f"[{key}]" if "." in key else f".{key}"
            yield from _quantities(part, info.value_type, path + step)
    elif isinstance(info, types.VarTupleType):
        for index, part in enumerate(value):
            yield from _quantities(part, info.item_type, f"{path}[{index}]")
    elif isinstance(info, types.StructType):
        for field in info.fields:
            below = getattr(value, field.name)
            yield from _quantities(below, field.type, f"{path}.{field.encode_name}")
