"""YAML: the same document as JSON, for eyes and for kubectl users."""

from __future__ import annotations

from typing import Final

import msgspec
import yaml

from kschedx.diagnose.report import WhyReport
from kschedx.render.why_document import why_document

_UNBROKEN: Final = 1_000_000
"""Characters in a line before the dumper breaks it."""


def render_yaml(report: WhyReport) -> str:
    """The report as one YAML document; long lines stay whole."""
    return yaml_of(why_document(report))


def yaml_of(document: msgspec.Struct) -> str:
    """Any report's published form as one YAML document."""
    text = yaml.dump(
        msgspec.to_builtins(document),
        Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper),
        sort_keys=False,
        allow_unicode=True,
        width=_UNBROKEN,
    )
    return str(text)
