"""What strict decoding refuses and Kubernetes reads: null, and YAML's other words for booleans.

Upstream: encoding/json: null leaves a field as it is, and is the zero value in a list or a map.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
import msgspec.inspect as types

from kschedx.snapshot.yaml_scalars import WORDS

_EXPECTED: Final = re.compile(r"Expected `([^`]*)`, got `([^`]*)`(?: - at `\$(.*)`)?", re.DOTALL)
_AT: Final = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+|\.\.\.)\]")
_NAMES: Final = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_FOUND: Final = {**_NAMES, "int": "a number", "bool": "a boolean"}


@lru_cache(maxsize=256)
def _fields(cls: type[Any]) -> Mapping[str, types.Type]:
    info = types.type_info(cls)
    assert isinstance(info, types.StructType)
    return {field.encode_name: field.type for field in info.fields}


def coerced(value: Any, cls: type[msgspec.Struct]) -> Any:
    """A decoded value of this API type without nulls, and with booleans where they belong.

    What else does not fit stays as it is, for the strict reading to refuse.
    """
    if not isinstance(value, dict):
        return value
    fields = _fields(cls)
    return {
        key: _fit(part, fields[key])
        for key, part in value.items()
        if part is not None and key in fields
    }


def _fit(value: Any, wanted: types.Type) -> Any:
    if value is None:
        return _zero(wanted)
    if isinstance(wanted, types.StructType):
        return coerced(value, wanted.cls)
    if isinstance(wanted, types.VarTupleType) and isinstance(value, list):
        return [_fit(part, wanted.item_type) for part in value]
    if isinstance(wanted, types.DictType) and isinstance(value, dict):
        return {key: _fit(part, wanted.value_type) for key, part in value.items()}
    if isinstance(wanted, types.BoolType) and isinstance(value, str):
        return WORDS.get(value, value)
    if isinstance(wanted, types.UnionType):
        return _fit_union(value, wanted)
    return value


def _fit_union(value: Any, wanted: types.UnionType) -> Any:
    """Unions of the API are one type or null, or take a number and a text alike."""
    others = [t for t in wanted.types if not isinstance(t, types.NoneType)]
    return _fit(value, others[0]) if len(others) == 1 else value


def _zero(wanted: types.Type) -> Any:
    if isinstance(wanted, types.StructType | types.DictType):
        return {}
    if isinstance(wanted, types.VarTupleType):
        return []
    if isinstance(wanted, types.StrType):
        return ""
    if isinstance(wanted, types.BoolType):
        return False
    if isinstance(wanted, types.UnionType) and wanted.includes_none:
        return None
    return 0


def misfit(error: msgspec.ValidationError, value: Any) -> str:
    """What does not fit, with its path: "spec.replicas: expected a whole number, found a text"."""
    match = _EXPECTED.fullmatch(str(error))
    if match is None:
        plain = _AT.fullmatch(str(error))
        what, at = plain.groups() if plain is not None else (str(error), "")
        where = _path(at or "", value, "")
        return f"{where}: {what.lower()}" if where else what.lower()
    expected, got, at = match.groups()
    wanted = " or ".join(_NAMES.get(t, t) for t in expected.split(" | ") if t != "null")
    where = _path(at or "", value, got)
    sentence = f"expected {wanted}, found {_FOUND.get(got, got)}"
    return f"{where}: {sentence}" if where else sentence


def _path(at: str, value: Any, got: str) -> str:
    """Msgspec's path without its "$", and with the key that it leaves out of a map."""
    path = ""
    for name, index in _STEP.findall(at):
        if name:
            path += f".{name}"
            value = value.get(name) if isinstance(value, dict) else None
        elif index == "...":
            key = next((k for k, v in _items(value) if _json_type(v) == got), None)
            path += "[...]" if key is None else f"[{key}]" if "." in key else f".{key}"
            value = value.get(key) if isinstance(value, dict) else None
        else:
            path += f"[{index}]"
            value = value[int(index)] if isinstance(value, list) else None
    return path.removeprefix(".")


def _items(value: Any) -> list[tuple[str, Any]]:
    return list(value.items()) if isinstance(value, dict) else []


def _json_type(value: Any) -> str:
    names = {dict: "object", list: "array", type(None): "null"}
    return names.get(type(value), type(value).__name__)
