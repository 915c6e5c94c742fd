"""Siblings: waiting pods of the same controller, which the same change may help or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.api.pod import Pod
from kschedx.framework.edit import Edit
from kschedx.framework.pod_edits import PodEdit
from kschedx.framework.views import ClusterView, PodView

MOST_SIBLINGS: Final = 12
"""Of more nothing is found out: each takes a replay for each hint."""

Winners = Callable[[PodView, ClusterView], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Together:
    """How many of the pods that wait like this one get a node by the same change."""

    owner: str
    """Their controller, such as "ReplicaSet web-1"."""
    waiting: int
    """This one among them."""
    placed: int


def siblings(pod: Pod, cluster: ClusterView) -> tuple[Pod, ...]:
    """Those that wait as well, by name; none where there are too many to replay."""
    owner = pod.metadata.controller
    if owner is None:
        return ()
    found = [
        other.pod
        for key, other in sorted(cluster.waiting.items())
        if other.namespace == pod.namespace
        and other.pod.name != pod.name
        and other.pod.metadata.controller == owner
        and not other.terminating
    ]
    return tuple(found) if len(found) <= MOST_SIBLINGS else ()


def together(
    edits: Sequence[Edit], pod: Pod, others: Sequence[Pod], cluster: ClusterView, winners: Winners
) -> Together:
    """All placed one after the other, the pod itself first."""
    placed = 0
    for edit in edits:
        if not isinstance(edit, PodEdit):
            _, cluster = edit.apply(pod, cluster)
    for each in (pod, *others):
        changed = each
        for edit in edits:
            if isinstance(edit, PodEdit):
                changed = edit.changed(changed)
        view = cluster.view(changed)
        found = winners(view, cluster)
        if found:
            placed += 1
            cluster = cluster.with_pod_on(view, found[0])
    owner = pod.metadata.controller
    named = f"{owner.kind} {owner.name}" if owner is not None else ""
    return Together(named, len(others) + 1, placed)
