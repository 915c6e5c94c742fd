"""A score as a broken line over utilization, as scheduler configurations write it.

Upstream: plugins/helper/shape_score.go, apis/config/validation/validation_pluginargs.go
validateFunctionShape (v1.35.4).
Differences: none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.api.plugin_args import UtilizationShapePoint, unusable_args
from kschedx.framework.plugin import MAX_NODE_SCORE

MAX_UTILIZATION: Final = 100
"""In percent."""
MAX_SHAPE_SCORE: Final = 10
"""The scale of scores in a configuration; nodes are scored from 0 to 100."""


@dataclass(frozen=True, slots=True)
class UtilizationShape:
    """Straight lines between points, level before the first and after the last."""

    points: tuple[tuple[int, int], ...]
    """(utilization in percent, score of 0 to 100), utilization rising."""

    def at(self, utilization: int) -> int:
        """The score at this utilization in percent, rounded as upstream's integers are."""
        left, low = self.points[0]
        if utilization <= left:
            return low
        for right, high in self.points[1:]:
            if utilization <= right:
                return low + _divide((high - low) * (utilization - left), right - left)
            left, low = right, high
        return low

    def of(self, requested: int, capacity: int) -> int:
        """The score of so much of a capacity; more than all of it counts as all."""
        if capacity == 0 or requested > capacity:
            return self.at(MAX_UTILIZATION)
        return self.at(requested * MAX_UTILIZATION // capacity)


def _divide(dividend: int, divisor: int) -> int:
    """Go's integer division: towards zero."""
    quotient = abs(dividend) // divisor
    return quotient if dividend >= 0 else -quotient


def utilization_shape(plugin: str, points: Sequence[UtilizationShapePoint]) -> UtilizationShape:
    """The shape as a plugin's arguments write it.

    Raises KschedxError where the scheduler would refuse it.
    """
    utilizations = [point.utilization for point in points]
    if (
        not points
        or utilizations != sorted(set(utilizations))
        or not 0 <= utilizations[0] <= utilizations[-1] <= MAX_UTILIZATION
        or not all(0 <= point.score <= MAX_SHAPE_SCORE for point in points)
    ):
        raise unusable_args(
            plugin, "shape: utilization must rise from 0 to 100, and score lie within 0 to 10"
        )
    factor = MAX_NODE_SCORE // MAX_SHAPE_SCORE
    return UtilizationShape(tuple((p.utilization, p.score * factor) for p in points))
