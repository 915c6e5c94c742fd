"""Plain YAML scalars as Kubernetes reads them: no dates, no base 60, octal with a bare 0.

Upstream: sigs.k8s.io/yaml (v1.6.0) over go.yaml.in/yaml/v2 (v2.4.3), resolve.go; then JSON.
Differences: yes, no, on, off, y and n are booleans upstream, which an API server refuses where a
text belongs. Here such a value stays a text, to be read as a boolean where one belongs.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

Scalar = str | int | float | bool | None

WORDS: Final = {
    word: truth
    for truth, words in ((True, ("y", "yes", "on")), (False, ("n", "no", "off")))
    for plain in words
    for word in (plain, plain.capitalize(), plain.upper())
}
"""What upstream takes for booleans besides true and false."""

_NAMED: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{
        f"{sign}.{name}": float(f"{sign}{name}")
        for name in ("inf", "Inf", "INF")
        for sign in ("", "+", "-")
    },
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_NUMERIC_START: Final = frozenset("+-.0123456789")
_BETWEEN_DIGITS: Final = re.compile(r"(?<=[0-9])_(?=[0-9])")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", re.ASCII)
_INTEGER: Final = re.compile(
    r"([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))", re.ASCII
)
_BASES: Final = (16, 2, 8, 10)
_INT64: Final = 2**63
_LARGEST_PLAIN_FLOAT: Final = 1e21
"""From here on Go writes a whole float with an exponent, and JSON keeps it a float."""


@lru_cache(maxsize=16384)
def resolve(text: str) -> Scalar:
    """A plain scalar's value. Infinities and NaN, which JSON cannot hold, come as floats."""
    if text in _NAMED:
        return _NAMED[text]
    if text[0] not in _NUMERIC_START:
        return text
    plain = _BETWEEN_DIGITS.sub("", text) if text[0] == "." else text.replace("_", "")
    integer = _integer(plain)
    if integer is not None:
        return integer
    if _FLOAT.fullmatch(plain) is None:
        return text
    value = float(plain)
    if value.is_integer() and abs(value) < _LARGEST_PLAIN_FLOAT:
        return int(Decimal(repr(value)))  # the digits that Go writes, not all that there are
    return value if abs(value) != float("inf") else text


def _integer(plain: str) -> int | None:
    """What strconv.ParseInt and ParseUint make of it with base 0, else None."""
    match = _INTEGER.fullmatch(plain)
    if match is None:
        return None
    sign, *digits = match.groups()
    value = next(int(d, base) for d, base in zip(digits, _BASES, strict=True) if d)
    if sign == "-":
        value = -value
    most = _INT64 if sign else 2 * _INT64
    return value if -_INT64 <= value < most else None


def as_key(value: Scalar, text: str) -> str | None:
    """A mapping's key as JSON has it; None for one that JSON cannot have."""
    if value is None:
        return None
    if text in WORDS and isinstance(value, str):
        return "true" if WORDS[text] else "false"
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)
