"""When a Deployment reports that its rollout makes no progress: a condition, and nothing else.

Upstream: deployment_util.go DeploymentProgressing, DeploymentTimedOut, HasProgressDeadline (1.35.4).
Differences: read from the moments of a run, in which a status follows its pods at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kschedx.api.workloads import Deployment
from kschedx.rollout.deployment_sizes import Sizes
from kschedx.rollout.live_pod import Owner, Seconds
from kschedx.rollout.played import Played

NEVER: Final = 2**31 - 1
"""The deadline of a Deployment that has none."""


def exceeded_at(played: Played) -> Seconds | None:
    """The second after which the run's first wait is too long; None where none is.

    Only a rollout has a deadline: without a new ReplicaSet nothing is counted.
    """
    item = played.world.workloads[played.owner]
    if not isinstance(item, Deployment) or item.spec.paused:
        return None
    deadline = item.spec.progress_deadline_seconds
    if deadline is None or deadline >= NEVER:
        return None
    times = sorted(_progress(played, item))
    if not times:
        return None
    ends: list[Seconds | None] = [*times[1:], None if not played.done else times[-1]]
    for last, following in zip(times, ends, strict=True):
        if following is None or following - last > deadline:
            return last + deadline
    return None


def _progress(played: Played, item: Deployment) -> Iterator[Seconds]:
    """The start, and whenever there are more new, fewer old, more Ready or more available pods."""
    new = Sizes(played.world, item).new()
    # A complete Deployment that only changes its size is not timed.
    if new is None or played.world.running_at_first.get(Owner.of(new)):
        return
    begun = max(m.at for m in played.moments if m.code == "started-rollout")
    yield begun
    for moment in played.moments:
        if moment.at < begun or moment.facts.get("workload") != str(played.owner):
            continue
        of_new = moment.facts["owner"] == Owner.of(new)
        if moment.code == "ready":
            yield moment.at
            yield moment.at + item.spec.min_ready_seconds
        elif moment.code == ("created" if of_new else "deleted"):
            yield moment.at


def note(played: Played) -> str:
    """What the Deployment will report, in one sentence; empty where it reports nothing."""
    at = exceeded_at(played)
    if at is None:
        return ""
    item = played.world.workloads[played.owner]
    assert isinstance(item, Deployment)
    end = "it completes all the same" if played.done else "nothing is undone"
    return (
        f"at t+{round(float(at), 1):g}s its progressDeadlineSeconds "
        f"({item.spec.progress_deadline_seconds}) has passed without progress: the Deployment reports "
        f"ProgressDeadlineExceeded and kubectl rollout status fails; {end}"
    )
