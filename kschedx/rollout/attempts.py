"""Scheduling attempts with a memory: what was found of a pod's shape on an unchanged node stands.

Laws: the answer equals the scheduler's own; a node view is a value, so the same view means that
nothing on the node has changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

from kschedx.framework.attempt import Attempt
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import NodeTrace, Outcome
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.snapshot import Snapshot

Nominations = tuple[tuple[str, int, str], ...]


class Attempts:
    """One scheduler's attempts during any number of runs on views of one snapshot."""

    def __init__(self, scheduler: KubeScheduler) -> None:
        self.scheduler = scheduler
        self._shapes: WeakKeyDictionary[PodView, str] = WeakKeyDictionary()
        self._traces: dict[str, dict[str, tuple[NodeView, NodeTrace]]] = {}
        self._whole: dict[str, tuple[list[NodeView], Snapshot, Nominations, Attempt]] = {}

    def attempt(self, pod: PodView, cluster: ClusterView) -> Attempt:
        """As KubeScheduler.attempt, up to each node's first rejection."""
        shape = self._shape(pod)
        nominations = _nominations(cluster, pod)
        remembered = self._whole.get(shape)
        nodes = list(cluster.nodes.values())
        if (
            remembered is not None
            and remembered[1] is cluster.snapshot
            and remembered[2] == nominations
            and len(remembered[0]) == len(nodes)
            and all(a is b for a, b in zip(remembered[0], nodes, strict=True))
        ):
            return remembered[3]
        dry_runs = _outranks_anyone(pod, cluster)
        found = None if nominations or dry_runs else self._by_node(pod, cluster, shape)
        if found is None:
            found = self.scheduler.attempt(pod, cluster, every_rule=False, dry_runs=dry_runs)
        self._whole[shape] = (nodes, cluster.snapshot, nominations, found)
        return found

    def _shape(self, pod: PodView) -> str:
        known = self._shapes.get(pod)
        if known is None:
            status = pod.pod.status.nominated_node_name
            known = repr((pod.namespace, sorted(pod.labels.items()), pod.pod.spec, status))
            self._shapes[pod] = known
        return known

    def _by_node(self, pod: PodView, cluster: ClusterView, shape: str) -> Attempt | None:
        """Only nodes that have changed are looked at; None: the whole cycle must be run."""
        if couples(pod, cluster):
            return None
        try:
            filters = self.scheduler.filters(pod, cluster)
        except CycleError:
            return None
        preparation = filters.preparation
        if preparation.rejection or preparation.narrowed_to is not None or preparation.not_checked:
            return None
        known = self._traces.setdefault(shape, {})
        traces: dict[str, NodeTrace] = {}
        for name, node in cluster.nodes.items():
            remembered = known.get(name)
            if remembered is None or remembered[0] is not node:
                remembered = (node, filters.trace(node, every=False))
                known[name] = remembered
            if remembered[1].outcome in (Outcome.FITS, Outcome.NOT_CHECKED):
                return None
            traces[name] = remembered[1]
        return Attempt(
            pod=pod,
            scheduler=self.scheduler.name,
            minor=self.scheduler.release.minor,
            node_count=len(cluster.nodes),
            traces=traces,
        )


def couples(pod: PodView, cluster: ClusterView) -> bool:
    """Whether a change on one node can alter what is found on another."""
    spec = pod.pod.spec
    if (
        spec.topology_spread_constraints
        or pod.has_affinity
        or spec.resource_claims
        or any(v.persistent_volume_claim or v.ephemeral for v in spec.volumes)
    ):
        return True
    return bool(cluster.required_anti_affinity_nodes)


def _nominations(cluster: ClusterView, pod: PodView) -> Nominations:
    return tuple(
        (node, other.priority, other.key)
        for node, pods in cluster.nominated.items()
        for other in pods
        if other.key != pod.key or other.pod.status.phase
    )


def _outranks_anyone(pod: PodView, cluster: ClusterView) -> bool:
    return any(
        other.priority < pod.priority for node in cluster.nodes.values() for other in node.pods
    )


def rejecting_plugins(attempt: Attempt) -> frozenset[str]:
    """Upstream: Diagnosis.UnschedulablePlugins."""
    if attempt.prefilter is not None:
        return frozenset((attempt.prefilter.plugin,) if attempt.prefilter.plugin else ()) | (
            frozenset(attempt.narrowed_by)
        )
    first = (trace.first for trace in attempt.traces.values())
    return frozenset(v.plugin for v in first if v is not None) | frozenset(attempt.narrowed_by)


def texts_by_cause(traces: Mapping[str, NodeTrace]) -> dict[str, int]:
    """How many nodes are ruled out by what, in plain words."""
    counted: dict[str, int] = {}
    for trace in traces.values():
        first = trace.first
        for subject in {r.subject() for r in first.reasons} if first is not None else ():
            counted[subject] = counted.get(subject, 0) + 1
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))
