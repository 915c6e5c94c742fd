"""Rules about nodes and neighbours that are widened."""

from typing import Any

from kschedx.framework.selector_edits import WidenPodAffinity
from tests.builders import pod

HOST, ZONE, RACK = "kubernetes.io/hostname", "topology.kubernetes.io/zone", "example.com/rack"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def term(key: str) -> dict[str, Any]:
    return {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": key}


def test_widen_pod_affinity() -> None:
    keys = (RACK, HOST)
    sides = {
        side: {REQUIRED: [term(key) for key in keys]} for side in ("podAffinity", "podAntiAffinity")
    }
    before = pod(spec={"affinity": sides})
    edit = WidenPodAffinity(HOST, ZONE, "app=db")
    affinity = edit.changed(before).spec.affinity

    assert affinity is not None
    assert affinity.pod_affinity is not None
    assert affinity.pod_anti_affinity is not None
    assert [own.topology_key for own in affinity.pod_affinity.required] == [RACK, ZONE]
    assert [own.topology_key for own in affinity.pod_anti_affinity.required] == [RACK, HOST]
    path = f"/affinity/podAffinity/{REQUIRED}/1/topologyKey"
    assert edit.operations(before) == ({"op": "replace", "path": path, "value": ZONE},)
    assert edit.sentence() == (
        f"widen the required affinity to pods matching app=db from {HOST} to {ZONE}"
    )


def test_nothing_to_widen() -> None:
    edit = WidenPodAffinity(HOST, ZONE, "app=db")

    assert edit.changed(pod()) == pod()
    assert edit.operations(pod()) == ()
