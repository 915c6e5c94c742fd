"""Bytes -> objects: which format a document is in, and what else people hand over by mistake."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

import msgspec

from kschedx.api.errors import KschedxError
from kschedx.snapshot.defaults import with_defaults
from kschedx.snapshot.gathering import Gathering
from kschedx.snapshot.json_objects import read_json
from kschedx.snapshot.server import Server
from kschedx.snapshot.snapshot import Snapshot
from kschedx.snapshot.sources import Document

_TABLE: Final = re.compile(r"(NAMESPACE +)?NAME +[A-Z(]+[A-Z() -]*$")
_MISTAKES: Final = (
    (_TABLE, "kubectl-table", "kubectl's table, which leaves out most", "add -o json to kubectl"),
    (
        re.compile(r"No resources found"),
        "no-resources",
        "kubectl found nothing to write",
        "add -A for all namespaces",
    ),
    (
        re.compile(r"(Error from server|error:|Unable to connect|The connection to the server)"),
        "kubectl-failed",
        "kubectl's error message",
        "run the kubectl command that wrote it again",
    ),
    (
        re.compile(r"Name: +\S+$"),
        "kubectl-describe",
        "the output of kubectl describe",
        "kubectl get -o json writes what can be read",
    ),
)
_GC_FREEZE_FROM: Final = 10_000
"""Objects from which on the collector is spared from walking them ever again."""


def read_document(document: Document, gathering: Gathering) -> None:
    """Gather the objects of one file, JSON or YAML whatever its name says.

    Raises KschedxError with the place for what cannot be read.
    """
    start = document.content[:64].lstrip()[:2] or document.content.strip()[:2]
    if not start:
        if not document.found:
            raise KschedxError(
                "empty-file",
                f"{document.name}: empty",
                hint="did the command that wrote it fail?",
            )
    elif start == b"{{":
        raise KschedxError(
            "template-not-rendered",
            f"{document.name}, line 1: a template, not yet YAML",
            hint="render it first, such as with helm template",
        )
    elif start[:1] in (b"{", b"["):
        _read_braces(document, gathering)
    else:
        _read_yaml(document, gathering)


def _read_braces(document: Document, gathering: Gathering) -> None:
    """JSON; or YAML in JSON's dress, which only a file with such a name may be."""
    try:
        read_json(document, gathering)
    except KschedxError as error:
        if error.code != "not-json" or not document.says_yaml:
            raise
        _read_yaml(document, gathering)


def _read_yaml(document: Document, gathering: Gathering) -> None:
    from kschedx.snapshot.yaml_objects import read_yaml  # PyYAML takes time to load

    try:
        text = document.content.decode()
    except UnicodeDecodeError as error:
        line = document.content.count(b"\n", 0, error.start) + 1
        raise KschedxError(
            "not-utf-8",
            f"{document.name}, line {line}: neither JSON nor YAML: not UTF-8 text",
            hint="-f takes what kubectl get -o json or -o yaml writes",
        ) from error
    _refuse_mistakes(document, text)
    read_yaml(document, text, gathering)


def _refuse_mistakes(document: Document, text: str) -> None:
    first = text.lstrip().partition("\n")[0].rstrip()
    for pattern, code, what, hint in _MISTAKES:
        if pattern.match(first):
            raise KschedxError(code, f"{document.name}: {what}", hint=hint)


@contextmanager
def collector_off() -> Iterator[None]:
    """No garbage collection while objects are built: it would walk them over and over."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def spare_from_collection(gathering: Gathering) -> None:
    """Of a large snapshot nothing becomes garbage: leave it out of all later collections."""
    if gathering.count >= _GC_FREEZE_FROM:
        gc.freeze()


def objects_from_json(content: bytes, release: Server) -> Snapshot:
    """A complete snapshot from a JSON list of stored objects: with defaults, without admission.

    Raises KschedxError as reading a file does.
    """
    with collector_off():
        gathering = Gathering()
        read_json(Document("objects", content), gathering)
        return _complete(gathering, release)


def snapshot_from_objects(objects: Iterable[msgspec.Raw | bytes], release: Server) -> Snapshot:
    """The same from the JSON texts of the single objects."""
    return objects_from_json(b"[" + b",".join(bytes(item) for item in objects) + b"]", release)


def _complete(gathering: Gathering, release: Server) -> Snapshot:
    gathering.check_quantities()
    return with_defaults(gathering.snapshot(complete=True), release)
