"""Redaction: every name, label and image of a snapshot replaced, every relation between them kept.

Which field holds what: redact_fields.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from typing import Any, Final

import msgspec.inspect as types
from msgspec.structs import replace

from kschedx.api.meta import Object
from kschedx.api.pod import Pod, PodSpec
from kschedx.api.storage import PersistentVolumeClaim
from kschedx.api.workloads import StatefulSet
from kschedx.snapshot import kinds
from kschedx.snapshot.pseudonyms import VALUE, Collector, Names, Pseudonyms
from kschedx.snapshot.redact_fields import (
    ANNOTATIONS,
    LABEL_MAPS,
    LEAVES,
    keep,
    label_value,
    name,
    resource,
)
from kschedx.snapshot.saved import trimmed
from kschedx.snapshot.snapshot import Snapshot, key_of

_SHORTER: Final = {"PersistentVolumeClaim": "claim", "PersistentVolume": "volume"}


def _role(kind: kinds.Kind) -> str:
    return _SHORTER.get(kind.name, kind.name.lower())


_ROLES: Final = (
    *map(_role, kinds.ALL),
    "container",
    "name",
    "region",
    VALUE,
)
Change = Callable[[Names, Any], Any]


def _map_change(field: str) -> Change:
    if field in LABEL_MAPS:
        return lambda names, labels: {
            names.key(k): label_value(names, v) for k, v in labels.items()
        }
    if field == "ObjectMeta.annotations":
        return lambda names, said: {k: ANNOTATIONS.get(k, keep)(names, v) for k, v in said.items()}
    if field == "PodDisruptionBudgetStatus.disrupted_pods":
        return lambda names, pods: {name(names, k): v for k, v in pods.items()}
    return lambda names, amounts: {resource(names, k): v for k, v in amounts.items()}


def _change(wanted: types.Type, field: str) -> Change | None:
    """What is done with a value of this type; None for nothing."""
    if isinstance(wanted, types.StructType):
        return _struct if _plan(wanted.cls) else None
    if isinstance(wanted, types.StrType):
        leaf = LEAVES.get(field, name)
        return None if leaf is keep else leaf
    if isinstance(wanted, types.DictType):
        return _map_change(field)
    if isinstance(wanted, types.VarTupleType):
        inner = _change(wanted.item_type, field)
        if inner is None:
            return None
        return lambda names, items: tuple(inner(names, item) for item in items)
    if isinstance(wanted, types.UnionType):
        return _union_change(wanted, field)
    return None


def _union_change(wanted: types.UnionType, field: str) -> Change | None:
    """One type or null; or a number and a text alike, of which only a text is a name."""
    if any(isinstance(t, types.FloatType) for t in wanted.types):
        return None  # a quantity
    changes = [_change(t, field) for t in wanted.types if not isinstance(t, types.NoneType)]
    change = next((c for c in changes if c is not None), None)
    if change is None:
        return None
    return lambda names, value: value if value is None or value == () else change(names, value)


@cache
def _plan(cls: Any) -> tuple[tuple[str, Change], ...]:
    """The fields of a struct in which something can change."""
    info = types.type_info(cls)
    assert isinstance(info, types.StructType)
    changes = ((f.name, _change(f.type, f"{cls.__name__}.{f.name}")) for f in info.fields)
    return tuple((name, change) for name, change in changes if change is not None)


def _struct(names: Names, item: Any) -> Any:
    changed = {}
    for field, change in _plan(item.__class__):
        before = getattr(item, field)
        if before:
            after = change(names, before)
            if after != before:
                changed[field] = after
    return replace(item, **changed) if changed else item


class Redaction:
    """A snapshot under pseudonyms, and which pseudonym each name has."""

    def __init__(self, snapshot: Snapshot, kept: Collection[str] = ()) -> None:
        """`kept`: texts that stay, such as the labels that a scheduler configuration names."""
        plain = trimmed(snapshot)
        collected = Collector(_ROLES, kept)
        for kind in kinds.ALL:
            role = _role(kind)
            for item in plain.objects.get(kind.type, {}).values():
                collected.text(item.metadata.name, role)
                collected.text(item.metadata.namespace, "namespace")
                _struct(collected, item)
        composed = {
            text: parts for text, parts in _composed_names(plain) if text in collected.texts
        }
        self._names = Pseudonyms(collected, composed)
        objects: dict[type[Object], dict[str, Object]] = {}
        for kind_type, items in plain.objects.items():
            changed = (_struct(self._names, item) for item in items.values())
            objects[kind_type] = {key_of(item): item for item in changed}
        self.snapshot = Snapshot(
            objects=objects,
            complete=plain.complete,
            unread=plain.unread,
            version=plain.version,
            taken_at=plain.taken_at,
        )
        """In the order of the original."""

    def with_messages(self, messages: Mapping[str, str]) -> Snapshot:
        """The snapshot with these texts as what its scheduler recorded of pods, by key."""
        pods = self.snapshot.all(Pod)
        return self.snapshot.with_objects(
            _saying(pods[key], message) for key, message in messages.items()
        )

    def name(self, name: str) -> str:
        """A name's pseudonym. Raises KeyError for a name that is not in the snapshot."""
        return self._names.text(name, "name")

    def key(self, key: str) -> str:
        """The pseudonym of "namespace/name"."""
        return "/".join(self.name(part) for part in key.split("/"))


def _saying(pod: Pod, message: str) -> Pod:
    conditions = tuple(
        replace(condition, message=message) if condition.type == "PodScheduled" else condition
        for condition in pod.status.conditions
    )
    return replace(pod, status=replace(pod.status, conditions=conditions))


def _composed_names(snapshot: Snapshot) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that controllers put together: db-0 of StatefulSet db, its claim data-db-0."""
    for pod in snapshot.all(Pod).values():
        name = pod.metadata.name
        owner = pod.metadata.controller
        own: tuple[str, ...] = (name,)
        if owner is not None and owner.kind == "StatefulSet":
            before, _, ordinal = name.rpartition("-")
            if before == owner.name and ordinal.isdecimal():
                own = (owner.name, ordinal)
                yield name, own
        yield from _composed_claims(name, pod.spec, own)
    templates = {
        (claim.metadata.name, item.metadata.name)
        for item in snapshot.all(StatefulSet).values()
        for claim in item.spec.volume_claim_templates
    }
    for claim in snapshot.all(PersistentVolumeClaim).values():
        name = claim.metadata.name
        before, _, ordinal = name.rpartition("-")
        for template, owner_name in templates:
            if before == f"{template}-{owner_name}" and ordinal.isdecimal():
                yield name, (template, owner_name, ordinal)


def _composed_claims(
    pod: str, spec: PodSpec, own: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for volume in spec.volumes:
        claim = volume.persistent_volume_claim
        if claim is not None and claim.claim_name == f"{volume.name}-{pod}":
            yield claim.claim_name, (volume.name, *own)
        elif volume.ephemeral is not None:
            yield f"{pod}-{volume.name}", (*own, volume.name)
