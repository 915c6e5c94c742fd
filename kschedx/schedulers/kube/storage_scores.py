"""Scores by storage: the less of it a pod's waiting claims fill on a node, the better.

Upstream: plugins/volumebinding/scorer.go, volume_binding.go (v1.37.2), Score.
Differences: a CSIStorageCapacity without a capacity counts as full, where upstream crashes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from kschedx.schedulers.kube.utilization_shape import UtilizationShape
from kschedx.schedulers.kube.waiting_claims import ChosenVolumes

DEFAULT_SHAPE: Final = UtilizationShape(((0, 100), (100, 0)))
"""1.33 on: the emptier, the better."""


def storage_score(shape: UtilizationShape, chosen: ChosenVolumes) -> int:
    """The mean of the classes' scores, rounded half up; 0 where no volume counts.

    Existing volumes that will be bound count by their size; only where there are none do those
    to be made count, by the capacity that is left.
    """
    requested: dict[str, int] = defaultdict(int)
    capacity: dict[str, int] = defaultdict(int)
    for claim, volume in chosen.static:
        requested[volume.storage_class] += claim.size_bytes
        capacity[volume.storage_class] += volume.capacity_bytes
    if not chosen.static:
        for claim, room in chosen.provisioned:
            if room is not None:
                requested[claim.storage_class] += claim.size_bytes
                capacity[claim.storage_class] = room.capacity_bytes
    return _mean([shape.of(requested[name], capacity[name]) for name in requested])


def _mean(scores: Sequence[int]) -> int:
    if not scores:
        return 0
    return (2 * sum(scores) + len(scores)) // (2 * len(scores))
