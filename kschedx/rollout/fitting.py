"""Whether a node would take a pod once others have come or gone."""

from __future__ import annotations

from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.filtering import Filters


def rules(scheduler: KubeScheduler, pod: PodView, cluster: ClusterView) -> Filters | None:
    """The pod's rules there; None where no node would be looked at."""
    try:
        filters = scheduler.filters(pod, cluster)
    except CycleError:
        return None
    return filters if filters.preparation.rejection is None else None


def fits(
    filters: Filters,
    node: NodeView,
    *,
    added: tuple[PodView, ...] = (),
    removed: tuple[PodView, ...] = (),
) -> bool:
    """Whether every rule lets the pod onto the node, once others have come or gone."""
    narrowed = filters.preparation.narrowed_to
    if narrowed is not None and node.name not in narrowed:
        return False
    states = filters.states
    if removed:
        node = node.without(removed)
        states = filters.after(states, node, removed=removed)
    for other in added:
        node = node.with_pod(other)
        states = filters.after(states, node, added=(other,))
    try:
        return filters.trace(node, states, every=False).outcome is Outcome.FITS
    except CycleError:
        return False
