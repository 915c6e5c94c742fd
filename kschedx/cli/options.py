"""The options that commands share, declared once."""

from typing import Annotated

import typer

VERBOSE = "kschedx.verbose"
"""Key of the context object, a dict, under which main.py finds that `-v` was said."""


def _remember_verbose(context: typer.Context, value: bool) -> bool:
    if value:
        context.ensure_object(dict)[VERBOSE] = True
    return value


Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Say more on stderr; show a traceback if kschedx itself fails.",
        callback=_remember_verbose,
    ),
]
