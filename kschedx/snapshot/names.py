"""Names of objects, and nothing else of them: for completion, within a time that a typist waits."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Final, TypeVar
from urllib.parse import urlencode

import msgspec

from kschedx.api.pod import Pod
from kschedx.snapshot.files import read_files
from kschedx.snapshot.kinds import Kind
from kschedx.snapshot.live import Target, connect
from kschedx.snapshot.paging import PAGE_ITEMS

PATIENCE_SECONDS: Final = 2.0
_METADATA_ONLY: Final = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
_OK: Final = 200

T = TypeVar("T")
Named = tuple[str, str]
"""(namespace, name); no namespace for objects outside namespaces."""


class _Metadata(msgspec.Struct):
    name: str = ""
    namespace: str = ""


class _Item(msgspec.Struct):
    metadata: _Metadata


class _ListMetadata(msgspec.Struct):
    token: str = msgspec.field(name="continue", default="")


class _Names(msgspec.Struct):
    metadata: _ListMetadata
    items: list[_Item] = []


def within_patience(work: Callable[[], Sequence[T]]) -> Sequence[T]:
    """What the work gives; nothing if it fails or takes too long, and then it is left alone."""
    found: list[Sequence[T]] = []

    def run() -> None:
        try:
            found.append(work())
        except Exception:  # whoever completes a word wants no error about it
            return

    worker = threading.Thread(target=run, daemon=True)
    worker.start()
    worker.join(PATIENCE_SECONDS)
    return found[0] if found else ()


def names_in_files(files: Sequence[str], kind: Kind, *, waiting: bool = False) -> list[Named]:
    """The names of a kind in a snapshot; `waiting`: only of pods without a node.

    Raises KschedxError where it cannot be read.
    """
    return [
        (item.namespace if kind.namespaced else "", item.name)
        for item in read_files(files).all(kind.type).values()
        if not (waiting and isinstance(item, Pod) and (item.spec.node_name or item.terminal))
    ]


def names_in_cluster(target: Target, kind: Kind, *, waiting: bool = False) -> list[Named]:
    """The names of a kind in a live cluster. Raises what reading a cluster raises."""
    cluster = connect(target)
    group = kind.groups[0]
    path = f"/apis/{group}/v1/{kind.plural}" if group else f"/api/v1/{kind.plural}"
    query: dict[str, str | int] = {"limit": PAGE_ITEMS}
    if waiting:
        query["fieldSelector"] = "status.phase=Pending"
    names: list[Named] = []
    try:
        while True:
            answer = cluster.get(
                f"{path}?{urlencode(query)}", accept=_METADATA_ONLY, seconds=PATIENCE_SECONDS
            )
            if answer.status != _OK:
                return names
            page = msgspec.json.decode(answer.body, type=_Names)
            names += [(item.metadata.namespace, item.metadata.name) for item in page.items]
            if not page.metadata.token:
                return names
            query["continue"] = page.metadata.token
    finally:
        cluster.close()
