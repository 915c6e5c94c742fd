"""Which of several equal pods goes first."""

from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import touched
from kschedx.rollout.exploration import Answers, explore, good
from kschedx.rollout.played import Conditions, Played, play
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    TIMING,
    Raw,
    cluster,
    daemon_set,
    deployment,
    node,
    pod,
    scheduler,
    workload,
)

ONE_BY_ONE = {
    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
}
PICKY: Raw = {"nodeSelector": {"kubernetes.io/hostname": "n2"}}


def _played(snapshot: Snapshot, answers: Answers) -> Played:
    step = touched(workload(snapshot, "web"))
    return play(snapshot, (step,), Attempts(scheduler()), Conditions(TIMING), answers.choose)


def _first_deleted(played: Played) -> str:
    return next(m.subject for m in played.moments if m.code == "deleted")


def _web(*strangers: Raw) -> Snapshot:
    nodes = [node("n1"), node("n2"), node("n3")]
    return cluster(nodes, deployment("web", "3", "n1", "n2", "n3", own=ONE_BY_ONE), *strangers)


def test_the_pod_goes_first_whose_room_a_stranger_can_use() -> None:
    snapshot = _web(pod("picky", "3", **PICKY))

    worst, best = _played(snapshot, Answers()), _played(snapshot, Answers(last=True))

    assert _first_deleted(worst) == "default/web-old-1"
    assert _first_deleted(best) == "default/web-old-0"


def test_nothing_is_asked_where_the_room_serves_the_same_pods() -> None:
    snapshot = _web(pod("huge", "6", **PICKY))
    answers = Answers()

    played = _played(snapshot, answers)

    assert (played.done, answers.given) == (True, [])


def test_the_order_of_equals_can_decide_whether_a_rollout_stops() -> None:
    one = cluster(
        [node("n1"), node("n2")],
        deployment("web", "3", "n1", "n2", own=ONE_BY_ONE),
        pod("picky", "3", **PICKY),
    )

    explored = explore(lambda answers: _played(one, answers))

    assert (good(explored.worst), explored.runs > 1) == (False, True)


def test_of_nearly_equal_ages_the_lower_uid_goes_first() -> None:
    parts = deployment("web", "3", "n1", "n2", "n3", own=ONE_BY_ONE)
    for number, raw in enumerate(parts[2:]):
        since = f"2026-03-01T08:00:0{number}Z"
        raw["metadata"]["creationTimestamp"] = since
        raw["metadata"]["uid"] = "cab"[number]
        raw["status"]["conditions"][0]["lastTransitionTime"] = since
    late = pod("picky", "3", **PICKY)
    late["metadata"]["creationTimestamp"] = "2026-03-01T08:59:00Z"
    nodes = [node("n1"), node("n2"), node("n3")]
    snapshot = cluster(nodes, parts, late)

    played = _played(snapshot, Answers(last=True))

    assert _first_deleted(played) == "default/web-old-1"


def test_a_daemon_set_begins_where_a_stranger_can_use_the_room() -> None:
    nodes = [node("n1"), node("n2"), node("n3")]
    snapshot = cluster(nodes, daemon_set("web", "3", "n1", "n2", "n3"), pod("picky", "3", **PICKY))

    worst, best = _played(snapshot, Answers()), _played(snapshot, Answers(last=True))

    assert _first_deleted(worst) == "default/web-n2"
    assert _first_deleted(best) == "default/web-n1"
