"""`kschedx simulate-upgrade`: would this rollout deadlock?"""

import enum
import math
import sys
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

import typer

from kschedx.api.errors import KschedxError
from kschedx.cli.completion import complete_workload
from kschedx.cli.option_groups import with_groups
from kschedx.cli.options import AllNamespaces, Display, Namespace, Output, OutputFormat, Sources
from kschedx.cli.reading import EXIT_USAGE, read
from kschedx.cli.writing import write_report

if TYPE_CHECKING:
    from kschedx.answers.replay import SchedulerChoice
    from kschedx.answers.upgrade import UpgradeOptions
    from kschedx.answers.upgrade_target import Wanted
    from kschedx.rollout.report import AllRollouts, RolloutReport
    from kschedx.snapshot.snapshot import Snapshot

EXIT_STOPS = 1
_CHANGE = "What changes"
_PLAY = "How it is played"


class Order(enum.StrEnum):
    """How ties between events fall."""

    WORST = "worst"
    BEST = "best"
    BOTH = "both"


@with_groups
def simulate_upgrade(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[KIND/NAME | NAME]",
            help="A StatefulSet, Deployment or DaemonSet, such as sts/db or deploy/prod/web.",
            autocompletion=complete_workload,
            show_default=False,
        ),
    ] = None,
    *,
    image: Annotated[
        list[str] | None,
        typer.Option(
            "--image",
            metavar="[CONTAINER=]IMAGE",
            help="A container's new image. Repeatable.",
            rich_help_panel=_CHANGE,
        ),
    ] = None,
    requests: Annotated[
        list[str] | None,
        typer.Option(
            "--requests",
            metavar="[CONTAINER:]cpu=2,memory=4Gi",
            help="A container's new requests. Repeatable.",
            rich_help_panel=_CHANGE,
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option("--replicas", min=0, help="Another size.", rich_help_panel=_CHANGE),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="PATH",
            help="The workload as this manifest has it; its others change in the same moment.",
            rich_help_panel=_CHANGE,
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Every workload of the snapshot, one line each, as if its template changed.",
            rich_help_panel=_CHANGE,
        ),
    ] = False,
    never_ready: Annotated[
        bool,
        typer.Option(
            "--never-ready",
            help="What if the new revision never becomes Ready, and would undoing it help?",
            rich_help_panel=_CHANGE,
        ),
    ] = False,
    no_remedies: Annotated[
        bool,
        typer.Option("--no-remedies", help="Play only today's scheduler.", rich_help_panel=_PLAY),
    ] = False,
    no_arrivals: Annotated[
        bool,
        typer.Option(
            "--no-arrivals",
            help="No pod arrives that is not there yet.",
            rich_help_panel=_PLAY,
        ),
    ] = False,
    order: Annotated[
        Order,
        typer.Option("--order", help="How ties between events fall.", rich_help_panel=_PLAY),
    ] = Order.BOTH,
    stop_seconds: Annotated[
        float | None,
        typer.Option(
            "--stop-seconds",
            min=0,
            help="From a pod's deletion to its end. Default: its own grace period.",
            show_default=False,
            rich_help_panel=_PLAY,
        ),
    ] = None,
    start_seconds: Annotated[
        float,
        typer.Option(
            "--start-seconds",
            min=0,
            help="From a pod's binding to Ready.",
            rich_help_panel=_PLAY,
        ),
    ] = 10,
    sources: Sources,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    output: Output = OutputFormat.TEXT,
    display: Display,
) -> int:
    """Would this rollout deadlock? Played step by step against the pods that wait for room.

    Without a change: as if the template changed and nothing else. Exits with 1 where the rollout
    would stop, or would in some order of events.
    """
    said = bool(image or requests or to or replicas is not None)
    _check(target, every=every, said=said, has_to=to is not None)
    namespace = None if all_namespaces else namespace
    snapshot, choice = read(sources, display, namespace=namespace)
    from kschedx.answers.upgrade import UpgradeOptions
    from kschedx.answers.upgrade_target import Wanted
    from kschedx.rollout.live_pod import Timing

    options = UpgradeOptions(
        timing=Timing(
            stop_seconds=None if stop_seconds is None else _seconds("--stop-seconds", stop_seconds),
            start_seconds=_seconds("--start-seconds", start_seconds),
        ),
        never_ready=never_ready,
        order=order.value,
        remedies=not no_remedies,
        foresee=not no_arrivals,
    )
    if every:
        return _written(
            _all(snapshot, choice, options, namespace, quiet=display.quiet),
            output,
            no_color=display.no_color,
        )
    wanted = Wanted(
        images=[_image(text) for text in image or ()],
        requests=[_requests(text) for text in requests or ()],
        replicas=replicas,
        manifests=_manifests(to, choice) if to is not None else None,
    )
    report = _one(snapshot, choice, options, wanted, (target, namespace))
    return _written(report, output, no_color=display.no_color)


def _one(
    snapshot: "Snapshot",
    choice: "SchedulerChoice",
    options: "UpgradeOptions",
    wanted: "Wanted",
    named: tuple[str | None, str | None],
) -> "RolloutReport":
    from kschedx.answers.upgrade import simulate_upgrade as answer
    from kschedx.answers.upgrade_target import (
        changed_workload,
        find_workload,
        only_workload,
        others_changed,
    )

    target, namespace = named
    if target is not None:
        old = find_workload(snapshot, target, namespace)
    else:
        assert wanted.manifests is not None  # _check has seen to it
        old = only_workload(snapshot, wanted.manifests)
    options = replace(options, also=others_changed(snapshot, old, wanted))
    return answer(snapshot, [changed_workload(old, wanted)], choice, options)


def _all(
    snapshot: "Snapshot",
    choice: "SchedulerChoice",
    options: "UpgradeOptions",
    namespace: str | None,
    *,
    quiet: bool,
) -> "AllRollouts":
    from kschedx.answers.upgrade_all import simulate_all
    from kschedx.render.progress import waiting

    with waiting(sys.stderr, wanted=not quiet) as bar:
        return simulate_all(snapshot, choice, options, namespace, bar.told)


def _written(report: "RolloutReport | AllRollouts", output: OutputFormat, *, no_color: bool) -> int:
    from kschedx.render.upgrade_json import upgrade_document
    from kschedx.render.upgrade_text import render_upgrade_text

    write_report(
        lambda: upgrade_document(report),
        lambda style: render_upgrade_text(report, style),
        output,
        no_color=no_color,
    )
    return EXIT_STOPS if report.outcome.finding else 0


def _check(target: str | None, *, every: bool, said: bool, has_to: bool) -> None:
    """Raises KschedxError for options that contradict each other."""
    wrong = None
    if every and (target is not None or said):
        wrong = "--all takes neither a name nor a change"
    elif not every and target is None and not has_to:
        wrong = "which workload? KIND/NAME, --to FILE or --all"
    if wrong is not None:
        raise KschedxError(
            "options-contradict",
            wrong,
            hint="kschedx simulate-upgrade --help",
            exit_code=EXIT_USAGE,
        )


def _seconds(option: str, value: float) -> Fraction:
    if not math.isfinite(value):
        raise KschedxError(
            "not-seconds",
            f"{option} {value} is no time",
            hint="write seconds, such as 30 or 0.5",
            exit_code=EXIT_USAGE,
        )
    return Fraction(str(value))


def _image(text: str) -> tuple[str, str]:
    container, equals, image = text.partition("=")
    if not (image if equals else text):
        raise KschedxError(
            "not-an-image",
            f"{text!r} names no image",
            hint="write CONTAINER=IMAGE",
            exit_code=EXIT_USAGE,
        )
    return (container, image) if equals else ("", text)


def _requests(text: str) -> tuple[str, dict[str, str]]:
    """ "main:cpu=2,memory=4Gi" as a container and its requests; raises KschedxError."""
    from kschedx.api.quantity import QuantityError, milli

    container, colon, rest = text.rpartition(":")
    requests = {}
    for part in (rest if colon else text).split(","):
        name, equals, quantity = part.partition("=")
        try:
            negative = milli(quantity) < 0
        except QuantityError:
            equals, negative = "", False
        if not name or not equals or negative:
            raise KschedxError(
                "not-requests",
                f"{text!r} does not say requests",
                hint="write CONTAINER:cpu=2,memory=4Gi",
                exit_code=EXIT_USAGE,
            )
        requests[name] = quantity
    return container, requests


def _manifests(path: str, choice: "SchedulerChoice") -> "Snapshot":
    from kschedx.snapshot.files import read_files, settled

    return settled(read_files((path,)), choice.release)
