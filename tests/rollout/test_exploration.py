"""Orders of events: which are open, how many are played, what at-risk means."""

from typing import Any

from kschedx.answers.upgrade import simulate_upgrade
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import touched
from kschedx.rollout.exploration import Answers
from kschedx.rollout.played import Conditions, play
from kschedx.rollout.report import Outcome, RolloutReport
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    TIMING,
    choice,
    cluster,
    node,
    options,
    places,
    pod,
    scheduler,
    stateful_set,
    workload,
)

TWO = (node("n1"), node("n2"))
HUNGRY = pod("hungry", "3")


def _report(snapshot: Snapshot, order: str = "both", runs: int = 12) -> RolloutReport:
    steps = [touched(workload(snapshot, "web"))]
    asked = options(remedies=False, order=order, most_runs=runs)
    return simulate_upgrade(snapshot, steps, choice(), asked)


def test_equal_priority_loses_whether_the_scheduler_is_idle_or_busy() -> None:
    report = _report(cluster(*TWO, stateful_set("web", "3", "n1", "n2"), HUNGRY))

    assert report.outcome is Outcome.DEADLOCK
    assert report.search.complete


def test_a_priority_without_preemption_wins_only_if_the_scheduler_is_busy() -> None:
    never: dict[str, Any] = {"priority": 1000, "preemptionPolicy": "Never"}
    snapshot = cluster(*TWO, stateful_set("web", "3", "n1", "n2", **never), HUNGRY)

    report = _report(snapshot)

    assert report.outcome is Outcome.AT_RISK
    assert report.worst.outcome is Outcome.DEADLOCK
    assert report.best is not None
    assert report.best.outcome is Outcome.COMPLETES
    assert _report(snapshot, "worst").outcome is Outcome.DEADLOCK
    assert _report(snapshot, "best").outcome is Outcome.COMPLETES


def test_without_open_questions_one_order_is_all_there_is() -> None:
    report = _report(cluster(node("n1"), stateful_set("web", "3", "n1")))

    assert (report.search.runs, report.search.complete) == (1, True)


def test_the_search_ends_at_its_bound_and_says_so() -> None:
    big = pod("giant", "64")
    names = ["n1", "n2", "n3", "n4"]
    snapshot = cluster(*(node(n, "8") for n in names), stateful_set("web", "3", *names), big)

    report = _report(snapshot, runs=3)

    assert (report.search.runs, report.search.complete, report.search.bound) == (3, False, 3)


def test_a_pod_whose_victim_comes_back_beside_it_for_ever_is_not_decided() -> None:
    """The victim returns to another node of the zone, where the waiting pod cannot be with it."""
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    nodes = [node(f"n{i}", "2", labels={"zone": f"z{i % 2}"}) for i in range(4)]
    above = pod("above", "1", priority=20, labels={"app": "web"})

    report = _report(cluster(*nodes, stateful_set("web", "1", "n0", "n1", affinity=apart), above))

    assert report.outcome is Outcome.NOT_CHECKED
    assert report.worst.reason == "it repeats the same events for ever"
    assert len(report.worst.timeline) < 200


def test_answers_are_given_as_told_and_then_always_alike() -> None:
    answers = Answers(told=(1,), last=True)

    assert [answers.choose("?", ("a", "b", "c")) for _ in range(2)] == [1, 2]
    assert (answers.given, answers.options) == ([1, 2], [3, 3])


def test_which_of_equal_waiting_pods_is_tried_first_is_open() -> None:
    # In one order the large one takes what the set needs, in the other the small one leaves it.
    wide = stateful_set("web", "2", "n1")
    snapshot = cluster(
        node("n1", "3"), wide, pod("side", "1", on="n1"), pod("a", "2"), pod("b", "1500m")
    )

    report = _report(snapshot)

    assert report.search.runs > 1
    assert report.outcome is Outcome.DEADLOCK


def test_which_ordinal_of_a_waiting_set_is_tried_first_is_open() -> None:
    web, db = stateful_set("web", "3", "n1"), stateful_set("db", "3", "", "")
    snapshot = cluster(node("n1"), web, db)
    step = touched(workload(snapshot, "web"))

    placed = [
        places(play(snapshot, (step,), Attempts(scheduler()), Conditions(TIMING), answers.choose))
        for answers in (Answers((0,)), Answers((1,)))
    ]

    assert [(found["db-0"], found["db-1"]) for found in placed] == [("n1", ""), ("", "n1")]
