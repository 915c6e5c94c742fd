"""`kschedx preempt`: whether evicting pods would help, as a transcript."""

from typing import Annotated

import typer

from kschedx.cli.option_groups import with_groups
from kschedx.cli.options import Display, Namespace, Output, OutputFormat, PodTarget, Sources
from kschedx.cli.reading import read
from kschedx.cli.writing import write_report

EXIT_FINDING = 1


@with_groups
def preempt(
    pod: PodTarget,
    *,
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="Exit with 1 if no node takes the pod as things are."),
    ] = False,
    sources: Sources,
    namespace: Namespace = None,
    output: Output = OutputFormat.TEXT,
    display: Display,
) -> int:
    """Can preemption help this pod? Who would be evicted where, and what comes after."""
    snapshot, choice = read(sources, display, namespace=namespace)
    from kschedx.answers.preempt import preempt as answer
    from kschedx.render.preempt_document import preempt_document
    from kschedx.render.preempt_text import render_preempt

    report = answer(snapshot, pod, namespace, choice)
    write_report(
        lambda: preempt_document(report),
        lambda style: render_preempt(report, style),
        output,
        no_color=display.no_color,
    )
    return EXIT_FINDING if exit_code and not report.winners else 0
