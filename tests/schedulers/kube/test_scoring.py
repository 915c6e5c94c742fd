"""How many nodes the real scheduler looks for."""

import pytest

from kschedx.schedulers.kube.scoring import nodes_sought


@pytest.mark.parametrize(
    ("nodes", "percentage", "sought"),
    [
        (0, None, 0),
        (99, 10, 99),
        (100, 10, 100),
        (130, None, 100),
        (1000, None, 420),
        (1000, 0, 420),
        (1000, 30, 300),
        (1000, 1, 100),
        (1000, 100, 1000),
        (5000, None, 500),
        (10000, None, 500),
    ],
)
def test_nodes_sought(nodes: int, percentage: int | None, sought: int) -> None:
    assert nodes_sought(nodes, percentage) == sought
