"""ImageLocality: prefer nodes that already hold the pod's large images.

Upstream: plugins/imagelocality/image_locality.go (v1.35.4, v1.36.3, v1.37.2), Score;
backend/cache/cache.go addNodeImageStates.
Differences: where nodes state different sizes for an image, the node first by name counts, as
after a start of the scheduler; a running one keeps that of the node that it saw first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kschedx.framework.plugin import MAX_NODE_SCORE, ScorePlugin
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.versions import Release

MIN_BYTES: Final = 23 * 1024 * 1024
"""Less than this on a node is not worth a preference."""
MAX_BYTES_PER_IMAGE: Final = 1000 * 1024 * 1024


def normalized(image: str) -> str:
    """The image's name as nodes list it: ":latest" is added where neither tag nor digest is."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"


@dataclass(frozen=True, slots=True)
class Images:
    """What every node's score comes from."""

    images: Sequence[tuple[int, frozenset[str]]]
    """One for each use by the pod: bytes, less the fewer nodes have it; the nodes that have it."""
    max_bytes: int


@dataclass(frozen=True)
class ImageLocality(ScorePlugin):
    """The rule."""

    name: ClassVar[str] = "ImageLocality"
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> ImageLocality:
        return cls(release)

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> Images:
        spec = pod.pod.spec
        names = [normalized(c.image) for c in (*spec.init_containers, *spec.containers)]
        count = len(names)
        if self.release.minor >= 36:
            volumes = [normalized(v.image.reference) for v in spec.volumes if v.image is not None]
            names += volumes
            count += len(volumes) if self.release.minor >= 37 else 0
        found = _holders(frozenset(names), cluster)
        total = float(len(cluster.nodes))
        weighed = {
            name: (int(float(size) * (float(len(holders)) / total)), frozenset(holders))
            for name, (size, holders) in found.items()
        }
        return Images([weighed[n] for n in names if n in weighed], MAX_BYTES_PER_IMAGE * count)

    def score(self, state: Images, node: NodeView) -> int:
        there = sum(size for size, holders in state.images if node.name in holders)
        span = state.max_bytes - MIN_BYTES
        # Without any container, the most is less than the least: upstream divides all the same.
        clamped = MIN_BYTES if there < MIN_BYTES else min(there, state.max_bytes)
        return MAX_NODE_SCORE * (clamped - MIN_BYTES) // span


def _holders(names: frozenset[str], cluster: ClusterView) -> dict[str, tuple[int, set[str]]]:
    """Image name -> its size in bytes and the nodes that have it."""
    found: dict[str, tuple[int, set[str]]] = {}
    for node_name in sorted(cluster.nodes):
        for image in cluster.nodes[node_name].node.status.images:
            for name in names.intersection(image.names):
                found.setdefault(name, (image.size_bytes, set()))[1].add(node_name)
    return found
