from typing import Any

import msgspec
import pytest

from kschedx.api.pod import Volume
from kschedx.api.selectors import show_node_term
from kschedx.schedulers.kube.csi_migration import (
    AZURE_DISK,
    CINDER,
    EBS,
    GCE_PD,
    PORTWORX,
    InTreePlugin,
    TranslationError,
    counts_as_csi,
    driver_affinity,
    handle_of,
    inline_handle_of,
    inline_plugin_of,
    moved_on,
    plugin_of,
)
from kschedx.schedulers.kube.versions import Release
from tests.storage_builders import ZONE, Expression, csi_node, volume

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION = "failure-domain.beta.kubernetes.io/region"
REGION = "topology.kubernetes.io/region"
GCE = {"gcePersistentDisk": {"pdName": "d"}}

HANDLES: dict[str, tuple[dict[str, Any], dict[str, str], InTreePlugin, str]] = {
    "EBS": ({"awsElasticBlockStore": {"volumeID": "vol-1"}}, {}, EBS, "vol-1"),
    "EBS with a zone": ({"awsElasticBlockStore": {"volumeID": "aws://z/vol-1"}}, {}, EBS, "vol-1"),
    "EBS without a zone": (
        {"awsElasticBlockStore": {"volumeID": "aws:///vol-1"}},
        {},
        EBS,
        "vol-1",
    ),
    "GCE": (GCE, {}, GCE_PD, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
    "GCE in a zone": (
        GCE,
        {ZONE: "us-east1-b"},
        GCE_PD,
        "projects/UNSPECIFIED/zones/us-east1-b/disks/d",
    ),
    "GCE by its old label first": (
        GCE,
        {ZONE: "us-east1-b", BETA_ZONE: "us-east1-c"},
        GCE_PD,
        "projects/UNSPECIFIED/zones/us-east1-c/disks/d",
    ),
    "GCE in a region": (
        GCE,
        {ZONE: "us-east1-b__us-east1-c"},
        GCE_PD,
        "projects/UNSPECIFIED/regions/us-east1/disks/d",
    ),
    "Azure": ({"azureDisk": {"diskURI": "/d", "kind": "Managed"}}, {}, AZURE_DISK, "/d"),
    "Cinder": ({"cinder": {"volumeID": "c"}}, {}, CINDER, "c"),
    "Portworx": ({"portworxVolume": {"volumeID": "p"}}, {}, PORTWORX, "p"),
}


@pytest.mark.parametrize("case", HANDLES)
def test_handles(case: str) -> None:
    source, labels, plugin, handle = HANDLES[case]
    persistent = volume(spec=source, labels=labels)

    assert (plugin_of(persistent), handle_of(persistent)) == (plugin, handle)


@pytest.mark.parametrize("case", [case for case in HANDLES if not HANDLES[case][1]])
def test_inline_handles(case: str) -> None:
    source, _, plugin, handle = HANDLES[case]
    inline = msgspec.convert({"name": "v", **source}, Volume)

    assert (inline_plugin_of(inline), inline_handle_of(inline)) == (plugin, handle)


ERRORS = {
    "failed to translate Kubernetes ID to EBS Volume ID "
    "Invalid format for AWS volume (aws://z/d)": (
        {"awsElasticBlockStore": {"volumeID": "aws://z/d"}},
        {},
    ),
    "kind(Dedicated) is not supported in csi migration": ({"azureDisk": {"kind": "Dedicated"}}, {}),
    "failed to get region from zones: zone in unexpected format, expected: "
    "{locale}-{region}-{zone}, got: b": (GCE, {ZONE: "us-east1-b__b"}),
    "failed to get region from zones: multiple or no regions gotten from zones, "
    "got: map[eu-west1:{} us-east1:{}]": (GCE, {ZONE: "us-east1-b__eu-west1-b"}),
}


@pytest.mark.parametrize("text", ERRORS)
def test_volumes_that_upstream_cannot_translate(text: str) -> None:
    source, labels = ERRORS[text]

    with pytest.raises(TranslationError) as error:
        handle_of(volume(spec=source, labels=labels))

    assert str(error.value) == text


def zone(key: str, *values: str) -> list[Expression]:
    return [(key, "In", values)]


Places = list[list[Expression]]
AFFINITIES: dict[str, tuple[InTreePlugin, Places | None, dict[str, str], list[str] | None]] = {
    "a zone becomes the driver's": (
        GCE_PD,
        [zone(ZONE, "a")],
        {},
        ["topology.gke.io/zone in (a)"],
    ),
    "in every term": (
        EBS,
        [zone(ZONE, "a"), [*zone(ZONE, "b"), ("disk", "Exists", ())]],
        {},
        [
            "topology.ebs.csi.aws.com/zone in (a)",
            "topology.ebs.csi.aws.com/zone in (b) and disk exists",
        ],
    ),
    "an old zone and region": (
        CINDER,
        [[*zone(BETA_ZONE, "a"), *zone(BETA_REGION, "r")]],
        {},
        [f"topology.cinder.csi.openstack.org/zone in (a) and {REGION} in (r)"],
    ),
    "a zone label where the affinity has none": (
        GCE_PD,
        None,
        {ZONE: "b__a"},
        ["topology.gke.io/zone in (a, b)"],
    ),
    "a zone label in addition to another requirement": (
        GCE_PD,
        [[("disk", "Exists", ())]],
        {ZONE: "a"},
        ["disk exists and topology.gke.io/zone in (a)"],
    ),
    "a zone in the affinity wins over the label": (
        GCE_PD,
        [zone(ZONE, "a")],
        {ZONE: "b"},
        ["topology.gke.io/zone in (a)"],
    ),
    "no place at all": (GCE_PD, None, {}, None),
    "an affinity without terms": (GCE_PD, [], {}, []),
    "Azure keeps its affinity": (AZURE_DISK, [zone(ZONE, "a")], {}, [f"{ZONE} in (a)"]),
}


@pytest.mark.parametrize("case", AFFINITIES)
def test_node_affinity(case: str) -> None:
    plugin, places, labels, expected = AFFINITIES[case]
    terms = driver_affinity(volume(places=places, labels=labels), plugin)

    assert (None if terms is None else [show_node_term(term) for term in terms]) == expected


@pytest.mark.parametrize("minor", [30, 35, 36, 37])
def test_limits_count_ebs_with_every_csi_node(minor: int) -> None:
    assert counts_as_csi(EBS, csi_node(), Release(minor))
    assert not counts_as_csi(EBS, None, Release(minor))


@pytest.mark.parametrize("plugin", [EBS, PORTWORX])
def test_binding_goes_by_the_annotation(plugin: InTreePlugin) -> None:
    annotated = csi_node(migrated=["kubernetes.io/cinder", plugin.name])

    assert moved_on(plugin, annotated, Release(37))
    assert not moved_on(plugin, csi_node(migrated=["kubernetes.io/cinder"]), Release(37))
    assert not moved_on(plugin, None, Release(37))


def test_portworx_moves_from_1_31_on() -> None:
    annotated = csi_node(migrated=[PORTWORX.name])

    assert not moved_on(PORTWORX, annotated, Release(30))
    assert moved_on(PORTWORX, annotated, Release(31))
