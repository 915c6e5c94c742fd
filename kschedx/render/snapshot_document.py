"""SnapshotReport as machines read it: the published schema, docs/schema/snapshot.json."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from kschedx.render.document import API_VERSION, Document
from kschedx.snapshot.saved import SnapshotReport


class SnapshotDocument(Document, frozen=True, kw_only=True):
    """What `kschedx snapshot` wrote."""

    api_version: Literal["kschedx.io/v1"] = API_VERSION
    kind: Literal["SnapshotReport"] = "SnapshotReport"
    file: str
    size_bytes: int
    kubernetes_version: Annotated[str, Meta(description="Empty where it is not known")]
    taken_at: Annotated[str, Meta(description="RFC 3339; empty where it is not known")]
    counts: Annotated[dict[str, int], Meta(description="Objects by kind")]
    complete: Annotated[
        bool, Meta(description="A kind without objects is empty in the cluster, not unread")
    ]
    unread: Annotated[list[str], Meta(description="Kinds that could not be read")]
    redacted: bool
    replayed: Annotated[
        int, Meta(description="Pending pods whose verdicts are equal before and after redaction")
    ]
    dropped_messages: Annotated[
        int, Meta(description="Recorded messages that could not be put into pseudonyms")
    ]
    notes: list[str]


def snapshot_document(report: SnapshotReport) -> SnapshotDocument:
    """The whole report."""
    return SnapshotDocument(
        file=report.file,
        size_bytes=report.size_bytes,
        kubernetes_version=report.version or "",
        taken_at=report.taken_at or "",
        counts=dict(report.counts),
        complete=report.complete,
        unread=list(report.unread),
        redacted=report.redacted,
        replayed=report.replayed,
        dropped_messages=report.dropped_messages,
        notes=list(report.notes),
    )
