"""A rollout that stops by its own rules, played on: as it is, and with what would end that.

A Deployment that keeps old pods until a new one is ready, a StatefulSet that keeps a waiting pod of
a revision which it has left.
"""

from __future__ import annotations

from kschedx.api.pod import Pod
from kschedx.api.workloads import Deployment, StatefulSet
from kschedx.diagnose.remedies import Remedy, Step, Target
from kschedx.diagnose.what_if import Deadlock, Outdated
from kschedx.framework.edit import Cost
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.case import Case
from kschedx.rollout.contention import run_of
from kschedx.rollout.exploration import Answers
from kschedx.rollout.played import Conditions, play
from kschedx.rollout.remedies_of_strategy import other_strategies, strategy_command
from kschedx.rollout.report import Outcome, Run
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.snapshot import Snapshot

CODE = "rollout-strategy"
DELETE = "delete-outdated-pod"
REVISION = "controller-revision-hash"


def outdated(pod: Pod, snapshot: Snapshot, scheduler: KubeScheduler) -> Outdated | None:
    """What becomes of the pod once it is deleted; None where its revision is the current one.

    None too where its StatefulSet replaces it by itself, and where it gets no node then either.
    """
    owner, own = pod.metadata.controller, pod.labels.get(REVISION, "")
    if owner is None or owner.kind != "StatefulSet":
        return None
    item = snapshot.get(StatefulSet, f"{pod.namespace}/{owner.name}")
    current = item.status.update_revision if item is not None else ""
    if item is None or not own or not current or own == current:
        return None
    attempts, key = Attempts(scheduler), f"{pod.namespace}/{pod.name}"
    if run_of(play(snapshot, [item], attempts)).outcome is not Outcome.DEADLOCK:
        return None
    run = run_of(play(snapshot.without_object(Pod, key), [item], attempts))
    nodes = _given(run, key)
    if not nodes:
        return None
    completes = run.outcome is Outcome.COMPLETES
    return Outdated(item.namespace, item.name, own, current, nodes, completes)


def deletion(found: Outdated, pod: Pod) -> Remedy:
    """The pod goes, and its StatefulSet makes it again as it is now."""
    then = ", whose rollout then completes" if found.completes else ""
    message = (
        f"delete {pod.namespace}/{pod.name} itself: StatefulSet {found.workload} makes it again of "
        f"revision {found.current}{then}"
    )
    command = f"kubectl delete pod -n {pod.namespace} {pod.name}"
    meta = pod.metadata
    target = Target("Pod", pod.namespace, pod.name, meta.uid, meta.resource_version)
    step = Step(DELETE, message, target, (), command)
    return Remedy(Cost.NOTHING_RESTARTED, message, found.nodes, (), (step,))


def another_strategy(
    found: Deadlock, pod: Pod, snapshot: Snapshot, scheduler: KubeScheduler
) -> Remedy | None:
    """The strategy with which the rollout completes or gets on, and the pod's node then.

    None where it does not stop as it is, where no strategy gets the pod a node, or where the
    controller replaces the pod by another.
    """
    item = snapshot.get(Deployment, f"{found.namespace}/{found.workload}")
    if item is None:
        return None
    answers, attempts, conditions = Answers(), Attempts(scheduler), Conditions()
    stopped = play(snapshot, [item], attempts, conditions, answers.choose)
    if run_of(stopped).outcome is not Outcome.DEADLOCK:
        return None
    case = Case(snapshot, [item], attempts, conditions, stopped, answers, at_risk=False)
    furthest: tuple[Deployment, Run, tuple[str, ...]] | None = None
    for changed, run in other_strategies(case):
        nodes = _given(run, f"{pod.namespace}/{pod.name}")
        if nodes and (furthest is None or run.updated > furthest[1].updated):
            furthest = changed, run, nodes
        if run.outcome is Outcome.COMPLETES:
            break
    return _remedy(*furthest) if furthest is not None else None


def _given(run: Run, pod: str) -> tuple[str, ...]:
    """The node that the pod gets; none where it gets none."""
    return tuple(e.node for e in run.timeline if (e.event, e.pod) == ("bound", pod))


def _remedy(item: Deployment, run: Run, nodes: tuple[str, ...]) -> Remedy:
    rolling = item.spec.strategy.rolling_update
    assert rolling is not None
    numbers = {"maxSurge": rolling.max_surge, "maxUnavailable": rolling.max_unavailable}
    said = ", ".join(f"{name} {number}" for name, number in numbers.items())
    then = f"gets {run.updated} of {run.wanted} new pods ready"
    if run.outcome is Outcome.COMPLETES:
        then = "completes"
    message = f"set {said} in Deployment {item.name}, whose rollout then {then}"
    value = {"type": "RollingUpdate", "rollingUpdate": numbers}
    meta = item.metadata
    target = Target("Deployment", item.namespace, item.name, meta.uid, meta.resource_version)
    patch = ({"op": "add", "path": "/spec/strategy", "value": value},)
    step = Step(CODE, message, target, patch, strategy_command(item))
    return Remedy(Cost.NOTHING_RESTARTED, message, nodes, (), (step,))
