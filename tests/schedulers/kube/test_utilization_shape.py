from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kschedx.api.errors import KschedxError
from kschedx.api.plugin_args import UtilizationShapePoint
from kschedx.schedulers.kube.utilization_shape import UtilizationShape, utilization_shape

LINE = UtilizationShape(((20, 100), (50, 99), (80, 0)))


@pytest.mark.parametrize(
    ("utilization", "score"),
    [(0, 100), (20, 100), (21, 100), (49, 100), (50, 99), (51, 96), (65, 50), (80, 0), (100, 0)],
)
def test_a_broken_line_rounds_towards_its_left_point(utilization: int, score: int) -> None:
    assert LINE.at(utilization) == score


@pytest.mark.parametrize(
    ("requested", "capacity", "score"), [(1, 5, 100), (1, 0, 0), (6, 5, 0), (5, 5, 0), (0, 5, 100)]
)
def test_of_a_capacity(requested: int, capacity: int, score: int) -> None:
    assert LINE.of(requested, capacity) == score


POINTS = st.lists(
    st.tuples(st.integers(0, 100), st.integers(0, 10)),
    min_size=1,
    max_size=5,
    unique_by=lambda p: p[0],
)


@given(points=POINTS, utilization=st.integers(0, 100))
def test_scores_stay_between_their_neighbours(
    points: list[tuple[int, int]], utilization: int
) -> None:
    shape = utilization_shape("X", [UtilizationShapePoint(u, s) for u, s in sorted(points)])
    around = [
        (low, high)
        for (left, low), (right, high) in pairwise(shape.points)
        if left <= utilization <= right
    ] or [(shape.points[0][1], shape.points[0][1]), (shape.points[-1][1], shape.points[-1][1])]

    assert any(min(pair) <= shape.at(utilization) <= max(pair) for pair in around)


@pytest.mark.parametrize(
    "points", [[], [(0, 0), (0, 1)], [(50, 0), (10, 1)], [(0, 11)], [(101, 0)], [(-1, 0)]]
)
def test_shapes_that_the_scheduler_refuses(points: list[tuple[int, int]]) -> None:
    with pytest.raises(KschedxError):
        utilization_shape("X", [UtilizationShapePoint(u, s) for u, s in points])
