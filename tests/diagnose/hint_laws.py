"""Laws of hints, on random cases: `python -m tests.diagnose.hint_laws COUNT SEED`.

Every hint, made to the stored objects by kubectl's rules and replayed, gets the pod the node that
it names. On clusters of a few nodes no single change that works costs less than the first hint.
"""

import itertools
import json
import sys
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from kschedx.api.quantity import amount
from kschedx.diagnose.hints import Hints
from kschedx.diagnose.remedies import remedies
from kschedx.diagnose.smallest_fixes import Replays, smallest_fixes
from kschedx.framework.attempt import Attempt
from kschedx.framework.cluster_edits import AddNode, DeletePods, LabelNode, RemoveTaint, Uncordon
from kschedx.framework.edit import Edit
from kschedx.framework.pod_edits import (
    AddToleration,
    DropHostPort,
    DropNodeAffinity,
    DropNodeSelector,
    DropPodAffinity,
    HonorTaints,
    LowerRequest,
    RaiseMaxSkew,
)
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.configuration import Configuration
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.decode import snapshot_from_objects
from tests.conformance.replay import replay_line
from tests.diagnose.kubectl import Object, Objects
from tests.oracle.generate.cases import case
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
)
FEW: Final = 4
"""Nodes of a cluster that is searched by brute force."""
_TROUBLE: Final = "node.kubernetes.io/"
_WIDE: Final = 1000


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
            and self.attempt.prefilter is None
            and self.attempt.held is None
            and not self.attempt.error
        )
        self.hints = Hints()
        if self.pending:
            replays = Replays(self.place, self.preempt)
            self.hints = smallest_fixes(self.attempt, self.cluster, replays)
        self.remedies = remedies(self.hints, view.pod, snapshot).remedies

    def place(self, pod: PodView, cluster: ClusterView) -> Attempt:
        return self.scheduler.attempt(pod, cluster, every_rule=False, dry_runs=False)

    def preempt(self, pod: PodView, cluster: ClusterView) -> Attempt:
        return self.scheduler.attempt(pod, cluster, every_rule=False)

    def works(self, edit: Edit) -> bool:
        """Whether the pod gets a node by this change alone, in the way that a hint would."""
        pod, cluster = edit.apply(self.view.pod, self.cluster)
        attempt = self.place(cluster.view(pod), cluster)
        return bool(attempt.winners) and attempt.outcome is Outcome.FITS


def drawn(seed: str, few: int | None = None) -> Iterator[Asked]:
    """Pending pods without end, family by family; `few`: on at most so many nodes."""
    for number in itertools.count():
        for family in KINDS:
            made = case(family, FAMILIES[family], seed, number)
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
        line = json.dumps({**asked.case, "objects": held.objects}).encode()
        verdict = replay_line(line, "1.35")
        got = verdict.get("nominated") if hint.evicts else verdict.get("selected")
        if sorted(got or ()) != sorted(hint.nodes):
            yield f"{asked.case['id']}: {remedy.message} -> {hint.nodes}, not {got}"


def cheaper(asked: Asked) -> Iterator[str]:
    """Single changes that work and cost less than the first hint, or than no hint at all."""
    hints = asked.hints.hints
    for edit in single_edits(asked):
        if (not hints or edit.cost < hints[0].cost) and asked.works(edit):
            shown = hints[0].sentence if hints else "nothing"
            yield f"{asked.case['id']}: {edit.sentence()} works, first shown: {shown}"


def single_edits(asked: Asked) -> Iterator[Edit]:
    """Every single change of the kinds that hints are made of, sensible or not."""
    for node in asked.cluster.nodes.values():
        yield from _of_node(asked, node)
    yield from _of_pod(asked.view)


def _of_node(asked: Asked, node: NodeView) -> Iterator[Edit]:
    if node.node.spec.unschedulable:
        yield Uncordon(node.name)
    for taint in node.node.spec.taints:
        if not taint.key.startswith(_TROUBLE):
            yield AddToleration(taint.key, taint.value, taint.effect)
            yield RemoveTaint(node.name, taint.key, taint.value, taint.effect)
    for pod in node.pods:
        if pod.priority <= asked.view.priority:
            yield DeletePods(node.name, (pod.key,))
    for key, value in asked.view.pod.spec.node_selector.items():
        yield LabelNode(node.name, key, value)
    yield AddNode(node.name, node.allocatable.get("cpu", 0), node.allocatable.get("memory", 0))


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
    for key in {own.topology_key for own in spec.topology_spread_constraints}:
        yield HonorTaints(key)
        yield RaiseMaxSkew(key, 1, _WIDE)
    yield from _of_containers(view)


def _of_containers(view: PodView) -> Iterator[Edit]:
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
