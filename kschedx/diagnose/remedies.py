"""Remedy: a hint made ready to use: on which object, as which patch or command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kschedx.api.pod import Pod
from kschedx.diagnose.hints import Hint, Hints
from kschedx.diagnose.siblings import Together
from kschedx.diagnose.template_owner import (
    WITH_TEMPLATE,
    Templated,
    replaces_pods,
    template_owner,
)
from kschedx.framework.cluster_edits import delete_command
from kschedx.framework.edit import Cost, Edit
from kschedx.framework.pod_edits import PodEdit
from kschedx.framework.priority_edits import RaiseOtherPriority, RaisePriority, made_again
from kschedx.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Target:
    """The object that a change is made to."""

    kind: str
    namespace: str
    name: str
    uid: str = ""
    resource_version: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a hint."""

    code: str
    message: str
    target: Target | None
    """None where the change is not one to an object that exists."""
    patch: tuple[Mapping[str, Any], ...]
    """JSON patch (RFC 6902) of the target; empty where a command says it.

    Empty without a command too, where the target is a workload whose template has not what the pod
    has."""
    command: str
    """Empty where no command makes this change: the manifest has to be changed."""
    prerequisite: str = ""
    """A command that has to come before a change of the manifest."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A proven hint with everything that is needed to follow it."""

    cost: Cost
    message: str
    nodes: tuple[str, ...]
    evicts: tuple[str, ...]
    steps: tuple[Step, ...]
    together: Together | None = None
    """What becomes of pods that wait like it; None where none do, or too many."""


@dataclass(frozen=True, slots=True)
class Remedies:
    """What would help, cheapest first."""

    remedies: tuple[Remedy, ...]
    replays: int
    limit_hit: bool


def remedies(hints: Hints, pod: Pod, snapshot: Snapshot) -> Remedies:
    """The hints with patches against the objects that the snapshot holds."""
    return Remedies(
        tuple(_remedy(hint, pod, snapshot) for hint in hints.hints),
        hints.replays,
        hints.limit_hit,
    )


def _remedy(hint: Hint, pod: Pod, snapshot: Snapshot) -> Remedy:
    steps = []
    done: list[PodEdit] = []
    for edit in hint.edits:
        steps.append(_step(edit, pod, snapshot, done))
        if isinstance(edit, PodEdit):
            done.append(edit)
    return Remedy(hint.cost, hint.sentence, hint.nodes, hint.evicts, tuple(steps), hint.together)


def _step(edit: Edit, pod: Pod, snapshot: Snapshot, done: Sequence[PodEdit]) -> Step:
    if isinstance(edit, PodEdit):
        return _pod_step(edit, pod, snapshot, done)
    if isinstance(edit, RaiseOtherPriority):
        return _other_pod_step(edit, snapshot)
    patch = edit.patch(pod)
    target = Target(patch.kind, patch.namespace, patch.name) if patch.kind else None
    return Step(edit.code, edit.sentence(), target, patch.operations, patch.command)


def _pod_step(edit: PodEdit, pod: Pod, snapshot: Snapshot, done: Sequence[PodEdit]) -> Step:
    """Where the pod comes from: its workload's template, or its own manifest.

    The patch is one of what the steps before it leave: a removal shifts what stands behind it.
    """
    workload = template_owner(pod, snapshot)
    if workload is None:
        owner = pod.metadata.controller
        kind, name = ("Pod", pod.name) if owner is None else (owner.kind, owner.name)
        target = Target(kind, pod.namespace, name, owner.uid if owner else pod.metadata.uid)
        path = "/spec/template/spec" if kind in WITH_TEMPLATE else "/spec"
        patch = _below(path, edit.operations(_after(done, pod)))
        first, command = edit.prerequisite(), ""
        # One that is not in the cluster yet is changed where it is written.
        if isinstance(edit, RaisePriority) and owner is None and pod.metadata.uid:
            command = _then(first, made_again(pod, edit.operations(pod)))
            first = ""
        return Step(edit.code, edit.sentence(), target, patch, command, first)
    template = Pod(metadata=workload.spec.template.metadata, spec=workload.spec.template.spec)
    template = _after(done, template)
    operations = _below("/spec/template/spec", edit.operations(template))
    target = _target(workload)
    if not operations:
        # The template lacks what the pod has: an admission webhook, say, has added it.
        return Step(edit.code, edit.sentence(), target, (), "")
    command = edit.command(template, _place(target)) or _patched(target, operations)
    command = _then(edit.prerequisite(), command)
    return Step(edit.code, edit.sentence(), target, operations, command)


def _other_pod_step(edit: RaiseOtherPriority, snapshot: Snapshot) -> Step:
    """Where the other pod comes from; a pod that nobody makes is made again as it is."""
    pod = snapshot.all(Pod)[edit.pods[0]]
    workload = template_owner(pod, snapshot)
    if workload is None:
        target = Target("Pod", pod.namespace, pod.name, pod.metadata.uid)
        operations = _below("/spec", edit.operations())
        command = _then(edit.prerequisite(), made_again(pod, edit.operations()))
    else:
        target = _target(workload)
        operations = _below("/spec/template/spec", edit.operations())
        gone = "" if replaces_pods(workload) else delete_command(edit.pods)
        command = _then(edit.prerequisite(), _patched(target, operations), gone)
    return Step(edit.code, edit.sentence(), target, operations, command)


def _target(workload: Templated) -> Target:
    return Target(
        type(workload).__name__,
        workload.namespace,
        workload.name,
        workload.metadata.uid,
        workload.metadata.resource_version,
    )


def _after(done: Sequence[PodEdit], pod: Pod) -> Pod:
    for edit in done:
        pod = edit.changed(pod)
    return pod


def _place(target: Target) -> str:
    """The object as kubectl's arguments."""
    return f"{target.kind.lower()}/{target.name} -n {target.namespace}"


def _patched(target: Target, operations: tuple[Mapping[str, Any], ...]) -> str:
    body = json.dumps(operations, separators=(",", ":"))
    return f"kubectl patch {_place(target)} --type=json -p '{body}'"


def _then(*commands: str) -> str:
    """One command after the other, the empty ones left out."""
    return " && ".join(filter(None, commands))


def _below(path: str, operations: tuple[dict[str, Any], ...]) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {
            **operation,
            **{key: path + operation[key] for key in ("from", "path") if key in operation},
        }
        for operation in operations
    )
