"""World: API objects, the scheduler's view of them, and a clock that only events move.

One run owns one World and changes it; every value in it (pods, views, workloads) is immutable, and
what the run was given is never touched.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from kschedx.api.change import replaced
from kschedx.api.meta import Object
from kschedx.api.pod import FAILED, SUCCEEDED, Pod, PodCondition
from kschedx.api.policy import ResourceQuota
from kschedx.api.scheduling import SYSTEM_PRIORITIES, PriorityClass
from kschedx.framework.views import ClusterView, PodView
from kschedx.rollout.creation import admitted
from kschedx.rollout.events import ARRIVES, GONE, STOPPED, Choose, first_option
from kschedx.rollout.live_pod import LivePod, Moment, Owner, Seconds, Timing, owner_of
from kschedx.rollout.opening import Opening
from kschedx.rollout.policies import TODAY, Policy
from kschedx.rollout.quota import exceeded
from kschedx.rollout.workloads import Revisions
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.queue import SchedulingQueue
from kschedx.schedulers.kube.queueing_hints import Change, PodEvent
from kschedx.snapshot.admission import Admission
from kschedx.snapshot.snapshot import Snapshot

MOST_FREED: Final = 32
"""Pods of a rollout, the first that stop, whose room is remembered."""


class World:
    """Everything that a run can change. Controllers, scheduler and kubelet act through it."""

    def __init__(
        self,
        opening: Opening,
        scheduler: KubeScheduler,
        timing: Timing,
        *,
        policy: Policy = TODAY,
        choose: Choose = first_option,
    ) -> None:
        self.scheduler = scheduler
        self.release = scheduler.release
        self.timing = timing
        self.policy = policy
        self.choose = choose
        self.opening = opening
        self.calendar = opening.calendar
        self.cluster = opening.cluster
        self.queue = SchedulingQueue(self.release, lambda pod: policy.rank(self, pod))
        self.now: Seconds = 0
        self.last_change: Seconds = 0
        self.pods_changed: Seconds = -(10**9)
        """When a pod last came, went or changed: what failed before may fit now."""
        self.pods: dict[str, LivePod] = dict(opening.pods)
        self.owned: dict[Owner, dict[str, None]] = {k: dict(v) for k, v in opening.owned.items()}
        self.workloads: dict[Owner, Object] = dict(opening.workloads)
        self.sets: dict[Owner, tuple[Owner, ...]] = dict(opening.sets)
        """Deployment -> its ReplicaSets."""
        self.revisions: dict[Owner, Revisions] = {}
        self.dirty: dict[Owner, None] = {}
        self.touched: dict[str, LivePod] = {}
        """Pods that came, went or changed since the budgets' controller last looked."""
        self.blocked: dict[Owner, str] = {}
        """Controllers whose last creation was refused, and why."""
        self.moments: list[Moment] = []
        self.not_checked: dict[str, str] = {}
        """What could not be decided, by pod."""
        self.busy_for: Owner | None = None
        """The scheduler tries nobody until this controller has made its next pod."""
        self.rolling: set[Owner] = set()
        """The workloads whose rollout is played."""
        self.never_ready: Callable[[LivePod], bool] = lambda live: False
        self.arrivals: dict[str, Pod] = {}
        """Pods that come in the moment in which another's containers stop, by its key."""
        self.freed: list[tuple[LivePod, ClusterView]] = []
        """Pods of a rollout that have stopped, and the cluster as the scheduler saw it then."""
        self.evictions: Counter[tuple[str, int, str]] = Counter()
        """How often one pod (key, incarnation) has made room for itself on one node."""
        self.reserved: dict[str, PodView] = {}
        """Reservations of the `reserve` policy: pods that are gone, by key."""
        self.running_at_first: Mapping[Owner, int] = opening.active
        """How many active pods a controller had in the snapshot."""
        self._serial = 0
        self._admission = Admission(opening.snapshot, self.release)
        self._agenda: list[tuple[Seconds, str, int, str, Any, int]] = []
        self._sequence = len(opening.pods)

    @property
    def snapshot(self) -> Snapshot:
        """The objects that rules look up (claims, classes, budgets) as they are now."""
        return self.cluster.snapshot

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def next_serial(self) -> int:
        """For generated names."""
        self._serial += 1
        return self._serial

    def admitted(self, pod: Pod) -> Pod:
        """The pod as admission would store it.

        A priority class that was not read is known from the pods that have it.
        """
        stored = admitted(pod, self._admission, f"simulated-{self.next_serial()}")
        name = stored.spec.priority_class_name
        classes = self.snapshot.all(PriorityClass)
        if not name or name in SYSTEM_PRIORITIES or name in classes:
            return stored
        for live in self.pods.values():
            spec = live.pod.spec
            if spec.priority_class_name == name and spec.priority is not None:
                return stored.with_spec(
                    priority=spec.priority, preemption_policy=spec.preemption_policy
                )
        self.not_checked[stored.key] = f"PriorityClass {name} is not in the snapshot"
        return stored

    def timestamp(self) -> str:
        return self.calendar.timestamp(self.now)

    def record(self, code: str, subject: str, node: str = "", **facts: Any) -> None:
        live = self.pods.get(subject)
        if live is not None:
            facts["workload"] = str(self.workload_of(live))
            facts["owner"] = live.owner
            facts["incarnation"] = live.incarnation
            facts["priority"] = live.view.priority
            facts["created"] = live.created
            facts["requests"] = live.view.requests
        self.moments.append(Moment(self.now, code, subject, node, facts))

    def workload_of(self, live: LivePod) -> Owner | None:
        """The controller at the top: a Deployment rather than its ReplicaSet."""
        owner = live.owner
        item = self.workloads.get(owner) if owner is not None else None
        above = owner_of(item.metadata) if item is not None else None
        return above if above in self.workloads else owner

    def _keep(self, live: LivePod) -> None:
        self.pods[live.key] = live
        if live.owner is not None:
            self.owned.setdefault(live.owner, {})[live.key] = None

    def _touch(self, live: LivePod) -> None:
        self.pods_changed = self.now
        self.touched[live.key] = live
        self._mark(live.owner)

    def _mark(self, owner: Owner | None) -> None:
        """The controller, and the one above it, have something to look at."""
        self.last_change = self.now
        while owner is not None and (item := self.workloads.get(owner)) is not None:
            self.dirty[owner] = None
            owner = owner_of(item.metadata)

    def pods_of(self, owner: Owner) -> list[LivePod]:
        """The controller's pod objects, by name."""
        return [self.pods[key] for key in sorted(self.owned.get(owner, ()))]

    def set_workload(self, item: Object) -> None:
        """The workload as it is written now; its controller will look at it."""
        owner = Owner.of(item)
        above = owner_of(item.metadata)
        if owner not in self.workloads and above is not None:
            self.sets[above] = (*self.sets.get(above, ()), owner)
        if self.workloads.get(owner) != item:
            self.workloads[owner] = item
            self._mark(owner)

    # The agenda

    def at(self, when: Seconds, what: str, subject: Any, incarnation: int = 0) -> None:
        """Something will happen later; it is dropped if the pod is another one by then."""
        # Which of several kubelets is the first to remove its pod is open: here the names say.
        name = str(subject) if what == GONE else ""
        heapq.heappush(self._agenda, (when, name, self._next(), what, subject, incarnation))

    def next_event_at(self) -> Seconds | None:
        return self._agenda[0][0] if self._agenda else None

    def take_event(self) -> tuple[str, Any, int]:
        """The next event; the clock moves to it."""
        when, _, _, what, subject, incarnation = heapq.heappop(self._agenda)
        self.now = max(self.now, when)
        return what, subject, incarnation

    def current(self, key: str, incarnation: int) -> LivePod | None:
        """The pod if it still is the one that the event was meant for."""
        live = self.pods.get(key)
        return live if live is not None and live.incarnation == incarnation else None

    # Objects change

    def create(self, pod: Pod, owner: Owner | None) -> bool:
        """POST a pod; False if the name is taken or a quota forbids it."""
        if pod.key in self.pods:
            return False
        view = self.cluster.view(pod)
        quotas = self.snapshot.all(ResourceQuota)
        if quotas:
            living = [
                live.view
                for live in self.pods.values()
                if live.pod.namespace == pod.namespace and not live.terminal
            ]
            refusal = exceeded(view, quotas.values(), living)
            if refusal is not None:
                if owner is not None and self.blocked.get(owner) != refusal.sentence():
                    self.blocked[owner] = refusal.sentence()
                    self.record("quota", pod.key, sentence=refusal.sentence(), workload=str(owner))
                return False
        if owner is not None:
            self.blocked.pop(owner, None)
        live = LivePod(view, owner, self._next(), self.now)
        self._keep(live)
        self._touch(live)
        self.record("created", pod.key, revision=self._revision_word(pod))
        self.cluster = self.cluster.with_waiting(view)
        held = self.scheduler.held(view)
        if held is not None and not held.plugin and self.workload_of(live) in self.rolling:
            self.not_checked[pod.key] = held.reasons[0].sentence()
        self.queue.add(view, self.now, held=held is not None)
        if owner is not None and self.busy_for == owner:
            self.busy_for = None
        return True

    def _revision_word(self, pod: Pod) -> str:
        labels = pod.labels
        return labels.get("controller-revision-hash") or labels.get("pod-template-hash", "")

    def delete(self, key: str, *, why: str = "", preempted: bool = False) -> None:
        """DELETE with the pod's own grace; a pod that has no node or has ended is gone at once."""
        live = self.pods.get(key)
        if live is None or live.terminating:
            return
        self.record("deleted", key, live.node, why=why)
        if not live.node or live.terminal:
            self.vanish(key)
            return
        pod = replaced(
            live.pod, metadata=replaced(live.pod.metadata, deletion_timestamp=self.timestamp())
        )
        if preempted:
            target = PodCondition("DisruptionTarget", "True", "PreemptionByScheduler")
            conditions = (*pod.status.conditions, target)
            pod = replaced(pod, status=replaced(pod.status, conditions=conditions))
        live = self.change(live, pod)
        if live.node not in self.opening.dead_nodes:
            self.at(self.now + self.timing.stop(pod), STOPPED, key, live.incarnation)
        self._touch(live)

    def change(self, live: LivePod, pod: Pod, **fields: Any) -> LivePod:
        """The pod object replaced; the scheduler's view follows."""
        view = self.cluster.view(pod)
        changed = replace(live, view=view, **fields)
        self.pods[live.key] = changed
        node = self.cluster.nodes.get(live.node)
        if not live.node:
            self.cluster = self.cluster.with_waiting(view)
            self.queue.update(view)
        elif node is not None and not pod.terminal:
            self.cluster = self.cluster.with_node(node.without((live.view,)).with_pod(view))
        return changed

    def end(self, live: LivePod, phase: str, reason: str = "") -> None:
        """The pod's phase turns terminal: the scheduler sees its room free."""
        status = replaced(live.pod.status, phase=phase, reason=reason)
        self.change(live, replaced(live.pod, status=status), ready_since=None)
        self._leave(live)
        self._touch(live)
        self._unblock(live.pod.namespace)
        self.policy.on_removed(self, live)

    def _leave(self, live: LivePod) -> None:
        """The scheduler no longer sees the pod."""
        node = self.cluster.nodes.get(live.node)
        if node is not None:
            self.cluster = self.cluster.with_node(node.without((live.view,)))
        elif not live.node:
            self.cluster = self.cluster.without_waiting(live.key)

    def wake(self, live: LivePod) -> None:
        """Tell the scheduling queue that an assigned pod is gone."""
        woken = self.queue.move(PodEvent(Change.DELETED, live.view), self.now)
        if woken:
            names = tuple(pod.key for pod in woken)
            self.record("woken", live.key, live.node, pods=names)
        waiting = bool(self.queue.active or self.queue.backing_off)
        if waiting and live.owner in self.rolling and self.busy_for is None and live.terminating:
            options = ("the scheduler is idle and tries them before", "it is busy until")
            if self.choose(f"{live.key} is gone and its successor comes later", options) == 1:
                self.busy_for = live.owner

    def stopped(self, live: LivePod) -> None:
        """Its containers have stopped; the object goes a little later."""
        self.record("stopped", live.key, live.node)
        self.at(self.now + self.timing.gone_seconds, GONE, live.key, live.incarnation)
        self.end(live, SUCCEEDED)
        if self.workload_of(live) in self.rolling and len(self.freed) < MOST_FREED:
            self.freed.append((live, self.cluster))
        arriving = self.arrivals.pop(live.key, None)
        if arriving is None:
            return
        others = bool(self.queue.active or self.queue.backing_off)
        options = ("before the scheduler tries others", "just after")
        if others and self.choose(f"{arriving.key} arrives", options) == 1:
            self.at(self.now, ARRIVES, arriving)
        else:
            self.arrive(arriving)

    def arrive(self, arriving: Pod) -> None:
        """Somebody creates a bare pod; a quota may forbid it."""
        pod = self.admitted(arriving)
        if self.create(pod, None):
            self.record("arrived", pod.key)

    def refuse(self, live: LivePod, reason: str, sentence: str) -> None:
        """The kubelet does not admit the pod: it has failed where it is."""
        self.record("refused", live.key, live.node, reason=reason, sentence=sentence)
        self.end(live, FAILED, reason)

    def vanish(self, key: str) -> None:
        """The object is gone."""
        live = self.pods[key]
        if live.pod.metadata.finalizers:
            return
        self.record("gone", key, live.node)
        del self.pods[key]
        if live.owner is not None:
            self.owned[live.owner].pop(key, None)
        self.queue.remove(key)
        on_node = bool(live.node) and not live.terminal
        if not live.terminal:
            self._leave(live)
        self._touch(live)
        self._unblock(live.pod.namespace)
        if on_node or live.pod.status.nominated_node_name:
            self.wake(live)

    def _unblock(self, namespace: str) -> None:
        """Room in a quota may have come free: who was refused tries again."""
        for owner in self.blocked:
            if owner.namespace == namespace:
                self.dirty[owner] = None

    def place(self, live: LivePod, node: str) -> LivePod:
        """Bind a waiting pod; the rest of the queue hears of it."""
        status = replaced(live.pod.status, nominated_node_name="")
        pod = live.pod.with_spec(node_name=node)
        view = self.cluster.view(replaced(pod, status=status))
        self.cluster = self.cluster.with_pod_on(view, node)
        placed = LivePod(view, live.owner, live.incarnation, live.created)
        self.pods[live.key] = placed
        self.queue.remove(live.key)
        self.policy.on_assumed(self, placed)
        self.record("bound", live.key, node)
        self._touch(live)
        self.queue.move(PodEvent(Change.ADDED, view), self.now)
        return placed

    def nominate(self, live: LivePod, node: str) -> LivePod:
        """Set or clear status.nominatedNodeName of a waiting pod."""
        if live.pod.status.nominated_node_name == node:
            return live
        status = replaced(live.pod.status, nominated_node_name=node)
        return self.change(live, replaced(live.pod, status=status))

    def make_ready(self, live: LivePod) -> None:
        """Its containers run; it is Ready unless the run says that it never is."""
        ready_since = None if self.never_ready(live) else self.now
        status = replaced(live.pod.status, phase="Running", start_time=self.timestamp())
        self.change(live, replaced(live.pod, status=status), ready_since=ready_since)
        self._touch(live)
        self.record("ready" if ready_since is not None else "not-ready", live.key, live.node)

    def hold_place(self, key: str, ghost: PodView | None) -> None:
        """A pod that is gone keeps counting as nominated to its node; None ends that."""
        name = f"{key} (reserved)"
        if ghost is None:
            self.cluster = self.cluster.without_waiting(name)
        else:
            self.cluster = self.cluster.with_reservation(name, ghost)

    def keep_object(self, items: Iterable[Object]) -> None:
        """Objects that rules look up, added or changed (claims, volumes)."""
        self.cluster = self.cluster.with_snapshot(self.snapshot.with_objects(items))
