"""The StatefulSet controller: what it deletes and creates, and when, by version and strategy."""

from typing import Any

import pytest

from kschedx.api.change import replaced
from kschedx.api.workloads import StatefulSet, StatefulSetOrdinals
from kschedx.rollout.change import touched, with_replicas
from kschedx.rollout.played import Played
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import Raw, cluster, node, places, pod, rolled, stateful_set, workload

GATE = {"MaxUnavailableStatefulSet": True}
PARALLEL: Raw = {"podManagementPolicy": "Parallel"}


def _rolling(**fields: Any) -> Raw:
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": fields}}


def _snapshot(size: int, own: Raw | None = None, *more: Raw) -> Snapshot:
    names = [f"n{i}" for i in range(size)]
    return cluster(*(node(n) for n in names), stateful_set("web", "3", *names, own=own), *more)


def _told(played: Played, *codes: str) -> list[str]:
    """Codes and ordinals in order, such as "deleted 1"."""
    return [
        f"{m.code} {m.subject.rpartition('-')[2]}"
        for m in played.moments
        if m.code in codes and m.subject.startswith("default/web-")
    ]


def test_pods_are_replaced_one_by_one_from_the_highest_ordinal_down() -> None:
    played = rolled(_snapshot(3))

    assert _told(played, "deleted", "created", "ready") == [
        "deleted 2",
        "created 2",
        "ready 2",
        "deleted 1",
        "created 1",
        "ready 1",
        "deleted 0",
        "created 0",
        "ready 0",
    ]


def test_parallel_updates_one_by_one_as_well_where_the_gate_is_off() -> None:
    assert _told(rolled(_snapshot(2, PARALLEL)), "deleted", "ready") == [
        "deleted 1",
        "ready 1",
        "deleted 0",
        "ready 0",
    ]


def test_min_ready_seconds_are_waited_for() -> None:
    played = rolled(_snapshot(2, {"minReadySeconds": 100}))
    ready = next(m.at for m in played.moments if m.code == "ready")
    second = [m.at for m in played.moments if m.code == "deleted"][1]

    assert second - ready == 100


def test_on_delete_replaces_nothing() -> None:
    played = rolled(_snapshot(2, {"updateStrategy": {"type": "OnDelete"}}))

    assert _told(played, "deleted") == []
    assert played.progress.held_by == "its update strategy is OnDelete"


def test_a_partition_counts_from_the_first_ordinal() -> None:
    own = {**_rolling(partition=1), "ordinals": {"start": 5}}
    item, first, second = stateful_set("web", "3", "n0", "n1", own=own)
    for raw, name in ((first, "web-5"), (second, "web-6")):
        raw["metadata"]["name"] = raw["metadata"]["uid"] = name

    played = rolled(cluster(node("n0"), node("n1"), item, first, second))

    assert _told(played, "deleted") == ["deleted 6"]
    assert "partition 1 keeps ordinals below 6" in played.progress.held_by


def test_scaling_down_goes_before_updating_and_from_the_top() -> None:
    snapshot = _snapshot(3)
    item = with_replicas(touched(workload(snapshot, "web")), 1)

    assert _told(rolled(snapshot, item), "deleted") == ["deleted 2", "deleted 1", "deleted 0"]


def test_moving_the_ordinals_creates_the_high_ones_first() -> None:
    snapshot = cluster(node("n0", "8"), node("n1", "8"), stateful_set("web", "3", "n0", "n1"))
    old = workload(snapshot, "web")
    assert isinstance(old, StatefulSet)
    moved = replaced(old, spec=replaced(old.spec, ordinals=StatefulSetOrdinals(start=1)))

    assert _told(rolled(snapshot, moved), "created", "deleted") == ["created 2", "deleted 0"]


def test_a_pod_of_the_set_that_is_not_ready_before_stops_everything_in_order() -> None:
    played = rolled(
        cluster(node("n0"), node("n1"), stateful_set("web", "3", "", "n1"), pod("f", "4", on="n0"))
    )

    assert _told(played, "deleted") == []
    assert not played.done


def test_a_failed_pod_is_replaced_from_the_right_revision() -> None:
    item, failed = stateful_set("web", "3", "n0")
    failed["status"] = {"phase": "Failed"}

    assert rolled(cluster(node("n0"), item, failed)).done


def test_without_a_rolling_update_a_low_ordinal_comes_back_at_the_old_revision() -> None:
    # The trap of the defaulting: type without rollingUpdate leaves it nil.
    for own, revision in (
        ({"updateStrategy": {"type": "RollingUpdate"}}, "web-old"),
        (_rolling(partition=0), "new"),
    ):
        item, _, *others = stateful_set("web", "3", "n0", "n1", "n2", own=own)
        nodes = [node(f"n{i}") for i in range(3)]
        played = rolled(cluster(*nodes, item, *others))
        first = next(m for m in played.moments if m.code == "created")

        assert first.subject == "default/web-0"
        assert (first.facts["revision"] == "web-old") is (revision == "web-old")


TWO_AT_ONCE = {
    "the gate off: one by one": ({}, PARALLEL, "1.35", ["deleted 2"]),
    "the gate on, Parallel": (GATE, PARALLEL, "1.35", ["deleted 2", "deleted 1"]),
    "the gate on, OrderedReady": (GATE, {}, "1.35", ["deleted 2", "deleted 1"]),
    "1.37, Parallel": ({}, PARALLEL, "1.37", ["deleted 2", "deleted 1"]),
    "1.37 with the gate off": (
        {"MaxUnavailableStatefulSet": False},
        PARALLEL,
        "1.37",
        ["deleted 2"],
    ),
}


@pytest.mark.parametrize("case", TWO_AT_ONCE)
def test_max_unavailable_by_version_and_gate(case: str) -> None:
    gates, own, version, deleted = TWO_AT_ONCE[case]
    snapshot = _snapshot(3, {**own, **_rolling(maxUnavailable=2)})

    played = rolled(snapshot, version=version, gates=gates)

    at_once = [m for m in played.moments if m.code == "deleted" and m.at == 0]
    assert [f"deleted {m.subject[-1]}" for m in at_once] == deleted


def test_with_the_gate_in_order_two_go_at_once_and_come_back_ascending() -> None:
    played = rolled(_snapshot(3, _rolling(maxUnavailable=2)), gates=GATE)

    assert _told(played, "deleted", "created", "ready")[:6] == [
        "deleted 2",
        "deleted 1",
        "created 1",
        "ready 1",
        "created 2",
        "ready 2",
    ]


@pytest.mark.parametrize(
    ("gates", "version", "done"),
    [
        ({}, "1.35", True),
        (GATE, "1.35", False),
        (GATE, "1.36", False),
        ({}, "1.37", True),
    ],
)
def test_a_broken_pod_of_the_old_revision_in_a_parallel_set(
    gates: dict[str, bool], version: str, done: bool
) -> None:
    item, broken = stateful_set("web", "3", "n0", own=PARALLEL)
    broken["status"]["conditions"] = [{"type": "Ready", "status": "False"}]

    played = rolled(cluster(node("n0"), item, broken), gates=gates, version=version)

    assert played.done is done


def test_broken_old_pods_go_first_from_the_top_and_the_rest_of_the_limit_follows() -> None:
    own = {**PARALLEL, **_rolling(maxUnavailable=3)}
    names = [f"n{i}" for i in range(4)]
    item, *pods = stateful_set("web", "3", *names, own=own)
    for broken in pods[:2]:
        broken["status"]["conditions"] = [{"type": "Ready", "status": "False"}]

    played = rolled(cluster(*(node(n) for n in names), item, *pods), version="1.37")

    at_once = [m.subject[-1] for m in played.moments if m.code == "deleted" and m.at == 0]
    assert at_once == ["1", "0", "3"]
    assert played.done


def test_claims_are_used_again() -> None:
    own: Raw = {
        "volumeClaimTemplates": [
            {"metadata": {"name": "data"}, "spec": {"storageClassName": "local"}}
        ]
    }
    played = rolled(
        cluster(
            node("n0"),
            node("n1"),
            stateful_set("web", "3", "n0", own=own),
            {
                "apiVersion": "storage.k8s.io/v1",
                "kind": "StorageClass",
                "metadata": {"name": "local", "uid": "local"},
                "provisioner": "example.com/disk",
                "volumeBindingMode": "WaitForFirstConsumer",
            },
        )
    )
    made = played.world.pods["default/web-0"].pod

    assert played.done
    assert [
        v.persistent_volume_claim.claim_name for v in made.spec.volumes if v.persistent_volume_claim
    ] == ["data-web-0"]
    assert places(played)["web-0"] in ("n0", "n1")


def test_what_is_not_played_is_said() -> None:
    recreate = rolled(_snapshot(1, {"updateStrategy": {"type": "Recreate"}}))

    assert recreate.world.not_checked == {
        "StatefulSet default/web": "update strategy Recreate is not modelled"
    }
