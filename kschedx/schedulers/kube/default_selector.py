"""The selector that stands for a pod's siblings: its Services and the controller that owns it.

Upstream: framework/plugins/helper/spread.go (v1.35.4), DefaultSelector, GetPodServices.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kschedx.api.meta import Object, OwnerReference
from kschedx.api.selectors import EVERYTHING, NOTHING, Selector, SelectorError, from_labels, parse
from kschedx.api.workloads import ReplicaSet, ReplicationController, Service, StatefulSet
from kschedx.framework.views import PodView
from kschedx.snapshot.snapshot import Snapshot

_OWNERS: Final[Mapping[tuple[str, str, str], type[Object]]] = {
    ("", "v1", "ReplicationController"): ReplicationController,
    ("apps", "v1", "ReplicaSet"): ReplicaSet,
    ("apps", "v1", "StatefulSet"): StatefulSet,
}
"""(group, version, kind) of the controllers that upstream looks at."""


def _owner_kind(owner: OwnerReference) -> type[Object] | None:
    group, _, version = owner.api_version.rpartition("/")
    return _OWNERS.get((group, version, owner.kind))


def default_selector(pod: PodView, snapshot: Snapshot) -> Selector:
    """All pods that share the pod's Services and its controller.

    It is empty where the pod has neither: then nothing is spread.
    """
    pairs: dict[str, str] = {}
    for service in snapshot.all(Service).values():
        selector = service.spec.selector
        if service.namespace == pod.namespace and from_labels(selector).matches(pod.labels):
            pairs |= selector
    owner = pod.pod.metadata.controller
    kind = _owner_kind(owner) if owner is not None else None
    if owner is None or kind is None:
        return from_labels(pairs)
    controller = snapshot.get(kind, f"{pod.namespace}/{owner.name}")
    if isinstance(controller, ReplicationController):
        return from_labels(pairs | controller.spec.selector)
    return from_labels(pairs).also(_own_selector(controller))


def _own_selector(controller: Object | None) -> Selector:
    """What a controller adds: nothing where it is gone, selects nothing or cannot be parsed."""
    if not isinstance(controller, ReplicaSet | StatefulSet):
        return EVERYTHING
    try:
        selector = parse(controller.spec.selector)
    except SelectorError:
        return EVERYTHING
    return EVERYTHING if selector is NOTHING else selector


def unread_kind(pod: PodView, snapshot: Snapshot) -> str | None:
    """The kind that would have to be read to know the pod's siblings, if one was not."""
    owner = pod.pod.metadata.controller
    kind = _owner_kind(owner) if owner is not None else None
    for needed in (Service, kind):
        if needed is not None and not snapshot.read(needed):
            return needed.__name__
    return None
