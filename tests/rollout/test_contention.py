"""What is said of a run: who is evicted by whom, how long it takes, who holds whose room."""

from kschedx.answers.upgrade import simulate_upgrade
from kschedx.rollout.change import touched, with_replicas, with_requests
from kschedx.rollout.contention import run_of
from kschedx.rollout.report import Outcome, Run
from tests.rollout.clusters import (
    choice,
    cluster,
    daemon_set,
    node,
    options,
    pod,
    rolled,
    stateful_set,
    workload,
)

SET = stateful_set("web", "2", "n1")
URGENT = pod("urgent", "2", priority=1000)
"""It finds a node by preemption alone, whatever is rolled."""


def _told(run: Run) -> list[str]:
    return [entry.sentence for entry in run.timeline]


def test_an_eviction_that_is_under_way_is_told_and_is_not_the_rollouts_doing() -> None:
    snapshot = cluster(node("n1"), pod("low", "2", on="n1", priority=-1), URGENT, SET)

    run = run_of(rolled(snapshot, with_replicas(workload(snapshot, "web"), 0)))

    assert (run.outcome, run.evicted) == (Outcome.COMPLETES, ())
    assert _told(run)[0] == "urgent evicts low on n1"


def test_a_rollout_ends_with_the_last_event_of_its_own_pods() -> None:
    late = pod("late", "2", on="n1", priority=-1)
    late["spec"]["terminationGracePeriodSeconds"] = 300
    snapshot = cluster(node("n1"), late, URGENT, SET)

    run = run_of(rolled(snapshot, workload(snapshot, "web")))

    assert (run.outcome, run.seconds) == (Outcome.COMPLETES, 0)


def test_nobody_holds_the_room_of_a_pod_that_no_node_is_large_enough_for() -> None:
    snapshot = cluster(node("n1"), pod("waiter", "3"), SET)
    item = workload(snapshot, "web")

    fitting = run_of(rolled(snapshot, touched(item)))
    oversized = run_of(rolled(snapshot, with_requests(item, "c", {"cpu": "9"})))

    assert fitting.waits[0].sentence() == "web-0 waits for room held by waiter"
    assert oversized.waits[0].sentence() == "web-0 waits for a node"


def test_undoing_replaces_a_daemon_sets_pod_and_asks_nobody_to_delete_it() -> None:
    snapshot = cluster(node("n1"), daemon_set("web", "2", "n1"), pod("waiter", "4", priority=1))

    report = simulate_upgrade(
        snapshot, [touched(workload(snapshot, "web"))], choice(), options(remedies=False)
    )

    assert report.worst.undo is not None
    assert report.worst.undo.sentence == (
        "writing the old template back does not help: web-aaaad stays Pending, 0 of 1 node: "
        "1 insufficient cpu"
    )
