"""`kschedx verify`: the agreement meter."""

import sys
from dataclasses import replace

from kschedx.cli.option_groups import with_groups
from kschedx.cli.options import AllNamespaces, Display, Namespace, Output, OutputFormat, Sources
from kschedx.cli.reading import read
from kschedx.cli.writing import write_report

EXIT_DISAGREES = 1


@with_groups
def verify(
    *,
    sources: Sources,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    output: Output = OutputFormat.TEXT,
    display: Display,
) -> int:
    """Does the replay say what the cluster's own scheduler said?

    Every Pending pod is replayed against its recorded message, every pod on a node against that
    node. Exits with 1 if a message differs; pods that would not get their node again are drift,
    which the cluster has made since.
    """
    namespace = None if all_namespaces else namespace
    snapshot, choice = read(sources, display, namespace=namespace)
    from kschedx.answers.verify import verify as answer
    from kschedx.render.progress import waiting
    from kschedx.render.verify_document import verify_document
    from kschedx.render.verify_text import render_verify_text

    with waiting(sys.stderr, wanted=not display.quiet) as bar:
        report = answer(snapshot, choice, namespace=namespace, told=bar.told)
    report = replace(report, notes=snapshot.notes)
    write_report(
        lambda: verify_document(report),
        lambda style: render_verify_text(report, style),
        output,
        no_color=display.no_color,
    )
    return EXIT_DISAGREES if report.finding else 0
