"""Why is this pod Pending? For one pod, a workload's pods, or all that wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from kschedx.answers.replay import Explained, Replay, SchedulerChoice
from kschedx.answers.targets import find_node, find_target
from kschedx.api.pod import Pod
from kschedx.api.selectors import EVERYTHING, Selector
from kschedx.diagnose.agreement import AgreementStatus, compare
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.references import PodReference
from kschedx.diagnose.report import ExplainedPods, WhyReport
from kschedx.diagnose.workload import NotCreated, Workload, WorkloadState, pods_of, state_of
from kschedx.schedulers.kube.scoring import nodes_sought
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.admission import Admission
from kschedx.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class WhyQuestion:
    """What is asked, of a snapshot."""

    target: str | None = None
    """ "POD", "NAMESPACE/POD", "KIND/NAME"; None for all Pending pods."""
    namespace: str | None = None
    """None for all."""
    selector: Selector = EVERYTHING
    node: str | None = None
    """The one node to look at."""
    with_rows: bool = False
    """Say of every single node what rejects the pod there."""
    with_hints: bool = False
    """Replay what could help a pod, or a workload's pods; not done for all Pending pods."""


def why(snapshot: Snapshot, question: WhyQuestion, choice: SchedulerChoice) -> WhyReport:
    """Raises KschedxError where the question names what the snapshot does not hold."""
    if question.target is None:
        return _why_pending(snapshot, question, Replay(snapshot, choice))
    target = find_target(snapshot, question.target, question.namespace)
    node = find_node(snapshot, question.node) if question.node is not None else None
    replay = Replay(snapshot, choice)
    if not isinstance(target, Pod):
        return _why_workload(snapshot, target, question, replay)
    explained = replay.explain(
        target,
        with_rows=question.with_rows,
        with_hints=question.with_hints and node is None,
    )
    report = _report(replay, [(target, explained)])
    if node is None:
        return report
    return replace(report, node=replay.node_report(target, replay.cluster.nodes[node.name]))


def _why_pending(snapshot: Snapshot, question: WhyQuestion, replay: Replay) -> WhyReport:
    namespace = question.namespace
    pods = [
        pod
        for pod in snapshot.all(Pod).values()
        if namespace in (None, pod.namespace) and question.selector.matches(pod.labels)
    ]
    report = _report(replay, _try_all(replay, filter(_waits, pods), question))
    asked = "all namespaces" if namespace is None else f"namespace {namespace}"
    notes = () if pods else (f"the snapshot holds no such pods at all, in {asked}",)
    return replace(report, asked=asked, notes=notes)


def _why_workload(
    snapshot: Snapshot, workload: Workload, question: WhyQuestion, replay: Replay
) -> WhyReport:
    pods = filter(_waits, pods_of(snapshot, workload))
    report = _report(replay, _try_all(replay, pods, question))
    return replace(
        report,
        asked=f"{type(workload).__name__} {workload.namespace}/{workload.name}",
        workload=_state(snapshot, workload, replay.choice.release),
    )


def _state(snapshot: Snapshot, workload: Workload, release: Release) -> WorkloadState:
    """How many pods there are, and why others were never created."""
    state = state_of(snapshot, workload, release.accounting())
    if not state.missing:
        return state
    from kschedx.gate.refused import refusals  # loaded only where needed

    known = {cause.code for cause in state.not_created}
    refused = tuple(
        NotCreated("would-be-refused", refusal.sentence)
        for refusal in refusals(workload, Admission(snapshot, release))
        if not ("priority-class-missing" in known and refusal.about.startswith("PriorityClass "))
    )
    return replace(state, not_created=(*state.not_created, *refused))


def _waits(pod: Pod) -> bool:
    return not pod.spec.node_name and not pod.terminal


def _try_all(
    replay: Replay, pods: Iterable[Pod], question: WhyQuestion
) -> list[tuple[Pod, Explained]]:
    """Every pod with its explanation; pods that no rule can tell apart are tried once."""
    tried: dict[str, Explained] = {}
    found = []
    for pod in pods:
        shape = _shape(pod)
        explained = tried.get(shape) if shape else None
        if explained is None:
            explained = replay.explain(
                pod,
                with_rows=question.with_rows,
                with_hints=question.with_hints and question.target is not None,
            )
        if shape:
            tried[shape] = explained
        found.append((pod, explained))
    return found


def _shape(pod: Pod) -> str:
    """All that rules read of a waiting pod; empty where they read its very name."""
    named = any(volume.ephemeral is not None for volume in pod.spec.volumes)
    if named or pod.status.nominated_node_name or pod.terminating or pod.spec.resource_claims:
        return ""
    return repr((pod.namespace, sorted(pod.labels.items()), pod.spec))


def _report(replay: Replay, explained: list[tuple[Pod, Explained]]) -> WhyReport:
    """Pods with the same causes together, worst first."""
    groups: dict[object, list[tuple[Pod, Explained]]] = {}
    for pod, found in explained:
        groups.setdefault(_same_causes(found.explanation), []).append((pod, found))
    together = [_together(members) for members in groups.values()]
    together.sort(key=_worst_first)
    return WhyReport(
        scheduler=replay.scheduler.name,
        version_assumed=replay.choice.version_assumed,
        explained=tuple(together),
        notes=tuple(dict.fromkeys(_sampled(replay, explained))),
    )


def _sampled(replay: Replay, explained: Iterable[tuple[Pod, Explained]]) -> Iterator[str]:
    """In a large cluster the scheduler does not look at every node that could take a pod."""
    for pod, found in explained:
        profile = replay.scheduler.profiles.get(pod.spec.scheduler_name)
        fitting = len(found.explanation.feasible)
        if profile is None or len(found.explanation.winners) == 0:
            continue
        sought = nodes_sought(found.explanation.node_count, profile.percentage_of_nodes_to_score)
        if sought < fitting:
            yield (
                f"the scheduler stops looking at {sought} of the {fitting} nodes that fit "
                "(percentageOfNodesToScore), so it may take another than the best of all"
            )


def _same_causes(explanation: Explanation) -> object:
    return (
        explanation.situation,
        tuple((cause.code, cause.subject) for cause in explanation.rejection),
        tuple((b.cause.code, b.subject, len(b.nodes)) for b in explanation.blockers),
        explanation.preemption.verdict if explanation.preemption is not None else None,
    )


def _together(members: list[tuple[Pod, Explained]]) -> ExplainedPods:
    members = sorted(members, key=lambda member: member[0].key)
    agreements: Counter[AgreementStatus] = Counter()
    compared = [compare(pod, found.replayed) for pod, found in members]
    first, explanation = members[0][0], members[0][1].explanation
    if explanation.agreement is not None:
        explanation = replace(explanation, agreement=compared[0])
        agreements.update(agreement.status for agreement in compared)
    references = tuple(PodReference.of(pod) for pod, _ in members)
    explanation = replace(explanation, pod=PodReference.of(first))
    return ExplainedPods(references, explanation, agreements)


def _worst_first(group: ExplainedPods) -> tuple[int, bool, int, str]:
    explanation = group.explanation
    return (
        explanation.situation.rank,
        explanation.preemption is not None and bool(explanation.preemption.nodes),
        -len(group.pods),
        group.pods[0].key,
    )
