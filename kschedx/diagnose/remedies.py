"""Remedy: a hint made ready to use: on which object, as which patch or command."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.api.workloads import (
    DaemonSet,
    Deployment,
    ReplicaSet,
    StatefulSet,
)
from kschedx.diagnose.hints import Hint, Hints
from kschedx.framework.edit import Cost, Edit
from kschedx.framework.pod_edits import PodEdit
from kschedx.snapshot.snapshot import Snapshot

Templated = Deployment | StatefulSet | DaemonSet | ReplicaSet
"""Workloads whose template can be changed while they run."""
_TEMPLATED: Mapping[str, type[Templated]] = {
    kind.__name__: kind for kind in (Deployment, StatefulSet, DaemonSet, ReplicaSet)
}


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


@dataclass(frozen=True, slots=True)
class Remedy:
    """A proven hint with everything that is needed to follow it."""

    cost: Cost
    message: str
    nodes: tuple[str, ...]
    evicts: tuple[str, ...]
    steps: tuple[Step, ...]


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
    return Remedy(hint.cost, hint.sentence, hint.nodes, hint.evicts, tuple(steps))


def _step(edit: Edit, pod: Pod, snapshot: Snapshot, done: Sequence[PodEdit]) -> Step:
    if isinstance(edit, PodEdit):
        return _pod_step(edit, pod, snapshot, done)
    patch = edit.patch(pod)
    target = Target(patch.kind, patch.namespace, patch.name) if patch.kind else None
    return Step(edit.code, edit.sentence(), target, patch.operations, patch.command)


def _pod_step(edit: PodEdit, pod: Pod, snapshot: Snapshot, done: Sequence[PodEdit]) -> Step:
    """Where the pod comes from: its workload's template, or its own manifest.

    The patch is one of what the steps before it leave: a removal shifts what stands behind it.
    """
    workload = _workload(pod, snapshot)
    if workload is None:
        owner = pod.metadata.controller
        kind, name = ("Pod", pod.name) if owner is None else (owner.kind, owner.name)
        target = Target(kind, pod.namespace, name, owner.uid if owner else pod.metadata.uid)
        patch = _below("/spec", edit.operations(_after(done, pod)))
        return Step(edit.code, edit.sentence(), target, patch, "")
    template = Pod(metadata=workload.spec.template.metadata, spec=workload.spec.template.spec)
    template = _after(done, template)
    operations = _below("/spec/template/spec", edit.operations(template))
    target = Target(
        type(workload).__name__,
        workload.namespace,
        workload.name,
        workload.metadata.uid,
        workload.metadata.resource_version,
    )
    # Without any the template lacks what the pod has: an admission webhook, say, has added it.
    command = _command(edit, template, target, operations) if operations else ""
    return Step(edit.code, edit.sentence(), target, operations, command)


def _after(done: Sequence[PodEdit], pod: Pod) -> Pod:
    for edit in done:
        pod = edit.changed(pod)
    return pod


def _command(
    edit: PodEdit, template: Pod, target: Target, operations: tuple[Mapping[str, Any], ...]
) -> str:
    """The shortest command that makes the change, after what has to come first."""
    place = f"{target.kind.lower()}/{target.name} -n {target.namespace}"
    command = edit.command(template, place)
    if not command:
        body = json.dumps(operations, separators=(",", ":"))
        command = f"kubectl patch {place} --type=json -p '{body}'"
    return " && ".join(part for part in (edit.prerequisite(), command) if part)


def _below(path: str, operations: tuple[dict[str, Any], ...]) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {
            **operation,
            **{key: path + operation[key] for key in ("from", "path") if key in operation},
        }
        for operation in operations
    )


def _workload(pod: Pod, snapshot: Snapshot) -> Templated | None:
    """The workload whose template the pod is made from; None if there is none in the snapshot."""
    owner = _owner(pod, snapshot)
    if isinstance(owner, ReplicaSet):
        above = _owner(owner, snapshot)
        return above if above is not None else owner
    return owner


def _owner(item: Object, snapshot: Snapshot) -> Templated | None:
    reference = item.metadata.controller
    kind = _TEMPLATED.get(reference.kind) if reference is not None else None
    if reference is None or kind is None:
        return None
    return snapshot.get(kind, f"{item.namespace}/{reference.name}")
