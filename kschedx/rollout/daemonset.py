"""The DaemonSet controller: one pod per node that should run it, replaced node by node.

Upstream: pkg/controller/daemon/{daemon_controller,update}.go, util/daemonset_util.go (v1.35.4).
Differences: failed pods are replaced without the exponential back-off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kschedx.api.change import replaced
from kschedx.api.pod import Affinity, NodeAffinity, Pod, Toleration
from kschedx.api.selectors import NodeSelector, NodeSelectorRequirement, NodeSelectorTerm
from kschedx.api.workloads import ControllerRevision, DaemonSet
from kschedx.framework.views import NodeView
from kschedx.rollout.creation import pod_from_template
from kschedx.rollout.events import RESYNC
from kschedx.rollout.live_pod import REVISION_LABEL, LivePod, Owner, owner_of
from kschedx.rollout.turns import next_in_turn
from kschedx.rollout.workloads import Revisions, pod_suffix, share, template_hash
from kschedx.rollout.world import World
from kschedx.schedulers.kube.required_node_affinity import RequiredNodeAffinity
from kschedx.schedulers.kube.tolerations import NO_EXECUTE, NO_SCHEDULE, untolerated

ON_DELETE: Final = "OnDelete"
_PREFIX: Final = "node.kubernetes.io/"
_EXECUTE: Final = ("not-ready", "unreachable")
_SCHEDULE: Final = ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")


@dataclass(frozen=True, slots=True)
class Limits:
    """How many nodes may lack an available pod, or run two."""

    unavailable: int
    surge: int


def limits(item: DaemonSet, nodes: int) -> Limits:
    """Both percentages are rounded up, unlike a Deployment's. Upstream: updatedDesiredNodeCounts."""
    rolling = item.spec.update_strategy.rolling_update
    surge = share(rolling.max_surge if rolling else None, nodes, default=0, round_up=True)
    unavailable = share(
        rolling.max_unavailable if rolling else None, nodes, default=1, round_up=True
    )
    if rolling is not None and rolling.max_surge not in (None, 0, "0%") and surge:
        unavailable = share(rolling.max_unavailable, nodes, default=0, round_up=True)
    if surge == 0 and unavailable == 0:
        unavailable = 1
    return Limits(unavailable, surge)


def tolerations(*, host_network: bool) -> tuple[Toleration, ...]:
    """What the controller adds to every pod. Upstream: AddOrUpdateDaemonPodTolerations."""
    added = [Toleration(_PREFIX + name, "Exists", "", NO_EXECUTE) for name in _EXECUTE]
    added += [Toleration(_PREFIX + name, "Exists", "", NO_SCHEDULE) for name in _SCHEDULE]
    if host_network:
        added.append(Toleration(_PREFIX + "network-unavailable", "Exists", "", NO_SCHEDULE))
    return tuple(added)


def first_revisions(world: World, item: DaemonSet) -> Revisions:
    """The newest ControllerRevision, or what most pods carry."""
    owner = Owner.of(item)
    own = [
        revision
        for revision in world.snapshot.all(ControllerRevision).values()
        if owner_of(revision.metadata) == owner
    ]
    templates = {
        _hash_of(revision, item): revision.data.spec.template
        for revision in own
        if revision.data.spec.template is not None
    }
    labels = [live.revision() for live in world.pods_of(owner) if live.revision()]
    if own:
        update = _hash_of(max(own, key=lambda r: (r.revision, r.name)), item)
    elif labels:
        update = max(sorted(set(labels)), key=labels.count)
    else:
        update = template_hash(item.spec.template)
    templates[update] = item.spec.template
    return Revisions(update, update, templates)


def _hash_of(revision: ControllerRevision, item: DaemonSet) -> str:
    label = revision.metadata.labels.get(REVISION_LABEL)
    return label or revision.name.removeprefix(f"{item.name}-")


def target_node(live: LivePod) -> str:
    """The node that a pod is on or made for. Upstream: GetTargetNodeName."""
    if live.node:
        return live.node
    affinity = live.pod.spec.affinity
    required = affinity.node_affinity.required if affinity and affinity.node_affinity else None
    for term in required.node_selector_terms if required else ():
        for match in term.match_fields:
            if match.key == "metadata.name" and match.operator == "In" and match.values:
                return match.values[0]
    return ""


def _tolerations_of(item: DaemonSet) -> tuple[Toleration, ...]:
    spec = item.spec.template.spec
    return (*spec.tolerations, *tolerations(host_network=spec.host_network))


def nodes_for(world: World, item: DaemonSet) -> list[str]:
    """The nodes that should run a pod, by name: room, ports and volumes are not looked at.

    Upstream: NodeShouldRunDaemonPod.
    """
    bare = Pod(spec=item.spec.template.spec)
    required = RequiredNodeAffinity.of(bare)
    tolerated = _tolerations_of(item)

    def runs_on(node: NodeView) -> bool:
        if bare.spec.node_name not in ("", node.name):
            return False
        return required.matches(node) and not untolerated(node.node.spec.taints, tolerated)

    return [name for name, node in sorted(world.cluster.nodes.items()) if runs_on(node)]


def _stays_on(world: World, item: DaemonSet, node: str) -> bool:
    """Whether a pod that is on a node already may stay. Upstream: shouldContinueRunning."""
    view = world.cluster.nodes.get(node)
    spec = item.spec.template.spec
    return (
        view is not None
        and spec.node_name in ("", node)
        and RequiredNodeAffinity.of(Pod(spec=spec)).matches(view)
        and not untolerated(view.node.spec.taints, _tolerations_of(item), (NO_EXECUTE,))
    )


class _Sync:
    """One pass over a set."""

    def __init__(self, world: World, item: DaemonSet) -> None:
        self.world = world
        self.item = item
        self.owner = Owner.of(item)
        self.revisions = world.revisions[self.owner]
        self.tolerations = _tolerations_of(item)
        self.should_run = nodes_for(world, item)
        self.on_node: dict[str, list[LivePod]] = {}
        for live in world.pods_of(self.owner):
            node = target_node(live)
            if node and not (live.terminal and live.terminating):
                self.on_node.setdefault(node, []).append(live)

    def available(self, live: LivePod) -> bool:
        return live.available(self.item.spec.min_ready_seconds, self.world.now)

    def outdated(self, live: LivePod) -> bool:
        return (live.revision() or self.revisions.current) != self.revisions.update

    def run(self) -> None:
        if self.item.metadata.deletion_timestamp is not None:
            return
        # The rolling step waits until every node has the pods that it should have.
        if not self._manage() and self.item.spec.update_strategy.type != ON_DELETE:
            bounds = limits(self.item, len(self.should_run))
            if bounds.surge == 0:
                self._replace(bounds.unavailable)
            else:
                self._surge(bounds.surge)
        if not any(self.outdated(live) for live in self.world.pods_of(self.owner)):
            self.world.revisions[self.owner] = self.revisions.advanced()
        self._come_back()

    def _manage(self) -> bool:
        """Whether anything was or should have been written. Upstream: manage."""
        needing: list[str] = []
        going: dict[str, str] = {}
        for name in sorted({*self.should_run, *self.on_node}):
            pods = self.on_node.get(name, [])
            alive = [live for live in pods if not live.terminating]
            if name in self.should_run and not pods:
                needing.append(name)
            elif name in self.should_run or _stays_on(self.world, self.item, name):
                ended = [live for live in alive if live.terminal]
                going |= {live.key: "it has ended" for live in ended}
                running = sorted(
                    (live for live in alive if not live.terminal),
                    key=lambda live: (not live.node, live.created, live.key),
                )
                if limits(self.item, 1).surge == 0:
                    going |= {live.key: "one too many on its node" for live in running[1:]}
                elif running:
                    going |= self._beyond_two(running)
                elif name in self.should_run:
                    needing.append(name)
            else:
                # A node that is gone takes its pods along; the scheduler's are left over.
                left = alive if name in self.world.cluster.nodes else []
                left = left or [live for live in alive if not live.node]
                going |= {live.key: "its node should not run it" for live in left}
        for name in needing:
            self._create(name)
        for key, why in going.items():
            self.world.delete(key, why=why)
        return bool(needing or going)

    def _beyond_two(self, running: list[LivePod]) -> dict[str, str]:
        """With maxSurge: an old pod stays beside a new one only while it alone is of use."""
        new = [live for live in running if not self.outdated(live)]
        old = [live for live in running if self.outdated(live)]
        going = dict.fromkeys(
            (live.key for live in (*new[1:], *old[1:])), "one too many on its node"
        )
        if new and old and not old[0].ready:
            going[old[0].key] = "it is not ready and has a successor"
        elif new and old and self.available(new[0]):
            going[old[0].key] = "its successor is available"
        return going

    def _by_revision(self, node: str) -> tuple[list[LivePod], list[LivePod]]:
        """The node's new and old pods. Upstream: findUpdatedPodsOnNode."""
        pods = [live for live in self.on_node.get(node, []) if not live.terminating]
        old = [live for live in pods if self.outdated(live)]
        return [live for live in pods if not self.outdated(live)], old

    def _replace(self, allowed: int) -> None:
        """With maxSurge 0 an old pod goes before its successor comes. Upstream: rollingUpdate."""
        unavailable = 0
        now: list[LivePod] = []
        candidates: list[LivePod] = []
        for name in sorted({*self.should_run, *self.on_node}):
            new, old = self._by_revision(name)
            if len(old) + len(new) != 1:
                unavailable += 1
            elif new:
                unavailable += not self.available(new[0])
            elif not self.available(old[0]):
                unavailable += 1
                now.append(old[0])
            else:
                candidates.append(old[0])
        for live in (*now, *self._some(candidates, allowed - unavailable, beside=False)):
            self.world.delete(live.key, why="its revision is old")

    def _some(self, candidates: list[LivePod], many: int, *, beside: bool) -> list[LivePod]:
        """So many of them, in the order of Go's map."""
        if len(candidates) <= many:
            return candidates
        successor = self.world.cluster.view(Pod(spec=self.item.spec.template.spec))
        left = list(candidates)
        found: list[LivePod] = []
        while len(found) < many:
            live = next_in_turn(self.world, left, successor, beside=beside)
            left.remove(live)
            found.append(live)
        return found

    def _surge(self, allowed: int) -> None:
        """With maxSurge the successor comes beside the old pod."""
        surging = available = 0
        wanted: list[LivePod] = []
        candidates: list[LivePod] = []
        elsewhere: list[LivePod] = []
        for name in sorted({*self.should_run, *self.on_node}):
            new, old = self._by_revision(name)
            available += any(self.available(live) for live in (old or new)[:1])
            if not old:
                continue
            if new:
                surging += 1
            elif name not in self.should_run:
                elsewhere.append(old[0])
            else:
                (candidates if self.available(old[0]) else wanted).append(old[0])
        for live in (*wanted, *self._some(candidates, allowed - surging, beside=True)):
            self._create(target_node(live))
        # On nodes that should run none, they stay until enough are available on the others.
        more = max(available - len(self.should_run), 0)
        gone = [live for live in elsewhere if not self.available(live)]
        gone += [live for live in elsewhere if self.available(live)][:more]
        for live in gone:
            self.world.delete(live.key, why="its node should not run it")

    def _create(self, node: str) -> None:
        template = self.item.spec.template
        name = f"{self.item.name}-{pod_suffix(self.world.next_serial())}"
        labels = {REVISION_LABEL: self.revisions.update}
        pod = pod_from_template(template, self.item, name, labels, self.world.timestamp())
        spec = replaced(
            pod.spec,
            affinity=_only_on(node, pod.spec.affinity),
            tolerations=self.tolerations,
        )
        self.world.create(self.world.admitted(replaced(pod, spec=spec)), self.owner)

    def _come_back(self) -> None:
        wait = self.item.spec.min_ready_seconds
        due = [
            live.ready_since + wait
            for live in self.world.pods_of(self.owner)
            if wait and live.ready_since is not None and live.ready_since + wait > self.world.now
        ]
        if due:
            self.world.at(min(due), RESYNC, self.owner)


def _only_on(node: str, affinity: Affinity | None) -> Affinity:
    """The template's required node terms make way for the node's name."""
    match = NodeSelectorRequirement("metadata.name", "In", (node,))
    required = NodeSelector((NodeSelectorTerm(match_fields=(match,)),))
    if affinity is None:
        return Affinity(node_affinity=NodeAffinity(required=required))
    own = affinity.node_affinity or NodeAffinity()
    return replaced(affinity, node_affinity=replaced(own, required=required))


def sync(world: World, item: DaemonSet) -> None:
    """Bring one set a step closer to what it is written to be."""
    owner = Owner.of(item)
    template = item.spec.template
    known = world.revisions.get(owner) or first_revisions(
        world, world.snapshot.get(DaemonSet, f"{item.namespace}/{item.name}") or item
    )
    world.revisions[owner] = known.with_template(template_hash(template), template)
    _Sync(world, item).run()
