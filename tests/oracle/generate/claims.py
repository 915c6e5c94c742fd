"""Claims and volumes in odd states, and where storage can still be provisioned."""

from collections.abc import Callable, Sequence
from typing import Final

from tests.oracle.generate.cases import Drawn
from tests.oracle.generate.draw import HOSTNAME, ZONE, ZONES, Draw, Object, names_of
from tests.oracle.generate.nodes import fleet
from tests.oracle.generate.pods import load, pod
from tests.oracle.generate.profiles import configuration, plugin_args
from tests.oracle.generate.volumes import STORAGE, storage_class, uses, volume, volume_claim

BETA_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
DRIVER: Final = "disks.csi.example.com"
SELECTED: Final = "volume.kubernetes.io/selected-node"
BETA_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
DELETED: Final = {
    "deletionTimestamp": "2026-03-03T00:00:00Z",
    "finalizers": ["kubernetes.io/pvc-protection"],
}


def available(draw: Draw, nodes: Sequence[str], number: int) -> Object:
    """Draw an unbound volume of a size of its own: with equal sizes any of them may be taken."""
    size = f"{draw.pick([1, 5, 10, 40]) * 100 + number}Mi"
    kind = draw.pick(["local", "csi"])
    made = volume(draw, nodes, f"static{number}", "static", size=size, kind=kind)
    made["metadata"]["labels"] |= {"tier": draw.pick(["gold", "tin"])}
    spec, status = made["spec"], made["status"]
    spec["accessModes"] = draw.pick(
        [["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteMany"]]
    )
    if draw.chance(0.25):
        spec["volumeMode"] = "Block"
    if draw.chance(0.2):
        status["phase"] = draw.pick(["Released", "Pending", "Failed"])
    if draw.chance(0.3):
        # Of two volumes kept for one claim the scheduler takes whichever its cache lists first.
        claim = f"k{number}" if number < 2 else "stranger"
        spec["claimRef"] = {
            "kind": "PersistentVolumeClaim",
            "namespace": draw.pick(["default", "default", "prod"]),
            "name": claim,
        }
        if draw.chance(0.5):
            spec["claimRef"]["uid"] = draw.pick([f"uid-{claim}", "uid-older"])
    if draw.chance(0.08):
        made["metadata"] |= DELETED
    if draw.chance(0.1):
        spec["storageClassName"] = draw.pick(["", "other"])
    if draw.chance(0.06):
        spec["volumeAttributesClassName"] = "fast"
    return made


def bound(draw: Draw, nodes: Sequence[str], name: str) -> list[Object]:
    """Draw a bound claim whose volume has zones and node affinity of several kinds."""
    made = volume(draw, nodes, f"pv-{name}", "now", name)
    labels = made["metadata"]["labels"]
    if draw.chance(0.5):
        labels[draw.pick([ZONE, BETA_ZONE, "topology.kubernetes.io/region"])] = draw.pick(
            [*ZONES, "z1__z2", "z2__z3__z1", "z1__", "r1", "z1__z1"]
        )
    if draw.chance(0.2):
        expressions = [
            [{"key": ZONE, "operator": "In", "values": [draw.pick(ZONES)]}],
            [{"key": "disk", "operator": "In", "values": ["ssd"]}],
            [{"key": HOSTNAME, "operator": "NotIn", "values": [draw.pick(nodes)]}],
            [{"key": "gen", "operator": "Gt", "values": ["4"]}],
            [{"key": ZONE, "operator": "In", "values": []}],
        ]
        terms = [{"matchExpressions": each} for each in draw.sample(expressions, 2)]
        made["spec"]["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    return [made, volume_claim(name, "now", f"pv-{name}")]


def lost(draw: Draw, nodes: Sequence[str], name: str) -> list[Object]:
    """Make a claim whose volume is gone, as its phase says."""
    made = bound(draw, nodes, name)
    made[1]["status"]["phase"] = "Lost"
    return made[draw.pick([0, 1]) :]


def deleted(draw: Draw, nodes: Sequence[str], name: str) -> list[Object]:
    """Make a bound claim that is being deleted."""
    made = bound(draw, nodes, name)
    made[1]["metadata"] |= DELETED
    return made


def without_volume(_draw: Draw, _nodes: Sequence[str], name: str) -> list[Object]:
    """Make a claim bound to a volume that doesn't exist."""
    return [volume_claim(name, "now", f"pv-{name}")]


def without_class(draw: Draw, _nodes: Sequence[str], name: str) -> list[Object]:
    """Make an unbound claim with no class, or with one that doesn't exist."""
    made = volume_claim(name, draw.pick(["", "nowhere"]))
    if draw.chance(0.3):
        del made["spec"]["storageClassName"]
    return [made]


def half_bound(draw: Draw, nodes: Sequence[str], name: str) -> list[Object]:
    """Make a claim that names a volume and isn't bound to it yet."""
    made = bound(draw, nodes, name)
    made[1]["metadata"]["annotations"] = {}
    made[1]["status"]["phase"] = "Pending"
    made[1]["spec"]["storageClassName"] = draw.pick(["now", "static", "delayed"])
    return made


def unbound(draw: Draw, nodes: Sequence[str], name: str) -> list[Object]:
    """Draw a claim that waits for its pod, picky in one way or another."""
    made = volume_claim(name, draw.pick(["static", "delayed"]))
    spec, annotations = made["spec"], made["metadata"]["annotations"]
    spec["resources"]["requests"]["storage"] = draw.pick(["50Mi", "200Mi", "900Mi", "3Gi"])
    if draw.chance(0.3):
        spec["selector"] = draw.pick(
            [
                {"matchLabels": {"tier": "gold"}},
                {"matchExpressions": [{"key": "tier", "operator": "NotIn", "values": ["gold"]}]},
                {},
            ]
        )
    if draw.chance(0.2):
        spec["volumeMode"] = "Block"
    if draw.chance(0.3):
        spec["accessModes"] = draw.pick(
            [["ReadWriteMany"], ["ReadOnlyMany"], ["ReadWriteOnce", "ReadOnlyMany"]]
        )
    if draw.chance(0.1):
        annotations[SELECTED] = draw.pick([*nodes, "elsewhere"])
    if draw.chance(0.1):
        annotations[BETA_CLASS] = draw.pick(["static", "delayed", ""])
    if draw.chance(0.06):
        spec["volumeAttributesClassName"] = "fast"
    return [made]


Claim = Callable[[Draw, Sequence[str], str], list[Object]]
USUAL: Final[list[Claim]] = [bound, unbound, unbound]
ODD: Final[list[Claim]] = [lost, deleted, without_volume, without_class, half_bound]


def odd_claims(draw: Draw) -> list[Object]:
    """Claims that are lost, deleted, half bound, classless or picky; volumes kept for somebody."""
    nodes = fleet(draw, 2, 6, cpu="16", mem="32Gi", pods="110", ragged=draw.chance(0.3))
    names = names_of(nodes)
    for each in nodes:
        labels = each["metadata"]["labels"]
        if draw.chance(0.15) and ZONE in labels:
            labels[BETA_ZONE] = labels.pop(ZONE)
    storage = [
        storage_class("now", DRIVER, delayed=False),
        storage_class("static", "kubernetes.io/no-provisioner", delayed=True),
        storage_class(
            "delayed", draw.pick([DRIVER, DRIVER, "kubernetes.io/no-provisioner"]), delayed=True
        ),
    ]
    claims = [f"k{i}" for i in range(draw.pick([1, 1, 2, 3]))]
    for claim in claims:
        kinds = ODD if draw.chance(0.15) else USUAL
        storage += draw.pick(kinds)(draw, names, claim)
    storage += [available(draw, names, i) for i in range(draw.pick([0, 3, 6, 9]))]
    running = load(draw, nodes, (0, 4))
    target = pod(draw, "target", prio=draw.pick([0, 100]))
    wanted = [*claims, *draw.some(claims, 0.1)]
    if draw.chance(0.04):
        wanted.append("absent")
    target["spec"]["volumes"] = uses(wanted)
    if running and draw.chance(0.3):
        running[0]["spec"]["volumes"] = uses([draw.pick(claims)])
    return [*nodes, *storage, *running, target]


def topologies(draw: Draw) -> list[Object]:
    """Draw a class's allowed topologies: several terms, several expressions each."""
    terms = []
    for _ in range(draw.pick([1, 2, 2, 3])):
        expressions = [{"key": ZONE, "values": draw.sample(ZONES, draw.pick([1, 1, 2]))}]
        if draw.chance(0.4):
            expressions.append({"key": "disk", "values": [draw.pick(["ssd", "hdd"])]})
        if draw.chance(0.15):
            expressions.append({"key": "missing", "values": ["x"]})
        terms.append({"matchLabelExpressions": expressions})
    return terms


def places(draw: Draw, nodes: Sequence[str]) -> list[Object | None]:
    """Draw how a class's capacity is published: no node is covered twice."""
    match draw.branch(0.45, 0.75, 0.85, 0.95):
        case 0:
            return [{"matchLabels": {ZONE: zone}} for zone in draw.some(ZONES, 0.8)]
        case 1:
            return [
                {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [node]}]}
                for node in draw.some(nodes, 0.8)
            ]
        case 2:
            return [{}]
        case 3:
            zones = draw.sample(ZONES, 2)
            return [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": zones}]}]
        case _:
            return [None]


def capacity(draw: Draw, name: str, storage: str, place: Object | None) -> Object:
    """Draw what is left of a class in a place."""
    made: Object = {
        "apiVersion": STORAGE,
        "kind": "CSIStorageCapacity",
        "metadata": {"name": name, "namespace": draw.pick(["default", "kube-system"])},
        "storageClassName": storage,
    }
    if place is not None:
        made["nodeTopology"] = place
    # The scheduler of 1.37 scores by the capacity and crashes where only a maximum is published.
    if draw.chance(0.9):
        made["capacity"] = draw.pick(["0", "4Gi", "10Gi", "40Gi", "200Gi"])
        if draw.chance(0.4):
            made["maximumVolumeSize"] = draw.pick(["1Gi", "10Gi", "60Gi"])
    return made


def capacities(draw: Draw) -> Drawn | list[Object]:
    """Provisioning: allowed topologies, capacity by zone, node or everywhere, size limits."""
    nodes = fleet(draw, 2, 7, cpu="16", mem="32Gi", pods="110", ragged=draw.chance(0.2))
    names = names_of(nodes)
    storage: list[Object] = []
    tracked = {"storageCapacity": draw.chance(0.85)}
    if draw.chance(0.9):
        metadata = {"name": DRIVER}
        storage.append(
            {"apiVersion": STORAGE, "kind": "CSIDriver", "metadata": metadata, "spec": tracked}
        )
    classes = ["fast", "slow"]
    for name in classes:
        made = storage_class(name, DRIVER, delayed=True)
        if draw.chance(0.5):
            made["allowedTopologies"] = topologies(draw)
        storage.append(made)
        storage += [
            capacity(draw, f"cap-{name}-{i}", name, place)
            for i, place in enumerate(places(draw, names))
        ]
    claims = [f"q{i}" for i in range(draw.pick([1, 1, 2, 3]))]
    for claim in claims:
        size = draw.pick(["1Gi", "5Gi", "10Gi", "50Gi"])
        storage.append(volume_claim(claim, draw.pick(classes), size=size))
        if draw.chance(0.05):
            del storage[-1]["spec"]["resources"]["requests"]["storage"]
    if draw.chance(0.4):
        sizes = draw.sample(["5Gi", "12Gi", "55Gi", "60Gi"], 2)
        storage += [
            volume(draw, names, f"free{i}", draw.pick(classes), size=size)
            for i, size in enumerate(sizes)
        ]
    target = pod(draw, "target")
    target["spec"]["volumes"] = uses(claims)
    objects = [*nodes, *storage, *load(draw, nodes, (0, 4)), target]
    if not draw.chance(0.03):
        return objects
    shape = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]
    profile = {
        "schedulerName": "default-scheduler",
        "pluginConfig": [plugin_args("VolumeBinding", shape=shape)],
    }
    return Drawn(objects, configuration(profile))
