"""Clusters as they are found: strays, owners and services, images, taints, declared features."""

from collections.abc import Sequence
from typing import Final

from tests.oracle.generate.constraints import REQUIRED
from tests.oracle.generate.draw import HOSTNAME, IMAGES, ZONE, ZONES, Draw, Object, names_of
from tests.oracle.generate.families import owner, service
from tests.oracle.generate.nodes import IMAGE_SIZES, fleet
from tests.oracle.generate.pods import container, load, namespaces, pod, terminating

ODD_IMAGES: Final = [
    "registry.example:5000/team/app",
    "registry.example:5000/team/app:2",
    "nginx:1.25",
    "nginx@sha256:" + "1" * 64,
    "docker.io/library/nginx",
    "",
]
DECLARED: Final = [
    "RestartAllContainersOnContainerExits",
    "UserNamespacesHostNetworkSupport",
    "VolumeBindMountOptions",
]
TAINT_VALUES: Final = ["a", "b", "", "5", "10"]


def stray_pod(draw: Draw, name: str, nodes: Sequence[str]) -> Object:
    """Draw a pod that is finished, going, somebody else's, not started, or nothing of the kind."""
    made = pod(draw, name, draw.pick(["default", "prod"]), draw.pick(nodes), prios=[0, 10])
    match draw.branch(0.2, 0.3, 0.4, 0.5):
        case 0:
            made["status"]["phase"] = draw.pick(["Succeeded", "Failed"])
        case 1:
            terminating(made)
        case 2:
            made["spec"]["schedulerName"] = "somebody-else"
        case 3:
            made["status"]["phase"] = draw.pick(["Pending", "Unknown"])
    return made


def estrange(draw: Draw, made: Object) -> None:
    """Cordon a node without its taint, take its labels away, or delete it."""
    match draw.branch(0.1, 0.2, 0.25):
        case 0:
            made["spec"]["unschedulable"] = True
        case 1:
            made["metadata"].pop("labels")
        case 2:
            terminating(made)


def strays(draw: Draw) -> list[Object]:
    """Pods on nodes that are gone, finished pods, nodes without room or labels, no nodes at all."""
    nodes = fleet(draw, 0, 5, ragged=draw.chance(0.3), pods=draw.pick(["110", "2"]))
    names = [*names_of(nodes), "elsewhere"]
    others = [stray_pod(draw, f"p{i}", names) for i in range(draw.whole(1, 10))]
    for each in nodes:
        estrange(draw, each)
    target = pod(draw, "target", draw.pick(["default", "prod"]), prio=draw.pick([0, 100]))
    term: Object = {
        "labelSelector": {"matchLabels": {"app": "web"}},
        "topologyKey": draw.pick([HOSTNAME, ZONE]),
    }
    if draw.chance(0.3):
        term["namespaceSelector"] = draw.pick([{}, {"matchLabels": {"team": "x"}}])
    if draw.chance(0.4):
        kind = draw.pick(["podAffinity", "podAntiAffinity"])
        target["spec"]["affinity"] = {kind: {REQUIRED: [term]}}
    if draw.chance(0.1):
        terminating(target)
    if draw.chance(0.1):
        target["status"]["nominatedNodeName"] = draw.pick(names)
    for each in draw.some([*others, target], 0.1):
        del each["spec"]["priority"]
    return [*draw.some(namespaces(), 0.7), *nodes, *others, target]


def owners(draw: Draw) -> list[Object]:
    """Spreading unasked: several services and owners, empty selectors, owners that aren't any."""
    nodes = fleet(draw, 3, 8, cpu="16", mem="32Gi", pods="110", ragged=draw.chance(0.5))
    running = load(draw, nodes, (3, 14), ("default", "default", "prod"))
    target = pod(draw, "target", nolabels=True)
    labels = target["metadata"]["labels"]
    chosen: list[Object] = []
    for i in range(draw.pick([0, 1, 2, 3])):
        selector = draw.pick([dict(labels), {"app": labels.get("app", "web")}, {"tier": "front"}])
        made = service(f"s{i}", draw.pick(["default", "default", "prod"]), selector)
        match draw.branch(0.1, 0.2):
            case 0:
                made["spec"] = {}
            case 1:
                made["spec"]["selector"] = {}
        chosen.append(made)
    kinds = ["ReplicaSet", "StatefulSet", "ReplicationController", "Deployment", "DaemonSet"]
    references: list[Object] = []
    for kind in draw.sample(kinds, draw.pick([0, 1, 1, 2])):
        made = owner(kind, labels.get("app", "web"))
        if kind != "ReplicationController" and draw.chance(0.5):
            tiers = {"key": "tier", "operator": "In", "values": ["front", "back"]}
            made["spec"]["selector"]["matchExpressions"] = [tiers]
        if draw.chance(0.15):
            made["spec"]["selector"] = {}
        reference = {
            "apiVersion": made["apiVersion"],
            "kind": kind,
            "name": draw.pick(["own"] * 4 + ["gone"]),
            "uid": draw.pick(["u1"] * 4 + ["u2"]),
        }
        if not references and draw.chance(0.85):
            reference["controller"] = True
        chosen.append(made)
        references.append(reference)
    if references:
        target["metadata"]["ownerReferences"] = references
    if draw.chance(0.15):
        target["spec"]["topologySpreadConstraints"] = []
    return [*nodes, *running, *chosen, target]


def imagery(draw: Draw) -> list[Object]:
    """Image names with ports, digests and no tag; image volumes; many containers."""
    nodes = fleet(draw, 2, 7, cpu="16", mem="32Gi", pods="110")
    names = [*IMAGES, *ODD_IMAGES]
    for each in nodes:
        each["status"]["images"] = [
            {"names": draw.sample(names, draw.pick([0, 1, 1, 2])), "sizeBytes": size}
            for size in draw.sample([*IMAGE_SIZES, 0, 24_000_000, 9_000_000_000], draw.whole(0, 6))
        ]
    target = pod(draw, "target")
    spec = target["spec"]
    spec["containers"] = [container(draw, f"c{i}") for i in range(draw.pick([1, 1, 2, 4]))]
    if draw.chance(0.4):
        spec["initContainers"] = [container(draw, f"i{i}") for i in range(draw.pick([1, 2]))]
    for each in [*spec["containers"], *spec.get("initContainers", [])]:
        each["image"] = draw.pick([name for name in names if name])
    if draw.chance(0.5):
        references = draw.sample([name for name in names if name], draw.pick([1, 2]))
        spec["volumes"] = [
            {"name": f"v{i}", "image": {"reference": name}} for i, name in enumerate(references)
        ]
    return [*nodes, *load(draw, nodes, (0, 4)), target]


def odd_taint(draw: Draw) -> Object:
    """Draw a taint, with an effect that doesn't exist now and then."""
    effects = ["NoSchedule", "NoSchedule", "PreferNoSchedule", "PreferNoSchedule", "NoExecute"]
    made = {
        "key": draw.pick(["dedicated", "spot", "node.kubernetes.io/unschedulable"]),
        "effect": draw.pick([*effects, *effects, "Never"]),
    }
    if draw.chance(0.7):
        made["value"] = draw.pick(TAINT_VALUES)
    return made


def odd_toleration(draw: Draw) -> Object:
    """Draw a toleration of any form, wrong ones too."""
    made: Object = {}
    if draw.chance(0.8):
        made["key"] = draw.pick(["dedicated", "spot", "node.kubernetes.io/unschedulable", ""])
    if draw.chance(0.7):
        made["operator"] = draw.pick(["Exists", "Exists", "Equal", "Equal", "", "Lt", "Gt", "In"])
    if draw.chance(0.5):
        made["value"] = draw.pick(TAINT_VALUES)
    if draw.chance(0.5):
        made["effect"] = draw.pick(["NoSchedule", "PreferNoSchedule", "NoExecute", ""])
    if draw.chance(0.1):
        made["tolerationSeconds"] = draw.pick([0, 300, -1])
    return made


def tolerances(draw: Draw) -> list[Object]:
    """Taints and tolerations of every form, cordons with and without their taint."""
    nodes = fleet(draw, 2, 6, cpu="16", mem="32Gi", pods="110")
    for each in nodes:
        each["spec"]["taints"] = [odd_taint(draw) for _ in range(draw.pick([1, 2, 2, 4]))]
        if draw.chance(0.2):
            each["spec"]["unschedulable"] = True
    target = pod(draw, "target")
    count = draw.pick([0, 1, 2, 3, 4])
    target["spec"]["tolerations"] = [odd_toleration(draw) for _ in range(count)]
    return [*nodes, *load(draw, nodes, (0, 4)), target]


def features(draw: Draw) -> list[Object]:
    """Pods that need something of the kubelet, nodes that declare what they can do."""
    nodes = fleet(draw, 2, 6, cpu="16", mem="32Gi", pods="110", taints=draw.chance(0.3))
    for each in nodes:
        if draw.chance(0.8):
            declared = [*draw.some(DECLARED, 0.6), *draw.some(["Unheard"], 0.2)]
            each["status"]["declaredFeatures"] = sorted(declared)
    target = pod(draw, "target", inits=True)
    spec = target["spec"]
    if draw.chance(0.5):
        spec["hostNetwork"] = draw.chance(0.8)
        spec["hostUsers"] = draw.chance(0.3)
    if draw.chance(0.5):
        action = draw.pick(["RestartAllContainers", "RestartAllContainers", "Restart"])
        rule = {"action": action, "exitCodes": {"operator": "In", "values": [42]}}
        chosen = draw.pick([*spec["containers"], *spec.get("initContainers", [])])
        chosen["restartPolicyRules"] = [rule]
        chosen["restartPolicy"] = "Never"
    if draw.chance(0.3):
        mount = {"name": "scratch", "mountPath": "/scratch", "bindMountOptions": ["noexec"]}
        chosen = draw.pick([*spec["containers"], *spec.get("initContainers", [])])
        chosen["volumeMounts"] = [mount]
        spec["volumes"] = [{"name": "scratch", "emptyDir": {}}]
    if draw.chance(0.1):
        spec["os"] = {"name": draw.pick(["linux", "windows"])}
    for each in nodes:
        each["metadata"]["labels"][ZONE] = draw.pick(ZONES)
    return [*nodes, *load(draw, nodes, (0, 4)), target]
