"""A file that holds one value and no API objects: a scheduler's configuration."""

from __future__ import annotations

from typing import Any

from kschedx.api.errors import KschedxError
from kschedx.snapshot import yaml_values
from kschedx.snapshot.sources import documents


def read_value(source: str, *, unique_keys: bool = False) -> Any:
    """The first document of a YAML or JSON file as mappings, lists and scalars.

    `unique_keys`: a key that is there twice is an error; else the later one wins. Raises KschedxError, with the place, for what cannot be read.
    """
    for document in documents(source):
        try:
            text = document.content.decode()
        except UnicodeDecodeError as error:
            raise KschedxError(
                "not-utf-8", f"{document.name}: not UTF-8", hint="save the file as UTF-8"
            ) from error
        for part in yaml_values.documents(text, document.name, unique_keys=unique_keys):
            if part.value is not None:
                return part.value
    return None
