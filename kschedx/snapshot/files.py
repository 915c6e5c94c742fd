"""Files -> Snapshot: everything between `-f`, `--with`, `--without` and what the rules look at."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.snapshot import kinds
from kschedx.snapshot.admission import with_admission
from kschedx.snapshot.decode import collector_off, read_document, spare_from_collection
from kschedx.snapshot.defaults import with_defaults
from kschedx.snapshot.gathering import DEFAULT_NAMESPACE, Gathering
from kschedx.snapshot.server import Server
from kschedx.snapshot.snapshot import Snapshot
from kschedx.snapshot.sources import STDIN, documents

ServerFor = Callable[[str | None], Server]
"""The server for the version that the files state, None if they state none."""
ObjectName = tuple[type[Object], str]
"""A kind and a Snapshot key."""

_MAX_NOTES: Final = 10


def load(
    sources: Sequence[str],
    *,
    complete: bool = False,
    with_sources: Sequence[str] = (),
    without: Sequence[ObjectName] = (),
    release: Server | ServerFor,
) -> Snapshot:
    """The cluster that these files describe, as the scheduler would see it.

    `release` is what defaults and admission depend on, or a function that tells it from the
    version that the files state. The rest is told at `read_files` and `changed`.

    Raises KschedxError, with the place, for whatever cannot be read.
    """
    refuse_twice_stdin((*sources, *with_sources))
    snapshot = read_files(sources, complete=complete)
    return settled(changed(snapshot, with_sources, without), release)


def parse_without(text: str, namespace: str = DEFAULT_NAMESPACE) -> ObjectName:
    """ "deploy/prod/api" or "no/worker-1" as a kind and a key.

    `namespace` is taken where the text names none. Raises KschedxError (wrong usage).
    """
    return kinds.parse_object_name(text, namespace)


def read_files(sources: Sequence[str], *, complete: bool = False) -> Snapshot:
    """What the files hold, as they hold it: no defaults, no admission. A later source wins.

    A source is what `-f` takes (see sources.documents). `complete`: the files hold every object of
    the cluster. Raises KschedxError where nothing is found that scheduling reads.
    """
    gathering = Gathering()
    with collector_off():
        for source in sources:
            for document in documents(source):
                read_document(document, gathering)
        if not gathering.count:
            raise _nothing_read(sources, gathering)
        gathering.check_quantities()
        spare_from_collection(gathering)
    return gathering.snapshot(complete=complete)


def changed(
    snapshot: Snapshot, with_sources: Sequence[str] = (), without: Sequence[ObjectName] = ()
) -> Snapshot:
    """What if: the objects of some files added or in the place of others, then some taken away.

    Before `settled`, so that what is added gets its defaults. What-if files say nothing of which
    kinds are unread. Raises KschedxError for an object to be taken away that is not there.
    """
    if with_sources:
        more = read_files(with_sources)
        items = [item for objects in more.objects.values() for item in objects.values()]
        snapshot = replace(
            snapshot.with_objects(items),
            notes=(*snapshot.notes, *more.notes),
            sources={**snapshot.sources, **more.sources},
        )
    for kind, key in without:
        snapshot = _taken_away(snapshot, kind, key)
    return replace(snapshot, supposed=snapshot.supposed or bool(with_sources or without))


def settled(snapshot: Snapshot, release: Server | ServerFor) -> Snapshot:
    """Every object as an API server of that release would show it; notes cut to a few."""
    server = release(snapshot.version) if callable(release) else release
    with collector_off():
        snapshot = with_admission(with_defaults(snapshot, server), server)
    return replace(snapshot, notes=_shortened(snapshot.notes))


def _nothing_read(sources: Sequence[str], gathering: Gathering) -> KschedxError:
    passed_over = "; ".join(gathering.notes())
    return KschedxError(
        "empty-snapshot",
        f"{', '.join(sources) or 'no file'}: no object that scheduling reads"
        + (f" ({passed_over})" if passed_over else ""),
        hint="kubectl get pods,nodes -A -o json > FILE writes what is needed at least",
    )


def refuse_twice_stdin(sources: Sequence[str]) -> None:
    """Raises KschedxError (wrong usage) for sources that cannot all be read."""
    if sources.count(STDIN) > 1:
        raise KschedxError(
            "stdin-twice",
            "standard input can be read only once",
            hint="name one of the two as a file",
            exit_code=kinds.EXIT_USAGE,
        )


def _taken_away(snapshot: Snapshot, kind: type[Object], key: str) -> Snapshot:
    if snapshot.get(kind, key) is None:
        near = difflib.get_close_matches(key, snapshot.all(kind), n=1, cutoff=0.7)
        raise KschedxError(
            "no-such-object",
            f"{kinds.shown(kind, key)}: no such object to leave out",
            hint=f"did you mean {near[0]}?" if near else None,
        )
    return snapshot.without_object(kind, key)


def _shortened(notes: Sequence[str]) -> tuple[str, ...]:
    rest = len(notes) - _MAX_NOTES
    return (*notes[:_MAX_NOTES], f"and {rest:,} more such notes") if rest > 0 else tuple(notes)
