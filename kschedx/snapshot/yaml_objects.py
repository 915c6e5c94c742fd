"""YAML text -> objects: every document of a file, every item of a List."""

from __future__ import annotations

from typing import Any

from kschedx.api.errors import KschedxError
from kschedx.snapshot.gathering import Gathering
from kschedx.snapshot.json_objects import LIST, MAX_NESTED_LISTS, refused
from kschedx.snapshot.snapshot import Source
from kschedx.snapshot.sources import Document
from kschedx.snapshot.yaml_values import YamlDocument, documents


def read_yaml(document: Document, text: str, gathering: Gathering) -> None:
    """Gather the objects of a YAML file.

    Raises KschedxError with the line for broken YAML, with the object for a wrong type.
    """
    for part in documents(text, document.name):
        if part.value is not None:
            _Reader(document, part, gathering).read()


class _Reader:
    """Reads one document of a file."""

    def __init__(self, document: Document, part: YamlDocument, gathering: Gathering) -> None:
        self._document = document
        self._part = part
        self._gathering = gathering

    def read(self) -> None:
        value = self._part.value
        if isinstance(value, list):
            self._items(value, "", "", 0)
        elif isinstance(value, dict):
            self._object(value, "", "", 0)
        elif not self._document.found:
            raise KschedxError(
                "not-an-object", f"{self._source(value)}: no Kubernetes object but a {_sort(value)}"
            )
        else:
            self._gathering.pass_over("")

    def _source(self, value: Any) -> Source:
        line = self._part.lines.get(id(value), self._part.line)
        return Source(self._document.name, line, self._part.columns.get(id(value), 1))

    def _object(self, value: dict[str, Any], api_version: str, kind: str, depth: int) -> None:
        """One object, which may be a list of others; the names are those that its list implies."""
        api_version = _text(value.get("apiVersion")) or api_version
        kind = _text(value.get("kind")) or kind
        items = value.get("items")
        if isinstance(items, list) and (kind.endswith(LIST) or not kind):
            metadata = value.get("metadata")
            annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
            self._gathering.annotate(annotations if isinstance(annotations, dict) else {})
            self._items(items, api_version, kind.removesuffix(LIST), depth)
        elif kind == "Status" and api_version == "v1" and depth == 0:
            raise refused(value.get("message"), value.get("reason"), self._source(value))
        elif not kind and not self._document.found and depth == 0:
            raise KschedxError(
                "no-kind", f"{self._source(value)}: no Kubernetes object: it names no kind"
            )
        else:
            shelf = self._gathering.shelf(api_version, kind)
            if shelf is not None:
                self._gathering.put_value(shelf, value, self._source(value))
            elif not kind.endswith(LIST):
                self._gathering.pass_over(kind)

    def _items(self, items: list[Any], api_version: str, kind: str, depth: int) -> None:
        if depth >= MAX_NESTED_LISTS:
            return
        for item in items:
            if isinstance(item, dict):
                self._object(item, api_version if kind else "", kind, depth + 1)
            else:
                self._gathering.pass_over("")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _sort(value: Any) -> str:
    return "text" if isinstance(value, str) else "number or boolean"
