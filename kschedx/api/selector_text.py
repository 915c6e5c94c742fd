"""Label selectors as `kubectl -l` takes them: "app=web,tier in (a, b),!legacy".

Upstream: apimachinery pkg/labels/selector.go (v0.35.4), Parse.
Differences: Gt and Lt of labels are not taken.
"""

from __future__ import annotations

import re
from typing import Final

from kschedx.api.errors import KschedxError
from kschedx.api.meta import LabelSelector, LabelSelectorRequirement
from kschedx.api.selectors import (
    DOES_NOT_EXIST,
    EXISTS,
    IN,
    NOT_IN,
    Selector,
    SelectorError,
    parse,
)

EXIT_USAGE: Final = 2
_PART: Final = re.compile(
    r"""\s*(?:
        (?P<absent>!)\s*(?P<missing>[^\s=!,()]+)
      | (?P<set_key>[^\s=!,()]+)\s+(?P<set>in|notin)\s*\((?P<values>[^()]*)\)
      | (?P<key>[^\s=!,()]+)\s*(?P<operator>==|=|!=)\s*(?P<value>[^\s=!,()]*)
      | (?P<present>[^\s=!,()]+)
    )\s*(?:,|$)""",
    re.VERBOSE,
)


def parse_selector_text(text: str) -> Selector:
    """Raises KschedxError (wrong usage) for what kubectl would refuse."""
    expressions: list[LabelSelectorRequirement] = []
    position = 0
    if text.rstrip().endswith(","):
        raise _refused(text, "nothing follows the last comma")
    while position < len(text.rstrip()):
        part = _PART.match(text, position)
        if part is None:
            raise _refused(text, f"not understood from {text[position:].strip()!r} on")
        expressions.append(_requirement(part))
        position = part.end()
    try:
        return parse(LabelSelector(match_expressions=tuple(expressions)))
    except SelectorError as error:
        raise _refused(text, str(error)) from error


def _requirement(part: re.Match[str]) -> LabelSelectorRequirement:
    if part["missing"]:
        return LabelSelectorRequirement(part["missing"], DOES_NOT_EXIST)
    if part["present"]:
        return LabelSelectorRequirement(part["present"], EXISTS)
    if part["set_key"]:
        values = tuple(value.strip() for value in part["values"].split(","))
        operator = IN if part["set"] == "in" else NOT_IN
        return LabelSelectorRequirement(part["set_key"], operator, values)
    operator = NOT_IN if part["operator"] == "!=" else IN
    return LabelSelectorRequirement(part["key"], operator, (part["value"],))


def _refused(text: str, why: str) -> KschedxError:
    return KschedxError(
        "not-a-selector",
        f"{text!r} is not a label selector: {why}",
        hint="written as for kubectl: app=web,tier in (a, b),!legacy",
        exit_code=EXIT_USAGE,
    )
