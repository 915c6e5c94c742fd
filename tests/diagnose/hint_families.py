"""Clusters in which a pod waits for the rarer causes, drawn as those of tests/oracle/generate are:
a pod to be near that is in the way of preemption, a zone full of newer pods, missing labels, no
slots near the right neighbour.
"""

from collections.abc import Sequence
from typing import Final

from tests.oracle.generate.cases import Family
from tests.oracle.generate.constraints import REQUIRED
from tests.oracle.generate.draw import HOSTNAME, ZONE, Draw, Object, name_of

OLD_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
REGION: Final = "topology.kubernetes.io/region"
_CONSTRAINTS: Final = "topologySpreadConstraints"


def _node(name: str, labels: Object, *, cpu: str = "4", pods: str = "110") -> Object:
    room = {"cpu": cpu, "memory": "8Gi", "pods": pods}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {HOSTNAME: name, **labels}},
        "spec": {},
        "status": {"capacity": dict(room), "allocatable": room},
    }


def _pod(name: str, app: str, cpu: str, *, node: str = "", priority: int = 0) -> Object:
    spec: Object = {
        "priority": priority,
        "containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}],
    }
    if node:
        spec["nodeName"] = node
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "labels": {"app": app},
            "creationTimestamp": "2026-03-01T08:00:00Z",
        },
        "spec": spec,
        "status": {"phase": "Running" if node else "Pending"},
    }


def _near(pod: Object, app: str, key: str) -> None:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    pod["spec"]["affinity"] = {"podAffinity": {REQUIRED: [term]}}


def _spread(draw: Draw, app: str, key: str) -> list[Object]:
    constraint: Object = {
        "maxSkew": draw.pick([1, 1, 2]),
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}},
    }
    if draw.chance(0.2):
        constraint["minDomains"] = draw.pick([1, 2])
    return [constraint]


def _owned(pod: Object, name: str) -> None:
    pod["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "apps/v1",
            "kind": "StatefulSet",
            "name": name,
            "uid": f"set-{name}",
            "controller": True,
        }
    ]


def _stateful_set(draw: Draw, name: str, pod: Object, claim: str = "") -> Object:
    """The set that makes such pods."""
    spec = {key: value for key, value in pod["spec"].items() if key in ("containers", _CONSTRAINTS)}
    made: Object = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": name, "namespace": "default", "uid": f"set-{name}"},
        "spec": {
            "serviceName": name,
            "podManagementPolicy": draw.pick(["Parallel", "OrderedReady"]),
            "selector": {"matchLabels": pod["metadata"]["labels"]},
            "template": {"metadata": {"labels": pod["metadata"]["labels"]}, "spec": spec},
        },
    }
    if claim:
        made["spec"]["volumeClaimTemplates"] = [
            {"metadata": {"name": "data"}, "spec": _claim_spec(claim)}
        ]
    return made


def anchored(draw: Draw) -> list[Object]:
    """A pod near pods of lower priority, on nodes full of such pods."""
    labels = {ZONE: draw.pick(["z1", "z2"])}
    nodes = [_node(f"n{i}", labels) for i in range(draw.whole(1, 3))]
    caches = []
    for i in range(draw.whole(1, 3)):
        where = name_of(draw.pick(nodes))
        caches.append(_pod(f"cache-{i}", "cache", "300m", node=where, priority=draw.pick([0, 10])))
    others = [
        _pod(f"batch-{i}-{name_of(node)}", "batch", cpu, node=name_of(node))
        for node in nodes
        for i, cpu in enumerate(draw.pick([["2500m"], ["1", "1500m"], ["1", "1", "1"]]))
    ]
    target = _pod("target", "web", draw.pick(["1500m", "2", "3"]), priority=1000)
    _near(target, "cache", draw.pick([HOSTNAME, HOSTNAME, ZONE]))
    made = [*nodes, *caches, *others, target]
    if draw.chance(0.5):
        for cache in caches:
            _owned(cache, "cache")
        made.append(_stateful_set(draw, "cache", caches[0]))
    if draw.chance(0.3):
        value = draw.pick([500, 1000, 5000])
        made.append(
            {
                "apiVersion": "scheduling.k8s.io/v1",
                "kind": "PriorityClass",
                "metadata": {"name": "some"},
                "value": value,
            }
        )
    return made


def _claim_spec(storage: str) -> Object:
    return {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage,
        "resources": {"requests": {"storage": "1Gi"}},
    }


def _bound(name: str, zone: str, reclaim: str) -> list[Object]:
    """A claim and its volume, which can be used in one zone."""
    places = [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": [zone]}]}]
    reference = {"namespace": "default", "name": name, "uid": f"claim-{name}"}
    return [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {
                "name": name,
                "namespace": "default",
                "uid": f"claim-{name}",
                "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
            },
            "spec": {**_claim_spec("zonal"), "volumeName": f"pv-{name}"},
            "status": {"phase": "Bound"},
        },
        {
            "apiVersion": "v1",
            "kind": "PersistentVolume",
            "metadata": {"name": f"pv-{name}"},
            "spec": {
                "capacity": {"storage": "1Gi"},
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "zonal",
                "persistentVolumeReclaimPolicy": reclaim,
                "csi": {"driver": "csi.example.com", "volumeHandle": name},
                "nodeAffinity": {"required": {"nodeSelectorTerms": places}},
                "claimRef": {"kind": "PersistentVolumeClaim", **reference},
            },
            "status": {"phase": "Bound"},
        },
    ]


def crowded(draw: Draw) -> list[Object]:
    """A StatefulSet's pod whose volume is in a zone that others of the set have filled."""
    zones = ["z1", "z2", "z3"][: draw.whole(2, 3)]
    cpu = draw.pick(["4", "1", "600m"])
    nodes = [_node(f"n-{zone}", {ZONE: zone}, cpu=cpu) for zone in zones]
    target = _pod("target", "web", "200m")
    target["spec"][_CONSTRAINTS] = _spread(draw, "web", ZONE)
    pods, claims = [], []
    reclaim = draw.pick(["Retain", "Delete"])
    for i in range(draw.whole(3, 8)):
        zone = draw.pick([zones[0], *zones])
        pod = _pod(f"web-{i}", "web", "200m", node=f"n-{zone}")
        pod["spec"][_CONSTRAINTS] = target["spec"][_CONSTRAINTS]
        pods.append(pod)
        claims += _mounted(pod, zone, reclaim)
    claims += _mounted(target, zones[0], reclaim)
    for pod in (*pods, target):
        _owned(pod, "web")
    waits = draw.chance(0.8)
    storage = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "zonal"},
        "provisioner": "csi.example.com",
        "volumeBindingMode": "WaitForFirstConsumer" if waits else "Immediate",
    }
    return [*nodes, storage, *claims, *pods, _stateful_set(draw, "web", target, "zonal"), target]


def _mounted(pod: Object, zone: str, reclaim: str) -> list[Object]:
    name = f"data-{name_of(pod)}"
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": name}}
    pod["spec"]["volumes"] = [volume]
    return _bound(name, zone, reclaim)


def unlabelled(draw: Draw) -> list[Object]:
    """Nodes without the label that a pod is spread over, or by which it must be near others."""
    key = draw.pick([ZONE, ZONE, REGION, "example.com/rack"])
    nodes = []
    for i in range(draw.whole(1, 6)):
        labels = {OLD_ZONE: draw.pick(["a", "b"])} if draw.chance(0.4) else {}
        if draw.chance(0.15):
            labels[key] = "there"
        nodes.append(_node(f"n{i}", labels, cpu=draw.pick(["4", "4", "1"])))
    running = [
        _pod(f"p{i}", draw.pick(["web", "db"]), "500m", node=name_of(draw.pick(nodes)))
        for i in range(draw.whole(0, 4))
    ]
    target = _pod("target", "web", draw.pick(["100m", "2"]))
    if draw.chance(0.7):
        target["spec"][_CONSTRAINTS] = _spread(draw, "web", key)
        if draw.chance(0.2):
            soft = {**target["spec"][_CONSTRAINTS][0], "whenUnsatisfiable": "ScheduleAnyway"}
            soft.pop("minDomains", None)
            target["spec"][_CONSTRAINTS].append(soft)
    else:
        _near(target, "db", key)
    return [*nodes, *running, target]


def without_slots(draw: Draw) -> list[Object]:
    """Nodes with few slots for pods, and a neighbour to be near."""
    zones: Sequence[str] = draw.pick([["z1"], ["z1", "z2"]])
    nodes = []
    for i in range(draw.whole(1, 4)):
        labels = {ZONE: draw.pick(zones), REGION: "r"} if draw.chance(0.8) else {}
        nodes.append(_node(f"n{i}", labels, pods=draw.pick(["1", "2", "3"])))
    running = []
    for node in nodes:
        room = int(node["status"]["allocatable"]["pods"])
        for i in range(draw.pick([room, room, max(room - 1, 0)])):
            app = draw.pick(["front", "side"])
            running.append(_pod(f"{name_of(node)}-{i}", app, "100m", node=name_of(node)))
    target = _pod("target", "back", "100m")
    if draw.chance(0.8):
        _near(target, "front", draw.pick([HOSTNAME, HOSTNAME, ZONE]))
    return [*nodes, *running, target]


HINT_FAMILIES: Final[dict[str, Family]] = {
    "anchored": anchored,
    "crowded": crowded,
    "unlabelled": unlabelled,
    "without-slots": without_slots,
}
