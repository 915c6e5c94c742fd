"""Which workload is rolled, and to what: the user's words against a snapshot."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kschedx.api.change import replaced
from kschedx.api.errors import KschedxError
from kschedx.api.workloads import DaemonSet, Deployment, StatefulSet
from kschedx.rollout.change import Workload, touched, with_image, with_replicas, with_requests
from kschedx.snapshot.kinds import parse_kind
from kschedx.snapshot.snapshot import Snapshot

KINDS = (StatefulSet, Deployment, DaemonSet)
USAGE = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """The change as the user says it; nothing said: the template touched and nothing else."""

    images: Sequence[tuple[str, str]] = ()
    """(container, image); an empty container where there is only one."""
    requests: Sequence[tuple[str, Mapping[str, str]]] = ()
    replicas: int | None = None
    manifests: Snapshot | None = None
    """What --to holds."""


def all_workloads(snapshot: Snapshot) -> list[Workload]:
    """Everything that can be rolled."""
    return [
        *snapshot.all(StatefulSet).values(),
        *snapshot.all(Deployment).values(),
        *snapshot.all(DaemonSet).values(),
    ]


def find_workload(snapshot: Snapshot, target: str, namespace: str | None) -> Workload:
    """ "NAME", "KIND/NAME" or "KIND/NAMESPACE/NAME"; without a namespace, all are searched.

    Raises KschedxError where there is none or several.
    """
    parts = target.split("/")
    kinds: tuple[type[Workload], ...] = KINDS
    if len(parts) > 1:
        kind = parse_kind(parts[0])
        if kind.type not in KINDS:
            raise KschedxError(
                "not-a-workload",
                f"{kind.name} is not a kind that is rolled",
                hint="StatefulSet, Deployment or DaemonSet",
                exit_code=USAGE,
            )
        kinds = tuple(k for k in KINDS if k is kind.type)
    if len(parts) == 3:  # noqa: PLR2004 - kind, namespace, name
        namespace = parts[1]
    name = parts[-1]
    items = [item for item in all_workloads(snapshot) if isinstance(item, kinds)]
    found = [i for i in items if i.name == name and namespace in (None, i.namespace)]
    if len(found) == 1:
        return found[0]
    if found:
        keys = ", ".join(_shown(item) for item in found)
        raise KschedxError(
            "ambiguous-workload",
            f"{len(found)} workloads are named {name}: {keys}",
            hint=f"choose one: {type(found[0]).__name__.lower()}/{found[0].namespace}/{name}",
        )
    names = {item.name: _shown(item) for item in items}
    near = [names[other] for other in difflib.get_close_matches(name, names, n=3)]
    raise KschedxError(
        "no-such-workload",
        f"no workload {target}",
        hint=f"near names: {', '.join(near)}"
        if near
        else f"the snapshot holds {len(items)} workloads that can be rolled",
    )


def _shown(item: Workload) -> str:
    return f"{type(item).__name__.lower()}/{item.namespace}/{item.name}"


def only_workload(snapshot: Snapshot, manifests: Snapshot) -> Workload:
    """The one workload of --to that differs from the snapshot's.

    Raises KschedxError where there is none or several.
    """
    changed = []
    for new in all_workloads(manifests):
        old = snapshot.get(type(new), f"{new.namespace}/{new.name}")
        if old is not None and merged(old, new) != old:
            changed.append(old)
    if len(changed) == 1:
        return changed[0]
    names = ", ".join(_shown(item) for item in changed)
    raise KschedxError(
        "which-workload",
        f"--to changes {len(changed)} workloads of the snapshot" + (f": {names}" if names else ""),
        hint="name one: kschedx simulate-upgrade KIND/NAME --to FILE",
        exit_code=USAGE,
    )


def others_changed(snapshot: Snapshot, old: Workload, wanted: Wanted) -> tuple[Workload, ...]:
    """The other workloads that --to changes, as they are to be written."""
    if wanted.manifests is None:
        return ()
    found = []
    for new in all_workloads(wanted.manifests):
        other = snapshot.get(type(new), f"{new.namespace}/{new.name}")
        if other is not None and other != old and merged(other, new) != other:
            found.append(merged(other, new))
    return tuple(found)


def merged(old: Workload, new: Workload) -> Workload:
    """The old object with the new one's spec; replicas stay where the new one names none."""
    if isinstance(new, DaemonSet) or isinstance(old, DaemonSet):
        return replaced(old, spec=new.spec)
    spec = new.spec
    if spec.replicas is None:
        spec = replaced(spec, replicas=old.spec.replicas)
    return replaced(old, spec=spec)


def changed_workload(old: Workload, wanted: Wanted) -> Workload:
    """The workload as it is to be written. Raises KschedxError for what does not fit it."""
    item = old
    if wanted.manifests is not None:
        new = wanted.manifests.get(type(old), f"{old.namespace}/{old.name}")
        if new is None:
            raise KschedxError(
                "no-such-workload",
                f"--to holds no {_shown(old)}",
                hint=", ".join(_shown(i) for i in all_workloads(wanted.manifests)) or None,
            )
        item = merged(old, new)
    for container, image in wanted.images:
        item = with_image(item, container, image)
    for container, requests in wanted.requests:
        item = with_requests(item, container, requests)
    if wanted.replicas is not None:
        item = with_replicas(item, wanted.replicas)
    nothing_said = wanted.manifests is None and wanted.replicas is None
    if item == old and nothing_said and not wanted.images and not wanted.requests:
        return touched(old)
    return item
