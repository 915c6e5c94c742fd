"""The smallest sets of changes that get the pod a node, each proven by a full replay.

A node's causes have to be lifted together. Nodes with the same causes are tried as one, the one
first on which least is missing; spread and affinity couple nodes, so a set is a guess until it has
been replayed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from kschedx.api.pod import Pod
from kschedx.diagnose.hints import Hint, Hints
from kschedx.diagnose.proposals import proposals
from kschedx.diagnose.siblings import siblings, together
from kschedx.diagnose.stateful_pods import waits_for
from kschedx.framework.attempt import Attempt
from kschedx.framework.claim_edits import MovePodsWithoutClaims, RecreateClaim, own_claims
from kschedx.framework.cluster_edits import AddNode, DeletePods, EndDeletion, MovePods
from kschedx.framework.edit import Edit
from kschedx.framework.pod_edits import LowerRequest
from kschedx.framework.priority_edits import RaiseOtherPriority, RaisePriority
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, PodView

MOST_REPLAYS: Final = 60
"""Sets of changes that are tried."""
MOST_ATTEMPTS: Final = 150
"""Of the scheduler in all: pods that are made again have to find their places too."""
MOST_HINTS: Final = 5
_LARGE: Final = 1000
"""In clusters of more nodes a replay takes its time: fewer hints are looked for."""
_MOST_HINTS_IN_LARGE: Final = 3
_PER_KIND: Final = 2
"""Hints that begin with the same kind of change."""

Try = Callable[[PodView, ClusterView], Attempt]
"""What the scheduler does with a pod, the first rejection of each node only."""


@dataclass(frozen=True, slots=True)
class Replays:
    """The scheduler to ask, with preemption and without."""

    place: Try
    preempt: Try


def smallest_fixes(attempt: Attempt, cluster: ClusterView, replays: Replays) -> Hints:
    """Proven hints for a pod that no node takes, cheapest first, what loses data last.

    Of equals those come first that help more of the pods that wait like it.
    """
    search = _Search(attempt.pod.pod, cluster, replays)
    for edits in proposals(attempt, cluster):
        if search.spent or search.enough:
            break
        search.prove(edits)
    return Hints(
        hints=tuple(sorted(search.proven, key=_order)),
        replays=search.replays,
        limit_hit=search.spent and not search.enough,
    )


def _order(hint: Hint) -> tuple[int, bool, int]:
    helped = hint.together.placed if hint.together is not None else 0
    return hint.cost, _empties(hint), -helped


def _empties(hint: Hint) -> bool:
    return any(isinstance(edit, MovePodsWithoutClaims | RecreateClaim) for edit in hint.edits)


class _Search:
    """Replays sets of changes and keeps those that work."""

    def __init__(self, pod: Pod, cluster: ClusterView, ask: Replays) -> None:
        self.pod = pod
        self.cluster = cluster
        self.ask = ask
        self.proven: list[Hint] = []
        self.replays = 0
        self.attempts = 0
        large = len(cluster.nodes) > _LARGE
        self.siblings = () if large else siblings(pod, cluster)

    @property
    def spent(self) -> bool:
        return self.replays >= MOST_REPLAYS or self.attempts >= MOST_ATTEMPTS

    @property
    def enough(self) -> bool:
        large = len(self.cluster.nodes) > _LARGE
        return len(self.proven) >= (_MOST_HINTS_IN_LARGE if large else MOST_HINTS)

    def prove(self, edits: tuple[Edit, ...]) -> None:
        """Replay a set, unless a part of it works already or its kind has been shown."""
        if any(_includes(edits, hint.edits) for hint in self.proven):
            return
        if self._shown(edits) >= _PER_KIND or self._lowered_less(edits) or self._grown(edits):
            return
        self.replays += 1
        hint = self._replay(edits)
        if hint is None or self._shown(hint.edits) >= _PER_KIND or self._outdone(hint):
            return
        self.proven.append(self._with_siblings(hint))

    def _with_siblings(self, hint: Hint) -> Hint:
        if not self.siblings or hint.evicts:
            return hint

        def winners(pod: PodView, cluster: ClusterView) -> tuple[str, ...]:
            return self.ask.place(pod, cluster).winners

        found = together(hint.edits, self.pod, self.siblings, self.cluster, winners)
        return replace(hint, together=found)

    def _shown(self, edits: tuple[Edit, ...]) -> int:
        """How many hints of the same kind there are."""
        kind = tuple(edit.code for edit in edits)
        return [tuple(edit.code for edit in hint.edits) for hint in self.proven].count(kind)

    def _outdone(self, hint: Hint) -> bool:
        """Another hint gives the same nodes, and keeps more of the rules that both loosen.

        Of priorities that evict the same pods the lower one does.
        """
        return any(
            (_by_rule(other) == _by_rule(hint) or _evicts_alike(other, hint))
            and set(hint.nodes) <= set(other.nodes)
            for other in self.proven
        )

    def _grown(self, edits: tuple[Edit, ...]) -> bool:
        """It adds another kind of node where a hint adds one that is nearer to those there."""
        adds = any(isinstance(e, AddNode) for hint in self.proven for e in hint.edits)
        return adds and any(isinstance(edit, AddNode) and edit.differences > 0 for edit in edits)

    def _lowered_less(self, edits: tuple[Edit, ...]) -> bool:
        """A hint lowers the same request of the same container, by less."""
        lowered = {
            (edit.container, edit.resource)
            for hint in self.proven
            for edit in hint.edits
            if isinstance(edit, LowerRequest) and len(hint.edits) == len(edits)
        }
        return any(
            isinstance(edit, LowerRequest) and (edit.container, edit.resource) in lowered
            for edit in edits
        )

    def _replay(self, edits: tuple[Edit, ...]) -> Hint | None:
        settled = self._spared_settled(edits)
        if settled is None:
            return None
        pod, cluster = self.pod, self.cluster
        for edit in settled:
            pod, cluster = edit.apply(pod, cluster)
        preempts = any(isinstance(edit, RaisePriority | RaiseOtherPriority) for edit in edits)
        self.attempts += 1
        ask = self.ask.preempt if preempts else self.ask.place
        attempt = ask(cluster.view(pod), cluster)
        if attempt.winners and attempt.outcome is Outcome.FITS:
            return self._with_moves(settled, attempt, cluster)
        preemption = attempt.preemption
        if preempts and preemption is not None and preemption.enabled and preemption.nominated:
            chosen = preemption.candidates[preemption.nominated[0]]
            if self._own_kind(chosen.victims) or all(v.terminating for v in chosen.victims):
                return None  # no victims then, or none that would not go without it
            return Hint(settled, preemption.nominated, tuple(v.key for v in chosen.victims))
        return None

    def _own_kind(self, victims: tuple[PodView, ...]) -> bool:
        """Pods of the same template get the same priority, and are no victims then."""
        owner = self.pod.metadata.controller
        return owner is not None and any(
            (victim.namespace, victim.pod.metadata.controller) == (self.pod.namespace, owner)
            for victim in victims
        )

    def _spared_settled(self, edits: tuple[Edit, ...]) -> tuple[Edit, ...] | None:
        """The set with places for the pods of a higher priority; None where one finds none."""
        settled: list[Edit] = []
        for edit in edits:
            if isinstance(edit, RaiseOtherPriority):
                gone = self.cluster.without_pods(edit.pods)
                pods = [view.pod for key in edit.pods if (view := self.cluster.find(key))]
                places = self._places([edit.raised(pod) for pod in pods], gone)
                if places is None:
                    return None
                settled.append(replace(edit, places=places))
            else:
                settled.append(edit)
        return tuple(settled)

    def _with_moves(
        self, edits: tuple[Edit, ...], attempt: Attempt, cluster: ClusterView
    ) -> Hint | None:
        """The hint with moves for deletions: a controller makes its pod again.

        None where the replay finds a successor no place: it would wait, or take the room back.
        """
        placed = cluster.with_pod_on(attempt.pod, attempt.winners[0])
        settled: list[Edit] = []
        for edit in edits:
            if isinstance(edit, DeletePods) and (ending := self._ending(edit)) is not None:
                settled.append(ending)
            elif isinstance(edit, DeletePods) and self._come_back(edit):
                moved = self._moved(edit, placed)
                if moved is None:
                    return None
                settled.append(moved)
            else:
                settled.append(edit)
        return Hint(tuple(settled), attempt.winners)

    def _ending(self, edit: DeletePods) -> EndDeletion | None:
        """The same for pods that are all being deleted already."""
        pods = [view.pod for key in edit.pods if (view := self.cluster.find(key)) is not None]
        if not pods or not all(pod.terminating for pod in pods):
            return None
        held = tuple(pod.metadata.finalizers for pod in pods)
        return EndDeletion(edit.node, edit.pods, held)

    def _come_back(self, edit: DeletePods) -> bool:
        pods = [self.cluster.find(key) for key in edit.pods]
        return any(
            pod is not None and pod.pod.metadata.controller is not None and not pod.terminating
            for pod in pods
        )

    def _moved(self, edit: DeletePods, placed: ClusterView) -> MovePods | None:
        """Where the pods go when they come back, without their claims if not with them."""
        pods = [view.pod for key in edit.pods if (view := self.cluster.find(key)) is not None]
        if any(pod.metadata.controller is None for pod in pods):
            return None
        successors = [pod.recreated() for pod in pods]
        places = self._places(successors, placed)
        if places is not None:
            contested = self._contested(successors, edit.node, placed)
            return MovePods(edit.node, edit.pods, places, contested)
        claims = tuple(claim for pod in pods for claim in own_claims(pod, self.cluster))
        if not claims:
            return None
        emptied = MovePodsWithoutClaims.of(edit.node, edit.pods, claims, self.cluster)
        renewed = emptied.renewed(placed)
        places = self._places(successors, renewed)
        if places is None:
            return None
        return replace(
            emptied, places=places, contested=self._contested(successors, edit.node, renewed)
        )

    def _contested(self, successors: list[Pod], node: str, placed: ClusterView) -> bool:
        """Whether the pods leave the pod no place where they are tried before it.

        Of equal nodes they take the one that they had, as the scheduler may.
        """
        pod = placed.find(self.pod.key)
        assert pod is not None
        cluster = placed.without_pods([self.pod.key])
        for successor in successors:
            if waits_for(successor, self.pod, cluster.snapshot):
                continue
            view = cluster.view(successor)
            winners = self._winners(view, cluster)
            if winners:
                cluster = cluster.with_pod_on(view, node if node in winners else winners[0])
        return not self._winners(cluster.view(pod.pod), cluster)

    def _winners(self, pod: PodView, cluster: ClusterView) -> tuple[str, ...]:
        self.attempts += 1
        return self.ask.place(pod, cluster).winners

    def _places(self, pods: list[Pod], cluster: ClusterView) -> tuple[str, ...] | None:
        """Where the scheduler puts the pods, one after the other; None where one finds none."""
        places: list[str] = []
        for pod in pods:
            view = cluster.view(pod)
            winners = self._winners(view, cluster)
            if not winners:
                return None
            places.append(winners[0])
            cluster = cluster.with_pod_on(view, winners[0])
        return tuple(places)


def _includes(edits: tuple[Edit, ...], smaller: tuple[Edit, ...]) -> bool:
    """Whether a set does all that a smaller one does, or lowers the same requests further."""
    return all(any(edit == one or _lowers_further(edit, one) for edit in edits) for one in smaller)


def _lowers_further(edit: Edit, one: Edit) -> bool:
    if not isinstance(edit, LowerRequest) or not isinstance(one, LowerRequest):
        return False
    same = (edit.container, edit.resource) == (one.container, one.resource)
    return same and edit.after <= one.after


def _evicts_alike(other: Hint, hint: Hint) -> bool:
    codes = [[edit.code for edit in one.edits] for one in (other, hint)]
    return bool(hint.evicts) and other.evicts == hint.evicts and codes[0] == codes[1]


def _by_rule(hint: Hint) -> frozenset[object]:
    """The changes, those that loosen one rule of the pod taken for the same."""
    return frozenset(edit.rule or edit for edit in hint.edits)
