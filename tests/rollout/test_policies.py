"""The deadlock and the changes proposed against it: one test per sentence of their description."""

from typing import Any

import pytest

from kschedx.api.change import replaced
from kschedx.api.pod import Pod
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import touched, with_replicas, with_requests
from kschedx.rollout.contention import run_of
from kschedx.rollout.live_pod import Timing
from kschedx.rollout.played import Conditions, play
from kschedx.rollout.policies import Hold, Policy, Reserve
from kschedx.rollout.report import Outcome
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    cluster,
    deployment,
    node,
    places,
    pod,
    rolled,
    scheduler,
    stateful_set,
    workload,
)

HOLD, RESERVE = Hold(), Reserve()
TWO = (node("n1"), node("n2"))
FULL = (*TWO, *stateful_set("web", "3", "n1", "n2"))
HUNGRY = pod("hungry", "3")
HOST = "kubernetes.io/hostname"


def _codes(snapshot: Snapshot, policy: Policy | None = None) -> list[tuple[str, str]]:
    played = rolled(snapshot, policy=policy) if policy else rolled(snapshot)
    return [(m.code, m.subject.removeprefix("default/")) for m in played.moments]


# The deadlock


def test_no_new_room_is_needed_and_without_waiting_pods_it_completes() -> None:
    assert rolled(cluster(*FULL)).done


def test_the_recreated_pod_stays_pending_once_another_has_taken_its_room() -> None:
    played = rolled(cluster(*FULL, HUNGRY))

    assert not played.done
    assert places(played) == {"hungry": "n2", "web-0": "n1", "web-1": ""}


def test_the_scheduler_sees_room_free_when_the_containers_stop_not_when_the_object_goes() -> None:
    codes = _codes(cluster(*FULL, HUNGRY))
    stopped = codes.index(("stopped", "web-1"))

    assert codes.index(("bound", "hungry")) < codes.index(("gone", "web-1"))
    assert codes[stopped + 1 : stopped + 3] == [("woken", "web-1"), ("bound", "hungry")]


def test_only_then_does_the_new_pod_exist() -> None:
    codes = _codes(cluster(*FULL, HUNGRY))

    assert codes.index(("bound", "hungry")) < codes.index(("created", "web-1"))


def test_those_whose_hint_does_not_say_so_are_not_woken() -> None:
    astray = pod("astray", "3", nodeSelector={"disk": "ssd"})

    assert ("woken", "web-1") not in _codes(cluster(*FULL, astray))
    assert rolled(cluster(*FULL, astray)).done


def test_with_ordered_ready_the_rest_of_the_rollout_waits() -> None:
    run = run_of(rolled(cluster(*FULL, HUNGRY)))

    assert [wait.sentence() for wait in run.waits] == [
        "web-1 waits for room held by hungry",
        "web-0 waits for web-1 to be Ready",
        "undoing the rollout waits for web-1 as well: OrderedReady",
    ]


def test_a_rollback_does_not_help_either() -> None:
    snapshot = cluster(*FULL, HUNGRY)
    old = workload(snapshot, "web")

    played = rolled(snapshot, touched(old), old)

    assert places(played)["web-1"] == ""


def test_priority_does_not_protect_the_set_before_its_pod_exists() -> None:
    snapshot = cluster(*FULL[:2], stateful_set("web", "3", "n1", "n2", priority=1000), HUNGRY)

    assert ("bound", "hungry") in _codes(snapshot)


def test_a_higher_priority_helps_afterwards() -> None:
    snapshot = cluster(
        *FULL[:2],
        stateful_set("web", "3", "n1", "n2", priority=1000, priorityClassName="high"),
        HUNGRY,
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "high", "uid": "high"},
            "value": 1000,
        },
    )
    run = run_of(rolled(snapshot))

    assert run.outcome is Outcome.COMPLETES
    assert run.evicted == ("default/hungry",)


def test_a_deployment_is_not_covered_by_the_proposals() -> None:
    own = {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    }
    snapshot = cluster(node("n1"), node("n2"), deployment("web", "3", "n1", "n2", own=own), HUNGRY)

    ends = [places(rolled(snapshot, policy=p))["hungry"] != "" for p in (HOLD, RESERVE)]

    assert ends == [True, True]


# Proposal 1: hold


def test_hold_does_not_move_the_unschedulable_pods_for_an_upgrade() -> None:
    codes = _codes(cluster(*FULL, HUNGRY), HOLD)

    assert ("not-woken", "web-1") in codes
    assert ("woken", "web-1") not in codes
    assert rolled(cluster(*FULL, HUNGRY), policy=HOLD).done


def test_hold_wakes_them_for_any_other_deletion() -> None:
    snapshot = cluster(*FULL, HUNGRY)
    smaller = with_replicas(workload(snapshot, "web"), 1)

    played = rolled(snapshot, smaller, policy=HOLD)

    assert places(played) == {"hungry": "n2", "web-0": "n1"}


def test_under_hold_a_pod_of_an_upgrade_sorts_before_any_other() -> None:
    vip = pod("vip", "3", priority=5000, preemptionPolicy="Never")
    arriving = _arriving("late", "3", priority=5000)
    snapshot = cluster(*FULL, vip)

    played = rolled(snapshot, policy=HOLD, arrivals={"default/web-1": arriving})

    assert places(played)["late"] == "n2"


def test_under_hold_a_pod_that_arrives_in_between_still_takes_the_room() -> None:
    arrivals = {"default/web-1": _arriving("late", "3")}

    played = rolled(cluster(*FULL), policy=HOLD, arrivals=arrivals)

    assert places(played) == {"late": "n2", "web-0": "n1", "web-1": ""}


def test_under_hold_a_pod_already_in_the_active_queue_still_takes_the_room() -> None:
    # Two pods of another set end first. The end of "a" wakes the waiting pod, which finds too
    # little and backs off for two seconds; the end of "b" wakes it again. It becomes active
    # between the end of web-1 and its successor.
    ends = {"a": 10, "b": 11, "web": 11}
    parts = [
        stateful_set(name, "500m", "n2", terminationGracePeriodSeconds=ends[name]) for name in "ab"
    ]
    web = stateful_set("web", "3", "n1", "n2", terminationGracePeriodSeconds=ends["web"])
    snapshot = cluster(*TWO, *parts, web, pod("hungry", "3500m"))
    smaller = tuple(with_replicas(workload(snapshot, name), 0) for name in "ab")

    played = play(
        snapshot,
        (touched(workload(snapshot, "web")),),
        Attempts(scheduler(gates={"SchedulerPopFromBackoffQ": False})),
        Conditions(Timing(gone_seconds=2), HOLD, also=smaller),
    )
    codes = [(m.code, m.subject.removeprefix("default/")) for m in played.moments]

    assert ("not-woken", "web-1") in codes
    assert places(played) == {"hungry": "n2", "web-0": "n1", "web-1": ""}


@pytest.mark.parametrize(
    ("policy", "end"),
    [
        (HOLD, {"db-0": "n1", "web-0": ""}),
        (RESERVE, {"db-0": "n2", "web-0": "n1"}),
    ],
)
def test_under_hold_two_sets_upgraded_together_may_swap_places(
    policy: Policy, end: dict[str, str]
) -> None:
    # Both are gone at once. The small one finds more of the large node free, and splits its room.
    snapshot = cluster(
        node("n1", "4"),
        node("n2", "3"),
        stateful_set("db", "3", "n2"),
        stateful_set("web", "4", "n1"),
    )
    also = (touched(workload(snapshot, "db")),)

    assert places(rolled(snapshot, policy=policy, also=also)) == end


# Proposal 2: reserve


def test_reserve_keeps_the_place_and_the_rollout_completes() -> None:
    played = rolled(cluster(*FULL, HUNGRY), policy=RESERVE)

    assert played.done
    assert places(played) == {"hungry": "", "web-0": "n1", "web-1": "n2"}


def test_reserve_others_see_requests_as_still_there() -> None:
    codes = _codes(cluster(*FULL, HUNGRY), RESERVE)

    assert ("woken", "web-1") in codes
    assert ("bound", "hungry") not in codes


def test_reserve_others_see_host_ports_as_still_there() -> None:
    port: dict[str, Any] = {"containers": [_with_port("1")]}
    parts = (node("n1"), stateful_set("web", "1", "n1", **port), pod("thief", "1", **port))

    assert places(rolled(cluster(*parts)))["thief"] == "n1"
    assert places(rolled(cluster(*parts), policy=RESERVE)) == {"thief": "", "web-0": "n1"}


def test_reserve_others_see_affinity_as_still_there() -> None:
    apart: dict[str, Any] = {
        "affinity": {
            "podAntiAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": [
                    {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": HOST}
                ]
            }
        }
    }
    # The thief keeps away from the set; it is woken for the room that it lacks on the other node.
    parts = (
        node("n1"),
        node("n2"),
        stateful_set("web", "1", "n1"),
        pod("full", "4", on="n2"),
        pod("thief", "1", **apart),
    )

    assert places(rolled(cluster(*parts)))["thief"] == "n1"
    assert places(rolled(cluster(*parts), policy=RESERVE))["thief"] == ""


def test_reserve_counts_only_against_pods_of_at_most_the_old_priority() -> None:
    vip = pod("vip", "3", priority=10, preemptionPolicy="Never")

    played = rolled(cluster(*FULL, vip), policy=RESERVE)

    assert places(played) == {"vip": "n2", "web-0": "n1", "web-1": ""}


def test_reserve_the_successor_does_not_see_its_predecessors_reservation() -> None:
    assert rolled(cluster(*FULL), policy=RESERVE).done


def test_reserve_the_successor_may_choose_a_better_node() -> None:
    snapshot = cluster(node("n1"), node("n2", "64"), stateful_set("web", "3", "n1"))

    played = rolled(snapshot, policy=RESERVE)

    assert places(played) == {"web-0": "n2"}
    assert played.world.reserved == {}


def test_reserve_ends_when_the_successor_is_assumed() -> None:
    played = rolled(cluster(*FULL, HUNGRY), policy=RESERVE)

    assert played.world.reserved == {}
    assert played.world.cluster.nominated == {}


def test_reserve_a_set_that_is_scaled_down_meanwhile_leaves_a_reservation_for_ever() -> None:
    snapshot = cluster(*FULL, HUNGRY)
    # Updated and smaller at once: web-1 is of the old revision when it goes, and never comes back.
    smaller = with_replicas(touched(workload(snapshot, "web")), 1)

    played = rolled(snapshot, smaller, policy=RESERVE)

    assert set(played.world.reserved) == {"default/web-1"}
    assert places(played) == {"hungry": "", "web-0": "n1"}


def test_reserve_holds_the_old_request_so_a_bigger_one_may_not_fit() -> None:
    snapshot = cluster(
        *FULL, pod("small", "500m"), pod("fill1", "1", on="n1"), pod("fill2", "500m", on="n2")
    )
    bigger = with_requests(workload(snapshot, "web"), "c", {"cpu": "3500m"})

    played = rolled(snapshot, bigger, policy=RESERVE)

    assert places(played)["web-1"] == ""


# How the scheduler knows


def test_a_deletion_is_an_upgrade_where_the_pods_revision_is_not_the_sets_update_revision() -> None:
    snapshot = cluster(*FULL, HUNGRY)
    smaller = with_replicas(workload(snapshot, "web"), 1)

    assert rolled(snapshot, smaller, policy=RESERVE).world.reserved == {}


# What an operator can do


@pytest.mark.parametrize("partition", [0, 1])
def test_with_a_partition_at_most_the_pods_above_it_are_at_risk(partition: int) -> None:
    own = {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": partition}}}
    snapshot = cluster(node("n1"), node("n2"), stateful_set("web", "3", "n1", "n2", own=own))

    run = run_of(rolled(snapshot))

    assert (run.outcome, run.updated) == (
        (Outcome.COMPLETES, 2) if partition == 0 else (Outcome.HELD, 1)
    )


def test_a_cordon_keeps_the_successor_out_as_well() -> None:
    cordoned = node("n2")
    cordoned["spec"] = {
        "unschedulable": True,
        "taints": [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}],
    }
    snapshot = cluster(node("n1"), cordoned, stateful_set("web", "3", "n1", "n2"), HUNGRY)

    assert places(rolled(snapshot)) == {"hungry": "", "web-0": "n1", "web-1": ""}


def test_unless_it_tolerates_the_cordon() -> None:
    cordoned = node("n2")
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    cordoned["spec"] = {"unschedulable": True, "taints": [taint]}
    tolerant: dict[str, Any] = {"tolerations": [{"key": taint["key"], "operator": "Exists"}]}
    snapshot = cluster(
        node("n1"), cordoned, stateful_set("web", "3", "n2", **tolerant), pod("f", "4", on="n1")
    )

    assert rolled(snapshot).done


def test_gated_pods_do_not_take_the_room() -> None:
    gated = pod("gated", "3", schedulingGates=[{"name": "example.com/wait"}])

    assert rolled(cluster(*FULL, gated)).done


def test_a_priority_without_preemption_does_not_help() -> None:
    never: dict[str, Any] = {"priority": 1000, "preemptionPolicy": "Never"}
    snapshot = cluster(*FULL[:2], stateful_set("web", "3", "n1", "n2", **never), HUNGRY)

    assert not rolled(snapshot).done


def _with_port(cpu: str) -> dict[str, object]:
    return {
        "name": "c",
        "image": "app:1",
        "resources": {"requests": {"cpu": cpu}},
        "ports": [{"containerPort": 80, "hostPort": 8080}],
    }


def _arriving(name: str, cpu: str, **more: Any) -> Pod:
    found = cluster(pod(name, cpu, **more)).all(Pod)
    arriving = next(iter(found.values()))
    return replaced(arriving, metadata=replaced(arriving.metadata, uid=""))
