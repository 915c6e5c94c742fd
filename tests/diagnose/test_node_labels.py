"""The values that nodes without a topology label get."""

import pytest

from kschedx.api.meta import ObjectMeta
from kschedx.api.node import Node
from kschedx.diagnose.node_labels import missing_labels
from kschedx.framework.cluster_edits import LabelNodes
from tests.builders import cluster, node

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
OLD, EBS = "failure-domain.beta.kubernetes.io/zone", "topology.ebs.csi.aws.com/zone"
RACK = "example.com/rack"


VALUES: dict[str, tuple[str, tuple[Node, ...], LabelNodes | None]] = {
    "nothing says it": (
        RACK,
        (node("a"), node("b", labels={RACK: "r"})),
        LabelNodes(RACK, (("a", "rack-1"),), ""),
    ),
    "the older label says it": (
        ZONE,
        (node("a", labels={OLD: "x", EBS: "y"}), node("b", labels={EBS: "y"})),
        LabelNodes(ZONE, (("a", "x"),), OLD),
    ),
    "a volume driver's label says it": (
        ZONE,
        (node("a", labels={EBS: "y"}),),
        LabelNodes(ZONE, (("a", "y"),), EBS),
    ),
    "too many values": (
        ZONE,
        tuple(node(f"n{i}", labels={OLD: f"z{i}"}) for i in range(9)),
        None,
    ),
}


@pytest.mark.parametrize(("key", "nodes", "expected"), VALUES.values(), ids=VALUES.keys())
def test_missing_labels(key: str, nodes: tuple[Node, ...], expected: LabelNodes | None) -> None:
    assert missing_labels(key, cluster(*nodes)) == expected


def test_the_host_name_is_the_node_itself() -> None:
    bare = [Node(metadata=ObjectMeta(name=name)) for name in "ab"]

    assert missing_labels(HOST, cluster(*bare)) == LabelNodes(
        HOST, (("a", "a"), ("b", "b")), "name"
    )
