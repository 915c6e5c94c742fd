"""How many volumes a node can attach: CSI limits, ephemeral volumes, migrated in-tree volumes."""

from collections.abc import Sequence
from typing import Final

from tests.oracle.generate.draw import ZONE, ZONES, Draw, Object, name_of, names_of
from tests.oracle.generate.nodes import fleet
from tests.oracle.generate.pods import load, pod
from tests.oracle.generate.volumes import (
    STORAGE,
    rados,
    storage_class,
    uses,
    volume,
    volume_claim,
)

EBS: Final = "ebs.csi.aws.com"
GCE: Final = "pd.csi.storage.gke.io"
OTHER: Final = "files.csi.example.com"
DRIVERS: Final = [EBS, GCE, OTHER]
MIGRATED: Final = "storage.alpha.kubernetes.io/migrated-plugins"
IN_TREE: Final[list[Object]] = [
    {"awsElasticBlockStore": {"volumeID": "vol-1"}},
    {"awsElasticBlockStore": {"volumeID": "aws://z1/vol-2"}},
    {"awsElasticBlockStore": {"volumeID": "vol-3", "readOnly": True}},
    {"gcePersistentDisk": {"pdName": "pd-1"}},
    {"gcePersistentDisk": {"pdName": "pd-1", "readOnly": True}},
    {"gcePersistentDisk": {"pdName": "pd-2", "readOnly": True}},
    {"azureDisk": {"diskName": "d1", "diskURI": "/subscriptions/s/d1", "kind": "Managed"}},
    {"cinder": {"volumeID": "cinder-1"}},
    {"nfs": {"server": "s", "path": "/"}},
    {"iscsi": {"targetPortal": "t", "iqn": "iqn.2001-04.com.example:a", "lun": 0}},
]


def limited_node(draw: Draw, name: str) -> Object:
    """Draw a CSINode with tight limits, some of its plugins migrated."""
    installed = []
    for driver in draw.some(DRIVERS, 0.85):
        entry: Object = {"name": driver, "nodeID": name}
        if draw.chance(0.8):
            entry["allocatable"] = {"count": draw.pick([0, 1, 1, 2, 2, 3])}
        elif draw.chance(0.3):
            entry["allocatable"] = {}
        installed.append(entry)
    metadata: Object = {"name": name}
    if draw.chance(0.6):
        plugins = draw.some(
            ["kubernetes.io/aws-ebs", "kubernetes.io/gce-pd", "kubernetes.io/cinder"], 0.7
        )
        metadata["annotations"] = {MIGRATED: ",".join(plugins)}
    return {
        "apiVersion": STORAGE,
        "kind": "CSINode",
        "metadata": metadata,
        "spec": {"drivers": installed},
    }


def driver(draw: Draw, name: str, *, opts_in: bool) -> Object:
    """Draw a CSIDriver, one that may keep pods from nodes without it."""
    spec: Object = {"storageCapacity": False}
    if opts_in:
        spec["preventPodSchedulingIfMissing"] = draw.chance(0.7)
    return {"apiVersion": STORAGE, "kind": "CSIDriver", "metadata": {"name": name}, "spec": spec}


def bound_pair(draw: Draw, nodes: Sequence[str], name: str) -> list[Object]:
    """Draw a bound claim and its volume: CSI, in-tree, sometimes one handle in two volumes."""
    made = volume(draw, nodes, f"pv-{name}", "now", name, kind="csi")
    made["spec"].pop("nodeAffinity", None)
    if draw.chance(0.35):
        del made["spec"]["csi"]
        made["spec"] |= draw.pick(IN_TREE)
        if draw.chance(0.3):
            zones = {"key": ZONE, "operator": "In", "values": draw.sample(ZONES, 2)}
            terms = [{"matchExpressions": [zones]}]
            made["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    else:
        handle = draw.pick([made["spec"]["csi"]["volumeHandle"], "same-handle"])
        made["spec"]["csi"] = {"driver": draw.pick(DRIVERS), "volumeHandle": handle}
        made["metadata"]["labels"] = {}
    modes = draw.pick([["ReadWriteOnce"], ["ReadWriteMany"]])
    return [made, volume_claim(name, "now", f"pv-{name}", modes=modes)]


def attachment(draw: Draw, number: int, node: str, volumes: Sequence[str]) -> Object:
    """Draw a VolumeAttachment: of a volume that a pod here uses, or that none does any more."""
    source: Object = {"persistentVolumeName": draw.pick([*volumes, "pv-gone"])}
    if draw.chance(0.1):
        source = {"inlineVolumeSpec": {"accessModes": ["ReadWriteOnce"]}}
    return {
        "apiVersion": STORAGE,
        "kind": "VolumeAttachment",
        "metadata": {"name": f"va-{number}"},
        "spec": {"attacher": draw.pick(DRIVERS), "nodeName": node, "source": source},
        "status": {"attached": draw.chance(0.8)},
    }


def ground(draw: Draw, nodes: Sequence[str]) -> list[Object]:
    """Draw the classes, drivers and CSINodes."""
    opted = draw.pick([*DRIVERS, None])
    made = [driver(draw, name, opts_in=name == opted) for name in draw.some(DRIVERS, 0.8)]
    made += [limited_node(draw, name) for name in nodes if draw.chance(0.9)]
    made.append(storage_class("now", EBS, delayed=False))
    made.append(storage_class("late", OTHER, delayed=True))
    made.append(storage_class("late-in-tree", "kubernetes.io/aws-ebs", delayed=True))
    return made


def spacious(draw: Draw) -> list[Object]:
    """Draw nodes on which volumes alone decide."""
    nodes = fleet(draw, 2, 5, cpu="16", mem="32Gi", pods="110")
    for each in nodes:
        if draw.chance(0.4):
            zone = each["metadata"]["labels"][ZONE]
            each["metadata"]["labels"]["topology.ebs.csi.aws.com/zone"] = zone
    return nodes


def attach(draw: Draw) -> list[Object]:
    """Attach limits: shared handles, attachments left behind, migrated in-tree volumes."""
    nodes = spacious(draw)
    names = names_of(nodes)
    storage = ground(draw, names)
    claims = [f"c{i}" for i in range(draw.whole(3, 8))]
    for claim in claims:
        storage += bound_pair(draw, names, claim)
    for claim in ("w0", "w1"):
        storage.append(volume_claim(claim, draw.pick(["late", "late-in-tree"])))
    volumes = [name_of(each) for each in storage if each["kind"] == "PersistentVolume"]
    for i in range(draw.pick([0, 1, 2, 4])):
        storage.append(attachment(draw, i, draw.pick(names), volumes))
    running = load(draw, nodes, (2, 9), prios=[0, 10])
    target = pod(draw, "target", prio=draw.pick([0, 0, 100]))
    for each in [*running, target]:
        if each is target or draw.chance(0.8):
            wanted = draw.sample(claims, draw.pick([1, 1, 2, 3]))
            if draw.chance(0.25):
                wanted.append("w0" if each is target else draw.pick(["w0", "w1", "gone"]))
            each["spec"]["volumes"] = uses(wanted)
        if draw.chance(0.3):
            inline = {"name": "inline", **draw.pick(IN_TREE)}
            each["spec"].setdefault("volumes", []).append(inline)
    return [*nodes, *storage, *running, target]


def ephemeral_claim(draw: Draw, owner: Object, name: str, nodes: Sequence[str]) -> list[Object]:
    """Draw the claim of a generic ephemeral volume: the pod's own, another's, or none yet."""
    storage = draw.pick(["now", "late", "late", "late-in-tree"])
    claim = f"{name_of(owner)}-{name}"
    bound = f"pv-{claim}" if storage == "now" and draw.chance(0.8) else None
    made = volume_claim(claim, storage, bound)
    made["metadata"]["namespace"] = owner["metadata"]["namespace"]
    objects = [made]
    if bound:
        objects.append(volume(draw, nodes, bound, storage, claim, kind="csi"))
        objects[-1]["metadata"]["labels"] = {}
        objects[-1]["spec"]["csi"]["driver"] = draw.pick(DRIVERS)
        objects[-1]["spec"]["claimRef"]["namespace"] = owner["metadata"]["namespace"]
    target = name_of(owner) == "target"
    uid = f"{owner['metadata']['namespace']}-{name_of(owner)}"
    reference = {"apiVersion": "v1", "kind": "Pod", "name": name_of(owner), "uid": uid}
    match draw.branch(*((0.75, 0.85, 0.93) if target else (0.97, 0.98, 0.985))):
        case 0:
            made["metadata"]["ownerReferences"] = [{**reference, "controller": True}]
        case 1:
            wrong = {**reference, "uid": "somebody-else", "controller": True}
            made["metadata"]["ownerReferences"] = [wrong]
        case 2:
            made["metadata"]["ownerReferences"] = [reference]
        case _:
            return []
    if draw.chance(0.05):
        made["metadata"]["deletionTimestamp"] = "2026-03-03T00:00:00Z"
        made["metadata"]["finalizers"] = ["kubernetes.io/pvc-protection"]
    if draw.chance(0.05):
        made["status"]["phase"] = "Lost"
    return objects


def add_ephemeral(draw: Draw, made: Object, nodes: Sequence[str]) -> list[Object]:
    """Give a pod ephemeral volumes: generic ones with claims, inline CSI ones without."""
    volumes = made["spec"].setdefault("volumes", [])
    objects = []
    for i in range(draw.pick([1, 1, 2])):
        name = f"e{i}"
        if draw.chance(0.65):
            template = {"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "late"}}
            volumes.append({"name": name, "ephemeral": {"volumeClaimTemplate": template}})
            objects += ephemeral_claim(draw, made, name, nodes)
        else:
            volumes.append({"name": name, "csi": {"driver": draw.pick(DRIVERS)}})
    return objects


def ephemeral(draw: Draw) -> list[Object]:
    """Inline volumes: generic ephemeral claims and their owners, CSI volumes, disks in use."""
    nodes = spacious(draw)
    names = names_of(nodes)
    storage = ground(draw, names)
    running = load(draw, nodes, (1, 7), ("default", "default", "prod"), prios=[0, 10])
    target = pod(draw, "target", prio=draw.pick([0, 0, 100]))
    for each in running:
        if draw.chance(0.7):
            storage += add_ephemeral(draw, each, names)
    storage += add_ephemeral(draw, target, names)
    if draw.chance(0.2):
        for each in (target, draw.pick(running)):
            read_only = {"readOnly": True} if draw.chance(0.5) else {}
            image = rados(*draw.sample(["m1", "m2", "m3"], 2))
            image["rbd"] |= read_only
            each["spec"].setdefault("volumes", []).append(image)
    return [*nodes, *storage, *running, target]
