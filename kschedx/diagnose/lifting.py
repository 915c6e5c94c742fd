"""Which changes might lift one cause on one node. Guesses: only a replay proves them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from kschedx.api.errors import KschedxError
from kschedx.api.pod import Pod
from kschedx.api.selector_text import parse_selector_text
from kschedx.api.selectors import show_node_term
from kschedx.api.storage import PersistentVolumeClaim
from kschedx.diagnose.node_labels import missing_labels
from kschedx.diagnose.stateful_pods import ordinal
from kschedx.framework.claim_edits import RecreateClaim
from kschedx.framework.cluster_edits import (
    DeletePods,
    LabelNode,
    RaiseMaxPods,
    RemoveTaint,
    Uncordon,
)
from kschedx.framework.edit import Edit
from kschedx.framework.pod_edits import (
    AddToleration,
    DropHostPort,
    DropNodeAffinity,
    DropNodeSelector,
    DropPodAffinity,
    HonorTaints,
    LeaveHostNetwork,
    RaiseMaxSkew,
    largest_request,
)
from kschedx.framework.request_edits import LowerOverhead, LowerPodRequest
from kschedx.framework.selector_edits import WidenNodeAffinity, WidenPodAffinity
from kschedx.framework.template_edits import (
    REVISION,
    CountOwnRevision,
    InitStepsFirst,
    SpreadIfPossible,
)
from kschedx.framework.verdict import Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.bound_claims import VolumeOutOfReach
from kschedx.schedulers.kube.plugins.inter_pod_affinity import (
    AffinityLabelMissing,
    NoPodToBeNear,
    PodToBeApartFrom,
    RepelledByPod,
)
from kschedx.schedulers.kube.plugins.node_affinity import NodeAffinityMismatch
from kschedx.schedulers.kube.plugins.node_ports import EVERY_ADDRESS, HostPortTaken
from kschedx.schedulers.kube.plugins.node_resources_fit import InsufficientResource, TooManyPods
from kschedx.schedulers.kube.plugins.node_unschedulable import NodeCordoned
from kschedx.schedulers.kube.plugins.node_volume_limits import VolumeLimitReached
from kschedx.schedulers.kube.plugins.pod_topology_spread import SkewTooLarge, SpreadLabelMissing
from kschedx.schedulers.kube.plugins.taint_toleration import UntoleratedTaint
from kschedx.schedulers.kube.plugins.volume_restrictions import ClaimInUse, DiskInUse
from kschedx.schedulers.kube.tolerations import UNSCHEDULABLE
from kschedx.schedulers.kube.topology_labels import HOSTNAME, REGION, ZONE

NODE_TROUBLE: Final = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/uninitialized")
"""Taints that say that a node is not well: neither tolerated nor removed by advice."""
_MOST_VICTIMS: Final = 3
_MOST_YOUNG: Final = 2
"""Pods of a crowded domain that are asked to go, one instead of the other."""
_WIDER: Final = {HOSTNAME: (ZONE, REGION), ZONE: (REGION,), REGION: ()}
"""Topology key -> keys of larger domains, the smallest first; of other keys all that are known."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """The pod on one node that rejects it."""

    pod: PodView
    node: NodeView
    cluster: ClusterView


def lifts(reason: Reason, on: Blocked) -> Iterator[Edit]:
    """Single changes that could lift the reason on this node, cheapest first; none known: none."""
    known = _LIFTS.get(type(reason))
    return iter(()) if known is None else known(reason, on)


def _uncordon(reason: Reason, on: Blocked) -> Iterator[Edit]:
    yield Uncordon(on.node.name)


def _taint(reason: UntoleratedTaint, on: Blocked) -> Iterator[Edit]:
    if reason.key == UNSCHEDULABLE.key:
        yield Uncordon(on.node.name)
    elif not reason.key.startswith(NODE_TROUBLE):
        yield AddToleration(reason.key, reason.value, reason.effect)
        yield RemoveTaint(on.node.name, reason.key, reason.value, reason.effect)


def _selector(reason: NodeAffinityMismatch, on: Blocked) -> Iterator[Edit]:
    """All that fails has to go together, so each edit lifts its own part only."""
    pod = on.pod.pod
    selector = pod.spec.node_selector
    for failed in reason.failed:
        if selector.get(failed.key) in failed.values:
            yield DropNodeSelector(failed.key, selector[failed.key])
    if not _bound_to_node(pod):
        for failed in reason.failed:
            if failed.operator == "In" and failed.found and failed.key not in selector:
                yield WidenNodeAffinity(failed.key, failed.found)
    yield from unpinned(pod)
    for failed in reason.failed:
        if failed.operator == "In" and failed.values and failed.key != "metadata.name":
            yield LabelNode(on.node.name, failed.key, failed.values[0])


def unpinned(pod: Pod) -> Iterator[Edit]:
    """Without what the pod requires of nodes, unless that is what makes it a node's own."""
    affinity = pod.spec.affinity
    own = affinity.node_affinity if affinity is not None else None
    if own is not None and own.required is not None and not _bound_to_node(pod):
        terms = [show_node_term(term) for term in own.required.node_selector_terms]
        yield DropNodeAffinity(" or ".join(terms))


def _request(reason: InsufficientResource, on: Blocked) -> Iterator[Edit]:
    free = reason.allocatable - reason.used
    pod = on.pod.pod
    steps = [c.name for c in pod.spec.init_containers if not c.restartable]
    sidecars = [c.name for c in pod.spec.init_containers if c.restartable]
    if steps and sidecars:
        yield InitStepsFirst(tuple(steps), tuple(sidecars))
    whole = LowerPodRequest.of(pod, reason.resource, free, on.cluster)
    if whole is not None:
        yield whole
    overhead = LowerOverhead.of(pod, reason.resource, reason.short_by() or 0)
    if overhead is not None:
        yield overhead
    if free > 0:
        for container in (*pod.spec.containers, *pod.spec.init_containers):
            edit = largest_request(
                pod,
                container,
                reason.resource,
                lambda tried: on.cluster.view(tried).asked.get(reason.resource, 0) <= free,
            )
            if edit is not None:
                yield edit
    if reason.requested <= reason.allocatable:
        yield from _free_room(
            on,
            lambda pods: sum(p.requests.get(reason.resource, 0) for p in pods),
            reason.short_by() or 0,
        )


def _slots(reason: TooManyPods, on: Blocked) -> Iterator[Edit]:
    yield from _free_room(on, len, reason.pods + 1 - reason.allocatable)
    if reason.allocatable > 0:
        yield RaiseMaxPods(on.node.name, reason.allocatable, reason.pods + 1)


def _removable(on: Blocked) -> list[PodView]:
    """Pods that may be asked to go: none that is more important, bound to its node, or static."""
    return [pod for pod in on.node.pods if _may_go(pod, on)]


def _may_go(pod: PodView, on: Blocked) -> bool:
    return pod.priority <= on.pod.priority and not _bound_to_node(pod.pod)


def _bound_to_node(pod: Pod) -> bool:
    owner = pod.metadata.controller
    return owner is not None and owner.kind in ("DaemonSet", "Node")


def _free_room(on: Blocked, freed: Callable[[list[PodView]], int], needed: int) -> Iterator[Edit]:
    """The fewest pods whose going frees enough: the smallest that do alone, else the largest."""
    pods = sorted(_removable(on), key=lambda pod: (freed([pod]), pod.key))
    alone = [pod for pod in pods if freed([pod]) >= needed]
    # One that is on its way out already disturbs nobody.
    for pod in sorted(alone, key=lambda pod: not pod.terminating)[:_MOST_VICTIMS]:
        yield DeletePods(on.node.name, (pod.key,))
    if not alone:
        chosen: list[PodView] = []
        for pod in reversed(pods):
            chosen.append(pod)
            if freed(chosen) >= needed:
                break
        if len(chosen) <= _MOST_VICTIMS and freed(chosen) >= needed:
            yield DeletePods(on.node.name, tuple(sorted(p.key for p in chosen)))


def _port(reason: HostPortTaken, on: Blocked) -> Iterator[Edit]:
    # On the host network a port without hostPort is given one: it cannot be dropped alone.
    on_host = on.pod.pod.spec.host_network
    yield LeaveHostNetwork() if on_host else DropHostPort(reason.port, reason.protocol)
    addresses = {reason.host_ip, EVERY_ADDRESS}
    holders = {
        pod.key
        for pod in on.node.pods
        for address, protocol, port in pod.host_ports
        if (protocol, port) == (reason.protocol, reason.port)
        and (address in addresses or reason.host_ip == EVERY_ADDRESS)
    }
    if len(holders) <= _MOST_VICTIMS and holders <= {pod.key for pod in _removable(on)}:
        yield DeletePods(on.node.name, tuple(sorted(holders)))


def _skew(reason: SkewTooLarge, on: Blocked) -> Iterator[Edit]:
    yield HonorTaints(reason.topology_key)
    if REVISION in on.pod.labels:
        yield CountOwnRevision(reason.topology_key)
    yield RaiseMaxSkew(reason.topology_key, reason.max_skew, reason.skew)
    yield from _crowd(reason, on)


def _crowd(reason: SkewTooLarge, on: Blocked) -> Iterator[Edit]:
    """The fewest pods of the domain that count, the youngest: they took others' places."""
    needed = reason.short_by()
    if needed > _MOST_VICTIMS:
        return
    try:
        selector = parse_selector_text(reason.selector)
    except KschedxError:  # not one that kubectl's -l can write
        return
    counted = [
        pod
        for name, pods in on.cluster.pods_in_namespace(on.pod.namespace).items()
        if on.cluster.nodes[name].labels.get(reason.topology_key) == reason.domain
        for pod in pods
        if selector.matches(pod.labels) and not pod.terminating and _may_go(pod, on)
    ]
    youngest = sorted(sorted(counted, key=lambda pod: pod.key), key=_youth, reverse=True)
    if needed == 1:
        for pod in youngest[:_MOST_YOUNG]:
            yield DeletePods(pod.pod.spec.node_name, (pod.key,))
        return
    going = youngest[:needed]
    nodes = {pod.pod.spec.node_name for pod in going}
    if len(going) == needed and len(nodes) == 1:
        yield DeletePods(nodes.pop(), tuple(sorted(pod.key for pod in going)))


def _youth(pod: PodView) -> tuple[str, int]:
    """When it was created; in a StatefulSet higher ordinals come later."""
    number = ordinal(pod.pod)
    return pod.pod.metadata.creation_timestamp or "", -1 if number is None else number


def _missing_spread_label(reason: SpreadLabelMissing, on: Blocked) -> Iterator[Edit]:
    yield SpreadIfPossible(reason.topology_key)
    yield from _labelled(reason.topology_key, on)


def _labelled(key: str, on: Blocked) -> Iterator[Edit]:
    edit = missing_labels(key, on.cluster)
    if edit is not None:
        yield edit


def _near(reason: NoPodToBeNear, on: Blocked) -> Iterator[Edit]:
    for wider in _WIDER.get(reason.topology_key, (ZONE, REGION)):
        if wider in on.node.labels:
            yield WidenPodAffinity(reason.topology_key, wider, reason.selector)
    yield DropPodAffinity(reason.topology_key, reason.selector, anti=False)


def _missing_affinity_label(reason: AffinityLabelMissing, on: Blocked) -> Iterator[Edit]:
    yield DropPodAffinity(reason.topology_key, reason.selector, anti=False)
    yield from _labelled(reason.topology_key, on)


def _apart(reason: PodToBeApartFrom, on: Blocked) -> Iterator[Edit]:
    yield DropPodAffinity(reason.topology_key, reason.selector, anti=True)
    if reason.count == 1:
        yield from _delete(reason.pod, on)


def _claim(reason: ClaimInUse, on: Blocked) -> Iterator[Edit]:
    if len(reason.pods) == 1:
        yield from _delete(reason.pods[0], on)


def _disk(reason: DiskInUse, on: Blocked) -> Iterator[Edit]:
    yield from _delete(reason.pod, on)


def _attached(reason: VolumeLimitReached, on: Blocked) -> Iterator[Edit]:
    with_volumes = [pod for pod in _removable(on) if pod.pod.spec.volumes]
    for pod in sorted(with_volumes, key=lambda pod: (not pod.terminating, pod.key)):
        yield DeletePods(on.node.name, (pod.key,))


def _repelled(reason: RepelledByPod, on: Blocked) -> Iterator[Edit]:
    if reason.count == 1:
        yield from _delete(reason.pod, on)


def _delete(key: str, on: Blocked) -> Iterable[Edit]:
    pod = on.cluster.find(key)
    if pod is not None and pod.priority <= on.pod.priority:
        yield DeletePods(pod.pod.spec.node_name or on.node.name, (key,))


def _out_of_reach(reason: VolumeOutOfReach, on: Blocked) -> Iterator[Edit]:
    """Nobody else may use the claim: with it go its volume's data."""
    claim = on.cluster.snapshot.get(PersistentVolumeClaim, reason.claim)
    others = [
        other
        for pods in on.cluster.pods_in_namespace(on.pod.namespace).values()
        for other in pods
        if _mounts(other.pod, reason.claim)
    ]
    edit = RecreateClaim.of(claim, on.cluster) if claim is not None and not others else None
    if edit is not None:
        yield edit


def _mounts(pod: Pod, claim: str) -> bool:
    sources = (volume.persistent_volume_claim for volume in pod.spec.volumes)
    return any(own and f"{pod.namespace}/{own.claim_name}" == claim for own in sources)


_LIFTS: Final[dict[type[Reason], Callable[[Any, Blocked], Iterator[Edit]]]] = {
    NodeCordoned: _uncordon,
    UntoleratedTaint: _taint,
    NodeAffinityMismatch: _selector,
    InsufficientResource: _request,
    TooManyPods: _slots,
    HostPortTaken: _port,
    SkewTooLarge: _skew,
    SpreadLabelMissing: _missing_spread_label,
    NoPodToBeNear: _near,
    AffinityLabelMissing: _missing_affinity_label,
    PodToBeApartFrom: _apart,
    RepelledByPod: _repelled,
    ClaimInUse: _claim,
    DiskInUse: _disk,
    VolumeLimitReached: _attached,
    VolumeOutOfReach: _out_of_reach,
}
