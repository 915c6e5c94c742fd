"""Remedies: each is replayed, and says what it costs."""

from kschedx.answers.upgrade import simulate_upgrade
from kschedx.rollout.change import touched, with_requests
from kschedx.rollout.report import Outcome, Remedy, RolloutReport
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    choice,
    cluster,
    deployment,
    node,
    options,
    pod,
    stateful_set,
    workload,
)

TWO = (node("n1"), node("n2"))
SET = stateful_set("web", "3", "n1", "n2")
HUNGRY = pod("hungry", "3")


def _report(snapshot: Snapshot) -> RolloutReport:
    steps = [touched(workload(snapshot, "web"))]
    return simulate_upgrade(snapshot, steps, choice(), options())


def _remedy(report: RolloutReport, code: str) -> Remedy:
    return next(r for r in (*report.proposals, *report.remedies) if r.code == code)


def test_what_completes_has_no_remedies() -> None:
    report = _report(cluster(*TWO, SET))

    assert (report.proposals, report.remedies) == ((), ())


def test_a_priority_evicts_the_thief_and_has_a_command() -> None:
    found = _remedy(_report(cluster(*TWO, SET, HUNGRY)), "priority")

    assert (found.title, found.outcome) == ("priority 1 for its pods", Outcome.COMPLETES)
    assert found.detail == "evicts hungry"
    assert found.command.startswith("kubectl create priorityclass above-waiting-pods --value=1 &&")


def test_the_highest_priority_cannot_be_topped() -> None:
    vip = pod("vip", "3", priority=1_000_000_000, preemptionPolicy="Never")

    found = _remedy(_report(cluster(*TWO, SET, vip)), "priority")

    assert found.outcome is None


def test_several_thieves_are_set_aside_one_after_the_other() -> None:
    report = _report(cluster(*TWO, SET, HUNGRY, pod("peer", "3"), pod("giant", "9")))
    found = _remedy(report, "gate")

    assert found.outcome is Outcome.COMPLETES
    assert found.title == "hungry, peer gated or suspended for the duration"


def test_the_smallest_thing_to_scale_down_is_found() -> None:
    web = stateful_set("web", "3", "n1")
    small, large = deployment("small", "500m", "n1"), deployment("large", "1", "n2")
    snapshot = cluster(node("n1", "3500m"), node("n2", "3"), web, small, large)
    bigger = with_requests(workload(snapshot, "web"), "c", {"cpu": "3500m"})

    report = simulate_upgrade(snapshot, [bigger], choice(), options())
    found = _remedy(report, "scale-down")

    assert (found.title, found.outcome) == (
        "small-old-0 scaled down (500m cpu)",
        Outcome.COMPLETES,
    )
    assert found.command == "kubectl -n default scale deployment small --replicas=0"


def test_a_set_gives_up_its_highest_ordinal_whichever_is_in_the_way() -> None:
    web, small = stateful_set("web", "3", "n1"), stateful_set("small", "500m", "n1", "n2")
    snapshot = cluster(node("n1", "3500m"), node("n2", "3"), web, small)
    bigger = with_requests(workload(snapshot, "web"), "c", {"cpu": "3500m"})

    report = simulate_upgrade(snapshot, [bigger], choice(), options())
    found = _remedy(report, "scale-down")

    assert found.title == "small-1, small-0 scaled down (1 cpu)"
    assert found.command == "kubectl -n default scale statefulset small --replicas=0"


def test_pods_of_two_workloads_are_scaled_down_where_one_is_not_enough() -> None:
    parts = (
        deployment("a", "500m", "n1"),
        deployment("b", "500m", "n1"),
        deployment("c", "1", "n2"),
    )
    snapshot = cluster(node("n1"), node("n2", "3"), stateful_set("web", "3", "n1"), *parts)
    bigger = with_requests(workload(snapshot, "web"), "c", {"cpu": "4"})

    report = simulate_upgrade(snapshot, [bigger], choice(), options())
    found = _remedy(report, "scale-down")

    assert found.title == "a-old-0, b-old-0 scaled down (1 cpu)"
    assert found.command == (
        "kubectl -n default scale deployment a --replicas=0 && "
        "kubectl -n default scale deployment b --replicas=0"
    )


def test_an_extra_node_is_as_small_as_suffices() -> None:
    found = _remedy(_report(cluster(*TWO, SET, HUNGRY)), "extra-node")

    assert (found.title, found.outcome) == ("one more node with 3 cpu", Outcome.COMPLETES)


def test_a_deployment_may_give_up_a_pod_first() -> None:
    own = {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    }
    report = _report(cluster(*TWO, deployment("web", "3", "n1", "n2", own=own)))

    assert _remedy(report, "strategy").outcome is Outcome.COMPLETES
    assert _remedy(report, "hold").outcome is None


def test_a_pod_that_was_stuck_before_may_be_deleted_by_hand() -> None:
    item, stuck = stateful_set("web", "3", "n1")
    stuck["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    report = _report(cluster(node("n1"), item, stuck))

    found = _remedy(report, "delete-pod")

    assert (found.outcome, found.command) == (
        Outcome.COMPLETES,
        "kubectl -n default delete pod web-0",
    )
