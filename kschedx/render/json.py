"""JSON: a report's published form, and the schema that describes it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kschedx.diagnose.report import WhyReport
from kschedx.render.why_document import why_document
from kschedx.render.why_schema import WhyDocument

SCHEMAS: Final = "https://kschedx.io/schema/v1/"


def render_json(report: WhyReport) -> str:
    """The report as one JSON object, indented, with a final newline."""
    return json_of(why_document(report))


def json_of(document: msgspec.Struct) -> str:
    """Any report's published form as one JSON object, indented, with a final newline."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def json_schema(document: type[msgspec.Struct], name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a report's published form; `name` is the command's."""
    described = msgspec.json.schema(document)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{SCHEMAS}{name}.json",
        "title": document.__name__.replace("Document", "Report"),
        "$comment": "Within kschedx.io/v1 fields and codes are only ever added: "
        "readers must pass over what they do not know.",
        **described,
    }


def why_json_schema() -> dict[str, Any]:
    """Of `kschedx why -o json`."""
    return json_schema(WhyDocument, "why")
