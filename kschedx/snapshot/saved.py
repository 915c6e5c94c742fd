"""Snapshot -> file: a List that kubectl can read, with what scheduling reads and nothing else.

The structs of kschedx.api hold only such fields, so environment variables, commands, volumes'
contents and managed fields are gone once an object has been read. Annotations are a map of
anything, of which only those stay that a verdict, a rollout or a workload's owner depends on.
"""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object, ObjectMeta, StringMap
from kschedx.api.pod import Pod, PodSpec, PodTemplate
from kschedx.api.storage import PersistentVolumeClaimTemplate
from kschedx.api.workloads import (
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedx.snapshot import kinds
from kschedx.snapshot.gathering import COMPLETE, TAKEN_AT, UNREAD, VERSION
from kschedx.snapshot.snapshot import Snapshot

REDACTED: Final = "kschedx.io/redacted"
"""Annotation of the List: "true" where names are pseudonyms."""

KEPT_ANNOTATIONS: Final = frozenset(
    {
        "controller.kubernetes.io/pod-deletion-cost",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deployment.kubernetes.io/revision",
        "kubernetes.io/config.mirror",
        "kubernetes.io/config.source",
        "pv.kubernetes.io/bind-completed",
        "pv.kubernetes.io/bound-by-controller",
        "scheduling.k8s.io/group-name",
        "storage.alpha.kubernetes.io/migrated-plugins",
        "storageclass.beta.kubernetes.io/is-default-class",
        "storageclass.kubernetes.io/is-default-class",
        "volume.beta.kubernetes.io/storage-class",
        "volume.kubernetes.io/selected-node",
    }
)
_WITH_TEMPLATE: Final = (
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)


@dataclass(frozen=True, slots=True)
class SnapshotReport:
    """What was written."""

    file: str
    size_bytes: int
    """0 until it is written."""
    version: str | None
    """Kubernetes' version, such as "v1.35.4"."""
    taken_at: str | None
    counts: Mapping[str, int]
    """Objects by kind; kinds without objects are left out."""
    complete: bool
    """A kind without objects is empty, not unread."""
    unread: tuple[str, ...] = ()
    """Kinds that could not be read, sorted."""
    redacted: bool = False
    replayed: int = 0
    """Pending pods whose verdicts are equal before and after redaction."""
    dropped_messages: int = 0
    """Pending pods whose recorded message could not be put into pseudonyms."""
    notes: tuple[str, ...] = ()


def trimmed(snapshot: Snapshot) -> Snapshot:
    """The snapshot as a file holds it: without annotations that nothing depends on."""
    return Snapshot(
        objects={
            kind: {key: _trimmed_object(item) for key, item in items.items()}
            for kind, items in snapshot.objects.items()
        },
        complete=snapshot.complete,
        unread=snapshot.unread,
        version=snapshot.version,
        taken_at=snapshot.taken_at,
    )


def _trimmed_object(item: Object) -> Object:
    item = replace(item, metadata=_trimmed_metadata(item.metadata))
    if isinstance(item, Pod):
        return replace(item, spec=_trimmed_spec(item.spec))
    if isinstance(item, _WITH_TEMPLATE) and item.spec.template is not None:
        item = replace(
            item, spec=replace(item.spec, template=_trimmed_template(item.spec.template))
        )
    if isinstance(item, StatefulSet) and item.spec.volume_claim_templates:
        claims = tuple(_trimmed_claim(claim) for claim in item.spec.volume_claim_templates)
        return replace(item, spec=replace(item.spec, volume_claim_templates=claims))
    return item


def _trimmed_metadata(metadata: ObjectMeta) -> ObjectMeta:
    kept = {k: v for k, v in metadata.annotations.items() if k in KEPT_ANNOTATIONS}
    if kept == metadata.annotations:
        return metadata
    return replace(metadata, annotations=kept)


def _trimmed_template(template: PodTemplate) -> PodTemplate:
    return replace(
        template,
        metadata=_trimmed_metadata(template.metadata),
        spec=_trimmed_spec(template.spec),
    )


def _trimmed_claim(claim: PersistentVolumeClaimTemplate) -> PersistentVolumeClaimTemplate:
    return replace(claim, metadata=_trimmed_metadata(claim.metadata))


def _trimmed_spec(spec: PodSpec) -> PodSpec:
    """A pod's spec holds metadata too, in the claim templates of its ephemeral volumes."""
    if not any(volume.ephemeral for volume in spec.volumes):
        return spec
    volumes = []
    for volume in spec.volumes:
        if volume.ephemeral is not None and volume.ephemeral.volume_claim_template is not None:
            claim = _trimmed_claim(volume.ephemeral.volume_claim_template)
            ephemeral = replace(volume.ephemeral, volume_claim_template=claim)
            volumes.append(replace(volume, ephemeral=ephemeral))
        else:
            volumes.append(volume)
    return replace(spec, volumes=tuple(volumes))


def encoded(snapshot: Snapshot, *, redacted: bool = False) -> Iterator[bytes]:
    """The file's bytes, part by part; one object a line. Same snapshot, same bytes."""
    said: StringMap = {}
    if snapshot.version:
        said[VERSION] = snapshot.version
    if snapshot.taken_at:
        said[TAKEN_AT] = snapshot.taken_at
    if snapshot.complete:
        said[COMPLETE] = "true"
    if snapshot.unread:
        said[UNREAD] = ",".join(sorted(snapshot.unread))
    if redacted:
        said[REDACTED] = "true"
    encode = msgspec.json.Encoder().encode
    yield b'{"apiVersion":"v1","kind":"List","metadata":{"annotations":%s},"items":[' % encode(said)
    between = b"\n"
    for kind in kinds.ALL:
        group = kind.groups[0]
        head = b'{"apiVersion":"%s","kind":"%s",' % (
            (f"{group}/v1" if group else "v1").encode(),
            kind.name.encode(),
        )
        for item in snapshot.objects.get(kind.type, {}).values():
            yield between + head + encode(item)[1:]
            between = b",\n"
    yield b"\n]}\n"


def write(parts: Iterable[bytes], path: Path) -> int:
    """Write a file whole or not at all, gzipped if it is called so; returns its size in bytes.

    Raises KschedxError where it cannot be written.
    """
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            if target.is_dir():
                raise KschedxError("not-written", f"{path}: is a folder")
            with target.open("wb") as stream:  # a pipe or a device
                return _copy(parts, stream, compress=path.suffix == ".gz")
        return _write_beside(parts, target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise KschedxError("not-written", f"{path}: cannot be written: {reason}") from error


def _write_beside(parts: Iterable[bytes], target: Path) -> int:
    """Into a file beside it, which then takes its name."""
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666
    try:
        with os.fdopen(
            os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb"
        ) as stream:
            _copy(parts, stream, compress=target.suffix == ".gz")
            stream.flush()
            os.fsync(stream.fileno())
        size = beside.stat().st_size
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return size


def _copy(parts: Iterable[bytes], stream: io.BufferedIOBase, *, compress: bool) -> int:
    written = 0
    if compress:  # no time in it: same snapshot, same bytes
        with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed:
            for part in parts:
                written += packed.write(part)
        return written
    for part in parts:
        written += stream.write(part)
    return written
