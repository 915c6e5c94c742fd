"""StatefulSet pods whose volumes keep them where another pod has to go."""

from typing import Any

import msgspec
import pytest

from kschedx.answers.replay import Replay, SchedulerChoice
from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.api.workloads import StatefulSet
from kschedx.diagnose.remedies import Remedy
from kschedx.schedulers.kube.versions import Release
from tests.builders import node, pod, snapshot
from tests.storage_builders import ZONE, claim, storage_class, uses, volume

OWNER = {"kind": "StatefulSet", "name": "web", "uid": "web", "controller": True}
SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
]
NODES = tuple(node(f"in-{zone}", labels={ZONE: zone}) for zone in "yz")


def member(ordinal: int, zone: str, *, running: bool = True, **reclaim: Any) -> tuple[Object, ...]:
    """A pod of the set with its claim and its volume, which is in one zone."""
    name = f"web-{ordinal}"
    made = pod(
        name,
        labels={"app": "web"},
        node=f"in-{zone}" if running else "",
        metadata={"ownerReferences": [OWNER]},
        spec={
            "topologySpreadConstraints": SPREAD,
            "volumes": [{**each, "name": "data"} for each in uses(f"data-{name}")],
        },
    )
    own = claim(f"data-{name}", bound=f"pv-{ordinal}")
    reference = {"namespace": "default", "name": f"data-{name}", "uid": own.metadata.uid}
    place = [(ZONE, "In", [zone])]
    pv = volume(f"pv-{ordinal}", places=[place], spec={"claimRef": reference, **reclaim})
    return made, own, pv


def web(management: str) -> StatefulSet:
    raw = {
        "metadata": {"name": "web", "namespace": "default", "uid": "web"},
        "spec": {"podManagementPolicy": management},
    }
    return msgspec.convert(raw, StatefulSet)


def moves(*objects: Object) -> list[Remedy]:
    """What is proposed for web-0 that deletes claims."""
    replay = Replay(snapshot(*objects), SchedulerChoice(Release(35)))
    asked = replay.snapshot.get(Pod, "default/web-0")
    assert asked is not None
    found = replay.explain(asked, with_hints=True).explanation.remedies
    assert found is not None
    codes = ("move-pods-without-claims", "move-pods", "delete-pods")
    return [remedy for remedy in found.remedies if remedy.steps[0].code in codes]


def crowd(**reclaim: Any) -> tuple[Object, ...]:
    """Two younger pods in the zone of web-0, one in the other."""
    zones = {1: "y", 2: "y", 3: "z"}
    members = [part for i, zone in zones.items() for part in member(i, zone, **reclaim)]
    return (*NODES, storage_class(), *members, *member(0, "y", running=False))


@pytest.mark.parametrize(
    ("management", "proviso"),
    [("OrderedReady", ""), ("Parallel", "; if back first, may take in-y again")],
)
def test_the_youngest_go_and_begin_anew(management: str, proviso: str) -> None:
    found = moves(web(management), *crowd())

    assert [(remedy.message, remedy.nodes) for remedy in found] == [
        (
            f"move default/web-{i} to in-z (deleted on in-y with claim default/data-web-{i}, "
            f"its controller makes both again, the volume empty{proviso})",
            ("in-y",),
        )
        for i in (1, 2)
    ]
    assert found[0].steps[0].command == (
        "kubectl delete pvc -n default data-web-1 --wait=false && "
        "kubectl delete pod -n default web-1"
    )


def test_data_that_is_lost_is_named() -> None:
    found = moves(web("OrderedReady"), *crowd(persistentVolumeReclaimPolicy="Delete"))

    assert found[0].message.endswith("the volume empty; the data of pv-1 is lost)")


def test_a_class_that_does_not_wait_leaves_the_new_pod_without_a_place() -> None:
    assert moves(web("OrderedReady"), *crowd(), storage_class(waits=False)) == []


def test_a_claim_that_the_set_does_not_make_is_left_alone() -> None:
    """Its name is not made of the volume's and the pod's."""
    shared = pod(spec={"volumes": uses("shared")}).spec.volumes
    objects = [
        item.with_spec(volumes=shared) if isinstance(item, Pod) and item.spec.node_name else item
        for item in crowd()
    ]
    kept = volume("pv-9", places=[[(ZONE, "In", ["y"])]])

    assert moves(web("OrderedReady"), *objects, claim("shared", bound="pv-9"), kept) == []
