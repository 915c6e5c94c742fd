"""A raw manifest and the same object as an API server returned it are one object to the rules.

The pairs were recorded from kube-apiserver 1.35.4 (tests/live/record_admission.py): each raw
object was created, then read.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.api.quantity import QuantityError, milli
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.files import settled
from kschedx.snapshot.gathering import Gathering
from kschedx.snapshot.json_objects import read_json
from kschedx.snapshot.snapshot import Snapshot
from kschedx.snapshot.sources import Document

RECORDED = Path(__file__).parents[1] / "fixtures" / "admission" / "kube-1.35.json"
RELEASE = Release(35)
QUANTITIES = {"requests", "limits", "overhead", "capacity", "max", "min", "default"}


def read(objects: list[dict[str, Any]]) -> Snapshot:
    """A complete snapshot of these objects, with defaults and admission."""
    gathering = Gathering()
    read_json(Document("objects", json.dumps(objects).encode()), gathering)
    return settled(gathering.snapshot(complete=True), RELEASE)


def cases() -> list[Any]:
    phases = json.loads(RECORDED.read_text())
    return [
        pytest.param(
            [pair["stored"] for pair in phase["cluster"]],
            pair["raw"],
            pair["stored"],
            id=f"{pair['raw']['kind']}-{pair['raw']['metadata']['name']}",
        )
        for phase in phases
        for pair in (*phase["cluster"], *phase["created"])
        if pair["raw"]["kind"] != "Job"  # whose selector and labels are made from its uid
    ]


def comparable(value: Any, *, under: str = "") -> Any:
    """Plain values without empty ones, and quantities in milli: a server rewrites them."""
    if isinstance(value, dict):
        parts = {
            key: amount(part) if under in QUANTITIES else comparable(part, under=key)
            for key, part in value.items()
        }
        return {key: part for key, part in parts.items() if part not in ({}, [], "")}
    return [comparable(part) for part in value] if isinstance(value, list | tuple) else value


def amount(quantity: Any) -> Any:
    try:
        return milli(quantity) if isinstance(quantity, str | int | float) else quantity
    except QuantityError:
        return quantity


def the_one(snapshot: Snapshot, like: dict[str, Any]) -> Object:
    return next(
        item
        for kind, items in snapshot.objects.items()
        for item in items.values()
        if kind.__name__ == like["kind"]
        and item.name == like["metadata"]["name"]
        and item.namespace == like["metadata"].get("namespace", "")
    )


@pytest.mark.parametrize(("cluster", "raw", "stored"), cases())
def test_raw_object_is_read_as_an_api_server_stores_it(
    cluster: list[dict[str, Any]], raw: dict[str, Any], stored: dict[str, Any]
) -> None:
    from_manifest = the_one(read([*cluster, raw]), raw)
    from_server = the_one(read([*cluster, stored]), stored)

    for side in ("spec", "value", "preemption_policy", "volume_binding_mode", "reclaim_policy"):
        assert comparable(msgspec.to_builtins(getattr(from_manifest, side, None))) == comparable(
            msgspec.to_builtins(getattr(from_server, side, None))
        )
    assert from_manifest.metadata.labels == from_server.metadata.labels


@pytest.mark.parametrize(("cluster", "raw", "stored"), cases())
def test_stored_object_is_left_alone(
    cluster: list[dict[str, Any]], raw: dict[str, Any], stored: dict[str, Any]
) -> None:
    undefaulted = Gathering()
    read_json(Document("stored", json.dumps(stored).encode()), undefaulted)

    assert the_one(settled(undefaulted.snapshot(), RELEASE), stored) == the_one(
        undefaulted.snapshot(), stored
    )


@pytest.mark.parametrize(("cluster", "raw", "stored"), cases())
def test_rules_derive_the_same_from_both(
    cluster: list[dict[str, Any]], raw: dict[str, Any], stored: dict[str, Any]
) -> None:
    if raw["kind"] != "Pod":
        return
    views = [
        PodView(pod, RELEASE.accounting())
        for pod in (the_one(read([*cluster, raw]), raw), the_one(read([stored]), stored))
        if isinstance(pod, Pod)
    ]
    first, second = views

    assert first.asked == second.asked
    assert first.requests == second.requests
    assert first.host_ports == second.host_ports
    assert first.priority == second.priority
    assert first.pod.spec.tolerations == second.pod.spec.tolerations
    assert first.pod.spec.affinity == second.pod.spec.affinity
    assert first.pod.spec.node_selector == second.pod.spec.node_selector
