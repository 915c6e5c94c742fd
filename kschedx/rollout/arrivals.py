"""New pods between a deletion and its successor: which one, arriving then, would stop the rollout.

Anything may be created at any time; what is tried is bounded. One pod arrives in the moment in which
a pod of the rollout stops. It is one more of a workload that is there, and no node takes it as things
are: what it could be given is the room that the rollout frees.

Upstream: none; an order of events that every scheduler allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.meta import ObjectMeta
from kschedx.api.pod import Pod, PodStatus
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.rollout.attempts import Attempts, couples
from kschedx.rollout.exploration import MOST_LOOKS, good
from kschedx.rollout.fitting import fits, rules
from kschedx.rollout.live_pod import LivePod, Owner, owner_of
from kschedx.rollout.opening import Opening
from kschedx.rollout.played import Played
from kschedx.rollout.progress import pods_of_workload
from kschedx.rollout.world import MOST_FREED
from kschedx.schedulers.kube.filtering import Filters
from kschedx.snapshot.snapshot import Snapshot

MOST_ARRIVALS: Final = 4
"""Arrivals that are played for one rollout."""
_ONE_FOR_ALL: Final = frozenset({"DaemonSet", "Node"})
"""Owners of pods that belong to one node: no further one comes."""


@dataclass(frozen=True, slots=True)
class Newcomer:
    """One more pod of a workload that is there, which no node takes as things are."""

    like: Owner
    view: PodView


@dataclass(frozen=True, slots=True)
class Arrival:
    """A newcomer that comes in the moment in which a pod of the rollout stops."""

    newcomer: Newcomer
    at_end_of: str
    """The key of the pod that stops."""

    @property
    def pods(self) -> dict[str, Pod]:
        """As Conditions.arrivals has it."""
        return {self.at_end_of: self.newcomer.view.pod}


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What became of the arrivals that were played."""

    newcomers: int
    """Workloads of which one more pod finds no node as things are."""
    played: int
    complete: bool
    """All arrivals that could do harm were played; otherwise one stopped it, or a bound was met."""
    arrival: Arrival | None = None
    """The first that stops the rollout."""
    stopped: Played | None = None


class Newcomers:
    """The newcomers of any number of snapshots, each found once."""

    def __init__(self, attempts: Attempts) -> None:
        self.attempts = attempts
        self._known: dict[int, tuple[Opening, tuple[Newcomer, ...]]] = {}

    def of(self, snapshot: Snapshot) -> tuple[Newcomer, ...]:
        """The highest priority first: against these preemption helps the least."""
        opening = self.attempts.opening(snapshot)
        known = self._known.get(id(opening))
        if known is None:
            found = sorted(self._find(opening), key=lambda new: (-new.view.priority, str(new.like)))
            known = opening, tuple(found)
            self._known[id(opening)] = known
        return known[1]

    def _find(self, opening: Opening) -> Iterator[Newcomer]:
        seen: set[Owner] = set()
        for _, live in sorted(opening.pods.items()):
            if live.owner is None or live.owner in seen or live.owner.kind in _ONE_FOR_ALL:
                continue
            seen.add(live.owner)
            if any(volume.persistent_volume_claim for volume in live.pod.spec.volumes):
                continue  # One more would have a claim of its own, of which nothing is known.
            like = _top(opening, live.owner)
            view = opening.cluster.view(_one_more(live, like, opening))
            if self._homeless(view, opening.cluster):
                yield Newcomer(like, view)

    def _homeless(self, view: PodView, cluster: ClusterView) -> bool:
        if self.attempts.scheduler.held(view) is not None:
            return False
        found = self.attempts.attempt(view, cluster)
        evicts = found.preemption is not None and found.preemption.nominated
        return not found.winners and not found.doubt and not evicts


def _top(opening: Opening, owner: Owner) -> Owner:
    """The Deployment rather than its ReplicaSet."""
    item = opening.workloads.get(owner)
    above = owner_of(item.metadata) if item is not None else None
    return above or owner


def _one_more(live: LivePod, like: Owner, opening: Opening) -> Pod:
    name = f"{like.name}-arriving"
    while f"{like.namespace}/{name}" in opening.pods:
        name += "-too"
    metadata = ObjectMeta(name=name, namespace=like.namespace, labels=live.pod.labels)
    pod = replaced(live.pod, metadata=metadata, status=PodStatus(phase="Pending"))
    return pod.with_spec(node_name="")


def foresee(
    newcomers: Newcomers,
    snapshot: Snapshot,
    undisturbed: Played,
    play: Callable[[Arrival], Played],
) -> Foreseen:
    """Play the arrivals that could do the most harm until one stops the rollout.

    `undisturbed`: the rollout without arrivals; `play`: the same with one.
    """
    known = [new for new in newcomers.of(snapshot) if new.like != undisturbed.owner]
    if not known:
        return Foreseen(0, 0, complete=True)
    found, all_found = _Harm(undisturbed, newcomers.attempts).arrivals(known)
    for number, arrival in enumerate(found[:MOST_ARRIVALS], start=1):
        played = play(arrival)
        if not good(played) and not played.given_up and not played.world.not_checked:
            return Foreseen(len(known), number, complete=False, arrival=arrival, stopped=played)
    complete = all_found and len(found) <= MOST_ARRIVALS
    return Foreseen(len(known), min(len(found), MOST_ARRIVALS), complete)


class _Harm:
    """Which arrivals could do harm: those that fit where a successor goes, or evict their way in."""

    def __init__(self, undisturbed: Played, attempts: Attempts) -> None:
        self._world = undisturbed.world
        self._owner = undisturbed.owner
        self._attempts = attempts
        self._made = pods_of_workload(self._world, self._owner)
        own = [(old, cluster) for old, cluster in self._world.freed if self._is_own(old)]
        self._freed = own
        left = {old.node for old, _ in own}
        self._moved_to = sorted({live.node for live in self._made} - left - {""})
        self._prepared: dict[str, Filters | None] = {}
        self._begun = attempts.looked_at

    def _is_own(self, live: LivePod) -> bool:
        return self._world.workload_of(live) == self._owner

    def arrivals(self, newcomers: Sequence[Newcomer]) -> tuple[list[Arrival], bool]:
        """Those beside which the successor has no room come first; and whether these are all.

        At most one more than are played.
        """
        blocking: list[Arrival] = []
        others: list[Arrival] = []
        for new in newcomers:
            for old, cluster in self._freed:
                if len(blocking) > MOST_ARRIVALS:
                    return blocking, False
                if self._attempts.looked_at - self._begun > MOST_LOOKS:
                    return [*blocking, *others][: MOST_ARRIVALS + 1], False
                blocks = self._blocks(new, old, cluster)
                if blocks is not None:
                    (blocking if blocks else others).append(Arrival(new, old.key))
        complete = len(self._world.freed) < MOST_FREED
        return [*blocking, *others][: MOST_ARRIVALS + 1], complete

    def _blocks(self, new: Newcomer, old: LivePod, cluster: ClusterView) -> bool | None:
        """Whether the successor finds no room beside it on some node; None: it fits on none."""
        filters = self._filters(new.view, cluster)
        names = (old.node, *(name for name in self._moved_to if name != old.node))
        nodes = [cluster.nodes[name] for name in names if name in cluster.nodes]
        if filters is None:
            return None
        takers = [node for node in nodes if fits(filters, node)]
        if not takers:
            evicts = (_lower(new.view, node) for node in nodes)
            pairs = zip(nodes, evicts, strict=True)
            return True if any(fits(filters, n, removed=r) for n, r in pairs if r) else None
        successor = self._filters(self._successor(old, cluster), cluster)
        return successor is None or not all(fits(successor, n, added=(new.view,)) for n in takers)

    def _successor(self, old: LivePod, cluster: ClusterView) -> PodView:
        """The pod that takes the place of this one; any of the new ones where names change."""
        named = [live for live in self._made if live.key == old.key] or self._made or [old]
        pod = named[0].pod.with_spec(node_name="")
        return cluster.view(replaced(pod, status=PodStatus(phase="Pending")))

    def _filters(self, pod: PodView, cluster: ClusterView) -> Filters | None:
        """The pod's rules there; None where no node would be looked at."""
        if couples(pod, cluster, self._attempts.scheduler):
            return self._prepare(pod, cluster)
        if pod.key not in self._prepared:
            self._prepared[pod.key] = self._prepare(pod, cluster)
        known = self._prepared[pod.key]
        return None if known is None else known.again(pod, cluster)

    def _prepare(self, pod: PodView, cluster: ClusterView) -> Filters | None:
        self._attempts.looked_at += len(cluster.nodes)
        return rules(self._attempts.scheduler, pod, cluster)


def _lower(pod: PodView, node: NodeView) -> tuple[PodView, ...]:
    """Those that the pod may evict."""
    if pod.pod.spec.preemption_policy == "Never":
        return ()
    return tuple(other for other in node.pods if other.priority < pod.priority)
