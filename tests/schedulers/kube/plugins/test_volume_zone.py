from typing import Any

import pytest

from kschedx.framework.plugin import Prepared
from kschedx.framework.verdict import SnapshotLacks
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.claims import ClaimNotFound
from kschedx.schedulers.kube.plugins.volume_zone import (
    BindingModeNotSet,
    ClaimWithoutClass,
    ClaimWithoutName,
    ClaimWithoutVolume,
    StorageClassNotFound,
    VolumeInOtherZone,
    VolumeNotFound,
    VolumeZone,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, snapshot
from tests.storage_builders import (
    ZONE,
    Said,
    claim,
    ephemeral,
    said,
    storage_class,
    using,
    volume,
)

RULE = VolumeZone(Release())
REGION = "topology.kubernetes.io/region"
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"


def other_zone(has: str | None, *wanted: str, label: str = ZONE) -> Said:
    return {"n1": (VolumeInOtherZone("default/c", "v", label, wanted, has),)}


LABELS: dict[str, tuple[dict[str, str], dict[str, str], Said]] = {
    "the same zone": ({ZONE: "a"}, {ZONE: "a"}, {}),
    "another zone": ({ZONE: "a"}, {ZONE: "b"}, other_zone("b", "a")),
    "one of several zones": ({ZONE: "a__b"}, {ZONE: "b"}, {}),
    "none of several zones": ({ZONE: "b__a"}, {ZONE: "c"}, other_zone("c", "a", "b")),
    "zones with blanks": ({ZONE: "a __ b"}, {ZONE: "b"}, {}),
    "an empty zone among several: the label is passed over": ({ZONE: "a__"}, {ZONE: "b"}, None),
    "a node without any place": ({ZONE: "a"}, {"disk": "ssd"}, {}),
    "a node with a region only": ({ZONE: "a"}, {REGION: "r"}, other_zone(None, "a")),
    "zone fits and region does not": (
        {ZONE: "a", REGION: "r"},
        {ZONE: "a", REGION: "q"},
        other_zone("q", "r", label=REGION),
    ),
    "the old label against the new one": ({BETA_ZONE: "a"}, {ZONE: "a"}, {}),
    "the old label against the node's own old one": (
        {BETA_ZONE: "a"},
        {ZONE: "a", BETA_ZONE: "b"},
        other_zone("b", "a", label=BETA_ZONE),
    ),
    "the new label against an old one": ({ZONE: "a"}, {BETA_ZONE: "a"}, other_zone(None, "a")),
    "a volume without labels": ({}, {ZONE: "a"}, None),
}


@pytest.mark.parametrize("case", LABELS)
def test_labels(case: str) -> None:
    on_volume, on_node, expected = LABELS[case]
    view = cluster(node("n1", labels=on_node), claim("c", bound="v"), volume("v", labels=on_volume))

    assert said(RULE, view, using("c")) == expected


def without_mode() -> Any:
    return storage_class("plain").__class__(metadata=storage_class("plain").metadata)


LOOKUPS: dict[str, tuple[list[Any], Said]] = {
    "no such claim": ([], (ClaimNotFound("default/c"),)),
    "no such volume": ([claim("c", bound="v")], (VolumeNotFound("default/c", "v"),)),
    "neither volume nor class": ([claim("c", "")], (ClaimWithoutClass("default/c"),)),
    "no such class": ([claim("c", "gone")], (StorageClassNotFound("default/c", "gone"),)),
    "a class without a mode": (
        [claim("c", "plain"), without_mode()],
        (BindingModeNotSet("plain"),),
    ),
    "a class that binds at once": (
        [claim("c", "now"), storage_class("now", waits=False)],
        (ClaimWithoutVolume("default/c"),),
    ),
    "a class that waits": ([claim("c"), storage_class()], None),
    "a volume that is asked for by name": (
        [claim("c", spec={"volumeName": "v"}), volume("v", labels={ZONE: "b"})],
        other_zone("a", "b"),
    ),
}


@pytest.mark.parametrize("case", LOOKUPS)
def test_lookups(case: str) -> None:
    objects, expected = LOOKUPS[case]

    assert said(RULE, cluster(node("n1", labels={ZONE: "a"}), *objects), using("c")) == expected


def test_a_claim_without_a_name() -> None:
    assert said(RULE, cluster(node()), using("")) == (ClaimWithoutName(),)


def test_generic_ephemeral_volumes_are_not_looked_at() -> None:
    target = pod(spec={"volumes": [ephemeral()]})

    assert said(RULE, cluster(node()), target) is None


def test_without_its_prefilter_the_filter_rules_every_node_out() -> None:
    view = cluster(node("n1"))
    prepared: Prepared = RULE.prepare(PodView(using("c"), view.accounting), view)

    assert list(RULE.filter(prepared.state, view.nodes["n1"])) == [ClaimNotFound("default/c")]


UNREAD: dict[str, tuple[list[Any], SnapshotLacks]] = {
    "claims": ([], SnapshotLacks("PersistentVolumeClaim", "PersistentVolumeClaim default/c")),
    "volumes": ([claim("c", bound="v")], SnapshotLacks("PersistentVolume", "PersistentVolume v")),
    "classes": ([claim("c", "slow")], SnapshotLacks("StorageClass", "StorageClass slow")),
}


@pytest.mark.parametrize("case", UNREAD)
def test_what_was_not_read_is_not_taken_for_missing(case: str) -> None:
    objects, lacks = UNREAD[case]
    view = cluster(node("n1")).with_snapshot(snapshot(*objects, complete=False))

    assert said(RULE, view, using("c")) == (lacks,)


TEXTS = {
    "PersistentVolumeClaim had no name": ClaimWithoutName(),
    "PersistentVolumeClaim had no pv name and storageClass name": ClaimWithoutClass("default/c"),
    'storageclass.storage.k8s.io "s" not found': StorageClassNotFound("default/c", "s"),
    'VolumeBindingMode not set for StorageClass "s"': BindingModeNotSet("s"),
    "PersistentVolume had no name": ClaimWithoutVolume("default/c"),
    'persistentvolume "v" not found': VolumeNotFound("default/c", "v"),
    'persistentvolumeclaim "c" not found': ClaimNotFound("default/c"),
    "node(s) had no available volume zone": VolumeInOtherZone("default/c", "v", ZONE, ("a",), "b"),
}


@pytest.mark.parametrize("text", TEXTS)
def test_upstream_text(text: str) -> None:
    assert TEXTS[text].upstream_text(35) == text


SENTENCES = {
    "PersistentVolume v of claim default/c needs topology.kubernetes.io/zone a or b, "
    "the node has c": VolumeInOtherZone("default/c", "v", ZONE, ("a", "b"), "c"),
    "PersistentVolume v of claim default/c needs topology.kubernetes.io/zone a, "
    "the node has no such label": VolumeInOtherZone("default/c", "v", ZONE, ("a",), None),
    "PersistentVolumeClaim default/c is bound to PersistentVolume v, "
    "which does not exist": VolumeNotFound("default/c", "v"),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences(sentence: str) -> None:
    assert SENTENCES[sentence].sentence() == sentence
