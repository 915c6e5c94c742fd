"""A whole live cluster, read in parallel into a Snapshot."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable, Collection, Sequence
from email.utils import parsedate_to_datetime
from queue import SimpleQueue
from typing import Final

import msgspec

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.snapshot import kinds
from kschedx.snapshot.decode import collector_off
from kschedx.snapshot.live import CONNECTIONS
from kschedx.snapshot.paging import Listed, Lister, Transport
from kschedx.snapshot.snapshot import Snapshot

ESSENTIAL: Final[tuple[type[Object], ...]] = (Pod, Node)
"""Without these there is no answer at all."""
_BIGGEST_FIRST: Final = ("pods", "replicasets", "nodes", "controllerrevisions", "jobs")
_OK: Final = 200
_MANY: Final = 10_000
"""Objects from which on the garbage collector is spared from walking them."""

Progress = Callable[[str, int, int], None]
"""Told (plural of a kind, objects so far, objects expected) after each page, from any thread."""


class _VersionInfo(msgspec.Struct, rename="camel"):
    git_version: str = ""


class _CancelledError(Exception):
    pass


def read_cluster(
    cluster: Transport,
    *,
    essential: Collection[type[Object]] = ESSENTIAL,
    progress: Progress | None = None,
    meanwhile: Callable[[], None] | None = None,
) -> Snapshot:
    """Everything that scheduling reads, as the server stores it: complete, without defaults.

    `meanwhile` is called once while the server is asked. Kinds that are forbidden or not served are `unread`. Raises KschedxError where the server
    cannot be used, or an essential kind is forbidden.
    """
    cancelled = threading.Event()

    def wait(seconds: float) -> None:
        if cancelled.wait(seconds):
            raise _CancelledError

    lister = Lister(cluster, wait, progress)
    version, taken_at = _version(lister)
    try:
        with collector_off():
            listed = _in_parallel(lister, kinds.ALL, meanwhile)
    finally:
        cancelled.set()
    if sum(len(one.objects or ()) for one in listed) >= _MANY:
        gc.freeze()  # nothing of it becomes garbage
    missing = [one for one in listed if one.objects is None]
    for one in missing:
        if one.kind.type in essential:
            raise KschedxError(
                "forbidden",
                f"{cluster.shown}: listing {one.kind.plural} of all namespaces is {one.why_not}",
                hint="docs/rbac.yaml holds the rights that are needed",
            )
    why = sorted({one.why_not for one in missing})
    return Snapshot(
        objects={one.kind.type: one.objects for one in listed if one.objects is not None},
        complete=True,
        unread=frozenset(one.kind.name for one in missing),
        version=version,
        taken_at=taken_at,
        notes=tuple(
            f"{cause}: " + ", ".join(sorted(o.kind.plural for o in missing if o.why_not == cause))
            for cause in why
        ),
    )


def _version(lister: Lister) -> tuple[str | None, str]:
    """The server's version and its clock."""
    answer = lister.ask("/version")
    info = msgspec.json.decode(answer.body, type=_VersionInfo) if answer.status == _OK else None
    stamp = next((v for k, v in answer.headers.items() if k.lower() == "date"), "")
    try:
        clock = parsedate_to_datetime(stamp).utctimetuple()
    except ValueError:
        clock = time.gmtime()
    return (info.git_version if info else "") or None, time.strftime("%Y-%m-%dT%H:%M:%SZ", clock)


def _in_parallel(
    lister: Lister, wanted: Sequence[kinds.Kind], meanwhile: Callable[[], None] | None
) -> list[Listed]:
    """Every kind read, in the order of `wanted`. The first failure ends it.

    The threads are daemons, so that an interrupted command ends at once.
    """
    order = {plural: place for place, plural in enumerate(_BIGGEST_FIRST)}
    jobs: SimpleQueue[kinds.Kind | None] = SimpleQueue()
    for kind in sorted(wanted, key=lambda kind: order.get(kind.plural, len(order))):
        jobs.put(kind)
    done: SimpleQueue[Listed | BaseException] = SimpleQueue()

    def work() -> None:
        while (kind := jobs.get()) is not None:
            try:
                done.put(lister.read(kind))
            except BaseException as error:
                done.put(error)
                return

    for _ in range(CONNECTIONS):
        jobs.put(None)
        threading.Thread(target=work, daemon=True).start()
    if meanwhile is not None:
        meanwhile()
    found: dict[str, Listed] = {}
    for _ in wanted:
        result = done.get()
        if isinstance(result, BaseException):
            raise result
        found[result.kind.plural] = result
    return [found[kind.plural] for kind in wanted]
