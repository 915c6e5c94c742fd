"""From the options to a snapshot and the scheduler that is asked about it."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kschedx.api.errors import KschedxError
from kschedx.cli.options import Display, Sources

if TYPE_CHECKING:
    from kschedx.answers.replay import SchedulerChoice
    from kschedx.snapshot.snapshot import Snapshot

EXIT_USAGE = 2


def read(
    sources: Sources, display: Display, *, namespace: str | None = None, partial: bool = False
) -> "tuple[Snapshot, SchedulerChoice]":
    """Read everything.

    `namespace`: that of objects named without one. `partial`: go on without pods or nodes where
    listing them is forbidden. Raises KschedxError for whatever cannot be used.
    """
    from kschedx.snapshot.files import changed, parse_without, refuse_twice_stdin, settled

    _refuse_files_and_cluster(sources)
    added = sources.with_files or ()
    refuse_twice_stdin((*(sources.filenames or ()), *added))
    gates = parse_gates(sources.feature_gates or ())
    if sources.k8s_version is not None:
        _check_version(sources.k8s_version)
    configuration = None
    if sources.scheduler_config is not None:
        from kschedx.schedulers.kube.configuration import parse_configuration
        from kschedx.snapshot.plain_values import read_value

        path = sources.scheduler_config
        configuration = parse_configuration(read_value(path, unique_keys=True), path)
    without = [parse_without(text, namespace or "default") for text in sources.without or ()]
    base = _base(sources, display, partial=partial)
    if not partial:
        _refuse_without_essentials(base)
    from kschedx.answers.replay import choose_scheduler, release_for

    snapshot = settled(
        changed(base, added, without),
        lambda stated: release_for(sources.k8s_version or stated, gates),
    )
    choice = choose_scheduler(snapshot, sources.k8s_version, gates, configuration)
    if not display.quiet:
        for note in snapshot.notes:
            print(f"note: {note}", file=sys.stderr)  # noqa: T201
    if display.verbose:
        _tell(snapshot, choice)
    return snapshot, choice


def _refuse_files_and_cluster(sources: Sources) -> None:
    """Raises KschedxError (wrong usage) where an option for the cluster would be passed over."""
    said = {
        "--context names a cluster": sources.context,
        "--kubeconfig names a cluster": sources.kubeconfig,
        "--request-timeout is for a cluster": sources.request_timeout,
    }
    for what, value in said.items():
        if sources.filenames and value is not None:
            raise KschedxError(
                "options-contradict", f"-f reads files, {what}: use one", exit_code=EXIT_USAGE
            )


def _refuse_without_essentials(snapshot: "Snapshot") -> None:
    """A snapshot taken without the right to list pods or nodes answers nothing."""
    for kind in ("Pod", "Node"):
        if kind in snapshot.unread:
            raise KschedxError(
                "essential-unread",
                f"the snapshot was taken without listing {kind.lower()}s, so that nothing can be said",
                hint="docs/rbac.yaml holds the rights that kschedx snapshot needs",
            )


def _check_version(version: str) -> None:
    """Raises KschedxError (wrong usage) for a version that is not replayed."""
    from kschedx.schedulers.kube.versions import parse_release

    try:
        parse_release(version)
    except KschedxError as error:
        error.exit_code = EXIT_USAGE
        raise


def _base(sources: Sources, display: Display, *, partial: bool) -> "Snapshot":
    """The cluster as the files, or the API server, hold it."""
    from kschedx.cli.live import read_live
    from kschedx.snapshot.files import read_files

    if sources.filenames:
        return read_files(sources.filenames, complete=sources.complete)
    return read_live(
        context=sources.context,
        kubeconfig=sources.kubeconfig,
        request_timeout=sources.request_timeout,
        quiet=display.quiet,
        partial=partial,
    )


def _tell(snapshot: "Snapshot", choice: "SchedulerChoice") -> None:
    counts = {kind.__name__: len(items) for kind, items in snapshot.objects.items() if items}
    read = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    version = snapshot.version or "not stated"
    print(f"read: {read}; Kubernetes version {version}", file=sys.stderr)  # noqa: T201
    print(f"replayed: {choice.release.name}", file=sys.stderr)  # noqa: T201


def parse_gates(texts: Sequence[str]) -> dict[str, bool]:
    """ "A=true" or "A=true,B=false" as feature gates, as kube-scheduler takes them: later wins.

    Raises KschedxError (wrong usage), with the part that sets nothing.
    """
    gates = {}
    for part in ",".join(texts).split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if not part:
            continue  # upstream passes over a comma too many
        if not name or value.lower() not in ("true", "false"):
            raise KschedxError(
                "not-a-feature-gate",
                f"{part!r} does not set a feature gate",
                hint="write NAME=true or NAME=false",
                exit_code=EXIT_USAGE,
            )
        gates[name] = value.lower() == "true"
    return gates
