"""A value with some fields changed: how an immutable object is edited."""

from __future__ import annotations

import hashlib
from typing import Any, TypeVar

import msgspec

from kschedx.api.meta import Struct

T = TypeVar("T", bound=Struct)


def replaced(item: T, **changes: Any) -> T:
    """The same object with these fields changed. Raises TypeError for a field it lacks."""
    return msgspec.structs.replace(item, **changes)


def fingerprint(item: Struct) -> str:
    """Ten hexadecimal digits that tell values apart; fields at their defaults do not enter."""
    return hashlib.sha256(msgspec.json.encode(item, order="sorted")).hexdigest()[:10]
