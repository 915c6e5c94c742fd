"""Why a rollout stops: who took the room that it had freed, and who waits for whom.

Upstream: none; this reads the moments of a run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedx.api.workloads import DaemonSet, Deployment, StatefulSet
from kschedx.rollout import progress_deadline, statefulset
from kschedx.rollout.live_pod import LivePod, Moment, Seconds
from kschedx.rollout.played import Played
from kschedx.rollout.progress import is_new, pods_of_workload
from kschedx.rollout.report import Outcome, Run, Thief, Wait
from kschedx.rollout.timeline import (
    Timeline,
    amounts,
    causes_text,
    owner_name,
    short,
    waiting_seconds,
)


def outcome_of(played: Played) -> Outcome:
    """How this order of events ends."""
    if played.world.not_checked or played.given_up:
        return Outcome.NOT_CHECKED
    if played.done:
        return Outcome.COMPLETES
    return Outcome.HELD if played.progress.held_by else Outcome.DEADLOCK


def run_of(played: Played) -> Run:
    """One played order as plain values."""
    outcome = outcome_of(played)
    progress = played.progress
    stopped = outcome in (Outcome.DEADLOCK, Outcome.NOT_CHECKED)
    analysis = _Analysis(played)
    return Run(
        outcome=outcome,
        wanted=progress.wanted,
        updated=progress.updated,
        old=progress.old,
        seconds=analysis.lasted() if outcome is Outcome.COMPLETES else played.seconds,
        stuck=progress.not_ready,
        reason=analysis.reason() if stopped and not played.done else progress.held_by,
        thieves=analysis.thieves(),
        waits=tuple(analysis.waits()) if stopped and not played.done else (),
        evicted=analysis.evicted(),
        displaced=analysis.displaced(),
        timeline=Timeline(played).entries(),
        notes=tuple(filter(None, (progress_deadline.note(played),))),
        not_checked=tuple(f"{k}: {v}" for k, v in sorted(played.world.not_checked.items())),
    )


def _victims(moments: Iterable[Moment]) -> tuple[str, ...]:
    """The pods that preemption evicts, in that order."""
    found = (v for m in moments if m.code == "preempts" for v in m.facts["victims"])
    return tuple(dict.fromkeys(found))


class _Analysis:
    """Reads one run backwards from its end."""

    def __init__(self, played: Played) -> None:
        self.played = played
        self.world = played.world
        self.owner = played.owner
        self.item = self.world.workloads[self.owner]
        self.pods = pods_of_workload(self.world, self.owner)
        self.own = str(self.owner)

    def _mine(self, moment: Moment) -> bool:
        return moment.facts.get("workload") == self.own

    def _name(self, key: str) -> str:
        return short(key, self.owner.namespace)

    def lasted(self) -> Seconds:
        """Until the last event of its own pods; others may still be on their way."""
        return max((moment.at for moment in self.played.moments if self._mine(moment)), default=0)

    # Thieves

    def thieves(self) -> tuple[Thief, ...]:
        """Strangers that were given a node from which the rollout had taken a pod before."""
        freed: dict[str, object] = {}
        found = []
        for moment in self.played.moments:
            if moment.code == "stopped" and self._mine(moment):
                freed[moment.node] = moment.at
            elif moment.code == "bound" and not self._mine(moment) and moment.node in freed:
                found.append(
                    Thief(
                        moment.subject,
                        owner_name(moment.facts["owner"]),
                        moment.node,
                        moment.facts["priority"],
                        amounts(moment.facts["requests"]),
                        waiting_seconds(self.played, moment),
                    )
                )
        return tuple(found)

    def _holders(self, live: LivePod) -> tuple[str, ...]:
        """Thieves that are still where the rollout had made room, on nodes that matter to it."""
        there = {
            thief.pod: thief.node
            for thief in self.thieves()
            if thief.pod in self.world.pods
            and self.world.pods[thief.pod].node == thief.node
            and self._large_enough(thief.node, live)
        }
        last = [
            m.node for m in self.played.moments if m.code == "stopped" and m.subject == live.key
        ]
        beside = [pod for pod, node in there.items() if last and node == last[-1]]
        return tuple(self._name(pod) for pod in (beside or sorted(there)))

    def _large_enough(self, name: str, live: LivePod) -> bool:
        """Whether the pod could fit this node if it were empty: else no other pod holds its room."""
        node = self.world.cluster.nodes.get(name)
        return node is not None and all(
            need <= node.allocatable.get(resource, 0)
            for resource, need in live.view.requests.items()
        )

    def evicted(self) -> tuple[str, ...]:
        """Whom preemption evicts from the change on; what was under way before is not its doing."""
        moments = self.played.moments
        begun = next((i for i, m in enumerate(moments) if m.code == "started-rollout"), 0)
        return _victims(moments[begun:])

    def displaced(self) -> tuple[str, ...]:
        """Pods of other workloads that wait at the end in the place of evicted ones."""
        victims = set(_victims(self.played.moments))
        owners = {
            m.facts["owner"]
            for m in self.played.moments
            if m.subject in victims and m.facts["owner"]
        }
        begun = [
            live for live in self.world.pods.values() if live.created > 0 or live.key in victims
        ]
        return tuple(
            sorted(
                live.key
                for live in begun
                if not live.node and live.owner in owners and live not in self.pods
            )
        )

    # Waits

    def _stuck(self) -> list[LivePod]:
        wait = getattr(getattr(self.item, "spec", None), "min_ready_seconds", 0)
        now = self.world.now
        return [p for p in self.pods if not p.terminal and not p.available(wait, now)]

    def _says(self, live: LivePod) -> str:
        """What the scheduler last said of a Pending pod."""
        for moment in reversed(self.played.moments):
            if moment.subject == live.key and moment.code == "unschedulable":
                return causes_text(moment.facts["causes"], moment.facts["nodes"])
        held = self.world.scheduler.held(live.view)
        if held is not None and held.reasons:
            return held.reasons[0].sentence()
        return "not tried"

    def reason(self) -> str:
        """Why nothing goes on, in one sentence."""
        if self.played.given_up:
            return "it repeats the same events for ever"
        if self.world.not_checked:
            key, what = sorted(self.world.not_checked.items())[0]
            return f"{self._name(key)} could not be decided: {what}"
        blocked = self._blocked()
        if blocked:
            return blocked
        stuck = self._stuck()
        pending = [live for live in stuck if not live.node]
        if pending:
            live = pending[0]
            return f"{self._name(live.key)} stays Pending, {self._says(live)}"
        for live in stuck:
            if live.terminating:
                return f"{self._name(live.key)} never stops: its kubelet does not act"
            return f"{self._name(live.key)} does not become Ready"
        return "a pod is missing and is not created" if self._short() else "nothing moves"

    def _short(self) -> bool:
        return len(self.pods) < self.played.progress.wanted

    def _blocked(self) -> str:
        for owner, why in sorted(self.world.blocked.items()):
            mine = owner == self.owner or any(live.owner == owner for live in self.pods)
            item = self.world.workloads.get(owner)
            above = item.metadata.controller if item is not None else None
            if mine or (above is not None and above.name == self.owner.name):
                return why
        return ""

    def waits(self) -> Iterator[Wait]:
        """The wait cycle, one link after the other."""
        stuck = self._stuck()
        blocked = self._blocked()
        if blocked:
            yield Wait("the next pod", f"room in its quota ({blocked})")
        for live in stuck:
            yield self._wait_of(live)
        first = stuck[0] if stuck else None
        if first is not None:
            yield from self._rest(first)

    def _wait_of(self, live: LivePod) -> Wait:
        name = self._name(live.key)
        if live.terminating:
            return Wait(name, f"the kubelet of {live.node}, which does not act")
        if live.node:
            return Wait(name, "its containers to become Ready")
        return Wait(name, "room" if self._holders(live) else "a node", self._holders(live))

    def _rest(self, first: LivePod) -> Iterator[Wait]:
        name = self._name(first.key)
        old = [
            self._name(live.key)
            for live in self.pods
            if live.key != first.key and not is_new(self.world, self.owner, live)
        ]
        behind = ", ".join(sorted(old, reverse=True))
        match self.item:
            case StatefulSet():
                gate = self.world.release.enabled("MaxUnavailableStatefulSet")
                spec = statefulset.settings(self.item, gate=gate)
                if behind:
                    yield Wait(behind, f"{name} to be Ready")
                if spec.ordered:
                    yield Wait("undoing the rollout", f"{name} as well: OrderedReady")
            case Deployment():
                if behind:
                    yield Wait(behind, f"{name} to be available")
            case DaemonSet():
                if behind:
                    yield Wait(behind, f"{name} to be available")
            case _:
                return
