"""JSON: a report's published form, and the schema that describes it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from kschedx.diagnose.report import WhyReport
from kschedx.render.why_document import why_document
from kschedx.render.why_schema import WhyDocument

SCHEMA_ID: Final = "https://kschedx.io/schema/v1/why.json"


def render_json(report: WhyReport) -> str:
    """The report as one JSON object, indented, with a final newline."""
    return json_of(why_document(report))


def json_of(document: msgspec.Struct) -> str:
    """Any report's published form as one JSON object, indented, with a final newline."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def why_json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of `kschedx why -o json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "WhyReport",
        "$comment": "Within kschedx.io/v1 fields and codes are only ever added: "
        "readers must pass over what they do not know.",
        **msgspec.json.schema(WhyDocument),
    }
