"""A proof that a rollout completes, without playing it: every step has room to spare.

Let O be a pod of the workload on node N. If its successor fits N without O, no waiting pod and no
newcomer (arrivals.py) fits N without all of the workload's pods there, and nothing couples nodes,
then nobody can take O's room and the successor always has at least N to go to. All of them count as
gone, since earlier successors may have gone elsewhere and left their room. By induction every step
completes. A workload that surges needs a node with room for one more pod now.

Of a waiting pod that rules couple to other nodes only what the node itself refuses counts. None of
them may keep the successors away from N when it gets another node: by its anti-affinity, or by
evicting there a pod that then takes O's room and that the successor may not evict in turn.

The proof is refused, and the rollout played, wherever one of its premises is not certain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.api.pod import Pod
from kschedx.api.policy import ResourceQuota
from kschedx.api.workloads import DaemonSet, Deployment, ReplicaSet, StatefulSet
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.rollout.arrivals import Newcomer
from kschedx.rollout.attempts import couples
from kschedx.rollout.change import Workload
from kschedx.rollout.deployment_sizes import fenceposts
from kschedx.rollout.fitting import fits
from kschedx.rollout.live_pod import Owner, owner_of
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.filtering import Filters

_OF_THE_NODE: Final = frozenset(
    {
        "NodeAffinity",
        "NodeName",
        "NodePorts",
        "NodeResourcesFit",
        "NodeUnschedulable",
        "TaintToleration",
    }
)


@dataclass(frozen=True, slots=True)
class _Rival:
    """A pod that might take the room."""

    filters: Filters
    coupled: bool
    """Its rules look at other nodes, too."""

    def surely_rejected(self, node: NodeView) -> bool:
        narrowed = self.filters.preparation.narrowed_to
        if narrowed is not None and node.name not in narrowed:
            return True
        if not self.coupled:
            return self.filters.trace(node, every=False).outcome > Outcome.NOT_CHECKED
        return any(
            verdict.plugin in _OF_THE_NODE and verdict.outcome > Outcome.NOT_CHECKED
            for verdict in self.filters.trace(node, every=True).verdicts
        )


class RoomToSpare:
    """Premises that all workloads of a snapshot share, looked up once."""

    def __init__(
        self, scheduler: KubeScheduler, cluster: ClusterView, newcomers: Sequence[Newcomer] = ()
    ) -> None:
        """`newcomers`: who may arrive meanwhile."""
        self.scheduler = scheduler
        self.cluster = cluster
        self.pods: dict[Owner, list[PodView]] = {}
        self.waiting: dict[str, _Rival] = {}
        self.newcomers: list[tuple[Owner, _Rival]] = []
        """With the workload of which each would be one more."""
        self.certain = not cluster.nominated and not cluster.snapshot.all(ResourceQuota)
        self._above: dict[Owner, list[Owner]] = {}
        priorities = (pod.priority for node in cluster.nodes.values() for pod in node.pods)
        self._lowest = min(priorities, default=0)
        """Who is above it may evict someone."""
        self._gather()
        for new in newcomers:
            rival = self._rival(new.view)
            if rival is not None:
                self.newcomers.append((new.like, rival))

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
            # One of each shape stands for all.
            shape = repr((pod.namespace, sorted(pod.labels.items()), pod.pod.spec))
            if shape not in self.waiting and self.scheduler.held(pod) is None:
                rival = self._rival(pod)
                if rival is not None:
                    self.waiting[shape] = rival

    def _rival(self, pod: PodView) -> _Rival | None:
        """None for a pod that no node is looked at for."""
        try:
            filters = self.scheduler.filters(pod, self.cluster)
        except CycleError:
            self.certain = False
            return None
        preparation = filters.preparation
        if preparation.rejection is not None:
            return None
        self.certain = self.certain and not preparation.not_checked
        return _Rival(filters, couples(pod, self.cluster, self.scheduler))

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
            and all(
                self._steps(name, on_node, self._rivals_of(item))
                for name, on_node in _by_node(pods).items()
            )
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

    def _rivals_of(self, item: Workload) -> list[_Rival]:
        own = Owner.of(item)
        return [*self.waiting.values(), *(r for like, r in self.newcomers if like != own)]

    def _steps(self, name: str, pods: Sequence[PodView], rivals: Sequence[_Rival]) -> bool:
        """The node takes each pod's successor, and no rival, whoever has left it."""
        node = self.cluster.nodes.get(name)
        if node is None:
            return False
        emptied = node.without(pods)
        lowest = min((other.priority for other in node.pods), default=None)
        for rival in rivals:
            preempts = lowest is not None and rival.filters.pod.priority > lowest
            if preempts or not rival.surely_rejected(emptied):
                return False
        return all(self._returns(pod, node) for pod in pods)

    def _returns(self, pod: PodView, node: NodeView) -> bool:
        successor = self._successor(pod)
        return successor is not None and fits(successor, node.without((pod,)))

    def _successor(self, pod: PodView) -> Filters | None:
        fresh = self.cluster.view(pod.pod.with_spec(node_name=""))
        if couples(fresh, self.cluster, self.scheduler) or self.scheduler.held(fresh) is not None:
            return None
        if self._kept_away(fresh):
            return None
        try:
            filters = self.scheduler.filters(fresh, self.cluster)
        except CycleError:
            return None
        preparation = filters.preparation
        return None if preparation.rejection or preparation.not_checked else filters

    def _kept_away(self, pod: PodView) -> bool:
        """Whether someone who gets a node elsewhere might keep the pod from its own."""
        for rival in (*self.waiting.values(), *(rival for _, rival in self.newcomers)):
            other = rival.filters.pod
            if pod.pod.spec.preemption_policy == "Never" and other.priority > self._lowest:
                return True
            terms = other.affinity.required_anti
            repels = any(term.may_match(pod.namespace, pod.labels) for term in terms)
            if repels and self._may_get_a_node(rival):
                return True
        return False

    def _may_get_a_node(self, rival: _Rival) -> bool:
        """Nodes of the workload in question are looked at as they are: `_steps` empties them."""
        nodes = self.cluster.nodes.values()
        preempts = rival.filters.pod.priority > self._lowest
        return preempts or not all(rival.surely_rejected(node) for node in nodes)

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
            while room < posts.surge and fits(successor, filled):
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
