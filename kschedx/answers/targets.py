"""What a user's words name in a snapshot: a pod, a workload, a node; with near names where not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Final

from kschedx.api.errors import KschedxError
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.diagnose.workload import WORKLOADS, Workload
from kschedx.snapshot.kinds import Kind, named, parse_kind, shown
from kschedx.snapshot.snapshot import Snapshot

EXIT_USAGE: Final = 2
_NEAR: Final = 3
_FORMS: Final = "POD, NAMESPACE/POD or KIND/NAME, such as prod/api-7 or deploy/web"
_FETCH: Final = "kubectl get pods,nodes -A -o json > FILE"


def find_target(snapshot: Snapshot, target: str, namespace: str | None) -> Pod | Workload:
    """ "POD", "NAMESPACE/POD", "KIND/NAME" or "KIND/NAMESPACE/NAME".

    Without a namespace, all are searched. Raises KschedxError where there is none or several.
    """
    if not all(target.split("/")):
        raise KschedxError(
            "not-a-name", f"{target!r} names nothing", hint=_FORMS, exit_code=EXIT_USAGE
        )
    first, slash, rest = target.partition("/")
    if not slash:
        return find_pod(snapshot, target, namespace)
    kind = named(first)
    if kind is not None:
        inner, slash, name = rest.partition("/")
        return _of_kind(snapshot, kind, name or inner, inner if slash else namespace)
    if "/" in rest:
        parse_kind(first)
    if rest and snapshot.get(Pod, target) is None and not _in_namespace(snapshot, first):
        parse_or_no_namespace(snapshot, first, target)
    if namespace not in (None, first):
        raise KschedxError(
            "options-contradict",
            f"{target} is in namespace {first}, not in {namespace}",
            hint="leave out -n, or the namespace before the slash",
            exit_code=EXIT_USAGE,
        )
    return find_pod(snapshot, rest, first)


def _in_namespace(snapshot: Snapshot, namespace: str) -> bool:
    return any(pod.namespace == namespace for pod in snapshot.all(Pod).values())


def parse_or_no_namespace(snapshot: Snapshot, word: str, target: str) -> None:
    """Raises KschedxError: the word before the slash is neither a kind nor a namespace with pods."""
    namespaces = sorted({pod.namespace for pod in snapshot.all(Pod).values()})
    raise KschedxError(
        "no-such-pod",
        f"no pod {target}: {word} is neither a kind nor a namespace with pods",
        hint=_hint(namespaces, word, "namespaces with pods: ", "the snapshot holds no pods at all"),
    )


def find_pod(snapshot: Snapshot, name: str, namespace: str | None) -> Pod:
    """A pod by name. Raises KschedxError where there is none or several."""
    pods = list(snapshot.all(Pod).values())
    found = [p for p in pods if p.name == name and namespace in (None, p.namespace)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(pod.key for pod in found[:_NEAR])
        more = f" and {len(found) - _NEAR} more" if len(found) > _NEAR else ""
        raise KschedxError(
            "ambiguous-pod",
            f"{len(found)} pods are named {name}: {keys}{more}",
            hint=f"choose one: -n {found[0].namespace}",
        )
    place = f" in namespace {namespace}" if namespace is not None else ""
    elsewhere = [pod.key for pod in pods if pod.name == name]
    near = elsewhere or _near_pods(pods, name, namespace)
    raise KschedxError(
        "no-such-pod",
        f"no pod {name}{place}",
        hint=f"near names: {', '.join(near)}"
        if near
        else f"{len(pods)} pods are in the snapshot"
        if pods
        else f"the snapshot holds no pods at all: {_FETCH}",
    )


def find_pod_named(snapshot: Snapshot, target: str, namespace: str | None) -> Pod:
    """One pod that could be scheduled, by "POD", "NAMESPACE/POD" or "pod/POD".

    Raises KschedxError for anything else, and for a pod that has ended.
    """
    found = find_target(snapshot, target, namespace)
    if not isinstance(found, Pod):
        raise KschedxError(
            "not-a-pod", f"{target} is no pod", hint="name one of its pods", exit_code=EXIT_USAGE
        )
    if found.terminal:
        ended = found.status.phase.lower()
        raise KschedxError(
            "pod-has-ended",
            f"pod {found.key} has {ended}: nothing is left to schedule",
            hint=f"kschedx why {found.key} says what became of it",
        )
    return found


def _near_pods(pods: Sequence[Pod], name: str, namespace: str | None) -> list[str]:
    """Keys of pods with like names, those of the namespace first; then all that begin so."""
    keys = {pod.name: pod.key for pod in pods if namespace in (None, pod.namespace)}
    keys = keys or {pod.name: pod.key for pod in pods}
    near = difflib.get_close_matches(name, keys, n=_NEAR)
    near += [other for other in keys if other.startswith(name) and other not in near]
    return [keys[other] for other in near[:_NEAR]]


def _of_kind(snapshot: Snapshot, kind: Kind, name: str, namespace: str | None) -> Pod | Workload:
    if kind.type is Pod:
        return find_pod(snapshot, name, namespace)
    if kind.type not in WORKLOADS:
        raise KschedxError(
            "not-a-workload",
            f"{kind.name} is not a kind that has pods",
            hint="these have: deploy, sts, ds, job, rs and rc, such as deploy/web",
            exit_code=EXIT_USAGE,
        )
    items = [item for item in snapshot.all(kind.type).values() if isinstance(item, WORKLOADS)]
    found = [i for i in items if i.name == name and namespace in (None, i.namespace)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(f"{item.namespace}/{item.name}" for item in found)
        raise KschedxError(
            "ambiguous-workload",
            f"{len(found)} of kind {kind.name} are named {name}: {keys}",
            hint=f"choose one: -n {found[0].namespace}",
        )
    place = f"{namespace}/" if namespace is not None else ""
    names = {item.name: f"{item.namespace}/{item.name}" for item in items}
    near = [names[other] for other in difflib.get_close_matches(name, names, n=_NEAR)]
    raise KschedxError(
        "no-such-workload",
        f"no {shown(kind.type, place + name)}",
        hint=f"near names: {', '.join(near)}"
        if near
        else f"the snapshot holds {len(items)} of kind {kind.name}",
    )


def find_node(snapshot: Snapshot, name: str) -> Node:
    """A node by name. Raises KschedxError with near names."""
    node = snapshot.get(Node, name)
    if node is None:
        nodes = list(snapshot.all(Node))
        raise KschedxError(
            "no-such-node",
            f"no node {name}",
            hint=_hint(nodes, name, "nodes: ", f"the snapshot holds no nodes at all: {_FETCH}"),
        )
    return node


def _hint(names: Iterable[str], word: str, label: str, none: str) -> str:
    known = list(names)
    if not known:
        return none
    near = difflib.get_close_matches(word, known, n=_NEAR)
    if near:
        return f"near names: {', '.join(near)}"
    more = f" and {len(known) - _NEAR} more" if len(known) > _NEAR else ""
    return f"{label}{', '.join(known[:_NEAR])}{more}"
