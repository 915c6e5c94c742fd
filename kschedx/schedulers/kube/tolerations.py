"""Which taints a pod tolerates.

Upstream: component-helpers scheduling/corev1/helpers.go, api/core/v1/toleration.go (v0.35.4).
Differences: the gated comparison operators Lt and Gt never match.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from kschedx.api.node import Taint
from kschedx.api.pod import Toleration

NO_SCHEDULE: Final = "NoSchedule"
NO_EXECUTE: Final = "NoExecute"
PREFER_NO_SCHEDULE: Final = "PreferNoSchedule"
HARD_EFFECTS: Final = (NO_SCHEDULE, NO_EXECUTE)
UNSCHEDULABLE: Final = Taint(key="node.kubernetes.io/unschedulable", effect=NO_SCHEDULE)


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether this one toleration covers the taint. Upstream: Toleration.ToleratesTaint."""
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"


def tolerated(taint: Taint, tolerations: Sequence[Toleration]) -> bool:
    """Whether any of the tolerations covers the taint."""
    return any(tolerates(toleration, taint) for toleration in tolerations)


def untolerated(
    taints: Iterable[Taint],
    tolerations: Sequence[Toleration],
    effects: Sequence[str] = HARD_EFFECTS,
) -> list[Taint]:
    """The taints with one of these effects that no toleration covers, in the node's order."""
    return [t for t in taints if t.effect in effects and not tolerated(t, tolerations)]
