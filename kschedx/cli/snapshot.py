"""`kschedx snapshot`: one file with what scheduling reads, and nothing else."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from kschedx.cli.option_groups import with_groups
from kschedx.cli.options import Display, Output, OutputFormat, Sources
from kschedx.cli.reading import read
from kschedx.cli.writing import write_report

STDOUT = "-"


@with_groups
def snapshot(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Where to write it; gzipped if it ends in .gz; - for stdout."
        ),
    ],
    *,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact",
            help="Pseudonyms for names, namespaces, labels and images, with every verdict the "
            "same: proved by replaying all Pending pods before anything is written.",
        ),
    ] = False,
    sources: Sources,
    output: Output = OutputFormat.TEXT,
    display: Display,
) -> None:
    """Write a snapshot that every command takes with -f, and kubectl can read.

    It holds no Secrets, no ConfigMaps, no environment variables and no annotations but those that
    scheduling depends on. A kind that may not be listed is recorded as unread.
    """
    read_snapshot, choice = read(sources, display, partial=True)
    from kschedx.answers.take_snapshot import take_snapshot
    from kschedx.render.progress import waiting
    from kschedx.render.snapshot_document import snapshot_document
    from kschedx.render.snapshot_text import render_snapshot_text
    from kschedx.snapshot.saved import encoded, write

    with waiting(sys.stderr, wanted=not display.quiet) as bar:
        taken = take_snapshot(
            read_snapshot,
            file,
            choice,
            redact=redact,
            on_pod=lambda done, total: bar.told("Pending pods", done, total),
        )
    parts = encoded(taken.snapshot, redacted=redact)
    if file == STDOUT:
        for part in parts:
            sys.stdout.buffer.write(part)
        return
    report = replace(taken.report, size_bytes=write(parts, Path(file)))
    write_report(
        lambda: snapshot_document(report),
        lambda style: render_snapshot_text(report, style),
        output,
        no_color=display.no_color,
    )
