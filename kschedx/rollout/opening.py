"""Opening: a snapshot as every run on it begins, made once and shared by all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.policy import PodDisruptionBudget
from kschedx.framework.accounting import Accounting
from kschedx.framework.views import ClusterView
from kschedx.rollout.guards import Guards
from kschedx.rollout.live_pod import Calendar, LivePod, Owner, Seconds, owner_of
from kschedx.rollout.workloads import CONTROLLERS
from kschedx.snapshot.snapshot import Snapshot

_LONG_AGO: Final = -(10**9)


@dataclass(frozen=True)
class Opening:
    """The world at second 0. Runs copy the mappings and share what is in them."""

    snapshot: Snapshot
    cluster: ClusterView
    calendar: Calendar
    pods: Mapping[str, LivePod]
    owned: Mapping[Owner, Mapping[str, None]]
    workloads: Mapping[Owner, Object]
    sets: Mapping[Owner, tuple[Owner, ...]]
    """Deployment -> its ReplicaSets."""
    active: Mapping[Owner, int]
    """How many active pods a controller has."""
    under_way: tuple[str, ...]
    """Pods that a kubelet has in hand: being stopped, or not yet started."""
    dead_nodes: frozenset[str]
    """Nodes whose kubelets do not act: gone, unreachable or not Ready."""

    @cached_property
    def guards(self) -> Guards:
        """The disruption budgets and whom they cover."""
        return Guards(self.snapshot.all(PodDisruptionBudget), self.snapshot.all(Pod).values())

    @classmethod
    def of(cls, snapshot: Snapshot, accounting: Accounting, like: Opening | None = None) -> Opening:
        """O(pods + nodes). Views are shared with the opening of a snapshot `like` this one."""
        cluster = ClusterView.of(snapshot, accounting, like.cluster if like is not None else None)
        calendar = calendar_of(snapshot)
        views = cluster.pod_views()
        known = like.pods if like is not None and like.calendar == calendar else {}
        dead = {name for name, node in snapshot.all(Node).items() if _is_dead(node)}
        pods: dict[str, LivePod] = {}
        owned: dict[Owner, dict[str, None]] = {}
        active: Counter[Owner] = Counter()
        for number, (key, pod) in enumerate(snapshot.all(Pod).items()):
            node = pod.spec.node_name
            if node and node not in cluster.nodes:
                dead.add(node)
            view = views.get(key) or cluster.view(pod)
            live = known.get(key)
            if live is None or live.view is not view or live.stuck != (node in dead):
                created = calendar.seconds(pod.metadata.creation_timestamp) or 0
                live = LivePod(view, owner_of(pod.metadata), number, min(created, 0))
                live = as_in_snapshot(live, calendar, dead=node in dead)
            elif live.incarnation != number:
                live = replace(live, incarnation=number)
            pods[key] = live
            if live.owner is not None:
                owned.setdefault(live.owner, {})[key] = None
                active[live.owner] += live.active
        workloads = {
            Owner.of(item): item for kind in CONTROLLERS for item in snapshot.all(kind).values()
        }
        sets: dict[Owner, tuple[Owner, ...]] = {}
        for owner, item in workloads.items():
            above = owner_of(item.metadata)
            if above is not None and owner.kind == "ReplicaSet":
                sets[above] = (*sets.get(above, ()), owner)
        under_way = tuple(
            key
            for key, live in pods.items()
            if live.node and not live.stuck and (live.terminating or not live.ready)
        )
        return cls(
            snapshot,
            cluster,
            calendar,
            pods,
            owned,
            workloads,
            sets,
            active,
            under_way,
            frozenset(dead),
        )


def _is_dead(node: Node) -> bool:
    return any(t.key == "node.kubernetes.io/unreachable" for t in node.spec.taints) or any(
        c.type == "Ready" and c.status != "True" for c in node.status.conditions
    )


def calendar_of(snapshot: Snapshot) -> Calendar:
    """Second 0 is when the snapshot was taken; where it does not say, its latest timestamp."""
    if snapshot.taken_at is not None:
        return Calendar(snapshot.taken_at)
    stamps = [
        stamp
        for pod in snapshot.all(Pod).values()
        for stamp in (
            pod.metadata.creation_timestamp,
            *(c.last_transition_time for c in pod.status.conditions),
        )
        if stamp
    ]
    return Calendar(max(stamps, default=None), known=False)


def as_in_snapshot(live: LivePod, calendar: Calendar, *, dead: bool) -> LivePod:
    """A pod of the snapshot with its readiness as the snapshot shows it."""
    pod = live.pod
    condition = pod.condition("Ready")
    silent = not pod.status.conditions and pod.status.phase in ("", "Running")
    ready = condition is not None and condition.status == "True"
    since: Seconds | None = None
    if pod.spec.node_name and not pod.terminal and (ready or silent) and not dead:
        stated = calendar.seconds(condition.last_transition_time) if condition else None
        since = min(stated, 0) if stated is not None else _LONG_AGO
    return replace(live, ready_since=since, stuck=dead)
