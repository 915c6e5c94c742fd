"""`kschedx check`: what would go wrong if these manifests were applied?"""

import enum
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kschedx.api.errors import KschedxError
from kschedx.cli.completion import complete_file
from kschedx.cli.option_groups import with_groups
from kschedx.cli.options import Display, OutputFormat, Sources
from kschedx.cli.reading import EXIT_USAGE, read
from kschedx.cli.writing import write_report

if TYPE_CHECKING:
    from kschedx.gate.findings import CheckReport, Finding
    from kschedx.gate.settings import Settings

EXIT_FINDING = 1
_JUDGE = "What counts"


class CheckFormat(enum.StrEnum):
    """Formats of the report."""

    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    SARIF = "sarif"
    JUNIT = "junit"
    GITHUB = "github"
    MARKDOWN = "markdown"


class FailOnOption(enum.StrEnum):
    """From which severity on the command exits with 1."""

    ERROR = "error"
    WARNING = "warning"
    NEVER = "never"


@with_groups
def check(
    manifests: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="MANIFEST...",
            help="Files, folders or - for standard input: what helm template or kustomize build "
            "prints.",
            autocompletion=complete_file,
            show_default=False,
        ),
    ] = None,
    *,
    base: Annotated[
        list[str] | None,
        typer.Option(
            "--base",
            metavar="OLD",
            help="The manifests as they were: only what the change makes worse is told. "
            "Repeatable.",
            rich_help_panel=_JUDGE,
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Findings that were accepted earlier are left out.",
            rich_help_panel=_JUDGE,
        ),
    ] = None,
    write_baseline: Annotated[
        str | None,
        typer.Option(
            "--write-baseline",
            metavar="FILE",
            help="Accept all findings of now, and write them there.",
            rich_help_panel=_JUDGE,
        ),
    ] = None,
    severity: Annotated[
        list[str] | None,
        typer.Option(
            "--severity",
            metavar="RULE=LEVEL",
            help="Count a rule as error, warning or note. Repeatable.",
            rich_help_panel=_JUDGE,
        ),
    ] = None,
    disable: Annotated[
        list[str] | None,
        typer.Option(
            "--disable",
            metavar="RULE",
            help="Leave a rule out. Repeatable.",
            rich_help_panel=_JUDGE,
        ),
    ] = None,
    fail_on: Annotated[
        FailOnOption | None,
        typer.Option(
            "--fail-on",
            help="Exit with 1 from this severity on. Default: error.",
            show_default=False,
            rich_help_panel=_JUDGE,
        ),
    ] = None,
    node_loss: Annotated[
        bool,
        typer.Option(
            "--node-loss",
            help="Also: would the pods find another place if any one node were lost?",
            rich_help_panel=_JUDGE,
        ),
    ] = False,
    config: Annotated[
        str | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="Settings. Default: .kschedx.yaml, where there is one.",
            rich_help_panel=_JUDGE,
        ),
    ] = None,
    sources: Sources,
    namespace: Annotated[
        str | None,
        typer.Option(
            "--namespace",
            "-n",
            help="The namespace of objects that name none. Default: default.",
            rich_help_panel="Which cluster",
        ),
    ] = None,
    output: Annotated[
        CheckFormat,
        typer.Option("--output", "-o", help="Format of the report.", rich_help_panel="Output"),
    ] = CheckFormat.TEXT,
    display: Display,
) -> int:
    """What would go wrong if these manifests were applied?

    Exits with 1 where something would that counts as an error.
    """
    paths = manifests or []
    _refuse(paths, base or (), sources.filenames or (), sources.with_files or ())
    from kschedx.answers.check import check as answer
    from kschedx.gate.check import Known
    from kschedx.snapshot.manifests import read_manifests

    settings = _settings(config).with_options(
        severity or (),
        disable or (),
        None if fail_on is None else fail_on.value,
        baseline,
        node_loss=node_loss,
    )
    new = read_manifests(paths, namespace)
    known = Known(
        base=read_manifests(base, namespace) if base else None,
        accepted=_accepted(settings.baseline) if write_baseline is None else (),
    )
    snapshot, choice = read(sources, display, namespace=namespace)
    report = answer(snapshot, new, choice, settings, known)
    if write_baseline is not None:
        report = _accept(report, write_baseline)
    _write(report, output, no_color=display.no_color)
    return EXIT_FINDING if report.failing else 0


def _refuse(*groups: "list[str] | tuple[str, ...]") -> None:
    """Raises KschedxError where there is nothing to check, or standard input named twice."""
    from kschedx.snapshot.files import refuse_twice_stdin

    if not groups[0]:
        raise KschedxError(
            "no-manifests",
            "which manifests? files, folders or - for standard input",
            hint="helm template . | kschedx check - -f SNAPSHOT",
            exit_code=EXIT_USAGE,
        )
    refuse_twice_stdin([path for group in groups for path in group])


def _settings(path: str | None) -> "Settings":
    from kschedx.gate.settings import FILE, Settings, settings_from
    from kschedx.snapshot.plain_values import read_value

    if path is None:
        if not Path(FILE).is_file():
            return Settings()
        path = FILE
    return settings_from(read_value(path), path)


def _accepted(path: str | None) -> "list[Finding]":
    from kschedx.gate import baseline
    from kschedx.snapshot.plain_values import read_value

    return [] if path is None else baseline.read(read_value(path), path)


def _accept(report: "CheckReport", path: str) -> "CheckReport":
    """All findings written down; none is left to be told."""
    import json
    from dataclasses import replace

    from kschedx.gate import baseline

    text = json.dumps(baseline.written(report.findings), indent=2) + "\n"
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise KschedxError("unwritable-file", f"{path}: cannot be written: {reason}") from error
    return replace(report, findings=(), accepted=report.accepted + len(report.findings))


def _write(report: "CheckReport", output: CheckFormat, *, no_color: bool) -> None:
    from kschedx.render.check_document import check_document
    from kschedx.render.check_text import render_check

    text = _as_text(report, output)
    if text is not None:
        sys.stdout.write(text)
        return
    write_report(
        lambda: check_document(report),
        lambda style: render_check(report, style),
        OutputFormat(output.value),
        no_color=no_color,
    )


def _as_text(report: "CheckReport", output: CheckFormat) -> str | None:
    """The formats that only this command has; None for the others."""
    from kschedx import __version__
    from kschedx.render.github import render_github
    from kschedx.render.junit import render_junit
    from kschedx.render.markdown import render_markdown
    from kschedx.render.sarif import render_sarif

    match output:
        case CheckFormat.SARIF:
            return render_sarif(report, __version__)
        case CheckFormat.JUNIT:
            return render_junit(report)
        case CheckFormat.GITHUB:
            return render_github(report)
        case CheckFormat.MARKDOWN:
            return render_markdown(report)
        case _:
            return None
