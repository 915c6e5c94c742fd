"""Changes of the workload itself, or of its stuck pods, that let it complete: each replayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kschedx.api.change import replaced
from kschedx.api.pod import Pod, PodAffinityTerm, PodTemplate
from kschedx.api.workloads import (
    Deployment,
    RollingUpdateDeployment,
    RollingUpdateStatefulSet,
    StatefulSet,
)
from kschedx.rollout.case import Case
from kschedx.rollout.change import Workload, with_template
from kschedx.rollout.report import Outcome, Remedy, Run
from kschedx.rollout.timeline import short

_HASH = "pod-template-hash"
_REVISION = "controller-revision-hash"
_MOST_UNAVAILABLE = 2


def strategy(case: Case) -> Iterator[Remedy]:
    """A Deployment that gives up old pods instead of asking for room first."""
    for changed, run in other_strategies(case):
        if run.outcome is Outcome.COMPLETES:
            rolling = changed.spec.strategy.rolling_update
            assert rolling is not None
            title = f"maxSurge 0, maxUnavailable {rolling.max_unavailable}"
            yield case.told("strategy", title, run, strategy_command(changed))
            return


def other_strategies(case: Case) -> Iterator[tuple[Deployment, Run]]:
    """The Deployment with fewer pods at a time, the fewest missing first, and how it then ends."""
    item = case.item
    if not isinstance(item, Deployment) or item.spec.strategy.type == "Recreate":
        return
    for unavailable in range(1, _MOST_UNAVAILABLE + 1):
        rolling = RollingUpdateDeployment(max_surge=0, max_unavailable=unavailable)
        how = replaced(item.spec.strategy, type="RollingUpdate", rolling_update=rolling)
        steps = [
            replaced(step, spec=replaced(step.spec, strategy=how))
            for step in case.steps
            if isinstance(step, Deployment)
        ]
        yield steps[0], case.replay(steps=list(steps))


def strategy_command(item: Deployment) -> str:
    """The command that gives a Deployment the strategy that it has here."""
    rolling = item.spec.strategy.rolling_update
    assert rolling is not None
    values = f'{{"maxSurge":{rolling.max_surge},"maxUnavailable":{rolling.max_unavailable}}}'
    patch = f'{{"spec":{{"strategy":{{"rollingUpdate":{values}}}}}}}'
    return f"kubectl -n {item.namespace} patch deployment {item.name} -p '{patch}'"


def canary(case: Case) -> Iterator[Remedy]:
    """Partition steps: one pod at a time is at risk, and what happens to it is seen."""
    item = case.item
    if not isinstance(item, StatefulSet) or len(case.steps) != 1:
        return
    replicas = 1 if item.spec.replicas is None else item.spec.replicas
    written = item.spec.update_strategy
    if replicas < 2 or written.type == "OnDelete":
        return
    rolling = written.rolling_update or RollingUpdateStatefulSet()
    first = replaced(
        item,
        spec=replaced(
            item.spec,
            update_strategy=replaced(
                written,
                type="RollingUpdate",
                rolling_update=replaced(rolling, partition=replicas - 1),
            ),
        ),
    )
    run = case.replay(steps=[first])
    patch = f'{{"spec":{{"updateStrategy":{{"rollingUpdate":{{"partition":{replicas - 1}}}}}}}}}'
    command = f"kubectl -n {item.namespace} patch statefulset {item.name} -p '{patch}'"
    told = case.told("partition", f"canary: partition {replicas - 1} first", run, command)
    if run.outcome is Outcome.DEADLOCK:
        told = replace(told, detail=f"the canary itself is stuck: {run.reason}")
    elif run.outcome is Outcome.HELD:
        told = replace(told, detail="the first pod comes back; the others wait for the next step")
    yield told


def rules(case: Case) -> Iterator[Remedy]:
    """Spread and anti-affinity that no longer count the old revision, or nodes out of reach."""
    key = _HASH if isinstance(case.item, Deployment) else _REVISION
    template = case.item.spec.template
    if _by_revision(template, key) != template:
        steps = [with_template(s, _by_revision(s.spec.template, key)) for s in case.steps]
        yield _replayed(case, "match-label-keys", f"matchLabelKeys {key} on its rules", steps)
    if _honouring_taints(template) != template:
        steps = [with_template(s, _honouring_taints(s.spec.template)) for s in case.steps]
        yield _replayed(case, "node-taints-policy", "nodeTaintsPolicy Honor", steps)


def _replayed(case: Case, code: str, title: str, steps: list[Workload]) -> Remedy:
    return case.told(code, title, case.replay(steps=steps))


def _by_revision(template: PodTemplate, key: str) -> PodTemplate:
    spec = template.spec
    constraints = tuple(
        replaced(c, match_label_keys=(*c.match_label_keys, key))
        if c.when_unsatisfiable == "DoNotSchedule" and key not in c.match_label_keys
        else c
        for c in spec.topology_spread_constraints
    )
    affinity = spec.affinity
    if affinity is not None and affinity.pod_anti_affinity is not None:
        terms = tuple(_term(term, key) for term in affinity.pod_anti_affinity.required)
        anti = replaced(affinity.pod_anti_affinity, required=terms)
        affinity = replaced(affinity, pod_anti_affinity=anti)
    changed = replaced(spec, topology_spread_constraints=constraints, affinity=affinity)
    return replaced(template, spec=changed)


def _term(term: PodAffinityTerm, key: str) -> PodAffinityTerm:
    if key in term.match_label_keys:
        return term
    return replaced(term, match_label_keys=(*term.match_label_keys, key))


def _honouring_taints(template: PodTemplate) -> PodTemplate:
    constraints = tuple(
        replaced(c, node_taints_policy="Honor") if c.when_unsatisfiable == "DoNotSchedule" else c
        for c in template.spec.topology_spread_constraints
    )
    return replaced(template, spec=replaced(template.spec, topology_spread_constraints=constraints))


def stuck_pods(case: Case) -> Iterator[Remedy]:
    """Pods of the workload that were stuck before the change, deleted by hand."""
    world = case.worst.world
    snapshot = case.snapshot
    waiting: list[str] = []
    ending: list[str] = []
    for key, pod in snapshot.all(Pod).items():
        live = world.pods.get(key)
        if live is None or not case.is_own(live.owner) or live.created > 0:
            continue
        if live.stuck and pod.terminating:
            ending.append(key)
        elif isinstance(case.item, StatefulSet) and not live.ready:
            waiting.append(key)
    for keys, verb, force in (
        (waiting, "deleted by hand", ""),
        (ending, "force-deleted", " --grace-period=0 --force"),
    ):
        if not keys:
            continue
        changed = snapshot
        for key in keys:
            changed = changed.without_object(Pod, key)
        names = [short(key, case.owner.namespace) for key in sorted(keys)]
        command = f"kubectl -n {case.owner.namespace} delete pod {' '.join(names)}{force}"
        run = case.replay(snapshot=changed)
        yield case.told("delete-pod", f"{', '.join(names)} {verb}", run, command)
