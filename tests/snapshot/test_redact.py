"""Redaction: names gone, relations kept. That verdicts stay: tests/answers/test_take_snapshot.py."""

from __future__ import annotations

import msgspec
import pytest

from kschedx.api.label_syntax import value_complaint
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.selectors import parse_integer
from kschedx.api.storage import PersistentVolume, PersistentVolumeClaim
from kschedx.api.workloads import StatefulSet
from kschedx.snapshot.pseudonyms import Collector, Pseudonyms, split_image
from kschedx.snapshot.redact import Redaction
from kschedx.snapshot.saved import encoded
from kschedx.snapshot.snapshot import Snapshot
from tests.builders import node, pod, snapshot


def pseudonyms(*texts: str) -> Pseudonyms:
    collected = Collector(())
    for text in texts:
        collected.text(text, "value")
    return Pseudonyms(collected, {})


def test_pseudonyms_sort_as_the_originals() -> None:
    names = [f"team-{letter}" for letter in "bdac"]

    made = pseudonyms(*names)

    assert sorted(names, key=lambda name: made.text(name, "value")) == sorted(names)


def test_numbers_keep_their_order() -> None:
    numbers = ["7", "-3", "12", "07", "100000000000", "0"]

    made = pseudonyms(*numbers)

    values = {text: parse_integer(made.text(text, "value")) for text in numbers}
    assert len({made.text(text, "value") for text in numbers}) == len(numbers)
    assert all(
        (values[one] < values[other]) is (int(one) < int(other))  # type: ignore[operator]
        for one in numbers
        for other in numbers
    )


def test_no_pseudonym_is_an_original() -> None:
    made = pseudonyms("value-1", "value-2", "value-r1")

    assert {made.text(f"value-{n}", "value") for n in (1, 2)} == {"value-rr1", "value-rr2"}


@pytest.mark.parametrize("value", ["not valid!", "x" * 64, "-"])
def test_what_is_refused_stays_refused(value: str) -> None:
    made = pseudonyms(value)

    assert value_complaint(made.text(value, "value")) == value_complaint(value)


IMAGES = {
    "registry.test:5000/team/app": ("registry.test:5000/team/app", "", ""),
    "app:1.2": ("app", ":1.2", ""),
    "r/app:1@sha256:ab": ("r/app", ":1", "@sha256:ab"),
    "r/app@sha256:ab": ("r/app", "", "@sha256:ab"),
}


@pytest.mark.parametrize(("image", "parts"), IMAGES.items())
def test_split_image(image: str, parts: tuple[str, str, str]) -> None:
    assert split_image(image) == parts


def redacted(*objects: Pod | StatefulSet | PersistentVolumeClaim | PersistentVolume) -> Snapshot:
    return Redaction(snapshot(node("worker-1"), *objects)).snapshot


def test_a_set_its_pods_and_their_claims_stay_together() -> None:
    owner = {"kind": "StatefulSet", "name": "db", "uid": "u", "controller": True}
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data-db-1"}}]
    claim = {"metadata": {"name": "data-db-1", "namespace": "default"}}
    template = {"metadata": {"name": "data"}}
    made = redacted(
        msgspec.convert(
            {
                "metadata": {"name": "db", "namespace": "default"},
                "spec": {"volumeClaimTemplates": [template]},
            },
            StatefulSet,
        ),
        pod("db-1", metadata={"ownerReferences": [owner]}, spec={"volumes": volumes}),
        msgspec.convert(claim, PersistentVolumeClaim),
    )
    (owning,) = made.all(StatefulSet).values()
    (member,) = made.all(Pod).values()
    (claimed,) = made.all(PersistentVolumeClaim).values()

    assert member.name == f"{owning.name}-1"
    assert member.metadata.owner_references[0].name == owning.name
    prefix = owning.spec.volume_claim_templates[0].metadata.name
    assert claimed.name == f"{prefix}-{member.name}"
    used = member.spec.volumes[0].persistent_volume_claim
    assert used is not None
    assert used.claim_name == claimed.name


def test_a_node_is_its_hostname_label() -> None:
    made = Redaction(snapshot(node("worker-1"), pod(node="worker-1"))).snapshot
    (placed,) = made.all(Pod).values()

    (host,) = made.all(Node).values()
    assert host.metadata.labels == {"kubernetes.io/hostname": host.name}
    assert placed.spec.node_name == host.name


def test_secrets_are_not_there() -> None:
    secret = "hunter2"
    container = {
        "name": "main",
        "image": "a",
        "env": [{"name": "PASSWORD", "value": secret}],
        "command": [secret],
    }
    volumes = [{"name": "v", "csi": {"driver": "d", "volumeAttributes": {"key": secret}}}]
    seen = pod(
        metadata={"annotations": {"kubectl.kubernetes.io/last-applied-configuration": secret}},
        spec={"containers": [container], "volumes": volumes},
        status={"message": secret},
    )
    plain = b"".join(encoded(Redaction(snapshot(seen)).snapshot, redacted=True))

    assert secret.encode() not in plain


def test_messages_come_back_only_where_they_are_given() -> None:
    said = {"type": "PodScheduled", "status": "False", "message": "0/1 nodes: worker-1 is full"}
    redaction = Redaction(snapshot(node("worker-1"), pod("p", status={"conditions": [said]})))
    key = redaction.key("default/p")

    assert redaction.snapshot.all(Pod)[key].status.conditions[0].message == ""
    again = redaction.with_messages({key: "0/1 nodes"})
    assert again.all(Pod)[key].status.conditions[0].message == "0/1 nodes"
