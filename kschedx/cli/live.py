"""A live cluster as the source of a snapshot: kubectl's options in, progress on stderr."""

import re
import sys
from typing import TYPE_CHECKING, Final

from kschedx.api.errors import KschedxError

if TYPE_CHECKING:
    from kschedx.snapshot.live import Target
    from kschedx.snapshot.snapshot import Snapshot

EXIT_USAGE: Final = 2
_DURATION: Final = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?|(\d+)")


def read_live(
    *,
    context: str | None,
    kubeconfig: str | None,
    request_timeout: str | None,
    quiet: bool = False,
    partial: bool = False,
) -> "Snapshot":
    """Everything that scheduling reads, as the cluster holds it now: no defaults.

    `partial`: go on without pods or nodes where they are forbidden. Raises KschedxError.
    """
    from kschedx.render.progress import waiting
    from kschedx.snapshot.live import connect
    from kschedx.snapshot.whole_cluster import ESSENTIAL, read_cluster

    cluster = connect(target_of(context, kubeconfig, request_timeout))
    try:
        with waiting(sys.stderr, wanted=not quiet) as bar:
            return read_cluster(
                cluster,
                essential=() if partial else ESSENTIAL,
                progress=bar.told,
                meanwhile=_load_what_comes_next,
            )
    finally:
        cluster.close()


def _load_what_comes_next() -> None:
    """Modules that are needed once the cluster is read, loaded while its server is busy."""
    import kschedx.answers.why
    import kschedx.render.why_text  # noqa: F401


def target_of(context: str | None, kubeconfig: str | None, request_timeout: str | None) -> "Target":
    """The options as a target. Raises KschedxError (wrong usage) for a timeout that is none."""
    from kschedx.snapshot.live import Target

    seconds = None if request_timeout is None else parse_duration(request_timeout)
    return Target(context, kubeconfig, seconds)


def parse_duration(text: str) -> float | None:
    """Such as "30s", "2m", "1h30m" or plain seconds, as kubectl takes it; None for 0, which is no limit of one's own.

    Raises KschedxError (wrong usage).
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None or not text.strip():
        raise KschedxError(
            "not-a-duration",
            f"{text!r} is not a duration",
            hint="write it like 30s, 2m or 1h",
            exit_code=EXIT_USAGE,
        )
    hours, minutes, seconds, bare = (float(part or 0) for part in match.groups())
    return hours * 3600 + minutes * 60 + seconds + bare or None
