from typing import Any

import pytest

from kschedx.framework.verdict import Outcome, Reason
from kschedx.schedulers.kube.plugins.node_unschedulable import NodeCordoned, NodeUnschedulable
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, rejections

RULE = NodeUnschedulable.from_args({}, Release())
KEY = "node.kubernetes.io/unschedulable"
NODES = cluster(node("open"), node("cordoned", unschedulable=True))
REJECTED: dict[str, tuple[Reason, ...]] = {"open": (), "cordoned": (NodeCordoned(),)}


@pytest.mark.parametrize(
    ("tolerations", "expected"),
    [
        pytest.param([], REJECTED, id="no toleration"),
        pytest.param([{"key": KEY, "operator": "Exists"}], {}, id="tolerated"),
        pytest.param([{"operator": "Exists"}], {}, id="everything is tolerated"),
        pytest.param(
            [{"key": KEY, "operator": "Exists", "effect": "NoExecute"}],
            REJECTED,
            id="another effect is tolerated",
        ),
        pytest.param([{"key": KEY, "value": "yes"}], REJECTED, id="another value is tolerated"),
    ],
)
def test_a_cordoned_node_takes_no_pods(
    tolerations: list[dict[str, Any]], expected: dict[str, tuple[Reason, ...]]
) -> None:
    assert rejections(RULE, pod(spec={"tolerations": tolerations}), NODES) == expected


def test_words() -> None:
    reason = NodeCordoned()

    assert reason.outcome is Outcome.UNRESOLVABLE
    assert reason.upstream_text(35) == "node(s) were unschedulable"
    assert reason.sentence() == "the node is cordoned"
    assert reason.subject() == "cordoned"
