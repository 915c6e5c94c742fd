"""New pods between a deletion and its successor: which are foreseen, and what they do."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kschedx.answers.upgrade import simulate_upgrade
from kschedx.api.pod import Pod
from kschedx.rollout.arrivals import MOST_ARRIVALS, Arrival, Newcomers
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import touched, with_requests
from kschedx.rollout.exploration import Answers, good
from kschedx.rollout.played import Conditions, play
from kschedx.rollout.report import Outcome, RolloutReport
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    TIMING,
    Raw,
    choice,
    cluster,
    daemon_set,
    deployment,
    node,
    options,
    pod,
    rolled,
    scheduler,
    stateful_set,
    workload,
)

CROWDED = (
    node("n1"),
    node("n2"),
    stateful_set("db", "3", "n1", "n2"),
    deployment("web", "1", "n1"),
)
FULL = pod("full", "1", on="n2")


def _report(snapshot: Snapshot, name: str = "db", **fields: Any) -> RolloutReport:
    steps = [touched(workload(snapshot, name))]
    return simulate_upgrade(snapshot, steps, choice(), options(**{"remedies": False, **fields}))


def _newcomers(snapshot: Snapshot) -> list[str]:
    return [str(new.like) for new in Newcomers(Attempts(scheduler())).of(snapshot)]


# Who is foreseen


def test_one_more_pod_of_a_workload_that_finds_no_node_now() -> None:
    assert _newcomers(cluster(*CROWDED, FULL)) == [
        "Deployment default/web",
        "StatefulSet default/db",
    ]


def test_none_that_finds_a_node_now() -> None:
    assert "Deployment default/web" not in _newcomers(cluster(*CROWDED))


def test_none_that_evicts_its_way_in_now() -> None:
    above = deployment("web", "1", "n1", priority=10)

    assert "Deployment default/web" not in _newcomers(cluster(*CROWDED[:3], above, FULL))


def test_neither_daemon_pods_nor_bare_ones() -> None:
    full = cluster(node("n1"), daemon_set("agent", "1", "n1"), pod("bare", "3", on="n1"))

    assert _newcomers(full) == []


def test_none_whose_claim_nobody_knows() -> None:
    claim: dict[str, Any] = {
        "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    }
    full = cluster(node("n1", "1"), deployment("web", "1", "n1", **claim))

    assert _newcomers(full) == []


def test_the_highest_priority_first() -> None:
    low, high = deployment("low", "1", "n1"), deployment("z", "1", "n1", priority=5)
    full = cluster(node("n1", "2"), low, high)

    assert _newcomers(full) == ["Deployment default/low"]
    never = deployment("z", "1", "n1", priority=5, preemptionPolicy="Never")
    assert _newcomers(cluster(node("n1", "2"), low, never)) == [
        "Deployment default/z",
        "Deployment default/low",
    ]


# What it does


def test_an_arrival_that_takes_the_room_puts_the_rollout_at_risk() -> None:
    report = _report(cluster(*CROWDED, FULL))

    assert report.outcome is Outcome.AT_RISK
    assert report.arrival is not None
    assert report.arrival.sentence("default") == (
        "if one more pod of Deployment web arrives as db-1 stops"
    )
    assert report.best is not None
    assert report.best.outcome is Outcome.COMPLETES
    assert [thief.pod for thief in report.worst.thieves] == ["default/web-arriving"]


def test_an_arrival_beside_which_the_successor_fits_does_no_harm() -> None:
    snapshot = cluster(*CROWDED, FULL)
    smaller = with_requests(workload(snapshot, "db"), "c", {"cpu": "2"})
    report = simulate_upgrade(snapshot, [smaller], choice(), options(remedies=False))

    assert report.outcome is Outcome.COMPLETES
    assert report.arrivals is not None
    assert (report.arrivals.workloads, report.arrivals.complete) == (1, True)


def test_an_arrival_that_the_successor_evicts_does_no_harm() -> None:
    high: dict[str, Any] = {"priority": 10}
    snapshot = cluster(*CROWDED[:2], stateful_set("db", "3", "n1", "n2", **high), CROWDED[3], FULL)
    report = _report(snapshot)

    assert report.outcome is Outcome.COMPLETES
    assert report.arrivals is not None
    assert report.arrivals.runs > 0


def test_none_is_played_where_waiting_pods_stop_it_already() -> None:
    report = _report(cluster(*CROWDED, FULL, pod("hungry", "3")))

    assert report.outcome is Outcome.DEADLOCK
    assert report.arrivals is None


def test_none_is_played_where_the_user_says_so_or_asks_for_the_best_order() -> None:
    snapshot = cluster(*CROWDED, FULL)

    assert _report(snapshot, foresee=False).outcome is Outcome.COMPLETES
    assert _report(snapshot, order="best").outcome is Outcome.COMPLETES
    assert _report(snapshot, order="worst").outcome is Outcome.AT_RISK


def test_the_bound_is_stated_where_it_is_met() -> None:
    # Each is evicted again, so all of them are tried up to the bound.
    others = [deployment(f"d{i}", "1", "n1") for i in range(6)]
    snapshot = cluster(
        node("n1", "9"), node("n2"), stateful_set("db", "3", "n1", "n2", priority=9), *others, FULL
    )
    report = _report(snapshot)

    assert report.arrivals is not None
    assert (report.arrivals.runs, report.arrivals.complete) == (MOST_ARRIVALS, False)


def test_a_pod_may_arrive_just_after_the_scheduler_has_tried_those_that_wait() -> None:
    arriving = cluster(pod("late", "3", priority=1000)).all(Pod)["default/late"]
    snapshot = cluster(node("n1"), stateful_set("db", "3", "n1"), pod("hungry", "3"))
    step = touched(workload(snapshot, "db"))
    conditions = Conditions(TIMING, arrivals={"default/db-0": arriving})

    ends = [
        play(snapshot, (step,), Attempts(scheduler()), conditions, Answers((0, late)).choose)
        for late in (0, 1)
    ]

    bound = [[m.subject for m in played.moments if m.code == "bound"] for played in ends]
    assert bound == [["default/late"], ["default/hungry", "default/late"]]


def test_remedies_are_replayed_with_the_arrival() -> None:
    report = _report(cluster(*CROWDED, FULL), remedies=True)
    outcomes = {item.code: item.outcome for item in (*report.proposals, *report.remedies)}

    assert outcomes["today"] is outcomes["hold"] is Outcome.AT_RISK
    assert outcomes["reserve"] is outcomes["no-arrivals"] is Outcome.COMPLETES
    assert outcomes["priority"] is Outcome.COMPLETES


# That those who are passed over do no harm


@st.composite
def crowded(draw: Any) -> Snapshot:
    """A workload and others beside it on nodes that are full or nearly so."""
    cpus = st.sampled_from(["500m", "1", "1500m", "2", "3"])
    names = [f"n{i}" for i in range(draw(st.integers(1, 3)))]
    homes = st.lists(st.sampled_from(names), min_size=1, max_size=3)
    priorities = st.sampled_from([0, 0, 0, 5])
    never = st.sampled_from([{}, {"preemptionPolicy": "Never"}])
    parts: list[list[Raw]] = []
    make = draw(st.sampled_from([stateful_set, deployment]))
    parts.append(make("db", draw(cpus), *draw(homes), priority=draw(priorities), **draw(never)))
    for i in range(draw(st.integers(1, 3))):
        more = {"priority": draw(priorities), **draw(never)}
        parts.append(deployment(f"web{i}", draw(cpus), *draw(homes), **more))
    used: Counter[str] = Counter()
    for item in (item for part in parts for item in part if item["kind"] == "Pod"):
        asked = str(item["spec"]["containers"][0]["resources"]["requests"]["cpu"])
        used[item["spec"]["nodeName"]] += int(asked[:-1]) if asked[-1] == "m" else int(asked) * 1000
    spare = st.sampled_from([0, 0, 500, 1000])
    nodes = [node(name, f"{max(used[name], 500) + draw(spare)}m") for name in names]
    return cluster(*nodes, *parts)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(crowded())
def test_no_newcomer_stops_what_is_said_to_complete(snapshot: Snapshot) -> None:
    report = _report(snapshot)
    if report.outcome is not Outcome.COMPLETES or report.arrivals is None:
        return
    if not report.arrivals.complete:
        return
    undisturbed = rolled(snapshot, name="db")
    own = str(undisturbed.owner)
    stopped = [m for m in undisturbed.moments if m.code == "stopped"]
    stops = {m.subject for m in stopped if m.facts["workload"] == own}
    for new in Newcomers(Attempts(scheduler())).of(snapshot):
        if new.like.name == "db":
            continue
        for key in sorted(stops):
            assert good(rolled(snapshot, name="db", arrivals=Arrival(new, key).pods)), (new, key)
