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
    text = yaml.dump(
        msgspec.to_builtins(why_document(report)),
        Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper),
        sort_keys=False,
        allow_unicode=True,
        width=_UNBROKEN,
    )
    return str(text)
