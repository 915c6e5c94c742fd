import pytest

from kschedx.framework.verdict import Outcome
from kschedx.schedulers.kube.plugins.node_name import NodeName, OtherNodeNamed
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, rejections

NODES = cluster(node("n1"), node("n2"))


def test_a_named_node_is_the_only_one() -> None:
    rule = NodeName.from_args({}, Release())

    assert rejections(rule, pod(), NODES) == {}
    assert rejections(rule, pod(node="n2"), NODES) == {"n1": (OtherNodeNamed("n2"),), "n2": ()}


@pytest.mark.parametrize(
    ("minor", "nodes"),
    [
        pytest.param(36, None, id="until 1.36 all nodes are looked at"),
        pytest.param(37, frozenset({"gone"}), id="from 1.37 on only the named one"),
    ],
)
def test_narrowing(minor: int, nodes: frozenset[str] | None) -> None:
    rule = NodeName.from_args({}, Release(minor))

    assert rule.prepare(NODES.view(pod(node="gone")), NODES).nodes == nodes
    assert rule.prepare(NODES.view(pod()), NODES).nodes is None


def test_words() -> None:
    reason = OtherNodeNamed("n2")

    assert reason.outcome is Outcome.UNRESOLVABLE
    assert reason.upstream_text(35) == "node(s) didn't match the requested node name"
    assert reason.sentence() == "asks for node/n2 by name"
