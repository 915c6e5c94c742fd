from collections.abc import Sequence
from typing import Any

import pytest

from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import SnapshotLacks
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.plugins.node_volume_limits import (
    DriverNotInstalled,
    NodeVolumeLimits,
    UncountableClaim,
    VolumeLimitReached,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, snapshot
from tests.storage_builders import (
    Said,
    attachment,
    claim,
    csi_driver,
    csi_node,
    ephemeral,
    said,
    storage_class,
    using,
    volume,
)

D = "csi.example.com"
EBS = "ebs.csi.aws.com"
PORTWORX = "kubernetes.io/portworx-volume"


def bound(*names: str, driver: str = D) -> list[Object]:
    """Claims that are bound to volumes of the driver."""
    claims: list[Object] = [claim(name, bound=f"v-{name}") for name in names]
    return claims + [volume(f"v-{name}", driver=driver, phase="Bound") for name in names]


def full(
    attached: int, limit: int, *, lingering: int = 0, adding: int = 1, driver: str = D
) -> Said:
    return {"n1": (VolumeLimitReached(driver, attached, lingering, adding, limit),)}


def rule(minor: int = 35, **gates: bool) -> NodeVolumeLimits:
    return NodeVolumeLimits(Release(minor, gates))


CASES: dict[str, tuple[list[Any], Said]] = {
    "room for one more": (
        [csi_node("n1", {D: 2}), *bound("c", "a"), using("a", name="other", node="n1")],
        {},
    ),
    "the limit is reached": (
        [csi_node("n1", {D: 1}), *bound("c", "a"), using("a", name="other", node="n1")],
        full(1, 1),
    ),
    "the same volume counts once": (
        [csi_node("n1", {D: 1}), *bound("c"), using("c", name="other", node="n1")],
        {},
    ),
    "two pods with one volume count once": (
        [
            csi_node("n1", {D: 2}),
            *bound("c", "a"),
            using("a", name="one", node="n1"),
            using("a", name="two", node="n1"),
        ],
        {},
    ),
    "another driver's limit": (
        [csi_node("n1", {"d2": 0}), *bound("c")],
        {},
    ),
    "a driver without a limit": ([csi_node("n1", {D: None}), *bound("c")], {}),
    "a node without a CSINode": (bound("c"), {}),
    "a volume that is yet to be made counts": (
        [csi_node("n1", {D: 0}), claim("c"), storage_class()],
        full(0, 0),
    ),
    "a claim bound to a missing volume counts by its class": (
        [csi_node("n1", {D: 0}), claim("c", bound="gone"), storage_class()],
        full(0, 0),
    ),
    "a claim without a class does not count": ([csi_node("n1", {D: 0}), claim("c", "")], None),
    "a volume that is no CSI volume does not count": (
        [csi_node("n1", {D: 0}), claim("c", bound="v"), volume("v", spec={"hostPath": {}})],
        None,
    ),
    "no such claim": ([csi_node("n1", {D: 1})], {"n1": (UncountableClaim("default/c"),)}),
    "a claim of another pod that is missing": (
        [csi_node("n1", {D: 1}), *bound("c"), using("gone", name="other", node="n1")],
        {},
    ),
    "an attached volume without a pod": (
        [csi_node("n1", {D: 1}), *bound("c", "a"), attachment("va", "n1", "v-a", D)],
        full(1, 1, lingering=1),
    ),
    "an attached volume of a pod that is there": (
        [
            csi_node("n1", {D: 2}),
            *bound("c", "a"),
            using("a", name="other", node="n1"),
            attachment("va", "n1", "v-a", D),
        ],
        {},
    ),
    "an attachment to another node": (
        [csi_node("n1", {D: 1}), *bound("c", "a"), attachment("va", "n2", "v-a", D)],
        {},
    ),
    "an attachment of a volume that is gone": (
        [csi_node("n1", {D: 1}), *bound("c"), attachment("va", "n1", "gone", D)],
        {},
    ),
    "an in-tree volume counts for the driver that took it over": (
        [
            csi_node("n1", {EBS: 0}),
            claim("c", bound="v"),
            volume("v", spec={"awsElasticBlockStore": {"volumeID": "aws://z/vol-1"}}),
        ],
        full(0, 0, driver=EBS),
    ),
    "a class of an in-tree plugin counts for the driver that took it over": (
        [csi_node("n1", {EBS: 0}), claim("c"), storage_class("waits", "kubernetes.io/aws-ebs")],
        full(0, 0, driver=EBS),
    ),
    "a class of a plugin that no driver takes over does not count": (
        [
            csi_node("n1", {"kubernetes.io/vsphere-volume": 0}),
            claim("c"),
            storage_class("waits", "kubernetes.io/vsphere-volume"),
        ],
        None,
    ),
    "an EBS name that cannot be read does not count": (
        [
            csi_node("n1", {EBS: 0}),
            claim("c", bound="v"),
            volume("v", spec={"awsElasticBlockStore": {"volumeID": "aws://z/disk"}}),
        ],
        None,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_limits(case: str) -> None:
    objects, expected = CASES[case]

    assert said(rule(), cluster(node("n1"), *objects), using("c")) == expected


def test_every_driver_over_its_limit_is_told() -> None:
    objects = [csi_node("n1", {D: 1, "d2": 0}), *bound("c", "a"), *bound("b", driver="d2")]
    view = cluster(node("n1"), *objects)

    assert said(rule(), view, using("c", "a", "b")) == {
        "n1": (VolumeLimitReached(D, 0, 0, 2, 1), VolumeLimitReached("d2", 0, 0, 1, 0))
    }


def inline(source: str, **fields: Any) -> Pod:
    return pod(spec={"volumes": [{"name": "v", source: fields}]})


def test_an_inline_volume_counts_where_a_driver_took_its_plugin_over() -> None:
    view = cluster(node("n1"), node("n2"), csi_node("n1", {EBS: 0}))

    assert said(rule(), view, inline("awsElasticBlockStore", volumeID="vol-1")) == full(
        0, 0, driver=EBS
    )


@pytest.mark.parametrize(
    ("minor", "migrated", "counts"),
    [
        (30, (PORTWORX,), False),
        (35, (PORTWORX,), True),
        (35, (), False),
        (36, (), True),
    ],
)
def test_portworx_counts_by_version_and_annotation(
    minor: int, migrated: Sequence[str], *, counts: bool
) -> None:
    driver = "pxd.portworx.com"
    view = cluster(node("n1"), csi_node("n1", {driver: 0}, migrated=migrated))
    target = inline("portworxVolume", volumeID="px")

    assert said(rule(minor), view, target) == (full(0, 0, driver=driver) if counts else {})


ERRORS = {
    "an inline volume whose name cannot be read": (
        inline("awsElasticBlockStore", volumeID="aws://z/disk"),
        "converting volume(v) from inline to csi: failed to translate Kubernetes ID to EBS Volume "
        "ID Invalid format for AWS volume (aws://z/disk)",
    ),
    "an unmanaged azure disk": (
        inline("azureDisk", diskURI="/d", kind="Dedicated"),
        "converting volume(v) from inline to csi: kind(Dedicated) is not supported in csi migration",
    ),
    "an ephemeral volume's claim that is not its pod's": (
        pod(spec={"volumes": [ephemeral()]}),
        "PVC default/p-scratch was not created for pod default/p (pod is not owner)",
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_upstream_errors(case: str) -> None:
    target, text = ERRORS[case]
    view = cluster(node("n1"), csi_node("n1", {EBS: 1}), claim("p-scratch"))

    with pytest.raises(CycleError) as error:
        said(rule(), view, target)

    assert str(error.value) == f'running "NodeVolumeLimits" filter plugin: {text}'


def test_no_volume_that_counts() -> None:
    assert said(rule(), cluster(node("n1")), pod()) is None


@pytest.mark.parametrize("minor", [31, 32])
def test_attachments_count_from_1_32_on(minor: int) -> None:
    objects = [csi_node("n1", {D: 1}), *bound("c", "a"), attachment("va", "n1", "v-a", D)]
    expected = full(1, 1, lingering=1) if minor == 32 else {}

    assert said(rule(minor), cluster(node("n1"), *objects), using("c")) == expected


@pytest.mark.parametrize("minor", [31, 32])
def test_limits_in_the_node_s_status_count_up_to_1_31(minor: int) -> None:
    host = node("n1", allocatable={f"attachable-volumes-csi-{D}": "0"})
    expected = full(0, 0) if minor == 31 else {}

    assert said(rule(minor), cluster(host, *bound("c")), using("c")) == expected


DRIVERS: dict[str, tuple[NodeVolumeLimits, list[Any], Said]] = {
    "it insists, and is not there": (
        rule(37),
        [csi_driver(D, insists=True)],
        {"n1": (DriverNotInstalled((D,)),), "n2": (DriverNotInstalled((D,)),)},
    ),
    "it insists, and is on one node": (
        rule(37),
        [csi_driver(D, insists=True), csi_node("n1", {D: None})],
        {"n2": (DriverNotInstalled((D,)),)},
    ),
    "it does not insist": (rule(37), [csi_driver(D)], {}),
    "it is not known": (rule(37), [], {}),
    "before 1.37": (rule(36), [csi_driver(D, insists=True)], {}),
    "in 1.35 with the gate every driver insists": (
        rule(35, VolumeLimitScaling=True),
        [csi_driver(D), csi_node("n1", {D: None})],
        {"n2": (DriverNotInstalled((D,)),)},
    ),
}


@pytest.mark.parametrize("case", DRIVERS)
def test_drivers_that_insist(case: str) -> None:
    plugin, objects, expected = DRIVERS[case]
    view = cluster(node("n1"), node("n2"), *bound("c"), *objects)

    assert said(plugin, view, using("c")) == expected


def partly(*objects: Object, pods: Sequence[Pod] = ()) -> ClusterView:
    """One node and what a file holds: kinds that are not there were not read."""
    return cluster(node("n1"), *pods).with_snapshot(
        snapshot(node("n1"), *pods, *objects, complete=False)
    )


A = using("a", name="other", node="n1")
ELSEWHERE = [node("n1"), node("n2"), A, using("b", name="far", node="n2")]
LEFT = "up to 1 volumes of csi.example.com that no pod uses may be attached"
UNREAD: dict[str, tuple[ClusterView, Said]] = {
    "claims, where there are limits": (
        partly(csi_node("n1", {D: 1})),
        {"n1": (SnapshotLacks("PersistentVolumeClaim", "PersistentVolumeClaim default/c"),)},
    ),
    "claims, where there are none": (partly(csi_node("n1", {D: None})), {}),
    "volumes": (
        partly(csi_node("n1", {D: 1}), claim("c", bound="v")),
        {"n1": (SnapshotLacks("PersistentVolume", "PersistentVolume v"),)},
    ),
    "CSINodes": (
        partly(*bound("c")),
        {"n1": (SnapshotLacks("CSINode", "volume limits of node n1"),)},
    ),
    "attachments, with room for all volumes that no pod uses": (
        partly(csi_node("n1", {D: 4}), *bound("c", "a", "b"), pods=[A]),
        {},
    ),
    "attachments, with too little room": (
        partly(csi_node("n1", {D: 3}), *bound("c", "a", "b"), pods=[A]),
        {"n1": (SnapshotLacks("VolumeAttachment", LEFT.replace("1", "2")),)},
    ),
    "attachments, while the limit is reached anyway": (
        partly(csi_node("n1", {D: 1}), *bound("c", "a"), pods=[A]),
        full(1, 1),
    ),
    "attachments, and the other volume is in use on another node": (
        cluster(*ELSEWHERE).with_snapshot(
            snapshot(
                *ELSEWHERE,
                csi_node("n1", {D: 2}),
                *bound("a", "b"),
                claim("c"),
                storage_class(),
                complete=False,
            )
        ),
        {},
    ),
}


@pytest.mark.parametrize("case", UNREAD)
def test_what_was_not_read(case: str) -> None:
    view, expected = UNREAD[case]

    assert said(rule(), view, using("c")) == expected


def test_unread_drivers_matter_where_the_driver_is_not_installed() -> None:
    view = partly(csi_node("n1", {"d2": None}), *bound("c"))

    assert said(rule(37), view, using("c")) == {
        "n1": (SnapshotLacks("CSIDriver", f"whether pods may go where {D} is not"),)
    }


def test_texts() -> None:
    reached = VolumeLimitReached(D, 25, 3, 1, 25)

    assert reached.upstream_text(35) == "node(s) exceed max volume count"
    assert reached.sentence() == (
        "needs 1 more volume of csi.example.com, 25 of at most 25 are attached, "
        "3 of them by no pod here"
    )
    assert reached.short_by() == 1
    assert DriverNotInstalled((D, "z")).upstream_text(37) == (
        "csi.example.com CSI driver is not installed on the node"
    )
    assert UncountableClaim("default/c").upstream_text(35) == (
        'looking up PVC default/c: persistentvolumeclaim "c" not found'
    )
