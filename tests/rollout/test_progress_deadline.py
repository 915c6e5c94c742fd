"""When a Deployment reports that its rollout makes no progress."""

from typing import Any

import pytest

from kschedx.rollout.change import touched, with_replicas
from kschedx.rollout.contention import run_of
from kschedx.rollout.played import Played
from kschedx.rollout.progress_deadline import NEVER, exceeded_at
from tests.rollout.clusters import (
    cluster,
    deployment,
    node,
    rolled,
    stateful_set,
    workload,
)

FULL = (node("n1"), node("n2"))


def _surging(deadline: int | None, **more: Any) -> dict[str, Any]:
    rolling = {"maxSurge": 1, "maxUnavailable": 0}
    strategy = {"type": "RollingUpdate", "rollingUpdate": rolling}
    own = {"strategy": strategy, "progressDeadlineSeconds": deadline, **more}
    return {key: value for key, value in own.items() if value is not None}


def _stuck(deadline: int | None, **more: Any) -> Played:
    """One pod is made and none follows."""
    own = _surging(deadline, **more)
    return rolled(cluster(*FULL, deployment("web", "3", "n1", "n2", own=own)))


def test_the_deadline_counts_from_the_last_progress() -> None:
    assert exceeded_at(_stuck(60)) == 60


def test_ten_minutes_where_nothing_is_written() -> None:
    assert exceeded_at(_stuck(None)) == 600


def test_there_is_none_at_the_largest_number_or_where_the_deployment_is_paused() -> None:
    assert exceeded_at(_stuck(NEVER)) is None
    assert exceeded_at(_stuck(60, paused=True)) is None


@pytest.mark.parametrize(
    ("deadline", "exceeded"),
    [
        # Made, placed at once, Ready after 5 s, available 20 s later: waits of 5 and 20 s.
        (19, 24),
        (20, None),
    ],
)
def test_ready_and_available_are_progress(deadline: int, exceeded: int | None) -> None:
    own = _surging(deadline, minReadySeconds=20)
    played = rolled(cluster(node("n1", "8"), deployment("web", "1", "n1", own=own)))

    assert played.done
    assert exceeded_at(played) == exceeded


def test_fewer_old_pods_are_progress() -> None:
    rolling = {"maxSurge": 0, "maxUnavailable": 1}
    own = {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
        "progressDeadlineSeconds": 60,
    }
    # The second pod of the new revision finds no room: the last progress is its creation.
    snapshot = cluster(
        node("n1"), node("n2"), deployment("web", "3", "n1", "n2", own=own), stateful_set("x", "1")
    )
    played = rolled(snapshot)

    assert played.done
    assert exceeded_at(played) is None


def test_a_change_of_size_alone_has_no_deadline() -> None:
    own = _surging(60)
    snapshot = cluster(*FULL, deployment("web", "3", "n1", "n2", own=own))

    assert exceeded_at(rolled(snapshot, with_replicas(workload(snapshot, "web"), 3))) is None


def test_sets_have_none() -> None:
    snapshot = cluster(*FULL, stateful_set("web", "3", "n1", "n2"))

    assert exceeded_at(rolled(snapshot, touched(workload(snapshot, "web")))) is None


def test_the_report_says_that_it_is_only_a_condition() -> None:
    assert run_of(_stuck(60)).notes == (
        "at t+60s its progressDeadlineSeconds (60) has passed without progress: the Deployment "
        "reports ProgressDeadlineExceeded and kubectl rollout status fails; nothing is undone",
    )
