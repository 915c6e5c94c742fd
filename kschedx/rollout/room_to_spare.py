"""A proof that a rollout completes, without playing it: every step has room to spare.

Let O be a pod of the workload on node N. If its successor fits N without O, no waiting pod fits N
without all of the workload's pods there, and nothing couples nodes, then nobody can take O's room and
the successor always has at least N to go to. All of them count as gone, since earlier successors may
have gone elsewhere and left their room. By induction every step completes. A workload that surges
needs a node with room for one more pod now.

The proof is refused, and the rollout played, wherever one of its premises is not certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kschedx.api.pod import Pod
from kschedx.api.policy import ResourceQuota
from kschedx.api.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.rollout.attempts import couples
from kschedx.rollout.change import Workload
from kschedx.rollout.deployment import fenceposts
from kschedx.rollout.live_pod import Owner, owner_of
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.filtering import Filters


class RoomToSpare:
    """Premises that all workloads of a snapshot share, looked up once."""

    def __init__(self, scheduler: KubeScheduler, cluster: ClusterView) -> None:
        self.scheduler = scheduler
        self.cluster = cluster
        self.pods: dict[Owner, list[PodView]] = {}
        self.waiting: dict[str, Filters] = {}
        self.certain = not cluster.nominated and not cluster.snapshot.all(ResourceQuota)
        self._above: dict[Owner, list[Owner]] = {}
        self._gather()

    def _gather(self) -> None:
        for replica_set in self.cluster.snapshot.all(ReplicaSet).values():
            above = owner_of(replica_set.metadata)
            if above is not None:
                self._above.setdefault(above, []).append(Owner.of(replica_set))
        for node in self.cluster.nodes.values():
            for pod in node.pods:
                owner = owner_of(pod.pod.metadata)
                if owner is not None:
                    self.pods.setdefault(owner, []).append(pod)
                self.certain = self.certain and not pod.terminating
        for pod in self.cluster.waiting.values():
            if self.scheduler.held(pod) is None:
                self._add_waiting(pod)

    def _add_waiting(self, pod: PodView) -> None:
        """One of each shape stands for all."""
        shape = repr((pod.namespace, sorted(pod.labels.items()), pod.pod.spec))
        if shape in self.waiting:
            return
        try:
            filters = self.scheduler.filters(pod, self.cluster)
        except CycleError:
            self.certain = False
            return
        unsure = couples(pod, self.cluster, self.scheduler) or filters.preparation.not_checked
        rejected = filters.preparation.rejection is not None
        if not rejected:
            self.certain = self.certain and not unsure
            self.waiting[shape] = filters

    def proves(self, item: Workload) -> bool:
        """Whether a change that leaves the pods' needs as they are certainly completes."""
        if not self.certain:
            return False
        pods = self._pods_of(item)
        wanted = self._replicas(item)
        healthy = all(_healthy(pod) for pod in pods)
        if not pods or wanted is None or len(pods) != wanted or not healthy:
            return False
        return (
            self._strategy_is_plain(item)
            and all(self._steps(name, on_node) for name, on_node in _by_node(pods).items())
            and self._surge_fits(item, pods[0])
        )

    def _pods_of(self, item: Workload) -> list[PodView]:
        owner = Owner.of(item)
        owners: Iterable[Owner] = (
            self._above.get(owner, ()) if owner.kind == "Deployment" else (owner,)
        )
        return [pod for one in owners for pod in self.pods.get(one, ())]

    def _replicas(self, item: Workload) -> int | None:
        if isinstance(item, DaemonSet):
            return item.status.desired_number_scheduled or None
        return 1 if item.spec.replicas is None else item.spec.replicas

    def _strategy_is_plain(self, item: Workload) -> bool:
        if isinstance(item, Deployment):
            posts = fenceposts(item)
            plain = posts.surge == 0 or posts.unavailable == 0 or posts.replicas > 0
            return plain and not item.spec.paused and item.spec.strategy.type != "Recreate"
        if item.spec.update_strategy.type not in ("", "RollingUpdate"):
            return False
        if isinstance(item, StatefulSet):
            partition = item.spec.update_strategy.rolling_update
            return not item.spec.volume_claim_templates and not (partition and partition.partition)
        rolling = item.spec.update_strategy.rolling_update
        return not (rolling and rolling.max_surge not in (None, 0, "0%"))

    def _steps(self, name: str, pods: Sequence[PodView]) -> bool:
        """The node takes each pod's successor, and nobody who waits, whoever has left it."""
        node = self.cluster.nodes.get(name)
        if node is None:
            return False
        emptied = node.without(pods)
        lowest = min((other.priority for other in node.pods), default=None)
        for filters in self.waiting.values():
            preempts = lowest is not None and filters.pod.priority > lowest
            if preempts or not _surely_rejected(filters, emptied):
                return False
        return all(self._returns(pod, node) for pod in pods)

    def _returns(self, pod: PodView, node: NodeView) -> bool:
        successor = self._successor(pod)
        return successor is not None and _surely_fits(successor, node.without((pod,)))

    def _successor(self, pod: PodView) -> Filters | None:
        fresh = self.cluster.view(pod.pod.with_spec(node_name=""))
        if couples(fresh, self.cluster, self.scheduler) or self.scheduler.held(fresh) is not None:
            return None
        try:
            filters = self.scheduler.filters(fresh, self.cluster)
        except CycleError:
            return None
        preparation = filters.preparation
        return None if preparation.rejection or preparation.not_checked else filters

    def _surge_fits(self, item: Workload, pod: PodView) -> bool:
        """A Deployment's surge pod has a node now."""
        if not isinstance(item, Deployment):
            return True
        posts = fenceposts(item)
        if posts.surge == 0:
            return True
        successor = self._successor(pod)
        if successor is None:
            return False
        room = 0
        for node in self.cluster.nodes.values():
            filled = node
            while room < posts.surge and _surely_fits(successor, filled):
                room += 1
                copy = Pod(metadata=pod.pod.metadata, spec=pod.pod.spec)
                filled = filled.with_pod(self.cluster.view(copy))
            if room >= posts.surge:
                return True
        return False


def _by_node(pods: Iterable[PodView]) -> dict[str, list[PodView]]:
    found: dict[str, list[PodView]] = {}
    for pod in pods:
        found.setdefault(pod.pod.spec.node_name, []).append(pod)
    return found


def _healthy(pod: PodView) -> bool:
    condition = pod.pod.condition("Ready")
    if condition is None:
        return not pod.pod.status.conditions and pod.pod.status.phase in ("", "Running")
    return condition.status == "True"


def _surely_rejected(filters: Filters, node: NodeView) -> bool:
    narrowed = filters.preparation.narrowed_to
    if narrowed is not None and node.name not in narrowed:
        return True
    return filters.trace(node, every=False).outcome > Outcome.NOT_CHECKED


def _surely_fits(filters: Filters, node: NodeView) -> bool:
    narrowed = filters.preparation.narrowed_to
    if narrowed is not None and node.name not in narrowed:
        return False
    return filters.trace(node, every=False).outcome is Outcome.FITS
