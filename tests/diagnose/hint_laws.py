"""Laws of hints, on random cases: `python -m tests.diagnose.hint_laws COUNT SEED`.

Every hint, made to the stored objects by kubectl's rules and replayed, gets the pod the node that
it names, and pods that are made again the nodes that it says. On clusters of a few nodes no single
change that works costs less than the first hint.
"""

import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import msgspec

from kschedx.api.quantity import amount
from kschedx.api.scheduling import PriorityClass
from kschedx.api.storage import StorageClass
from kschedx.diagnose.hints import Hints
from kschedx.diagnose.remedies import remedies
from kschedx.diagnose.smallest_fixes import Replays, smallest_fixes
from kschedx.framework.attempt import Attempt
from kschedx.framework.claim_edits import MovePodsWithoutClaims, ProvideClaim, own_claims
from kschedx.framework.cluster_edits import (
    AddNode,
    DeletePods,
    LabelNode,
    LabelNodes,
    MovePods,
    RaiseMaxPods,
    RemoveTaint,
    Uncordon,
)
from kschedx.framework.edit import Edit
from kschedx.framework.pod_edits import (
    AddToleration,
    DropHostPort,
    DropNodeAffinity,
    DropNodeSelector,
    DropPodAffinity,
    HonorTaints,
    LeaveHostNetwork,
    LowerRequest,
    RaiseMaxSkew,
)
from kschedx.framework.priority_edits import RaiseOtherPriority, RaisePriority
from kschedx.framework.selector_edits import WidenNodeAffinity, WidenPodAffinity
from kschedx.framework.template_edits import CountOwnRevision, InitStepsFirst, SpreadIfPossible
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.claims import ClaimNotBound, ClaimNotFound
from kschedx.schedulers.kube.configuration import Configuration
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.decode import snapshot_from_objects
from tests.conformance.replay import replay_line
from tests.diagnose.hint_families import HINT_FAMILIES, REGION
from tests.diagnose.kubectl import Object, Objects
from tests.oracle.generate.cases import case
from tests.oracle.generate.draw import ZONE
from tests.oracle.generate.families import FAMILIES

RELEASE: Final = Release(35)
KINDS: Final = (
    "resources",
    "nodeaffinity",
    "taints",
    "ports",
    "interpod",
    "topology",
    "preemption",
    "volumes",
    "nominated",
    "mix",
    *HINT_FAMILIES,
)
FEW: Final = 4
"""Nodes of a cluster that is searched by brute force."""
_TROUBLE: Final = "node.kubernetes.io/"
_WIDE: Final = 1000
_USER_MOST: Final = 1_000_000_000


class Asked:
    """A case, and what would help its pod."""

    def __init__(self, case: Object) -> None:
        self.case = case
        raw = [msgspec.Raw(json.dumps(item).encode()) for item in case["objects"]]
        snapshot = snapshot_from_objects(raw, RELEASE)
        self.cluster = ClusterView.of(snapshot, RELEASE.accounting())
        view = self.cluster.find(case["pod"])
        assert view is not None
        self.view = view
        self.scheduler = KubeScheduler(RELEASE, Configuration())
        self.attempt = self.scheduler.attempt(view, self.cluster)
        self.pending = (
            self.attempt.outcome > Outcome.NOT_CHECKED
            and self.attempt.held is None
            and not self.attempt.error
            and all(isinstance(reason, ClaimNotBound | ClaimNotFound) for reason in self.rejection)
        )
        self.hints = Hints()
        if self.pending:
            replays = Replays(self.place, self.preempt)
            self.hints = smallest_fixes(self.attempt, self.cluster, replays)
        self.remedies = remedies(self.hints, view.pod, snapshot).remedies

    @property
    def rejection(self) -> Sequence[Reason]:
        """What rejects the pod before nodes are looked at."""
        return self.attempt.prefilter.reasons if self.attempt.prefilter is not None else ()

    def place(self, pod: PodView, cluster: ClusterView) -> Attempt:
        return self.scheduler.attempt(pod, cluster, every_rule=False, dry_runs=False)

    def preempt(self, pod: PodView, cluster: ClusterView) -> Attempt:
        return self.scheduler.attempt(pod, cluster, every_rule=False)

    def works(self, edit: Edit) -> bool:
        """Whether the pod gets a node by this change alone, in the way that a hint would."""
        if isinstance(edit, DeletePods):
            return self._works_without(edit)
        pod, cluster = edit.apply(self.view.pod, self.cluster)
        preempts = isinstance(edit, RaisePriority | RaiseOtherPriority)
        ask = self.preempt if preempts else self.place
        attempt = ask(cluster.view(pod), cluster)
        found = attempt.preemption
        if preempts and found is not None and found.nominated:
            # Those of the same template get the same priority.
            owner = self.view.pod.metadata.controller
            victims = found.candidates[found.nominated[0]].victims
            if all(victim.terminating for victim in victims):
                return False
            return owner is None or all(v.pod.metadata.controller != owner for v in victims)
        return bool(attempt.winners) and attempt.outcome is Outcome.FITS

    def _works_without(self, edit: DeletePods) -> bool:
        """Also the pods that controllers make again, with new claims or not, have to fit."""
        cluster = self.cluster.without_pods(edit.pods)
        if isinstance(edit, MovePodsWithoutClaims):
            cluster = edit.renewed(cluster)
        attempt = self.place(self.view, cluster)
        if not attempt.winners or attempt.outcome is not Outcome.FITS:
            return False
        cluster = cluster.with_pod_on(self.view, attempt.winners[0])
        for pod in filter(None, map(self.cluster.find, edit.pods)):
            if pod.pod.metadata.controller is None or pod.terminating:
                continue
            successor = cluster.view(pod.pod.recreated())
            winners = self.place(successor, cluster).winners
            if not winners:
                return False
            cluster = cluster.with_pod_on(successor, winners[0])
        return True


def drawn(seed: str, few: int | None = None) -> Iterator[Asked]:
    """Pending pods without end, family by family; `few`: on at most so many nodes."""
    for number in itertools.count():
        for family in KINDS:
            made = case(family, {**FAMILIES, **HINT_FAMILIES}[family], seed, number)
            asked = Asked(made if few is None else _with_few_nodes(made, few))
            if asked.pending:
                yield asked


def _with_few_nodes(made: Object, few: int) -> Object:
    names = [i["metadata"]["name"] for i in made["objects"] if i["kind"] == "Node"]
    left_out = set(names[few:])
    objects = [
        item
        for item in made["objects"]
        if not (item["kind"] in ("Node", "CSINode") and item["metadata"]["name"] in left_out)
        and item.get("spec", {}).get("nodeName") not in left_out
    ]
    return {**made, "objects": objects}


def unkept(asked: Asked) -> Iterator[str]:
    """Hints that do not keep their word when they are followed with kubectl."""
    for hint, remedy in zip(asked.hints.hints, asked.remedies, strict=True):
        held = Objects(asked.case["objects"], asked.case["pod"])
        for edit, step in zip(hint.edits, remedy.steps, strict=True):
            held.follow(step, edit)
        said = f"{asked.case['id']}: {remedy.message}"
        others = [edit for edit in hint.edits if isinstance(edit, RaiseOtherPriority)]
        yield from _otherwise_placed(said, held, [place for e in others for place in e.places])
        verdict = _verdict(held, asked.case["pod"])
        got = verdict.get("nominated") if hint.evicts else verdict.get("selected")
        if sorted(got or ()) != sorted(hint.nodes):
            yield f"{said} -> {hint.nodes}, not {got}"
            continue
        if hint.evicts:
            continue
        held.place(held.target, hint.nodes[0])
        held.make_deleted_again()
        moves = [edit for edit in hint.edits if isinstance(edit, MovePods)]
        yield from _otherwise_placed(said, held, [place for e in moves for place in e.places])


def _verdict(held: Objects, pod: str) -> Object:
    line = json.dumps({"id": pod, "pod": pod, "objects": held.objects}).encode()
    return replay_line(line, "1.35")


def _otherwise_placed(said: str, held: Objects, places: Sequence[str]) -> Iterator[str]:
    """Pods that are made again and do not get the node that the hint says."""
    again, held.made_again = held.made_again, []
    # Those that wait for their turn are not there yet.
    held.objects[:] = [item for item in held.objects if not any(item is pod for pod in again)]
    for pod, place in itertools.zip_longest(again, places):
        if pod is None or place is None:
            yield f"{said}: {len(again)} pods are made again, {len(places)} have places"
            return
        held.objects.append(pod)
        key = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
        got = _verdict(held, key).get("selected") or []
        if place not in got:
            yield f"{said}: {key} gets {got}, not {place}"
        held.place(pod, place)


def cheaper(asked: Asked) -> Iterator[str]:
    """Single changes that work and cost less than the first hint, or than no hint at all."""
    hints = asked.hints.hints
    for edit in single_edits(asked):
        if (not hints or edit.cost < hints[0].cost) and asked.works(edit):
            shown = hints[0].sentence if hints else "nothing"
            yield f"{asked.case['id']}: {edit.sentence()} works, first shown: {shown}"


def single_edits(asked: Asked) -> Iterator[Edit]:
    """Every single change of the kinds that hints are made of, sensible or not."""
    for reason in asked.rejection:
        for name in sorted(asked.cluster.snapshot.all(StorageClass)):
            if isinstance(reason, ClaimNotFound):
                yield ProvideClaim(reason.claim, name, None)
            elif isinstance(reason, ClaimNotBound) and not (reason.volume or reason.class_exists):
                yield ProvideClaim(reason.claim, name, reason.storage_class)
    if asked.rejection:
        return
    for node in asked.cluster.nodes.values():
        yield from _of_node(asked, node)
    yield from _of_pod(asked.view)
    yield from _of_priorities(asked)
    yield from _of_labels(asked)


def _of_priorities(asked: Asked) -> Iterator[Edit]:
    """Where preemption gives the pod no node, another priority may."""
    found = asked.attempt.preemption
    if (found is not None and found.nominated) or asked.view.pod.spec.preemption_policy == "Never":
        return
    pods = [pod for node in asked.cluster.nodes.values() for pod in node.pods]
    classes = asked.cluster.snapshot.all(PriorityClass).values()
    able = {item.value for item in classes if item.preemption_policy != "Never"}
    values = able or {pod.priority + 1 for pod in pods}
    for value in sorted(v for v in values if asked.view.priority < v <= _USER_MOST):
        yield RaisePriority(value, "")
    for pod in pods:
        if pod.priority < asked.view.priority and pod.pod.metadata.controller is None:
            edit = RaiseOtherPriority((pod.key,), asked.view.priority, "")
            without = asked.cluster.without_pods(edit.pods)
            winners = asked.place(without.view(edit.raised(pod.pod)), without).winners
            if winners:
                yield replace(edit, places=winners[:1])


def _of_labels(asked: Asked) -> Iterator[Edit]:
    """One value of each topology key for all nodes that lack it."""
    spec = asked.view.pod.spec
    keys = {own.topology_key for own in spec.topology_spread_constraints}
    if spec.affinity is not None and spec.affinity.pod_affinity is not None:
        keys |= {term.topology_key for term in spec.affinity.pod_affinity.required}
    for key in sorted(keys):
        lacking = [name for name, node in asked.cluster.nodes.items() if key not in node.labels]
        if lacking:
            yield LabelNodes(key, tuple((name, "v") for name in lacking), "")


def _of_node(asked: Asked, node: NodeView) -> Iterator[Edit]:
    yield from _of_taints(node)
    for pod in node.pods:
        if pod.priority <= asked.view.priority:
            yield DeletePods(node.name, (pod.key,))
            claims = own_claims(pod.pod, asked.cluster)
            if claims:
                one = (pod.key,)
                yield MovePodsWithoutClaims.of(node.name, one, claims, asked.cluster)
    for key, value in asked.view.pod.spec.node_selector.items():
        yield LabelNode(node.name, key, value)
    if "pods" in node.allocatable:
        yield RaiseMaxPods(node.name, node.allocatable["pods"], len(node.pods) + 1)
    affinity = asked.view.pod.spec.affinity
    own = affinity.node_affinity if affinity is not None else None
    for term in own.required.node_selector_terms if own is not None and own.required else ():
        for requirement in term.match_expressions:
            if requirement.key in node.labels:
                yield WidenNodeAffinity(requirement.key, node.labels[requirement.key])
    size = node.allocatable.get("cpu", 0), node.allocatable.get("memory", 0)
    yield AddNode(node.name, *size)
    if any(not taint.key.startswith(_TROUBLE) for taint in node.node.spec.taints):
        yield AddNode(node.name, *size, untainted=True)
    yield AddNode(node.name, *size, larger=tuple(sorted(asked.view.asked.items())))


def _of_taints(node: NodeView) -> Iterator[Edit]:
    if node.node.spec.unschedulable:
        yield Uncordon(node.name)
    for taint in node.node.spec.taints:
        if not taint.key.startswith(_TROUBLE):
            yield AddToleration(taint.key, taint.value, taint.effect)
            yield RemoveTaint(node.name, taint.key, taint.value, taint.effect)


def _of_pod(view: PodView) -> Iterator[Edit]:
    spec = view.pod.spec
    for key, value in spec.node_selector.items():
        yield DropNodeSelector(key, value)
    affinity = spec.affinity
    if affinity is not None:
        if affinity.node_affinity is not None and affinity.node_affinity.required is not None:
            yield DropNodeAffinity("")
        for side, anti in ((affinity.pod_affinity, False), (affinity.pod_anti_affinity, True)):
            for term in side.required if side is not None else ():
                yield DropPodAffinity(term.topology_key, "", anti=anti)
                for wider in (ZONE, REGION):
                    if not anti and wider != term.topology_key:
                        yield WidenPodAffinity(term.topology_key, wider, "")
    for key in {own.topology_key for own in spec.topology_spread_constraints}:
        yield HonorTaints(key)
        yield CountOwnRevision(key)
        yield SpreadIfPossible(key)
        yield RaiseMaxSkew(key, 1, _WIDE)
    yield from _of_containers(view)


def _of_containers(view: PodView) -> Iterator[Edit]:
    yield InitStepsFirst((), ())
    if view.pod.spec.host_network:
        yield LeaveHostNetwork()
    for container in (*view.pod.spec.containers, *view.pod.spec.init_containers):
        for port in container.ports:
            if port.host_port:
                yield DropHostPort(port.host_port, port.protocol or "TCP")
        for resource in container.resources.requests:
            before = amount(resource, container.resources.requests[resource])
            for after in {1, before // 2} - {0, before}:
                yield LowerRequest(container.name, resource, before, after)


def main(arguments: Sequence[str]) -> int:
    """Exit status 1 when a law is broken."""
    count, seed = int(arguments[0]), arguments[1]
    broken = [line for a in itertools.islice(drawn(seed), count) for line in unkept(a)]
    few = itertools.islice(drawn(f"{seed}-few", FEW), count * 2 // 5)
    broken += [line for asked in few for line in cheaper(asked)]
    sys.stdout.writelines(f"{line}\n" for line in broken)
    sys.stdout.write(f"{count} pods with their hints followed, {len(broken)} laws broken\n")
    return 1 if broken else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
