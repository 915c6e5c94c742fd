"""A report on standard output, in the format and for the terminal that is there."""

import os
import sys
from typing import TYPE_CHECKING

from kschedx.cli.options import OutputFormat

if TYPE_CHECKING:
    from collections.abc import Callable

    from kschedx.diagnose.report import WhyReport
    from kschedx.render.document import Document
    from kschedx.render.text import Style


def write_why(report: "WhyReport", output: OutputFormat, *, no_color: bool) -> None:
    """Nothing but the report goes to standard output."""
    sys.stdout.write(_rendered(report, output, no_color=no_color))


def _rendered(report: "WhyReport", output: OutputFormat, *, no_color: bool) -> str:
    if output is OutputFormat.JSON:
        from kschedx.render.json import render_json

        return render_json(report)
    if output is OutputFormat.YAML:
        from kschedx.render.yaml import render_yaml

        return render_yaml(report)
    from kschedx.render.why_text import render_text

    return render_text(report, style_of_stdout(no_color=no_color))


def write_report(
    document: "Callable[[], Document]",
    text: "Callable[[Style], str]",
    output: OutputFormat,
    *,
    no_color: bool,
) -> None:
    """A report by its published form, or as text for the terminal that is there."""
    if output is OutputFormat.JSON:
        from kschedx.render.json import json_of

        sys.stdout.write(json_of(document()))
    elif output is OutputFormat.YAML:
        from kschedx.render.yaml import yaml_of

        sys.stdout.write(yaml_of(document()))
    else:
        sys.stdout.write(text(style_of_stdout(no_color=no_color)))


def style_of_stdout(*, no_color: bool) -> "Style":
    """The terminal's width, colour if it shows any; in a pipe always the same."""
    from kschedx.render.text import PIPE_WIDTH, Style

    terminal = sys.stdout.isatty()
    environment = os.environ
    plain = no_color or bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
    return Style(
        width=_terminal_width(PIPE_WIDTH) if terminal else PIPE_WIDTH,
        colour=terminal and not plain,
        ascii_only=not _can_write("·…→"),
    )


def _terminal_width(otherwise: int) -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or otherwise
    except OSError:
        return otherwise


def _can_write(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (LookupError, UnicodeEncodeError):
        return False
    return True
