"""The options that commands share, declared once."""

import enum
from dataclasses import dataclass
from typing import Annotated

import typer

from kschedx.cli.completion import (
    complete_context,
    complete_file,
    complete_namespace,
    complete_pod,
)

VERBOSE = "kschedx.verbose"
"""Key of the context object, a dict, under which main.py finds that `-v` was said."""

_SNAPSHOT = "Which cluster"
_SCHEDULER = "Which scheduler"
_OUTPUT = "Output"


class OutputFormat(enum.StrEnum):
    """Formats of a report."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"


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
        rich_help_panel=_OUTPUT,
    ),
]
Output = Annotated[
    OutputFormat,
    typer.Option("--output", "-o", help="Format of the report.", rich_help_panel=_OUTPUT),
]

PodTarget = Annotated[
    str,
    typer.Argument(
        metavar="POD",
        help="A pod as NAME or NAMESPACE/NAME.",
        autocompletion=complete_pod,
        show_default=False,
    ),
]
Namespace = Annotated[
    str | None,
    typer.Option(
        "--namespace",
        "-n",
        help="Only this namespace.",
        autocompletion=complete_namespace,
        rich_help_panel=_SNAPSHOT,
    ),
]
AllNamespaces = Annotated[
    bool,
    typer.Option(
        "--all-namespaces", "-A", help="All namespaces, as without -n.", rich_help_panel=_SNAPSHOT
    ),
]


@dataclass(frozen=True, slots=True)
class Sources:
    """Which cluster, and which scheduler."""

    filenames: Annotated[
        list[str] | None,
        typer.Option(
            "--filename",
            "-f",
            metavar="PATH",
            help="Snapshot: a file that kubectl get -o json or yaml wrote (also .gz), a folder of "
            "such files, - for standard input, or example:NAME. Repeatable, later wins.",
            autocompletion=complete_file,
            rich_help_panel=_SNAPSHOT,
        ),
    ] = None
    context: Annotated[
        str | None,
        typer.Option(
            "--context",
            metavar="NAME",
            help="The kubeconfig's context to use, where no -f names a snapshot.",
            autocompletion=complete_context,
            rich_help_panel=_SNAPSHOT,
        ),
    ] = None
    kubeconfig: Annotated[
        str | None,
        typer.Option(
            "--kubeconfig",
            metavar="PATH",
            help="Default: as kubectl, $KUBECONFIG or ~/.kube/config; in a pod its service account.",
            rich_help_panel=_SNAPSHOT,
        ),
    ] = None
    request_timeout: Annotated[
        str | None,
        typer.Option(
            "--request-timeout",
            metavar="DURATION",
            help="How long one request to the cluster may take, such as 5s or 2m. Default: 60s.",
            rich_help_panel=_SNAPSHOT,
        ),
    ] = None
    with_files: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="PATH",
            help="What if these objects were added or replaced? Repeatable.",
            rich_help_panel=_SNAPSHOT,
        ),
    ] = None
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="KIND/[NS/]NAME",
            help="What if this object were gone? Repeatable.",
            rich_help_panel=_SNAPSHOT,
        ),
    ] = None
    complete: Annotated[
        bool,
        typer.Option(
            "--complete",
            help="The files hold every object of the cluster: a kind without objects is empty, not "
            "unread.",
            rich_help_panel=_SNAPSHOT,
        ),
    ] = False
    k8s_version: Annotated[
        str | None,
        typer.Option(
            "--k8s-version",
            metavar="1.N",
            help="Replay this version's scheduler, 1.30 to 1.37. Default: what the snapshot says, "
            "else 1.35.",
            rich_help_panel=_SCHEDULER,
        ),
    ] = None
    feature_gates: Annotated[
        list[str] | None,
        typer.Option(
            "--feature-gate",
            metavar="NAME=true|false",
            help="Feature gates that are not at their defaults, comma-separated. Repeatable.",
            rich_help_panel=_SCHEDULER,
        ),
    ] = None
    scheduler_config: Annotated[
        str | None,
        typer.Option(
            "--scheduler-config",
            metavar="PATH",
            help="The scheduler's KubeSchedulerConfiguration.",
            rich_help_panel=_SCHEDULER,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class Display:
    """How a report and what is said beside it are shown."""

    no_color: Annotated[
        bool, typer.Option("--no-color", help="As NO_COLOR=1.", rich_help_panel=_OUTPUT)
    ] = False
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", help="No notes and warnings on stderr.", rich_help_panel=_OUTPUT
        ),
    ] = False
    verbose: Verbose = False
