"""Kubernetes quantities ("1500m", "2Gi", "1e3") as exact whole numbers.

Upstream: apimachinery pkg/api/resource/quantity.go (v0.35.4), ParseQuantity, Value, MilliValue.
Differences: `nano`, `milli` and `whole` are not cut to 64 bits; `amount` is, as the scheduler does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

Quantity = str | int | float

_SHAPE: Final = re.compile(
    r"([+-]?)(\d+\.?\d*|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?", re.ASCII
)
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_NANO_DIGITS: Final = 9
_MAX_BINARY: Final = 2**63 - 1
_MAX_INT64: Final = 2**63 - 1
_MIN_INT64: Final = -(2**63)
_SMALL_DIGITS: Final = 18
"""Decimal digits that surely fit into 64 bits."""
_BINARY_DIGITS: Final = 14
"""The same before a binary suffix, less about three for each factor of 1024."""
_MAX_EXPONENT: Final = 64
"""Larger decimal exponents are refused: no machine has them, and they would cost memory."""


class QuantityError(ValueError):
    """A text that is not a Kubernetes quantity."""


@lru_cache(maxsize=65536)
def nano(quantity: Quantity) -> int:
    """The quantity in units of 10^-9, rounded away from zero.

    Raises QuantityError if the text is not a quantity.
    """
    text = quantity.strip() if isinstance(quantity, str) else repr(quantity)
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise QuantityError(f"{text[:60]!r} is not a quantity")
    sign, number, suffix = match.groups()
    whole, _, fraction = number.partition(".")
    unscaled = int(whole + fraction or "0")
    exponent = _NANO_DIGITS - len(fraction)
    binary = _BINARY.get(suffix or "")
    if binary is not None:
        unscaled <<= binary
    elif suffix:
        exponent += _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    if abs(exponent) > _MAX_EXPONENT + len(fraction):
        raise QuantityError(f"{text[:60]!r} has an exponent beyond {_MAX_EXPONENT}")
    value: int = unscaled * 10**exponent if exponent >= 0 else -(-unscaled // 10**-exponent)
    if binary is not None:
        value = min(value, _MAX_BINARY * 10**_NANO_DIGITS)
    return -value if sign == "-" else value


def _away_from_zero(value: int, unit: int) -> int:
    rounded = -(-abs(value) // unit)
    return rounded if value >= 0 else -rounded


@lru_cache(maxsize=65536)
def milli(quantity: Quantity) -> int:
    """The quantity in thousandths, rounded away from zero: "100m" is 100, "2" is 2000."""
    return _away_from_zero(nano(quantity), 10**6)


@lru_cache(maxsize=65536)
def whole(quantity: Quantity) -> int:
    """The quantity in whole units, rounded away from zero: "1500m" is 2, "1Ki" is 1024."""
    return _away_from_zero(nano(quantity), 10**9)


CPU: Final = "cpu"
MEMORY: Final = "memory"
EPHEMERAL_STORAGE: Final = "ephemeral-storage"
STORAGE: Final = "storage"
PODS: Final = "pods"


@lru_cache(maxsize=65536)
def amount(resource: str, quantity: Quantity) -> int:
    """How the scheduler counts a resource: cpu in milli, everything else in whole units.

    Beyond 64 bits it is what upstream's arithmetic leaves of it.
    """
    value = milli(quantity) if resource == CPU else whole(quantity)
    if _MIN_INT64 <= value <= _MAX_INT64:
        return value
    return 0 if kept_small(quantity) else wrapped(value)


def kept_small(quantity: Quantity) -> bool:
    """Whether upstream keeps it as a 64-bit number with a power of ten beside it.

    Such a number that grows beyond 64 bits when it is scaled reads as 0; any other wraps round.
    """
    text = quantity.strip() if isinstance(quantity, str) else repr(quantity)
    match = _SHAPE.fullmatch(text)
    if match is None:
        return False
    _, number, suffix = match.groups()
    whole_part, _, fraction = number.partition(".")
    digits = whole_part.lstrip("0") + fraction
    binary = _BINARY.get(suffix or "")
    if binary is None:
        return len(digits) <= _SMALL_DIGITS
    room = _BINARY_DIGITS - len(digits) - binary * 3 // 10
    return not fraction and room >= 0 and int(digits or "0") << binary <= _MAX_INT64


def wrapped(value: int) -> int:
    """The low 64 bits of a number, signed."""
    return (value - _MIN_INT64) % 2**64 + _MIN_INT64


_LITTLE: Final = 100
"""A miss of less than one part in so many is said to the last unit."""
_SHORT: Final = 7
"""Characters of an exact amount that is still read at a glance: "99999Mi"."""


def show(resource: str, value: int) -> str:
    """A counted amount as people write it: 1500 cpu is "1500m", 2147483648 memory is "2Gi"."""
    if resource == CPU:
        return f"{value // 1000}" if value % 1000 == 0 else f"{value}m"
    return show_bytes(value) if _in_bytes(resource) else str(value)


def unit(resource: str) -> str:
    """What `amount` counts a resource in: "milli", "bytes", or nothing for whole numbers of it."""
    if resource == CPU:
        return "milli"
    return "bytes" if _in_bytes(resource) else ""


def _in_bytes(resource: str) -> bool:
    return resource in (MEMORY, EPHEMERAL_STORAGE, STORAGE) or resource.startswith("hugepages-")


def exact(resource: str, value: int) -> str:
    """A counted amount as a manifest has it: as `show`, but never rounded."""
    return _exact_bytes(value) if _in_bytes(resource) else show(resource, value)


def show_each(resource: str, *values: int) -> list[str]:
    """As `show`; never rounded where amounts that differ would look the same."""
    shown = [show(resource, value) for value in values]
    if len(set(shown)) < len(set(values)):
        return [exact(resource, value) for value in values]
    return shown


def show_miss(resource: str, missing: int, of: int) -> str:
    """How much is missing; to the last byte where that is less than a hundredth of `of`."""
    if _in_bytes(resource) and missing * _LITTLE < of:
        return f"{missing} bytes"
    return show(resource, missing)


def show_bytes(value: int) -> str:
    """Bytes with the largest binary suffix that leaves no rest, where that is short to read.

    Else, from 1Mi on, with one decimal.
    """
    text = _exact_bytes(value)
    if len(text) <= _SHORT or abs(value) < 1 << 20:
        return text
    for suffix, shift in (("Ti", 40), ("Gi", 30)):
        if abs(value) >= 10 << shift:
            return f"{value / (1 << shift):.1f}{suffix}"
    return f"{value / (1 << 20):.1f}Mi"


def _exact_bytes(value: int) -> str:
    for suffix, shift in (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if value and value % (1 << shift) == 0:
            return f"{value >> shift}{suffix}"
    return str(value)
