"""Two lists of tolerations as one, without those that another one covers.

Upstream: pkg/util/tolerations/tolerations.go (v1.35.4), MergeTolerations.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kschedx.api.pod import Toleration


def merged(first: Sequence[Toleration], second: Sequence[Toleration]) -> tuple[Toleration, ...]:
    """Both lists in order; of equal tolerations the first stays, of others the wider."""
    candidates = (*first, *second)
    kept: list[Toleration] = []
    for index, toleration in enumerate(candidates):
        later = (other for other in candidates[index + 1 :] if other != toleration)
        if not _covered(toleration, kept) and not _covered(toleration, later):
            kept.append(toleration)
    return tuple(kept)


def _covered(toleration: Toleration, others: Iterable[Toleration]) -> bool:
    return any(_covers(other, toleration) for other in others)


def _covers(wide: Toleration, narrow: Toleration) -> bool:
    """Whether all that the narrow one tolerates is tolerated by the wide one, and as long."""
    if wide == narrow:
        return True
    if narrow.key != wide.key and (wide.key or wide.operator != "Exists"):
        return False
    if wide.effect and narrow.effect != wide.effect:
        return False
    if wide.effect == "NoExecute" and wide.toleration_seconds is not None:
        seconds = narrow.toleration_seconds
        if seconds is None or seconds > wide.toleration_seconds:
            return False
    if wide.operator in ("", "Equal"):
        return narrow.operator == "Equal" and narrow.value == wide.value
    return wide.operator == "Exists"
