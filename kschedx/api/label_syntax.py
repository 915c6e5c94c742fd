"""What a label key and a label value may look like, and the API machinery's own complaints.

Upstream: apimachinery pkg/api/validate/content/kube.go, dns.go, errors.go (v0.35.4).
Differences: `wording` puts a complaint into the words of 1.34 and older.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

_MAX_NAME: Final = 63
_MAX_SUBDOMAIN: Final = 253
_NAME: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_NAME})?"
_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_NAME_SHAPE: Final = re.compile(_NAME)
_VALUE_SHAPE: Final = re.compile(_VALUE)
_SUBDOMAIN_SHAPE: Final = re.compile(_SUBDOMAIN)
_ALPHANUMERIC: Final = (
    "consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
)
_NAME_RULE: Final = (
    f"must {_ALPHANUMERIC} (e.g. 'MyName',  or 'my.name',  or '123-abc', "
    f"regex used for validation is '{_NAME}')"
)
_VALUE_RULE: Final = (
    f"a valid label must be an empty string or {_ALPHANUMERIC} (e.g. 'MyValue',  or 'my_value',  "
    f"or '12345', regex used for validation is '{_VALUE}')"
)
_SUBDOMAIN_RULE: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', "
    f"regex used for validation is '{_SUBDOMAIN}')"
)
_MANY_SLASHES: Final = (
    f"a valid label key {_NAME_RULE} with an optional DNS subdomain prefix and '/' "
    "(e.g. 'example.com/MyName')"
)
_UNTIL_34: Final = (
    ("a valid label key must", "a qualified name must"),
    (f"must be no more than {_MAX_NAME} bytes", f"must be no more than {_MAX_NAME} characters"),
    (
        f"must be no more than {_MAX_SUBDOMAIN} bytes",
        f"must be no more than {_MAX_SUBDOMAIN} characters",
    ),
)


def _too_long(text: str, limit: int) -> list[str]:
    return [f"must be no more than {limit} bytes"] if len(text.encode()) > limit else []


@lru_cache(maxsize=4096)
def key_complaint(key: str) -> str:
    """What is wrong with a label key, the complaints joined by "; "; empty where it is fine."""
    parts = key.split("/")
    if len(parts) > 2:  # noqa: PLR2004  # a prefix and a name
        return _MANY_SLASHES
    name = parts[-1]
    complaints = []
    if len(parts) > 1:
        complaints += [f"prefix part {each}" for each in _prefix_complaints(parts[0])]
    named = ["must be non-empty"] if not name else _too_long(name, _MAX_NAME)
    if _NAME_SHAPE.fullmatch(name) is None:
        named.append(_NAME_RULE)
    return "; ".join(complaints + [f"name part {each}" for each in named])


def _prefix_complaints(prefix: str) -> list[str]:
    if not prefix:
        return ["must be non-empty"]
    complaints = _too_long(prefix, _MAX_SUBDOMAIN)
    if _SUBDOMAIN_SHAPE.fullmatch(prefix) is None:
        complaints.append(_SUBDOMAIN_RULE)
    return complaints


@lru_cache(maxsize=4096)
def value_complaint(value: str) -> str:
    """What is wrong with a label value; empty where it is fine."""
    complaints = _too_long(value, _MAX_NAME)
    if _VALUE_SHAPE.fullmatch(value) is None:
        complaints.append(_VALUE_RULE)
    return "; ".join(complaints)


def invalid(field: str, bad: str | Sequence[str] | None, detail: str) -> str:
    """An "Invalid value" as upstream's field errors print it."""
    if isinstance(bad, str):
        shown = quoted(bad)
    else:
        shown = json.dumps(bad, ensure_ascii=False, separators=(",", ":"))
        for character in "<>&\u2028\u2029":
            shown = shown.replace(character, f"\\u{ord(character):04x}")
    return f"{field}: Invalid value: {shown}: {detail}"


_ESCAPES: Final = {
    '"': '\\"',
    "\\": "\\\\",
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
}
_ONE_BYTE: Final = 0x80
_FOUR_DIGITS: Final = 0xFFFF


def quoted(text: str) -> str:
    """A string in double quotes as Go's %q prints it."""
    return f'"{"".join(_escaped(character) for character in text)}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < _ONE_BYTE:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _FOUR_DIGITS else f"\\U{code:08x}"


def joined(complaints: Sequence[str]) -> str:
    """Several errors in one line; an error that stands there twice is told once.

    Upstream: apimachinery pkg/util/errors/errors.go, Aggregate.
    """
    different = list(dict.fromkeys(complaints))
    return different[0] if len(different) == 1 else f"[{', '.join(different)}]"


def wording(complaint: str, minor: int) -> str:
    """The same complaint as version 1.<minor> words it."""
    if minor <= 34:  # noqa: PLR2004  # the last version with the older words
        for new, old in _UNTIL_34:
            complaint = complaint.replace(new, old)
    return complaint
