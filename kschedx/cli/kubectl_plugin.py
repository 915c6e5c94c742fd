"""What kubectl runs beside its plugin `kubectl schedx`."""

import os
import sys

import typer

from kschedx.cli.main import COMPLETE_VARIABLE, run


def kubectl_complete() -> None:
    """`kubectl_complete-schedx WORDS...`: kubectl asks a plugin so for what completes the last one.

    Upstream: kubectl pkg/cmd/plugin_completion.go (v0.35.4).
    """
    os.environ[COMPLETE_VARIABLE] = "complete_fish"
    os.environ["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    os.environ["_TYPER_COMPLETE_ARGS"] = " ".join(["kschedx", *sys.argv[1:]])
    try:
        run(sys.argv[1:])
    finally:
        typer.echo(":4")  # no file names besides
