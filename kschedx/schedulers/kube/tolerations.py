"""Which taints a pod tolerates.

Upstream: component-helpers scheduling/corev1/helpers.go, api/core/v1/toleration.go (v0.35.4).
Differences: topology spread and rollouts do not pass on the gated operators Lt and Gt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from kschedx.api.node import Taint
from kschedx.api.pod import Toleration
from kschedx.api.selectors import parse_integer

NO_SCHEDULE: Final = "NoSchedule"
NO_EXECUTE: Final = "NoExecute"
PREFER_NO_SCHEDULE: Final = "PreferNoSchedule"
COMPARISON_GATE: Final = "TaintTolerationComparisonOperators"
HARD_EFFECTS: Final = (NO_SCHEDULE, NO_EXECUTE)
UNSCHEDULABLE: Final = Taint(key="node.kubernetes.io/unschedulable", effect=NO_SCHEDULE)
_INTEGER: Final = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)


def tolerates(toleration: Toleration, taint: Taint, *, comparing: bool = False) -> bool:
    """Whether this one toleration covers the taint. Upstream: Toleration.ToleratesTaint.

    `comparing`: the gate TaintTolerationComparisonOperators is on.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    if comparing and toleration.operator in ("Lt", "Gt"):
        bound, value = _number(toleration.value), _number(taint.value)
        if bound is None or value is None:
            return False
        return value < bound if toleration.operator == "Lt" else value > bound
    return toleration.operator == "Exists"


def _number(text: str) -> int | None:
    """A whole number of 64 bits as people write it: no sign but "-", no leading zeros."""
    return parse_integer(text) if _INTEGER.fullmatch(text) else None


def tolerated(taint: Taint, tolerations: Sequence[Toleration], *, comparing: bool = False) -> bool:
    """Whether any of the tolerations covers the taint."""
    return any(tolerates(toleration, taint, comparing=comparing) for toleration in tolerations)


def untolerated(
    taints: Iterable[Taint],
    tolerations: Sequence[Toleration],
    effects: Sequence[str] = HARD_EFFECTS,
    *,
    comparing: bool = False,
) -> list[Taint]:
    """The taints with one of these effects that no toleration covers, in the node's order."""
    return [
        taint
        for taint in taints
        if taint.effect in effects and not tolerated(taint, tolerations, comparing=comparing)
    ]
