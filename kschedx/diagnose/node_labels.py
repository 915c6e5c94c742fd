"""Labels for nodes that lack a topology key, with values that are as true as can be known."""

from __future__ import annotations

from typing import Final

from kschedx.framework.cluster_edits import LabelNodes
from kschedx.framework.views import ClusterView, NodeView
from kschedx.schedulers.kube.topology_labels import (
    BETA_REGION,
    BETA_ZONE,
    HOSTNAME,
    REGION,
    ZONE,
)

_MOST_VALUES: Final = 8
"""More different values than these would make a command that nobody reads."""
_SAME: Final = {
    ZONE: (
        BETA_ZONE,
        "topology.ebs.csi.aws.com/zone",
        "topology.gke.io/zone",
        "topology.disk.csi.azure.com/zone",
        "topology.cinder.csi.openstack.org/zone",
    ),
    REGION: (BETA_REGION,),
    BETA_ZONE: (ZONE,),
    BETA_REGION: (REGION,),
}
"""Topology key -> labels that say the same, the best known first."""


def missing_labels(key: str, cluster: ClusterView) -> LabelNodes | None:
    """The label for all nodes that lack it; None where it would have too many values."""
    nodes = [node for node in cluster.nodes.values() if key not in node.labels]
    if key == HOSTNAME:
        return _few(LabelNodes(key, tuple((node.name, node.name) for node in nodes), "name"))
    for source in _SAME.get(key, ()):
        values = _taken(nodes, source)
        if values:
            return _few(LabelNodes(key, values, source))
    made_up = f"{key.rpartition('/')[2]}-1"
    return LabelNodes(key, tuple((node.name, made_up) for node in nodes), "")


def _taken(nodes: list[NodeView], source: str) -> tuple[tuple[str, str], ...]:
    return tuple((n.name, n.labels[source]) for n in nodes if n.labels.get(source))


def _few(edit: LabelNodes) -> LabelNodes | None:
    return edit if len({value for _, value in edit.values}) <= _MOST_VALUES else None
