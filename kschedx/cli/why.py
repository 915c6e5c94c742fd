"""`kschedx why`: why a pod is Pending, node by node."""

from typing import Annotated

import typer

from kschedx.api.errors import KschedxError
from kschedx.cli.completion import complete_node, complete_target
from kschedx.cli.option_groups import with_groups
from kschedx.cli.options import AllNamespaces, Display, Namespace, Output, OutputFormat, Sources
from kschedx.cli.reading import EXIT_USAGE, read
from kschedx.cli.writing import write_why

EXIT_FINDING = 1


@with_groups
def why(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[POD | KIND/NAME]",
            help="A pod as NAME or NAMESPACE/NAME, or a workload such as deploy/web, sts/db, "
            "ds/agent, job/load, rs/web-5d9f; without it all Pending pods.",
            autocompletion=complete_target,
            show_default=False,
        ),
    ] = None,
    *,
    sources: Sources,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    selector: Annotated[
        str | None,
        typer.Option(
            "--selector", "-l", metavar="LABELS", help="Only pods with these labels, as kubectl -l."
        ),
    ] = None,
    node: Annotated[
        str | None,
        typer.Option(
            "--node",
            metavar="NODE",
            help="Every rule on this one node.",
            autocompletion=complete_node,
        ),
    ] = None,
    nodes: Annotated[bool, typer.Option("--nodes", help="One row per node.")] = False,
    no_hints: Annotated[
        bool, typer.Option("--no-hints", help="Do not look for changes that would help.")
    ] = False,
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="Exit with 1 if something stands in a pod's way."),
    ] = False,
    output: Output = OutputFormat.TEXT,
    display: Display,
) -> int:
    """Why is this pod Pending? Every node, every rule that rejects it, with the numbers."""
    _check(target, selector=selector, node=node, nodes=nodes)
    namespace = None if all_namespaces else namespace
    snapshot, choice = read(sources, display, namespace=namespace)
    from kschedx.answers.why import WhyQuestion
    from kschedx.answers.why import why as answer
    from kschedx.api.selector_text import parse_selector_text

    question = WhyQuestion(
        target=target,
        namespace=namespace,
        selector=parse_selector_text(selector or ""),
        node=node,
        with_rows=nodes,
        with_hints=not no_hints,
    )
    report = answer(snapshot, question, choice)
    write_why(report, output, no_color=display.no_color)
    return EXIT_FINDING if exit_code and report.finding else 0


def _check(target: str | None, *, selector: str | None, node: str | None, nodes: bool) -> None:
    """Raises KschedxError for options that contradict each other."""
    wrong = None
    if target is not None and selector is not None:
        wrong = "a name and -l cannot both be given"
    elif node is not None and nodes:
        wrong = "--node and --nodes cannot both be given"
    elif node is not None and target is None:
        wrong = "--node needs a pod to look at there"
    if wrong is not None:
        raise KschedxError(
            "options-contradict", wrong, hint="kschedx why --help", exit_code=EXIT_USAGE
        )
