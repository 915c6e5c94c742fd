"""JSON text -> objects, straight into their structs.

The outermost list is split into the raw text of its items; each item's kind is taken from its
first two fields, where every printer puts it, and decoded by that kind's own decoder. What strict
decoding refuses (null, mostly) is decoded once more to plain values and coerced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from kschedx.api.errors import KschedxError
from kschedx.snapshot.gathering import Gathering, Shelf
from kschedx.snapshot.snapshot import Source
from kschedx.snapshot.sources import Document

LIST: Final = "List"
MAX_NESTED_LISTS: Final = 5
_LINES_UP_TO_BYTES: Final = 4 << 20
"""In larger files the objects' lines are not counted: nobody opens them in an editor."""

_HEAD: Final = re.compile(
    rb'\s*\{\s*"apiVersion"\s*:\s*"([^"\\]*)"\s*,\s*"kind"\s*:\s*"([^"\\]*)"\s*,'
)
_TRUNCATED: Final = "Input data was truncated"
_OFFSET: Final = re.compile(r"^(.*) \(byte (\d+)\)$", re.DOTALL)


class _Head(msgspec.Struct, rename="camel"):
    """What an object or a list says of itself, whatever it is."""

    api_version: Any = None
    kind: Any = None
    metadata: msgspec.Raw = msgspec.Raw(b"null")

    @property
    def names(self) -> tuple[str, str]:
        """(apiVersion, kind), empty where there is none."""
        return (
            self.api_version if isinstance(self.api_version, str) else "",
            self.kind if isinstance(self.kind, str) else "",
        )


class _List(_Head):
    items: list[msgspec.Raw] | None = None


class _Failure(msgspec.Struct):
    """A Status object, as an API server answers what it refuses."""

    message: Any = None
    reason: Any = None


_decode_head: Final = msgspec.json.Decoder(_Head).decode
_decode_list: Final = msgspec.json.Decoder(_List).decode
_decode_array: Final = msgspec.json.Decoder(list[msgspec.Raw]).decode


def read_json(document: Document, gathering: Gathering) -> None:
    """Gather the objects of a JSON document.

    Raises KschedxError with line and column for broken JSON, with the object for a wrong type.
    """
    _Reader(document, gathering).read()


def refused(api_message: Any, api_reason: Any, source: Source) -> KschedxError:
    """The error for a file that holds an API server's refusal instead of objects."""
    said = next((str(text) for text in (api_message, api_reason) if text), "no reason given")
    return KschedxError(
        "refused-by-server",
        f"{source}: an API server's refusal and no objects: {' '.join(said.split())[:200]}",
        hint="run the kubectl command that wrote it again",
    )


class _Reader:
    """Reads one document."""

    def __init__(self, document: Document, gathering: Gathering) -> None:
        self._document = document
        self._content = document.content
        self._gathering = gathering
        self._whole = Source(document.name)
        self._shelves: dict[tuple[bytes, bytes], Shelf | None] = {}

    def read(self) -> None:
        content = self._content
        try:
            if content.lstrip()[:1] == b"[":
                self._items(_decode_array(content), "", "", 0)
            else:
                self._object(content, self._first(), 0)
        except msgspec.ValidationError as error:
            raise KschedxError(
                "not-an-object", f"{self._whole}: holds JSON that is no Kubernetes object"
            ) from error
        except msgspec.DecodeError as error:
            raise self._broken(str(error), content, 0) from error
        except RecursionError as error:
            raise KschedxError(
                "nested-too-deep", f"{self._whole}: nested too deep to be read"
            ) from error

    def _first(self) -> Source:
        """Where the outermost object begins."""
        content = self._content
        at = len(content) - len(content.lstrip())
        line = content.count(b"\n", 0, at) + 1
        return Source(self._document.name, line, at - content.rfind(b"\n", 0, at))

    def _object(self, raw: bytes, source: Source, depth: int) -> None:
        """One object, which may be a list of others. Raises DecodeError for broken JSON."""
        try:
            outer = _decode_list(raw)
        except msgspec.ValidationError:
            head = _decode_head(raw)  # the object's own "items" may be anything
            outer = _List(head.api_version, head.kind, head.metadata)
        api_version, kind = outer.names
        if outer.items is not None and (kind.endswith(LIST) or not kind):
            self._gathering.annotate(_annotations(outer.metadata))
            if depth < MAX_NESTED_LISTS:
                self._items(outer.items, api_version, kind, depth)
        elif kind == "Status" and api_version == "v1":
            failure = msgspec.json.decode(raw, type=_Failure)
            raise refused(failure.message, failure.reason, source)
        elif not kind and not self._document.found and depth == 0:
            raise KschedxError("no-kind", f"{source}: no Kubernetes object: it names no kind")
        elif not kind.endswith(LIST) or outer.items is not None:
            shelf = self._gathering.shelf(api_version, kind)
            if shelf is None:
                self._gathering.pass_over(kind)
            else:
                self._keep(raw, shelf, source)

    def _items(
        self, items: Sequence[msgspec.Raw], api_version: str, list_kind: str, depth: int
    ) -> None:
        """The items of a list; in one of a kind's own (PodList) they may lack the kind."""
        item_kind = list_kind.removesuffix(LIST)
        known = (api_version.encode(), item_kind.encode()) if item_kind else None
        places = _Places(self._content, self._whole)
        match, shelves, put = _HEAD.match, self._shelves, self._gathering.put
        for raw in items:
            head = match(raw)
            names = (head[1], head[2]) if head is not None else known or self._names(raw)
            if names not in shelves:
                shelves[names] = self._gathering.shelf(*map(_decoded, names))
            shelf = shelves[names]
            source = places.of(raw) if places.counted else self._whole
            if shelf is None:
                self._pass_over(raw, names[1], source, depth)
                continue
            try:
                put(shelf, shelf.decode(raw), source)
            except msgspec.DecodeError:
                self._keep(raw, shelf, source)

    def _pass_over(self, raw: msgspec.Raw, kind: bytes, source: Source, depth: int) -> None:
        if kind.endswith(b"List"):
            self._object(bytes(raw), source, depth + 1)
        else:
            self._gathering.pass_over(_decoded(kind))

    def _names(self, raw: msgspec.Raw) -> tuple[bytes, bytes]:
        try:
            api_version, kind = _decode_head(raw).names
        except msgspec.ValidationError:
            return b"", b""  # no object at all: nothing names a kind
        except msgspec.DecodeError as error:
            raise self._broken_item(error, raw) from error
        return api_version.encode(), kind.encode()

    def _keep(self, raw: bytes | msgspec.Raw, shelf: Shelf, source: Source) -> None:
        try:
            self._gathering.put(shelf, shelf.decode(raw), source)
        except msgspec.ValidationError:
            self._keep_coerced(raw, shelf, source)
        except msgspec.DecodeError as error:
            raise self._broken_item(error, raw) from error

    def _keep_coerced(self, raw: bytes | msgspec.Raw, shelf: Shelf, source: Source) -> None:
        try:
            value = msgspec.json.decode(raw)
        except msgspec.DecodeError as error:
            raise self._broken_item(error, raw) from error
        self._gathering.put_value(shelf, value, source)

    def _broken_item(self, error: msgspec.DecodeError, raw: bytes | msgspec.Raw) -> KschedxError:
        """An item whose braces match, or it would not be one, and that is broken all the same."""
        text = bytes(raw)
        said = str(error).replace(_TRUNCATED, "JSON is malformed: broken escape in a text")
        return self._broken(said, text, max(self._content.find(text), 0))

    def _broken(self, said: str, raw: bytes, start: int) -> KschedxError:
        """Broken JSON: where, in the file, and what is wrong there."""
        match = _OFFSET.match(said)
        what = (match[1] if match is not None else said).partition(" - at ")[0]
        cut_off = what == _TRUNCATED
        what = "the text ends too early" if cut_off else what
        if match is not None:
            at = start + int(match[2])
        else:
            at = start + (len(raw) if said == _TRUNCATED else _first_not_utf_8(raw))
        line = self._content.count(b"\n", 0, at) + 1
        column = at - (self._content.rfind(b"\n", 0, at) + 1) + 1
        what = what.removeprefix("JSON is malformed: ")
        return KschedxError(
            "not-json",
            f"{self._document.name}, line {line}, column {column}: not JSON: "
            f"{what[0].lower()}{what[1:]}",
            hint="was the command that wrote it interrupted?" if cut_off else None,
        )


class _Places:
    """The lines of a list's items, in order; only the file for a large one."""

    def __init__(self, content: bytes, whole: Source) -> None:
        self._content = content
        self._whole = whole
        self.counted = len(content) <= _LINES_UP_TO_BYTES
        self._at = 0
        self._line = 1

    def of(self, raw: msgspec.Raw) -> Source:
        start = self._content.find(raw, self._at)
        if start < 0:
            return self._whole
        self._line += self._content.count(b"\n", self._at, start)
        self._at = start
        column = start - self._content.rfind(b"\n", 0, start)
        return Source(self._whole.file, self._line, column)


def _decoded(name: bytes) -> str:
    return name.decode(errors="replace")


def _first_not_utf_8(raw: bytes) -> int:
    """Where text that is not UTF-8 begins; 0 if none does."""
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


def _annotations(metadata: msgspec.Raw) -> Mapping[str, Any]:
    value = msgspec.json.decode(metadata)
    found = value.get("annotations") if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
