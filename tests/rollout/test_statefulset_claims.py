"""Which claims of a StatefulSet go with its pods, rule by rule."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from kschedx.api.storage import PersistentVolumeClaim
from kschedx.api.workloads import StatefulSet
from kschedx.rollout.change import touched
from kschedx.rollout.played import Played
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import Raw, cluster, node, pod, rolled, stateful_set, workload

CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "disk", "uid": "disk"},
    "provisioner": "example.com/disk",
    "volumeBindingMode": "WaitForFirstConsumer",
}
SET_OWNS = {
    "apiVersion": "apps/v1",
    "kind": "StatefulSet",
    "name": "web",
    "uid": "web",
    "controller": True,
}
ANOTHER_OWNS = {
    "apiVersion": "example.com/v1",
    "kind": "Backup",
    "name": "b",
    "uid": "b",
    "controller": True,
}


def claim(name: str, *owners: Raw) -> list[Raw]:
    """A bound claim and its volume."""
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": name,
                "namespace": "default",
                "uid": name,
                "ownerReferences": list(owners),
                "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
            },
            "spec": {"storageClassName": "disk", "volumeName": f"pv-{name}"},
            "status": {"phase": "Bound"},
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pv-{name}", "uid": f"pv-{name}"},
            "spec": {
                "storageClassName": "disk",
                "claimRef": {
                    "kind": "PersistentVolumeClaim",
                    "namespace": "default",
                    "name": name,
                    "uid": name,
                },
            },
            "status": {"phase": "Bound"},
        },
    ]


def three(
    policy: Raw | None,
    *owners: Raw,
    own: Raw | None = None,
    cpu: str = "8",
    last_on: str = "n0",
    unready: Sequence[str] = (),
    more: Sequence[Raw] = (),
) -> Snapshot:
    """A set of three pods with a claim each."""
    fields: Raw = {
        "volumeClaimTemplates": [
            {"metadata": {"name": "data"}, "spec": {"storageClassName": "disk"}}
        ],
        **({"persistentVolumeClaimRetentionPolicy": policy} if policy else {}),
        **(own or {}),
    }
    item, *pods = stateful_set("web", "1", "n0", "n0", last_on, own=fields)
    for index, each in enumerate(pods):
        volume = {"name": "data", "persistentVolumeClaim": {"claimName": f"data-web-{index}"}}
        each["spec"]["volumes"] = [volume]
        if each["metadata"]["name"] in unready:
            each["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    claims = [part for index in range(3) for part in claim(f"data-web-{index}", *owners)]
    return cluster(node("n0", cpu), CLASS, item, *pods, *claims, *more)


def tainted(name: str, taint: Raw) -> Raw:
    return {**node(name), "spec": {"taints": [taint]}}


def of_size(snapshot: Snapshot, replicas: int) -> StatefulSet:
    item = workload(snapshot, "web")
    assert isinstance(item, StatefulSet)
    return msgspec.structs.replace(item, spec=msgspec.structs.replace(item.spec, replicas=replicas))


def left(played: Played) -> list[str]:
    """The numbers of the claims that are there."""
    return [
        item.name.removeprefix("data-web-")
        for item in played.world.snapshot.all(PersistentVolumeClaim).values()
    ]


DELETED = {"whenDeleted": "Delete", "whenScaled": "Delete"}
SCALED = {"whenDeleted": "Retain", "whenScaled": "Delete"}
KEPT = {"whenDeleted": "Delete", "whenScaled": "Retain"}
PARALLEL = {"podManagementPolicy": "Parallel"}
AFTER_SCALING_TO_1: dict[str, tuple[Snapshot, list[str]]] = {
    "no policy": (three(None), ["0", "1", "2"]),
    "Retain when scaled": (three(KEPT, SET_OWNS), ["0", "1", "2"]),
    "Delete when scaled": (three(SCALED), ["0"]),
    "Delete in both cases: the pod owns it instead of the set": (three(DELETED, SET_OWNS), ["0"]),
    "a parallel set": (three(SCALED, own=PARALLEL), ["0"]),
    "another controller's claim": (three(SCALED, ANOTHER_OWNS), ["0", "1", "2"]),
}


@pytest.mark.parametrize(
    ("snapshot", "expected"), AFTER_SCALING_TO_1.values(), ids=AFTER_SCALING_TO_1
)
def test_scaled_down(snapshot: Snapshot, expected: list[str]) -> None:
    played = rolled(snapshot, of_size(snapshot, 1))

    assert left(played) == expected
    assert (played.done, played.world.not_checked) == (True, {})


def test_a_rollout_keeps_claims() -> None:
    snapshot = three(DELETED, SET_OWNS)
    played = rolled(snapshot, touched(workload(snapshot, "web")))

    assert (played.done, left(played)) == (True, ["0", "1", "2"])


def test_scaled_up_again_the_pod_gets_a_new_claim_and_volume() -> None:
    snapshot = three(SCALED)
    played = rolled(snapshot, of_size(snapshot, 2), of_size(snapshot, 3))
    claims = played.world.snapshot.all(PersistentVolumeClaim)

    assert left(played) == ["0", "1", "2"]
    assert claims["default/data-web-1"].spec.volume_name == "pv-data-web-1"
    assert claims["default/data-web-2"].spec.volume_name == "simulated-default-data-web-2"


def test_an_ordered_set_that_waits_for_a_pod_gives_no_claim_away() -> None:
    """web-2 is evicted by someone else while the set waits for web-0: its claim stays."""
    hungry = pod("hungry", "1", priority=10)
    snapshot = three(SCALED, cpu="3", unready=["web-0"], more=[hungry])
    played = rolled(snapshot, of_size(snapshot, 1))

    assert [end.pod for end in played.pods] == ["default/hungry", "default/web-0", "default/web-1"]
    assert left(played) == ["0", "1", "2"]


@pytest.mark.parametrize(("own", "owners"), [(PARALLEL, []), ({}, ["web-2"])])
def test_wanted_again_while_it_still_stops(own: Raw, owners: list[str]) -> None:
    """Only a parallel set looks at a pod that is being deleted, and takes its claim back."""
    unreachable = {"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}
    snapshot = three(SCALED, own=own, last_on="n1", more=[tainted("n1", unreachable)])
    played = rolled(snapshot, of_size(snapshot, 2), of_size(snapshot, 3))
    found = played.world.snapshot.all(PersistentVolumeClaim)["default/data-web-2"]

    assert [owner.name for owner in found.metadata.owner_references] == owners


def test_a_claim_that_another_pod_uses_is_not_decided() -> None:
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data-web-2"}}
    reader = pod("reader", "1", on="n0", volumes=[volume])
    snapshot = three(SCALED, more=[reader])
    played = rolled(snapshot, of_size(snapshot, 1))

    assert left(played) == ["0", "2"]
    assert played.world.not_checked == {
        "default/reader": "claim data-web-2 is deleted while the pod uses it"
    }
