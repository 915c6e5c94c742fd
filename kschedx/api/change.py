"""A value with some fields changed: how an immutable object is edited."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from kschedx.api.meta import Struct

T = TypeVar("T", bound=Struct)


def replaced(item: T, **changes: Any) -> T:
    """The same object with these fields changed. Raises TypeError for a field it lacks."""
    return msgspec.structs.replace(item, **changes)
