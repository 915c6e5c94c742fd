from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.storage import StorageClass
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Reason, SnapshotLacks
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.bound_claims import BoundVolumeMissing, VolumeOutOfReach
from kschedx.schedulers.kube.claims import (
    ClaimBeingDeleted,
    ClaimLost,
    ClaimNotBound,
    ClaimNotFound,
    ClaimOfAnotherPod,
    EphemeralClaimPending,
)
from kschedx.schedulers.kube.plugins.volume_binding import VolumeBinding
from kschedx.schedulers.kube.utilization_shape import UtilizationShape
from kschedx.schedulers.kube.versions import Release
from kschedx.schedulers.kube.waiting_claims import (
    NoVolumeToBind,
    ProvisionedElsewhere,
    StorageExhausted,
    TopologyNotAllowed,
)
from tests.builders import cluster, node, pod, snapshot
from tests.storage_builders import (
    ZONE,
    Said,
    capacity,
    claim,
    csi_driver,
    csi_node,
    ephemeral,
    said,
    storage_class,
    using,
    volume,
)

RULE = VolumeBinding(Release())
GIB = 1024**3
HOSTNAME = "kubernetes.io/hostname"
IN_A = [[(ZONE, "In", ["a"])]]
ON_N1 = [[(HOSTNAME, "In", ["n1"])]]
DELETED = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
LOCAL = storage_class("local", "kubernetes.io/no-provisioner")
SELECTED = "volume.kubernetes.io/selected-node"


def nodes(*objects: Object) -> ClusterView:
    """n1 in zone a, n2 in zone b."""
    return cluster(node("n1", labels={ZONE: "a"}), node("n2", labels={ZONE: "b"}), *objects)


def far(name: str = "c", volume_name: str = "v") -> VolumeOutOfReach:
    return VolumeOutOfReach(f"default/{name}", volume_name, (f"{ZONE} in (a)",), (f"{ZONE}=b",))


BEFORE_NODES: dict[str, tuple[list[Object], Said]] = {
    "no such claim": ([], (ClaimNotFound("default/c"),)),
    "a lost claim": ([claim("c", bound="v", phase="Lost")], (ClaimLost("default/c", "v"),)),
    "a claim being deleted": ([claim("c", metadata=DELETED)], (ClaimBeingDeleted("default/c"),)),
    "a class that binds at once": (
        [claim("c", "now"), storage_class("now", waits=False)],
        (ClaimNotBound("default/c", "now", class_exists=True),),
    ),
    "no such class": (
        [claim("c", "gone")],
        (ClaimNotBound("default/c", "gone", class_exists=False),),
    ),
    "no class": ([claim("c", None)], (ClaimNotBound("default/c", "", class_exists=False),)),
    "the class of the old annotation": (
        [
            claim("c", "waits", annotations={"volume.beta.kubernetes.io/storage-class": "now"}),
            storage_class(),
            storage_class("now", waits=False),
        ],
        (ClaimNotBound("default/c", "now", class_exists=True),),
    ),
    "a volume asked for by name, not bound yet": (
        [claim("c", spec={"volumeName": "v"}), storage_class(), volume("v")],
        (ClaimNotBound("default/c", "waits", class_exists=True, volume="v"),),
    ),
}


@pytest.mark.parametrize("case", BEFORE_NODES)
def test_before_any_node(case: str) -> None:
    objects, expected = BEFORE_NODES[case]

    assert said(RULE, nodes(*objects), using("c")) == expected


def test_every_claim_that_is_not_bound_is_told() -> None:
    now = storage_class("now", waits=False)
    view = nodes(claim("c", "now"), claim("d", "now"), claim("e", bound="v"), volume("v"), now)

    assert said(RULE, view, using("c", "d", "e", "c")) == (
        ClaimNotBound("default/c", "now", class_exists=True),
        ClaimNotBound("default/d", "now", class_exists=True),
    )


def owned_by(uid: str) -> dict[str, Any]:
    owner = {"kind": "Pod", "name": "p", "uid": uid, "controller": True}
    return {"ownerReferences": [owner]}


EPHEMERAL: dict[str, tuple[list[Object], Said]] = {
    "its claim is not made yet": ([], (EphemeralClaimPending("default/p-scratch"),)),
    "its claim is the pod's": (
        [claim("p-scratch", metadata=owned_by("default-p")), storage_class()],
        {},
    ),
    "its claim is another pod's": (
        [claim("p-scratch", metadata=owned_by("default-q")), storage_class()],
        (ClaimOfAnotherPod("default/p-scratch", "default/p"),),
    ),
    "its claim is nobody's": (
        [claim("p-scratch"), storage_class()],
        (ClaimOfAnotherPod("default/p-scratch", "default/p"),),
    ),
}


@pytest.mark.parametrize("case", EPHEMERAL)
def test_generic_ephemeral_volumes(case: str) -> None:
    objects, expected = EPHEMERAL[case]

    assert said(RULE, nodes(*objects), pod(spec={"volumes": [ephemeral()]})) == expected


def test_a_pod_without_claims() -> None:
    assert said(RULE, nodes(), pod(spec={"volumes": [{"name": "e", "emptyDir": {}}]})) is None


def test_a_class_without_a_mode_is_an_error() -> None:
    plain = msgspec.convert({"metadata": {"name": "plain"}, "provisioner": "x"}, StorageClass)

    with pytest.raises(CycleError) as error:
        said(RULE, nodes(claim("c", "plain"), plain), using("c"))

    assert str(error.value) == (
        'running PreFilter plugin "VolumeBinding": '
        'VolumeBindingMode not set for StorageClass "plain"'
    )


MISSING: tuple[Reason, ...] = (BoundVolumeMissing("default/c", "v"),)
BOUND: dict[str, tuple[list[Object], Said]] = {
    "a volume without node affinity": ([volume("v")], {}),
    "a volume in a zone": ([volume("v", places=IN_A)], {"n2": (far(),)}),
    "a volume of two places": ([volume("v", places=[*IN_A, [(ZONE, "In", ["b"])]])], {}),
    "a volume of no place": (
        [volume("v", places=[])],
        {name: (VolumeOutOfReach("default/c", "v", (), ()),) for name in ("n1", "n2")},
    ),
    "a volume that does not exist": ([], {"n1": MISSING, "n2": MISSING}),
    "a volume whose affinity names a node as a field reaches every node": (
        [
            volume(
                "v",
                spec={
                    "nodeAffinity": {
                        "required": {
                            "nodeSelectorTerms": [
                                {
                                    "matchFields": [
                                        {
                                            "key": "metadata.name",
                                            "operator": "In",
                                            "values": ["n1"],
                                        }
                                    ]
                                }
                            ]
                        }
                    }
                },
            )
        ],
        {},
    ),
}


@pytest.mark.parametrize("case", BOUND)
def test_bound_claims(case: str) -> None:
    objects, expected = BOUND[case]

    assert said(RULE, nodes(claim("c", bound="v"), *objects), using("c")) == expected


def test_bound_claims_are_told_as_long_as_they_fail_alike() -> None:
    claims = [claim("c", bound="v"), claim("d", bound="gone"), claim("e", bound="w")]
    view = nodes(*claims, volume("v", places=IN_A), volume("w", places=IN_A))
    gone: list[Reason] = [BoundVolumeMissing("default/d", "gone")]

    assert said(RULE, view, using("c", "d", "e")) == {
        "n1": tuple(gone),
        "n2": (far(), far("e", "w")),
    }


EBS_VOLUME = {"awsElasticBlockStore": {"volumeID": "vol-1"}}
EBS_ZONE = "topology.ebs.csi.aws.com/zone"


def in_tree(*migrated: str) -> ClusterView:
    host = node("n1", labels={EBS_ZONE: "a"})
    bound = volume("v", places=IN_A, spec=EBS_VOLUME)
    return cluster(host, claim("c", bound="v"), bound, csi_node("n1", migrated=migrated))


def test_an_in_tree_volume_is_where_its_driver_says_once_it_is_migrated() -> None:
    out_of_reach = VolumeOutOfReach("default/c", "v", (f"{ZONE} in (a)",), ())

    assert said(RULE, in_tree("kubernetes.io/aws-ebs"), using("c")) == {}
    assert said(RULE, in_tree("kubernetes.io/gce-pd"), using("c")) == {"n1": (out_of_reach,)}


def test_an_in_tree_volume_that_cannot_be_translated_is_an_error() -> None:
    disk = {"azureDisk": {"diskURI": "/d", "kind": "Shared"}}
    view = nodes(
        claim("c", bound="v"),
        volume("v", spec=disk),
        csi_node("n1", migrated=["kubernetes.io/azure-disk"]),
    )

    with pytest.raises(CycleError) as error:
        said(RULE, view, using("c"))

    assert str(error.value) == (
        'running "VolumeBinding" filter plugin: '
        "could not translate pv: kind(Shared) is not supported in csi migration"
    )


def none_fits(
    volumes: int = 1,
    suitable: int = 0,
    *,
    name: str = "c",
    size: int = 10 * GIB,
    reserved: str = "",
) -> NoVolumeToBind:
    return NoVolumeToBind(f"default/{name}", "local", size, volumes, suitable, reserved)


def everywhere(reason: Reason) -> Said:
    return {"n1": (reason,), "n2": (reason,)}


def to_claim(name: str, uid: str = "") -> dict[str, Any]:
    return {"claimRef": {"namespace": "default", "name": name, "uid": uid}}


STATIC: dict[str, tuple[list[Object], Said]] = {
    "a free volume": ([volume("v", "local")], {}),
    "no volume": ([], everywhere(none_fits(0))),
    "a volume on one node": (
        [volume("v", "local", places=ON_N1)],
        {"n2": (none_fits(1, 1),)},
    ),
    "too small": ([volume("v", "local", size="9Gi")], everywhere(none_fits())),
    "small by a byte": ([volume("v", "local", size="10737418239")], everywhere(none_fits())),
    "of another class": ([volume("v", "waits")], everywhere(none_fits(0))),
    "not available": ([volume("v", "local", phase="Released")], everywhere(none_fits())),
    "of another volume mode": (
        [volume("v", "local", spec={"volumeMode": "Block"})],
        everywhere(none_fits()),
    ),
    "of other access modes": (
        [volume("v", "local", modes=["ReadOnlyMany"])],
        everywhere(none_fits()),
    ),
    "of more access modes": ([volume("v", "local", modes=["ReadOnlyMany", "ReadWriteOnce"])], {}),
    "being deleted": ([volume("v", "local", metadata=DELETED)], everywhere(none_fits())),
    "of another attributes class": (
        [volume("v", "local", spec={"volumeAttributesClassName": "gold"})],
        everywhere(none_fits()),
    ),
    "kept for another claim": (
        [volume("v", "local", spec=to_claim("d"))],
        everywhere(none_fits()),
    ),
    "kept for a claim of that name that is gone": (
        [volume("v", "local", spec=to_claim("c", "old"))],
        everywhere(none_fits()),
    ),
    "kept for the claim, whatever its phase": (
        [volume("v", "local", phase="Released", spec=to_claim("c", "claim-c"))],
        {},
    ),
    "kept for the claim on one node, another is free": (
        [volume("v", "local", places=ON_N1, spec=to_claim("c")), volume("w", "local")],
        {"n2": (none_fits(2, 1, reserved="v"),)},
    ),
}


@pytest.mark.parametrize("case", STATIC)
def test_existing_volumes(case: str) -> None:
    objects, expected = STATIC[case]

    assert said(RULE, nodes(claim("c", "local"), LOCAL, *objects), using("c")) == expected


def test_a_selector_chooses_among_volumes() -> None:
    gold = claim("c", "local", spec={"selector": {"matchLabels": {"tier": "gold"}}})
    view = nodes(gold, LOCAL, volume("v", "local", labels={"tier": "iron"}))

    assert said(RULE, view, using("c")) == everywhere(none_fits())


def test_a_selector_that_cannot_be_parsed_is_an_error() -> None:
    expression = {"key": "tier", "operator": "Like", "values": ["gold"]}
    broken = claim("c", "local", spec={"selector": {"matchExpressions": [expression]}})

    with pytest.raises(CycleError) as error:
        said(RULE, nodes(broken, LOCAL), using("c"))

    assert str(error.value) == (
        'running "VolumeBinding" filter plugin: error creating internal label selector for claim: '
        'default/c: "Like" is not a valid label selector operator'
    )


COMPETING: dict[str, tuple[Sequence[str], list[Object], Said]] = {
    "the smaller claim goes first, and takes the smallest volume": (
        ["big", "small"],
        [
            claim("big", "local", size="8Gi"),
            claim("small", "local", size="1Gi"),
            volume("v9", "local", size="9Gi"),
            volume("v2", "local", size="2Gi"),
        ],
        {},
    ),
    "one volume is taken once": (
        ["c", "d"],
        [claim("c", "local"), claim("d", "local"), volume("v", "local")],
        everywhere(none_fits(1, 1, name="d")),
    ),
    "a claim that is mounted twice needs two volumes": (
        ["c", "c"],
        [claim("c", "local"), volume("v", "local")],
        everywhere(none_fits(1, 1)),
    ),
    "the smaller claim takes what only the larger could share": (
        ["small", "gold"],
        [
            claim("small", "local", size="1Gi"),
            claim("gold", "local", spec={"selector": {"matchLabels": {"tier": "gold"}}}),
            volume("v", "local", size="10Gi", labels={"tier": "gold"}),
            volume("w", "local", size="20Gi"),
        ],
        everywhere(none_fits(2, 1, name="gold")),
    ),
}


@pytest.mark.parametrize("case", COMPETING)
def test_claims_of_one_pod_compete(case: str) -> None:
    claims, objects, expected = COMPETING[case]

    assert said(RULE, nodes(LOCAL, *objects), using(*claims)) == expected


def no_topology(*wanted: str, has: Sequence[str]) -> TopologyNotAllowed:
    return TopologyNotAllowed("default/c", "waits", wanted, tuple(has))


def exhausted(largest: int, capacities: int, *, size: int = 10 * GIB) -> StorageExhausted:
    return StorageExhausted("default/c", "waits", size, largest, capacities)


TRACKED = csi_driver(tracks_capacity=True)
DYNAMIC: dict[str, tuple[list[Object], Said]] = {
    "a class that makes volumes anywhere": ([storage_class()], {}),
    "allowed in one zone": (
        [storage_class(topologies=[[(ZONE, ["a"])]])],
        {"n2": (no_topology(f"{ZONE} in (a)", has=[f"{ZONE}=b"]),)},
    ),
    "allowed in either zone": (
        [storage_class(topologies=[[(ZONE, ["a"])], [(ZONE, ["b"])]])],
        {},
    ),
    "allowed by a term without requirements": (
        [storage_class(topologies=[[]])],
        {
            "n1": (no_topology(has=[]),),
            "n2": (no_topology(has=[]),),
        },
    ),
    "an existing volume is taken where the class makes none": (
        [
            storage_class(topologies=[[(ZONE, ["a"])]]),
            volume("v", places=[[(ZONE, "In", ["b"])]]),
        ],
        {},
    ),
    "enough capacity in one zone": (
        [storage_class(), TRACKED, capacity(labels={ZONE: "a"})],
        {"n2": (exhausted(0, 0),)},
    ),
    "too little capacity": (
        [storage_class(), TRACKED, capacity(size="9Gi", labels={ZONE: "a"})],
        {"n1": (exhausted(9 * GIB, 1),), "n2": (exhausted(0, 0),)},
    ),
    "the largest volume counts before the capacity": (
        [storage_class(), TRACKED, capacity(size="1Ti", largest="2Gi")],
        everywhere(exhausted(2 * GIB, 1)),
    ),
    "a capacity that says nothing": (
        [storage_class(), TRACKED, capacity(size=None)],
        everywhere(exhausted(0, 0)),
    ),
    "another class's capacity": (
        [storage_class(), TRACKED, capacity(storage_class="other")],
        everywhere(exhausted(0, 0)),
    ),
    "a driver that does not track capacity": ([storage_class(), csi_driver()], {}),
}


@pytest.mark.parametrize("case", DYNAMIC)
def test_new_volumes(case: str) -> None:
    objects, expected = DYNAMIC[case]

    assert said(RULE, nodes(claim("c"), *objects), using("c")) == expected


def test_a_claim_without_a_size_needs_no_capacity() -> None:
    assert said(RULE, nodes(claim("c", size=""), storage_class(), TRACKED), using("c")) == {}


def test_a_volume_that_is_being_made_for_one_node() -> None:
    chosen = claim("c", annotations={SELECTED: "n1"})
    elsewhere = ProvisionedElsewhere("default/c", "n1")

    assert said(RULE, nodes(chosen, storage_class()), using("c")) == {"n2": (elsewhere,)}


def test_waiting_claims_are_told_as_long_as_they_fail_alike() -> None:
    only_b = storage_class("b", topologies=[[(ZONE, ["b"])]])
    claims = [claim("c", "local"), claim("d", "waits"), claim("e", "b")]
    objects = [LOCAL, storage_class(), TRACKED, only_b]
    rejected_alike = TopologyNotAllowed("default/e", "b", (f"{ZONE} in (b)",), (f"{ZONE}=a",))

    assert said(RULE, nodes(*claims, *objects), using("c", "d", "e")) == {
        "n1": (none_fits(0), rejected_alike),
        "n2": (none_fits(0),),
    }


def test_bound_and_waiting_claims_are_both_told() -> None:
    view = nodes(claim("c", bound="v"), volume("v", places=IN_A), claim("d", "local"), LOCAL)

    assert said(RULE, view, using("c", "d")) == {
        "n1": (none_fits(0, name="d"),),
        "n2": (far(), none_fits(0, name="d")),
    }


def partly(*objects: Object) -> ClusterView:
    """One node and what a file holds: kinds that are not there were not read."""
    host = node("n1", labels={ZONE: "a"})
    return cluster(host).with_snapshot(snapshot(host, *objects, complete=False))


def lacks(kind: str, what: str) -> Said:
    return {"n1": (SnapshotLacks(kind, what),)}


UNREAD: dict[str, tuple[ClusterView, Said]] = {
    "claims": (
        partly(),
        (SnapshotLacks("PersistentVolumeClaim", "PersistentVolumeClaim default/c"),),
    ),
    "classes": (
        partly(claim("c", "slow")),
        (SnapshotLacks("StorageClass", "StorageClass slow"),),
    ),
    "classes, of a claim that asks for a volume by name": (
        partly(claim("c", spec={"volumeName": "v"})),
        (ClaimNotBound("default/c", "waits", class_exists=False, volume="v"),),
    ),
    "volumes": (
        partly(claim("c", bound="v")),
        lacks("PersistentVolume", "PersistentVolume v"),
    ),
    "volumes, where a new one can be made": (partly(claim("c"), storage_class(), csi_driver()), {}),
    "volumes, where none can be made": (
        partly(claim("c", "local"), LOCAL),
        lacks("PersistentVolume", "volumes of class local"),
    ),
    "drivers": (
        partly(claim("c"), storage_class()),
        lacks("CSIDriver", "whether csi.example.com tracks its capacity"),
    ),
    "drivers, where the provisioner cannot be one": (
        partly(claim("c"), storage_class("waits", "example.com/nfs")),
        {},
    ),
    "drivers, where there is room anyway": (partly(claim("c"), storage_class(), capacity()), {}),
    "capacities": (
        partly(claim("c"), storage_class(), TRACKED),
        lacks("CSIStorageCapacity", "capacity of class waits"),
    ),
    "CSINodes, where it makes no difference": (
        partly(claim("c", bound="v"), volume("v", spec=EBS_VOLUME)),
        {},
    ),
    "CSINodes, where an in-tree volume may have moved": (
        partly(claim("c", bound="v"), volume("v", places=IN_A, spec=EBS_VOLUME)),
        lacks("CSINode", "whether node n1 leaves v to a driver"),
    ),
}


@pytest.mark.parametrize("case", UNREAD)
def test_what_was_not_read(case: str) -> None:
    view, expected = UNREAD[case]

    assert said(RULE, view, using("c")) == expected


NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind"
TEXTS = [
    (
        ClaimLost("default/c", "v"),
        'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
    ),
    (ClaimBeingDeleted("default/c"), 'persistentvolumeclaim "c" is being deleted'),
    (
        EphemeralClaimPending("default/c"),
        'waiting for ephemeral volume controller to create the persistentvolumeclaim "c"',
    ),
    (
        ClaimOfAnotherPod("default/c", "default/p"),
        "PVC default/c was not created for pod default/p (pod is not owner)",
    ),
    (
        ClaimNotBound("default/c", "now", class_exists=True),
        "pod has unbound immediate PersistentVolumeClaims",
    ),
    (far(), "node(s) didn't match PersistentVolume's node affinity"),
    (
        BoundVolumeMissing("default/c", "v"),
        "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    ),
    (none_fits(), NOTHING_TO_BIND),
    (ProvisionedElsewhere("default/c", "n1"), NOTHING_TO_BIND),
    (no_topology(has=[]), NOTHING_TO_BIND),
    (exhausted(0, 0), "node(s) did not have enough free storage"),
]


@pytest.mark.parametrize(("reason", "text"), TEXTS, ids=lambda value: getattr(value, "code", ""))
def test_upstream_text(reason: Reason, text: str) -> None:
    assert reason.upstream_text(35) == text


def test_the_text_for_a_volume_out_of_reach_changed_in_1_33() -> None:
    assert far().upstream_text(32) == "node(s) had volume node affinity conflict"


SENTENCES = {
    "PersistentVolume v of claim default/c can be used from topology.kubernetes.io/zone in (a), "
    "the node has topology.kubernetes.io/zone=b": far(),
    "PersistentVolumeClaim default/c needs a volume of class local with 10Gi, "
    "none of 2 that suit is left for it on the node": none_fits(3, 2),
    "PersistentVolumeClaim default/c needs a volume of class local with 10Gi, "
    "none of 3 of the class is free and suits": none_fits(3),
    "PersistentVolumeClaim default/c needs a volume of class local with 10Gi, "
    "its PersistentVolume v cannot be used from the node": none_fits(3, 2, reserved="v"),
    "PersistentVolumeClaim default/c needs 10Gi of class waits, "
    "at most 9Gi can be made for the node": exhausted(9 * GIB, 1),
    "PersistentVolumeClaim default/c needs 10Gi of class waits, "
    "no CSIStorageCapacity applies to the node": exhausted(0, 0),
    "StorageClass waits of claim default/c makes volumes for topology.kubernetes.io/zone in (a), "
    "the node has topology.kubernetes.io/zone=b": no_topology(f"{ZONE} in (a)", has=[f"{ZONE}=b"]),
    "PersistentVolumeClaim default/c is not bound, StorageClass gone does not exist": ClaimNotBound(
        "default/c", "gone", class_exists=False
    ),
    "PersistentVolumeClaim default/c is not bound, and StorageClass now "
    "does not wait for the pod to get a node": ClaimNotBound("default/c", "now", class_exists=True),
    "PersistentVolumeClaim default/c is not bound and has no StorageClass": ClaimNotBound(
        "default/c", "", class_exists=False
    ),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences(sentence: str) -> None:
    assert SENTENCES[sentence].sentence() == sentence


def test_how_much_storage_is_short() -> None:
    assert exhausted(9 * GIB, 1).short_by() == GIB


POINTS = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]


def test_arguments() -> None:
    shaped = VolumeBinding.from_args({"shape": POINTS}, Release(37))

    assert shaped.shape == UtilizationShape(((0, 0), (100, 100)))
    assert VolumeBinding.from_args({}, Release(35)) == RULE


@pytest.mark.parametrize(
    ("args", "minor"),
    [
        ({"shape": POINTS}, 36),
        ({"shape": list(reversed(POINTS))}, 37),
        ({"shape": [{"utilization": 0, "score": 11}]}, 37),
        ({"bindTimeoutSeconds": -1}, 37),
        ({"bindTimeout": 1}, 37),
    ],
)
def test_arguments_that_the_scheduler_refuses(args: dict[str, Any], minor: int) -> None:
    with pytest.raises(KschedxError):
        VolumeBinding.from_args(args, Release(minor))
