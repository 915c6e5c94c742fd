"""Volumes: CSI drivers, classes, capacities, claims and the volumes they are bound to."""

from collections.abc import Sequence
from typing import Final, TypedDict, Unpack

from tests.oracle.generate.draw import HOSTNAME, ZONE, ZONES, Draw, Object, names_of
from tests.oracle.generate.nodes import fleet
from tests.oracle.generate.pods import load, pod

DRIVERS: Final = ["ebs.csi.example.com", "nfs.csi.example.com"]
STORAGE: Final = "storage.k8s.io/v1"
ACCESS: Final = [["ReadWriteOnce"], ["ReadWriteOnce"], ["ReadWriteMany"], ["ReadWriteOncePod"]]
DISK: Final = {"name": "gce", "gcePersistentDisk": {"pdName": "d1"}}


class VolumeOptions(TypedDict, total=False):
    """What a family asks of a persistent volume or a claim."""

    modes: list[str]
    size: str
    kind: str


def csi_driver(draw: Draw, name: str) -> Object:
    """Draw a CSIDriver."""
    return {
        "apiVersion": STORAGE,
        "kind": "CSIDriver",
        "metadata": {"name": name},
        "spec": {"storageCapacity": draw.chance(0.5)},
    }


def csi_node(draw: Draw, name: str) -> Object:
    """Draw a CSINode: drivers, some with a topology, some with a limit."""
    drivers = []
    for driver in draw.some(DRIVERS, 0.8):
        installed: Object = {"name": driver, "nodeID": name}
        if draw.chance(0.6):
            installed["topologyKeys"] = [ZONE]
        if draw.chance(0.7):
            installed["allocatable"] = {"count": draw.whole(1, 4)}
        drivers.append(installed)
    return {
        "apiVersion": STORAGE,
        "kind": "CSINode",
        "metadata": {"name": name},
        "spec": {"drivers": drivers},
    }


def storage_class(name: str, provisioner: str, *, delayed: bool) -> Object:
    """Make a StorageClass: binding waits for the pod, or doesn't."""
    return {
        "apiVersion": STORAGE,
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": "WaitForFirstConsumer" if delayed else "Immediate",
    }


def storage_capacity(draw: Draw, number: int, zone: str) -> Object:
    """Draw what a class can still provision in a zone."""
    made: Object = {
        "apiVersion": STORAGE,
        "kind": "CSIStorageCapacity",
        "metadata": {"name": f"cap-{number}-{zone}", "namespace": "default"},
        "storageClassName": f"wffc{number}",
        "nodeTopology": {"matchLabels": {ZONE: zone}},
        "capacity": draw.pick(["5Gi", "50Gi", "500Gi"]),
    }
    if draw.chance(0.4):
        made["maximumVolumeSize"] = draw.pick(["8Gi", "100Gi"])
    return made


def volume(
    draw: Draw,
    nodes: Sequence[str],
    name: str,
    storage: str,
    claim: str | None = None,
    **options: Unpack[VolumeOptions],
) -> Object:
    """Draw a PersistentVolume, bound to the claim where one is given."""
    made: Object = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": {}},
        "spec": {
            "capacity": {"storage": options.get("size", "10Gi")},
            "accessModes": options.get("modes", ["ReadWriteOnce"]),
            "storageClassName": storage,
            "persistentVolumeReclaimPolicy": "Retain",
        },
        "status": {"phase": "Bound" if claim else "Available"},
    }
    kind = options.get("kind") or draw.pick(["csi", "csi", "local"])
    if kind == "csi":
        made["spec"]["csi"] = {"driver": draw.pick(DRIVERS), "volumeHandle": name}
    elif kind == "local":
        made["spec"]["local"] = {"path": "/mnt/" + name}
    if draw.chance(0.5) or kind == "local":
        zones = draw.sample(ZONES, draw.pick([1, 2]))
        places = [(ZONE, zones), (HOSTNAME, [draw.pick(nodes)])]
        key, values = draw.pick(places)
        expression = {"key": key, "operator": "In", "values": values}
        terms = [{"matchExpressions": [expression]}]
        made["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    if draw.chance(0.25):
        made["metadata"]["labels"][ZONE] = draw.pick([*ZONES, "z1__z2"])
    if claim:
        made["spec"]["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            "namespace": "default",
            "name": claim,
            "uid": "uid-" + claim,
        }
    return made


def volume_claim(
    name: str, storage: str, bound: str | None = None, **options: Unpack[VolumeOptions]
) -> Object:
    """Make a PersistentVolumeClaim, bound to the volume where one is given."""
    made: Object = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": "uid-" + name,
            "annotations": {},
        },
        "spec": {
            "accessModes": options.get("modes", ["ReadWriteOnce"]),
            "resources": {"requests": {"storage": options.get("size", "10Gi")}},
            "storageClassName": storage,
        },
        "status": {"phase": "Bound" if bound else "Pending"},
    }
    if bound:
        made["spec"]["volumeName"] = bound
        made["metadata"]["annotations"]["pv.kubernetes.io/bind-completed"] = "yes"
    return made


def claim_and_volume(draw: Draw, nodes: Sequence[str], name: str) -> list[Object]:
    """Draw a claim: bound with its volume, immediate and unbound, delayed, or of a local class."""
    modes = draw.pick(ACCESS)
    match draw.branch(0.5, 0.58, 0.85):
        case 0:
            return [
                volume(draw, nodes, f"pv-{name}", "now0", name, modes=modes),
                volume_claim(name, "now0", f"pv-{name}", modes=modes),
            ]
        case 1:
            return [volume_claim(name, "now0", modes=modes)]
        case 2:
            storage = draw.pick(["wffc0", "wffc1"])
            size = draw.pick(["1Gi", "10Gi", "60Gi"])
            return [volume_claim(name, storage, modes=modes, size=size)]
        case _:
            return [volume_claim(name, "local", modes=["ReadWriteOnce"])]


def storage_objects(draw: Draw, nodes: Sequence[str]) -> list[Object]:
    """Draw everything that claims rest on."""
    made = [csi_driver(draw, driver) for driver in DRIVERS if draw.chance(0.7)]
    made += [csi_node(draw, name) for name in nodes if draw.chance(0.75)]
    for number, driver in enumerate(DRIVERS):
        delayed = storage_class(f"wffc{number}", driver, delayed=True)
        if draw.chance(0.35):
            zones = draw.sample(ZONES, draw.pick([1, 2]))
            expressions = [{"key": ZONE, "values": zones}]
            delayed["allowedTopologies"] = [{"matchLabelExpressions": expressions}]
        made += [delayed, storage_class(f"now{number}", driver, delayed=False)]
        made += [storage_capacity(draw, number, zone) for zone in ZONES if draw.chance(0.5)]
    made.append(storage_class("local", "kubernetes.io/no-provisioner", delayed=True))
    return made


def uses(claims: Sequence[str]) -> list[Object]:
    """Mount the claims."""
    return [
        {"name": f"v{i}", "persistentVolumeClaim": {"claimName": claim}}
        for i, claim in enumerate(claims)
    ]


def rados(*monitors: str) -> Object:
    """Mount the one RBD image."""
    return {"name": "rbd", "rbd": {"monitors": list(monitors), "image": "i", "pool": "p"}}


def some_claims(draw: Draw, claims: Sequence[str]) -> list[str]:
    """Draw one or two of the claims."""
    return draw.sample(claims, min(len(claims), draw.pick([1, 1, 2])))


def volumes(draw: Draw) -> list[Object]:
    """Bound, unbound and delayed claims, limits, capacities, zones, disks in use."""
    nodes = fleet(draw, 2, 7, ragged=draw.chance(0.2))
    names = names_of(nodes)
    storage = storage_objects(draw, names)
    claims = [f"c{i}" for i in range(draw.whole(2, 6))]
    for claim in claims:
        storage += claim_and_volume(draw, names, claim)
    for i in range(draw.pick([0, 1, 2])):
        size = draw.pick(["5Gi", "10Gi", "100Gi"])
        storage.append(volume(draw, names, f"loc{i}", "local", kind="local", size=size))
    running = load(draw, nodes, (1, 8))
    for each in running:
        if draw.chance(0.6):
            each["spec"]["volumes"] = uses(some_claims(draw, claims))
    target = pod(draw, "target", prio=draw.pick([0, 0, 100]))
    wanted = some_claims(draw, claims)
    if draw.chance(0.06):
        wanted.append("missing")
    target["spec"]["volumes"] = uses(wanted)
    first = running[0]["spec"]
    if draw.chance(0.1):
        target["spec"]["volumes"].append(DISK)
        first.setdefault("volumes", []).append(DISK)
    if draw.chance(0.1):
        target["spec"]["volumes"].append(rados("m1"))
        first.setdefault("volumes", []).append(rados("m1", "m2"))
    return [*nodes, *storage, *running, target]
