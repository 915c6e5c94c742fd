"""What scoring by resources starts from: how full a node is without and with the pod.

Upstream: plugins/noderesources/resource_allocation.go (v1.35.4; v1.37.2 alike).
Differences: devices behind a resource name are not counted; no checked pod meets them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kschedx.api.plugin_args import ResourceSpec, unusable_args
from kschedx.api.quantity import CPU, MEMORY
from kschedx.framework.accounting import counts, is_scalar
from kschedx.framework.views import NodeView

MAX_WEIGHT: Final = 100


@dataclass(frozen=True, slots=True)
class ScoredResource:
    """A resource that counts in a score."""

    name: str
    weight: int = 1


CPU_AND_MEMORY: Final = (ScoredResource(CPU), ScoredResource(MEMORY))
"""Upstream's default."""


class Usage(NamedTuple):
    """One resource on one node."""

    weight: int
    allocatable: int
    used: int
    """By the pods that are there."""
    requested: int
    """By those and the pod."""


def scored_resources(
    plugin: str, resources: Sequence[ResourceSpec], *, max_weight: int = MAX_WEIGHT
) -> tuple[ScoredResource, ...]:
    """As written in a plugin's arguments, with upstream's defaults.

    Raises KschedxError for a weight outside 1 to `max_weight`.
    """
    if not resources:
        return CPU_AND_MEMORY
    scored = tuple(ScoredResource(r.name, r.weight or 1) for r in resources)
    for resource in scored:
        if not 0 < resource.weight <= max_weight:
            raise unusable_args(
                plugin,
                f"weight {resource.weight} of {resource.name} is not within 1 to {max_weight}",
            )
    return scored


def usages(
    node: NodeView,
    resources: Sequence[ScoredResource],
    asked: Sequence[int],
    *,
    stand_ins: bool,
) -> list[Usage]:
    """The resources that count for this pod on this node, in their order.

    `asked` is what the pod adds of each; `stand_ins` counts cpu and memory of the pods on the node
    with stand-ins for missing requests.
    """
    allocatable = node.allocatable
    found = []
    for resource, more in zip(resources, asked, strict=True):
        name = resource.name
        total = allocatable.get(name, 0)
        if not total or not counts(name) or (not more and is_scalar(name)):
            continue
        if stand_ins and name in (CPU, MEMORY):
            used = node.nonzero_requested[name == MEMORY]
        else:
            used = node.requested.get(name, 0)
        found.append(Usage(resource.weight, total, used, used + more))
    return found
