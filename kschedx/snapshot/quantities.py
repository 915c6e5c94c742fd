"""Every quantity of every object can be read, or the first that cannot is named with its path.

Nothing else is validated: negative and huge quantities are none of our business.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import msgspec.inspect as types

from kschedx.api.meta import Object, Struct
from kschedx.api.pod import Pod
from kschedx.api.quantity import Quantity, QuantityError, nano

_Collect = Callable[[Any, set[Quantity]], None]


def unreadable(items: Iterable[Object]) -> Iterator[tuple[Object, str, str]]:
    """(object, path, what is wrong) of the quantities that are none, in the objects' order.

    All that the objects of one kind hold are gathered first and each is parsed once.
    """
    objects = list(items)
    if not objects:
        return
    kind = type(objects[0])
    seen = _of_pods(objects) if kind is Pod else gathered(objects)
    wrong = {quantity for quantity in seen if problem(quantity)}
    if wrong:
        for item in objects:
            for path, quantity in _quantities(item, types.type_info(kind), ""):
                if quantity in wrong:
                    yield item, path.removeprefix("."), problem(quantity)


def gathered(objects: Iterable[Struct]) -> set[Quantity]:
    """The quantities that objects of one kind hold."""
    seen: set[Quantity] = set()
    for item in objects:
        collect = _struct_collector(type(item))
        if collect is None:
            break
        collect(item, seen)
    return seen


def _of_pods(pods: Iterable[Any]) -> set[Quantity]:
    """The same as `gathered`, spelled out: of a large snapshot nearly all objects are pods."""
    seen: set[Quantity] = set()
    add = seen.update
    for pod in pods:
        spec = pod.spec
        for container in (*spec.containers, *spec.init_containers):
            resources = container.resources
            add(resources.requests.values())
            add(resources.limits.values())
        status = pod.status
        for state in (*status.container_statuses, *status.init_container_statuses):
            add(state.allocated_resources.values())
            if state.resources is not None:
                add(state.resources.requests.values())
                add(state.resources.limits.values())
        for volume in spec.volumes:
            if volume.ephemeral is not None:
                seen |= gathered((volume.ephemeral,))
        for resources in (spec.resources, status.resources):
            if resources is not None:
                add(resources.requests.values())
                add(resources.limits.values())
        add(spec.overhead.values())
        add(status.allocated_resources.values())
    return seen


def problem(quantity: Quantity) -> str:
    """Why this is no quantity; empty if it is one."""
    try:
        nano(quantity)
    except QuantityError as error:
        return str(error)
    return ""


def _is_quantity(info: types.Type) -> bool:
    return isinstance(info, types.UnionType) and any(
        isinstance(part, types.FloatType) for part in info.types
    )


def _without_none(info: types.Type) -> types.Type:
    if isinstance(info, types.UnionType) and not _is_quantity(info):
        others = [part for part in info.types if not isinstance(part, types.NoneType)]
        return others[0] if len(others) == 1 else info
    return info


def _collector(info: types.Type) -> _Collect | None:
    """A function that gathers the quantities below a value of this type; None if there are none."""
    info = _without_none(info)
    if _is_quantity(info):
        return _add
    if isinstance(info, types.DictType):
        return _add_values if _is_quantity(info.value_type) else None
    if isinstance(info, types.VarTupleType):
        below = _collector(info.item_type)
        return None if below is None else _each(below)
    return _struct_collector(info.cls) if isinstance(info, types.StructType) else None


def _add(value: Quantity | None, seen: set[Quantity]) -> None:
    if value is not None:
        seen.add(value)


def _add_values(value: dict[str, Quantity], seen: set[Quantity]) -> None:
    seen.update(value.values())


def _each(below: _Collect) -> _Collect:
    def collect(values: tuple[Any, ...], seen: set[Quantity]) -> None:
        for value in values:
            below(value, seen)

    return collect


@cache
def _struct_collector(cls: type[Any]) -> _Collect | None:
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
