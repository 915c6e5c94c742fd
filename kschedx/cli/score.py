"""`kschedx score`: which node would win, and why."""

from typing import Annotated

import typer

from kschedx.cli.option_groups import with_groups
from kschedx.cli.options import Display, Namespace, Output, OutputFormat, PodTarget, Sources
from kschedx.cli.reading import read
from kschedx.cli.writing import write_report


@with_groups
def score(
    pod: PodTarget,
    *,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="Only the best so many nodes.")
    ] = 10,
    sources: Sources,
    namespace: Namespace = None,
    output: Output = OutputFormat.TEXT,
    display: Display,
) -> int:
    """Which node would this pod get? The feasible nodes by score, plugin by plugin."""
    snapshot, choice = read(sources, display, namespace=namespace)
    from kschedx.answers.score import score as answer
    from kschedx.render.score_document import score_document
    from kschedx.render.score_text import render_score

    report = answer(snapshot, pod, namespace, choice)
    write_report(
        lambda: score_document(report, top=top),
        lambda style: render_score(report, style, top=top),
        output,
        no_color=display.no_color,
    )
    return 0
