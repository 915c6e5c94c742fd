"""WhatIf: what replays of a slightly different cluster show of a pod that no node takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kschedx.api.pod import Pod
from kschedx.api.workloads import Deployment, ReplicaSet
from kschedx.diagnose.anchors import anchors, unanchored
from kschedx.diagnose.headline import listed
from kschedx.diagnose.hints import Hints
from kschedx.diagnose.references import PodReference, TerminatingPod
from kschedx.framework.attempt import Attempt
from kschedx.framework.cluster_edits import DeletePods
from kschedx.framework.views import ClusterView, PodView

Place = Callable[[PodView, ClusterView], tuple[str, ...]]
"""The nodes that would be taken, none where the pod fits nowhere."""


@dataclass(frozen=True, slots=True)
class AfterTerminating:
    """The pod fits once pods are gone that are being deleted already."""

    pods: tuple[TerminatingPod, ...]
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Deadlock:
    """The pod fits only once pods of an older revision go, and they stay until it is ready."""

    namespace: str
    workload: str
    """The Deployment's name."""
    max_unavailable: int
    """How many pods may be missing while it rolls, rounded as the controller does."""
    pods: tuple[PodReference, ...]
    """The older pods."""
    nodes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """Such as "it fits only without default/a of an older revision, which ..."."""
        older = listed([pod.key for pod in self.pods])
        fits = f"only without {older} of an older revision"
        if len(self.pods) > 1:
            fits = f"only once older pods go ({older})"
        used_up = ", used up" if self.max_unavailable else ""
        return (
            f"it fits {fits}, which Deployment {self.workload} keeps until it is ready "
            f"(maxUnavailable {self.max_unavailable}{used_up})"
        )

    @property
    def command(self) -> str:
        """Plays its rollout step by step and says what else ends the deadlock."""
        return f"kschedx simulate-upgrade deployment/{self.namespace}/{self.workload}"


@dataclass(frozen=True, slots=True)
class Outdated:
    """The pod is of a revision that its StatefulSet has left, and is not replaced while it waits."""

    namespace: str
    workload: str
    """The StatefulSet's name."""
    revision: str
    current: str
    """The revision of which it would be if it were made again."""
    nodes: tuple[str, ...]
    """The node that it would then get."""
    completes: bool
    """Whether the whole rollout then does."""

    @property
    def sentence(self) -> str:
        """Such as "it is of revision db-1, and StatefulSet db makes it again as db-2, ..."."""
        return (
            f"it is of revision {self.revision}, and StatefulSet {self.workload} makes it again as "
            f"{self.current}, which fits {listed(self.nodes, 'or')}, only once it is ready or deleted"
        )

    @property
    def command(self) -> str:
        """Plays the rollout step by step."""
        return f"kschedx simulate-upgrade statefulset/{self.namespace}/{self.workload}"


@dataclass(frozen=True, slots=True)
class ByHand:
    """The pod fits once pods of lower priority go, which the scheduler does not see to."""

    pods: tuple[str, ...]
    """ "namespace/name"."""
    nodes: tuple[str, ...]
    anchors: tuple[str, ...] = ()
    """Pods that the dry run takes away on the first node although the pod must be near them."""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What was found; None where it was not, or not looked for."""

    after_terminating: AfterTerminating | None = None
    deadlock: Deadlock | None = None
    outdated: Outdated | None = None
    by_hand: ByHand | None = None


NOTHING = WhatIf()


def what_if(attempt: Attempt, cluster: ClusterView, place: Place) -> WhatIf:
    """Replays without terminating pods, and without the pod's older revisions."""
    if attempt.held is not None or attempt.prefilter is not None or attempt.winners:
        return NOTHING
    return WhatIf(
        after_terminating=_after_terminating(attempt.pod, cluster, place),
        deadlock=_deadlock(attempt.pod, cluster, place),
    )


def _after_terminating(pod: PodView, cluster: ClusterView, place: Place) -> AfterTerminating | None:
    leaving = [p for node in cluster.nodes.values() for p in node.pods if p.terminating]
    if not leaving:
        return None
    nodes = place(pod, cluster.without_pods(p.key for p in leaving))
    if not nodes:
        return None
    # Elsewhere they matter only where those on the node itself do not explain it.
    there = [p for p in leaving if p.pod.spec.node_name in nodes] or leaving
    taken_at = cluster.snapshot.taken_at
    return AfterTerminating(tuple(TerminatingPod.of(p.pod, taken_at) for p in there), nodes)


def _deadlock(pod: PodView, cluster: ClusterView, place: Place) -> Deadlock | None:
    found = _rolling(pod.pod, cluster)
    if found is None:
        return None
    deployment, own = found
    rolling = deployment.spec.strategy.rolling_update
    replicas = 1 if deployment.spec.replicas is None else deployment.spec.replicas
    unavailable = _rounded_down(rolling.max_unavailable if rolling else None, replicas)
    there = [p for p in _pods_of(deployment, cluster) if not p.terminating]
    available = sum(not _unready(p.pod) for p in there)
    older = [p for p in there if _owner(p.pod) != own]
    # With more pods available than have to be, the controller takes one away by itself.
    if deployment.spec.strategy.type == "Recreate" or available > replicas - unavailable:
        return None
    if not older:
        return None
    nodes = place(pod, cluster.without_pods(p.key for p in older))
    if not nodes:
        return None
    references = tuple(PodReference.of(p.pod) for p in older)
    return Deadlock(deployment.namespace, deployment.name, unavailable, references, nodes)


def _rounded_down(value: int | str | None, replicas: int) -> int:
    if value is None:
        value = "25%"
    if isinstance(value, int):
        return value
    number = value.rstrip("%")
    return int(number) * replicas // 100 if number.isdigit() else 0


def _unready(pod: Pod) -> bool:
    ready = pod.condition("Ready")
    return ready is not None and ready.status != "True"


def _owner(pod: Pod) -> str:
    controller = pod.metadata.controller
    return controller.name if controller is not None and controller.kind == "ReplicaSet" else ""


def _rolling(pod: Pod, cluster: ClusterView) -> tuple[Deployment, str] | None:
    """The Deployment that the pod is a part of, and the ReplicaSet between them."""
    own = _owner(pod)
    between = cluster.snapshot.get(ReplicaSet, f"{pod.namespace}/{own}") if own else None
    controller = between.metadata.controller if between is not None else None
    if controller is None or controller.kind != "Deployment":
        return None
    deployment = cluster.snapshot.get(Deployment, f"{pod.namespace}/{controller.name}")
    return None if deployment is None else (deployment, own)


def _pods_of(deployment: Deployment, cluster: ClusterView) -> Iterator[PodView]:
    """Its pods that have a node, by their ReplicaSets."""
    sets = {
        item.name
        for item in cluster.snapshot.all(ReplicaSet).values()
        if item.namespace == deployment.namespace
        and (owner := item.metadata.controller) is not None
        and (owner.kind, owner.name) == ("Deployment", deployment.name)
    }
    for pod in cluster.pods_in_namespace(deployment.namespace).values():
        for each in pod:
            if _owner(each.pod) in sets:
                yield each


def by_hand(attempt: Attempt, cluster: ClusterView, found: Hints | None) -> ByHand | None:
    """The first proven hint that does no more than delete or move pods of lower priority."""
    pod = attempt.pod
    for hint in found.hints if found is not None else ():
        deletions = [edit for edit in hint.edits if isinstance(edit, DeletePods)]
        keys = tuple(key for edit in deletions for key in edit.pods)
        victims = [cluster.find(key) for key in keys]
        if len(deletions) == len(hint.edits) and all(
            victim is not None and victim.priority < pod.priority for victim in victims
        ):
            return ByHand(keys, hint.nodes, _anchors(attempt, hint.nodes[0], cluster))
    return None


def _anchors(attempt: Attempt, node: str, cluster: ClusterView) -> tuple[str, ...]:
    preemption = attempt.preemption
    if preemption is None or node not in unanchored(preemption):
        return ()
    found = anchors(attempt.pod, cluster.nodes[node], cluster)
    return tuple(pod.key for pod in found)
