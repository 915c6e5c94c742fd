"""A rollout that stops by its own strategy, played on: as it is, and with old pods going first."""

from __future__ import annotations

from kschedx.api.pod import Pod
from kschedx.api.workloads import Deployment
from kschedx.diagnose.remedies import Remedy, Step, Target
from kschedx.diagnose.what_if import Deadlock
from kschedx.framework.edit import Cost
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.contention import run_of
from kschedx.rollout.exploration import Answers
from kschedx.rollout.played import Conditions, play
from kschedx.rollout.remedies import Case
from kschedx.rollout.remedies_of_strategy import other_strategies, strategy_command
from kschedx.rollout.report import Outcome, Run
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.snapshot import Snapshot

CODE = "rollout-strategy"


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
