"""Objects on their way from documents into a Snapshot: keyed, placed, later ones winning."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.quantity import Quantity
from kschedx.snapshot import kinds
from kschedx.snapshot.coercion import coerced, misfit
from kschedx.snapshot.kinds import Kind
from kschedx.snapshot.quantities import collector, paths, problem
from kschedx.snapshot.snapshot import Snapshot, Source

DEFAULT_NAMESPACE: Final = "default"
SILENT: Final = frozenset(("Secret", "ConfigMap"))
"""Passed over without a word: they are in every dump, and none of our business."""

VERSION: Final = "kschedx.io/kubernetes-version"
TAKEN_AT: Final = "kschedx.io/taken-at"
COMPLETE: Final = "kschedx.io/complete"
UNREAD: Final = "kschedx.io/unread"
"""Annotations by which a List says what it is: a version, a time, "true", kinds with commas."""

_SHOWN: Final = 3
"""How many examples a note names."""
_VERSION: Final = re.compile(r"v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?")


class Shelf:
    """The objects of one kind as they come in."""

    __slots__ = ("collect", "decode", "kind", "namespaced", "objects", "type")

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.type = kind.type
        self.namespaced = kind.namespaced
        self.objects: dict[str, Object] = {}
        self.decode = msgspec.json.Decoder(kind.type).decode
        self.collect = collector(kind.type)


class Gathering:
    """What has been read so far."""

    def __init__(self) -> None:
        self._shelves: dict[type[Object], Shelf] = {}
        self._sources: dict[tuple[type[Object], str], Source] = {}
        self._passed_over: Counter[str] = Counter()
        self._replaced: list[str] = []
        self._annotations: dict[str, str] = {}
        self._quantities: set[Quantity] = set()
        self.count = 0
        """How many objects there were that scheduling reads."""

    def shelf(self, api_version: str, kind: str) -> Shelf | None:
        """Where objects that call themselves so belong; None for kinds that are passed over."""
        served = kinds.served_as(api_version, kind)
        if served is None:
            return None
        if served.type not in self._shelves:
            self._shelves[served.type] = Shelf(served)
        return self._shelves[served.type]

    def pass_over(self, kind: str, count: int = 1) -> None:
        """Note objects of a kind that scheduling does not read; "" for those without a kind."""
        if kind not in SILENT:
            self._passed_over[kind] += count

    def annotate(self, annotations: Mapping[str, Any]) -> None:
        """What a List says of itself."""
        for key in (VERSION, TAKEN_AT, COMPLETE, UNREAD):
            value = annotations.get(key)
            if isinstance(value, str):
                self._annotations[key] = value

    def put(self, shelf: Shelf, item: Object, source: Source) -> None:
        """Keep an object. Raises KschedxError for one without a name."""
        name = item.metadata.name
        if not name:
            item = self._with_name(shelf, item, source)
            name = item.metadata.name
        key = name
        if shelf.namespaced:
            namespace = item.metadata.namespace
            if not namespace:
                namespace = DEFAULT_NAMESPACE
                item = replace(item, metadata=replace(item.metadata, namespace=namespace))
            key = f"{namespace}/{name}"
        if key in shelf.objects and shelf.objects[key] != item:
            before = self._sources[shelf.type, key]
            self._replaced.append(one_line(f"{kinds.shown(shelf.type, key)} ({before}; {source})"))
        if shelf.collect is not None:
            shelf.collect(item, self._quantities)
        shelf.objects[key] = item
        self._sources[shelf.type, key] = source
        self.count += 1

    def put_value(self, shelf: Shelf, value: Any, source: Source) -> None:
        """Keep an object that has been decoded to plain values.

        Raises KschedxError with the path of what does not fit.
        """
        try:
            item = msgspec.convert(value, shelf.type)
        except msgspec.ValidationError:
            fitted = coerced(value, shelf.type)
            try:
                item = msgspec.convert(fitted, shelf.type)
            except msgspec.ValidationError as error:
                raise _misfit(error, fitted, shelf.kind, source) from error
        self.put(shelf, item, source)

    def _with_name(self, shelf: Shelf, item: Object, source: Source) -> Object:
        """An object that an API server would name, numbered in the order of reading."""
        prefix = item.metadata.generate_name
        if not prefix:
            raise KschedxError("no-name", f"{source}: a {shelf.kind.name} without metadata.name")
        return replace(item, metadata=replace(item.metadata, name=f"{prefix}{self.count + 1}"))

    def check_quantities(self) -> None:
        """Raises KschedxError for the first quantity that is none."""
        wrong = {quantity for quantity in self._quantities if problem(quantity)}
        if not wrong:
            return
        for shelf in self._shelves.values():
            for key, item in shelf.objects.items():
                for path, quantity in paths(item, wrong):
                    what = problem(quantity)
                    raise KschedxError(
                        "not-a-quantity",
                        one_line(
                            f"{self._sources[shelf.type, key]}: {kinds.shown(shelf.type, key)}: "
                            f"{path}: {what}"
                        ),
                        hint=_quantity_hint(what),
                    )

    def notes(self) -> Iterator[str]:
        """What the user should know of the reading."""
        if self._replaced:
            yield (
                f"{_counted(len(self._replaced), 'object')} read twice with different content, "
                f"the later one counts: {_some(self._replaced)}"
            )
        nameless = self._passed_over.get("", 0)
        if nameless:
            yield f"{_counted(nameless, 'document')} without a kind passed over"
        others = sorted((k, n) for k, n in self._passed_over.items() if k)
        if others:
            total = sum(count for _, count in others)
            yield (
                f"{_counted(total, 'object')} passed over that scheduling does not read: "
                + ", ".join(f"{count} {one_line(kind[:60])}" for kind, count in others)
            )

    def snapshot(self, *, complete: bool = False) -> Snapshot:
        """All that has been read, without defaults."""
        said = self._annotations
        unread = (kind.strip() for kind in said.get(UNREAD, "").split(","))
        return Snapshot(
            objects={shelf.type: shelf.objects for shelf in self._shelves.values()},
            complete=complete or said.get(COMPLETE) == "true",
            unread=frozenset(kind for kind in unread if kind),
            version=said.get(VERSION) or self._newest_kubelet(),
            taken_at=said.get(TAKEN_AT),
            notes=tuple(self.notes()),
            sources=self._sources,
        )

    def _newest_kubelet(self) -> str | None:
        """The newest kubelet's version: no kubelet is newer than its API server.

        The control plane may be newer still (by three minor versions), which no object tells.
        """
        nodes = self._shelves.get(Node)
        stated = {
            item.status.node_info.kubelet_version
            for item in (nodes.objects.values() if nodes is not None else ())
            if isinstance(item, Node)
        }
        versions = [(_VERSION.match(text), text) for text in stated]
        known = [
            (tuple(int(part or 0) for part in match.groups()), text)
            for match, text in versions
            if match is not None
        ]
        return max(known)[1] if known else None


def _misfit(error: msgspec.ValidationError, value: Any, kind: Kind, source: Source) -> KschedxError:
    metadata = value.get("metadata") if isinstance(value, dict) else None
    metadata = metadata if isinstance(metadata, dict) else {}
    names = [metadata.get(part) for part in ("namespace", "name")]
    key = "/".join(name for name in names if isinstance(name, str) and name)
    what = misfit(error, value)
    return KschedxError(
        "wrong-type",
        one_line(f"{source}: {kind.name}{' ' if key else ''}{key}: {what}"),
        hint="put it in quotes" if what.endswith(_UNQUOTED) else None,
    )


_UNQUOTED: Final = ("expected a text, found a number", "expected a text, found a boolean")


def one_line(text: str) -> str:
    """The text fit for a terminal: names in a broken file may hold anything."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _quantity_hint(problem: str) -> str:
    if "{{" in problem:
        return "render the template first, such as with helm template"
    return "quantities are written like 500m, 2, 1.5Gi"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _some(examples: Sequence[str]) -> str:
    rest = len(examples) - _SHOWN
    shown = ", ".join(examples[:_SHOWN])
    return f"{shown} and {rest:,} more" if rest > 0 else shown
