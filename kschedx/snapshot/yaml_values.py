"""YAML text -> plain values, as Kubernetes reads them, with the lines where objects begin.

Upstream: sigs.k8s.io/yaml (v1.6.0) over go.yaml.in/yaml/v2 (v2.4.3), decode.go.
Differences: a merge key overrides what stands above it and not what stands below, as there;
collections with tags of their own are read as plain ones; aliases are limited by what they
expand to, nesting to 200 levels; text after the end of a document is an error, not passed over.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from kschedx.api.errors import KschedxError
from kschedx.snapshot.yaml_scalars import WORDS, Scalar, as_key, resolve

MAX_DEPTH: Final = 200
MAX_ALIASED: Final = 1_000_000
"""Values that all aliases of a file may stand for: more is a bomb, not a manifest."""

_LINES_TO_DEPTH: Final = 3
"""A document, or the items of a list in it: that deep an object of the API begins."""
_TAG: Final = "tag:yaml.org,2002:"
_WANTED: Final[dict[str, tuple[type, ...]]] = {
    f"{_TAG}bool": (bool,),
    f"{_TAG}int": (int,),
    f"{_TAG}float": (int, float),
    f"{_TAG}null": (type(None),),
}
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C parser, ten times as fast, wherever PyYAML was built with it."""


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One document of a file."""

    value: Any
    line: int
    """Where it begins, counted from 1."""
    lines: dict[int, int] = field(repr=False)
    """id() of the mappings in which an object may stand -> the line where they begin."""
    columns: dict[int, int] = field(repr=False)
    """The same for columns, counted from 1."""


class _NoKey:
    pass


_NO_KEY: Final = _NoKey()
_MERGE: Final = _NoKey()


class _Open:
    """A collection that is being read."""

    __slots__ = ("anchor", "key", "size", "value")

    def __init__(self, value: dict[str, Any] | list[Any], anchor: str | None) -> None:
        self.value = value
        self.anchor = anchor
        self.key: str | _NoKey = _NO_KEY
        self.size = 1
        """How many values stand in it, aliases expanded."""

    @property
    def wants_key(self) -> bool:
        return self.key is _NO_KEY and isinstance(self.value, dict)


def documents(text: str, name: str, *, unique_keys: bool = False) -> Iterator[YamlDocument]:
    """Every document of a file; `name` is the file's, for errors.

    `unique_keys`: a key that is there twice is an error, as in upstream's strict reading; else
    the later one wins. Raises KschedxError with the line for what is not YAML or could not be
    JSON.
    """
    reader = _Reader(text, name, unique_keys=unique_keys)
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            reader.take(event)
            if isinstance(event, yaml.DocumentEndEvent):
                yield reader.finished()
    except yaml.YAMLError as error:
        raise reader.not_yaml(error) from error


class _Reader:
    """Puts values together from events, without recursion."""

    def __init__(self, text: str, name: str, *, unique_keys: bool) -> None:
        self._text = text
        self._name = name
        self._unique_keys = unique_keys
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int] | None] = {}
        self._aliased = 0
        self._root: Any = None
        self._line = 1
        self._lines: dict[int, int] = {}
        self._columns: dict[int, int] = {}

    def finished(self) -> YamlDocument:
        """The document that has just ended."""
        document = YamlDocument(self._root, self._line, self._lines, self._columns)
        self._root, self._lines, self._columns, self._anchors = None, {}, {}, {}
        return document

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._start(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = self._open.pop()
            self._remember(closed.anchor, closed.value, closed.size)
            self._put(closed.value, closed.size, event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)

    def _start(self, event: yaml.CollectionStartEvent) -> None:
        if self._open and self._open[-1].wants_key:
            raise self._error(event, "a mapping or list stands where a key belongs")
        if len(self._open) >= MAX_DEPTH:
            raise self._error(event, f"nested more than {MAX_DEPTH} levels deep")
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        if not self._open:
            self._line = _line(event)
        if len(self._open) < _LINES_TO_DEPTH:
            self._lines[id(value)] = _line(event)
            self._columns[id(value)] = _column(event)
        self._open.append(_Open(value, event.anchor))

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        if not self._open:
            self._line = _line(event)
        text: str = event.value
        plain = event.implicit[0]
        value = resolve(text) if plain else self._tagged(event)
        if isinstance(value, float) and not math.isfinite(value):
            raise self._error(event, f"{text} is no number that JSON can hold")
        self._remember(event.anchor, value, 1)
        if self._open and self._open[-1].wants_key:
            if text == "<<" and (plain or event.tag == f"{_TAG}merge"):
                self._open[-1].key = _MERGE
            else:
                self._put_key(value, text if plain else "", event)
        else:
            self._put(value, 1, event)

    def _tagged(self, event: yaml.ScalarEvent) -> Scalar:
        """A quoted scalar, or one with a tag."""
        text: str = event.value
        tag = event.tag or ""
        wanted = _WANTED.get(tag)
        if wanted is not None:
            value = WORDS.get(text, resolve(text)) if bool in wanted else resolve(text)
            if type(value) not in wanted:
                kind = tag.removeprefix(_TAG)
                raise self._error(event, f"{text[:60]!r} is tagged !!{kind} and is none")
            return value
        if tag == f"{_TAG}binary":
            try:
                return base64.b64decode("".join(text.split()), validate=True).decode()
            except (binascii.Error, ValueError) as error:
                raise self._error(event, "a !!binary value is not base64 of a text") from error
        return text

    def _alias(self, event: yaml.AliasEvent) -> None:
        if event.anchor not in self._anchors:
            raise self._error(event, f"the alias *{event.anchor} has no anchor")
        anchored = self._anchors[event.anchor]
        if anchored is None:
            raise self._error(event, f"the anchor &{event.anchor} contains itself")
        value, size = anchored
        self._aliased += size
        if self._aliased > MAX_ALIASED:
            raise self._error(event, f"aliases stand for more than {MAX_ALIASED:,} values")
        if self._open and self._open[-1].wants_key:
            if isinstance(value, dict | list):
                raise self._error(event, "a mapping or list stands where a key belongs")
            self._put_key(value, "", event)
        else:
            self._put(value, size, event)

    def _remember(self, anchor: str | None, value: Any, size: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, size)

    def _put_key(self, value: Scalar, text: str, event: yaml.Event) -> None:
        key = as_key(value, text)
        if key is None:
            raise self._error(event, "null stands where a key belongs")
        if self._unique_keys:
            self._refuse_again([key], event)
        self._open[-1].key = key

    def _refuse_again(self, keys: Iterable[str], event: yaml.Event) -> None:
        for key in keys:
            if key in self._open[-1].value:
                where = f"{self._name}, line {_line(event)}"
                raise KschedxError("duplicate-key", f"{where}: {key!r} is there twice")

    def _put(self, value: Any, size: int, event: yaml.Event) -> None:
        if not self._open:
            self._root = value
            return
        holder = self._open[-1]
        holder.size += size
        if isinstance(holder.value, list):
            holder.value.append(value)
        elif holder.key is _MERGE:
            self._merge(holder.value, value, event)
        elif isinstance(holder.key, str):
            holder.value[holder.key] = value
        holder.key = _NO_KEY

    def _merge(self, target: dict[str, Any], value: Any, event: yaml.Event) -> None:
        maps = value if isinstance(value, list) else [value]
        if not all(isinstance(part, dict) for part in maps):
            raise self._error(event, "<< merges a mapping or a list of mappings")
        for part in reversed(maps):  # an earlier one takes precedence
            if self._unique_keys:
                self._refuse_again(part, event)
            target.update(part)

    def _error(self, event: yaml.Event, what: str) -> KschedxError:
        return self._refused(_line(event), what)

    def _refused(self, line: int, what: str) -> KschedxError:
        lines = self._text.splitlines()
        near = lines[max(line - 2, 0) : line + 1]
        if any("{{" in text for text in near):
            at = next((n for n, text in enumerate(lines, 1) if "{{" in text), line)
            return KschedxError(
                "template-not-rendered",
                f"{self._name}, line {at}: a template, not yet YAML",
                hint="render it first, such as with helm template",
            )
        return KschedxError("not-yaml", f"{self._name}, line {line}: not YAML: {what}")

    def not_yaml(self, error: yaml.YAMLError) -> KschedxError:
        """What the parser says, with its line."""
        if isinstance(error, yaml.MarkedYAMLError):
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark is not None else 1
            problem = error.problem or error.context or "it breaks off"
            return self._refused(line, " ".join(str(problem).split()))
        position = getattr(error, "position", 0)
        line = self._text.count("\n", 0, position) + 1
        return self._refused(line, str(getattr(error, "reason", "it cannot be read")))


def _column(event: yaml.Event) -> int:
    """Where an event begins in its line, counted from 1."""
    return event.start_mark.column + 1 if event.start_mark is not None else 1


def _line(event: yaml.Event) -> int:
    """Where an event begins, counted from 1."""
    return event.start_mark.line + 1 if event.start_mark is not None else 1
