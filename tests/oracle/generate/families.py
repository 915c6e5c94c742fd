"""The families: each draws a whole cluster around one kind of rule."""

from typing import Final

from tests.oracle.generate.cases import Drawn, Family
from tests.oracle.generate.constraints import add_node_affinity, add_pod_affinity, add_spread
from tests.oracle.generate.devices import devices
from tests.oracle.generate.draw import APPS, NAMESPACES, Draw, Object, name_of, names_of
from tests.oracle.generate.nodes import fleet
from tests.oracle.generate.pods import load, namespaces, pod, terminating
from tests.oracle.generate.profiles import one_profile
from tests.oracle.generate.volumes import volumes


def resources(draw: Draw) -> list[Object]:
    """Requests, limits, init containers, sidecars, overhead, pod-level and extended resources."""
    nodes = fleet(draw, 2, 8, ext=True)
    running = load(draw, nodes, (3, 20), ext=True, inits=True, podlevel=True)
    target = pod(draw, "target", big=True, ext=True, inits=True, podlevel=True)
    return [*nodes, *running, target]


def node_affinity(draw: Draw) -> list[Object]:
    """Node selectors and node affinity, on nodes that lack some labels."""
    nodes = fleet(draw, 3, 9, ragged=True)
    target = pod(draw, "target")
    add_node_affinity(draw, target, names_of(nodes))
    return [*nodes, *load(draw, nodes, (0, 6)), target]


def taints(draw: Draw) -> list[Object]:
    """Taints, cordons and tolerations."""
    nodes = fleet(draw, 3, 9, taints=True)
    return [*nodes, *load(draw, nodes, (0, 6)), pod(draw, "target", tols=True)]


def ports(draw: Draw) -> list[Object]:
    """Host ports by address and protocol."""
    nodes = fleet(draw, 2, 6)
    return [*nodes, *load(draw, nodes, (2, 10), ports=True), pod(draw, "target", ports=True)]


def images(draw: Draw) -> list[Object]:
    """Images that some nodes have."""
    nodes = fleet(draw, 3, 9, images=True)
    return [*nodes, *load(draw, nodes, (0, 6)), pod(draw, "target", images=True, inits=True)]


def interpod(draw: Draw) -> list[Object]:
    """Pod affinity and anti-affinity both ways, over namespaces."""
    nodes = fleet(draw, 3, 9, ragged=True)
    running = load(draw, nodes, (2, 14), NAMESPACES, nolabels=True)
    for each in running:
        if draw.chance(0.5):
            add_pod_affinity(draw, each, 0.4)
    target = pod(draw, "target", draw.pick(NAMESPACES))
    add_pod_affinity(draw, target, 0.65)
    return [*namespaces(), *nodes, *running, target]


def topology(draw: Draw) -> list[Object]:
    """Topology spread constraints of the pod's own."""
    nodes = fleet(draw, 3, 10, ragged=True, taints=draw.chance(0.5))
    running = load(draw, nodes, (2, 16), nolabels=True)
    for each in running:
        if draw.chance(0.08):
            terminating(each)
    target = pod(draw, "target", tols=True)
    add_spread(draw, target)
    if draw.chance(0.4):
        add_node_affinity(draw, target, names_of(nodes))
    return [*nodes, *running, target]


def service(name: str, namespace: str, selector: Object) -> Object:
    """Make a Service."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": selector},
    }


def owner(kind: str, app: str) -> Object:
    """Make the controller that owns the target."""
    bare = kind == "ReplicationController"
    made: Object = {
        "apiVersion": "v1" if bare else "apps/v1",
        "kind": kind,
        "metadata": {"name": "own", "namespace": "default", "uid": "u1"},
        "spec": {
            "selector": {"app": app} if bare else {"matchLabels": {"app": app}},
            "template": {
                "metadata": {"labels": {"app": app}},
                "spec": {"containers": [{"name": "c", "image": "x"}]},
            },
        },
    }
    if kind == "StatefulSet":
        made["spec"]["serviceName"] = "s"
    return made


def default_spread(draw: Draw) -> list[Object]:
    """Spread the pods of services and owners as the scheduler does unasked."""
    nodes = fleet(draw, 3, 10, ragged=draw.chance(0.3))
    running = load(draw, nodes, (2, 16))
    target = pod(draw, "target")
    labels = target["metadata"]["labels"]
    selecting = []
    if draw.chance(0.6):
        selecting.append(service("s", "default", {"app": labels["app"]}))
    if draw.chance(0.3):
        selecting.append(service("s2", draw.pick(["default", "prod"]), {"tier": labels["tier"]}))
    kind = draw.pick(["ReplicaSet", "StatefulSet", "ReplicationController", None])
    if kind:
        selecting.append(owner(kind, labels["app"]))
        target["metadata"]["ownerReferences"] = [
            {
                "apiVersion": selecting[-1]["apiVersion"],
                "kind": kind,
                "name": "own",
                "uid": "u1",
                "controller": True,
            }
        ]
    return [*nodes, *running, *selecting, target]


PRIORITIES: Final = [
    [0, 10],
    [0, 10, 100],
    [100],
    [-5, 0, 5, 50, 500],
    [0, 0, 0, 2000000000],
    [0],
]


def disruption_budget(draw: Draw, name: str, running: list[Object]) -> Object:
    """Draw a PodDisruptionBudget."""
    made: Object = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": draw.pick(APPS)}}},
        "status": {
            "disruptionsAllowed": draw.pick([0, 0, 1, 2]),
            "currentHealthy": 2,
            "desiredHealthy": 1,
            "expectedPods": 2,
        },
    }
    if draw.chance(0.1):
        made["status"]["disruptedPods"] = {name_of(draw.pick(running)): "2026-03-03T00:00:00Z"}
    return made


def unsettle(draw: Draw, running: list[Object]) -> None:
    """Let some pods terminate, some not have started yet, some have affinity."""
    starting = set()
    for each in running:
        if draw.chance(0.05):
            terminating(each)
        # One not yet started pod a node at most: it counts as started now, the least important.
        if draw.chance(0.1) and each["spec"]["nodeName"] not in starting:
            starting.add(each["spec"]["nodeName"])
            each["status"].pop("startTime", None)
        if draw.chance(0.2):
            add_pod_affinity(draw, each, 0.25)


def preemption(draw: Draw) -> list[Object]:
    """Full nodes, pods of several priorities, disruption budgets."""
    tainted = draw.chance(0.25)
    room = draw.pick(["110", "6"])
    cpu = draw.pick([None, "4", "3"])
    memory = draw.pick([None, "6Gi"])
    nodes = fleet(draw, 1, 6, cpu=cpu, mem=memory, taints=tainted, pods=room)
    priorities = draw.pick(PRIORITIES)
    running = [
        pod(draw, f"{name}-p{i}", "default", name, prios=priorities)
        for name in names_of(nodes)
        for i in range(draw.whole(3, 8))
    ]
    priority = draw.pick([10, 50, 100, 1000, 1000])
    target = pod(draw, "target", big=True, prio=priority, tols=draw.chance(0.5))
    if draw.chance(0.7):
        wanted = {
            "cpu": draw.pick(["2", "2500m", "3"]),
            "memory": draw.pick(["1Gi", "3Gi", "5Gi"]),
        }
        target["spec"]["containers"][0]["resources"] = {"requests": wanted}
    if draw.chance(0.08):
        target["spec"]["preemptionPolicy"] = "Never"
    budgets = []
    if draw.chance(0.5):
        count = draw.pick([1, 1, 2, 3])
        budgets = [disruption_budget(draw, f"pdb{i}", running) for i in range(count)]
    unsettle(draw, running)
    if draw.chance(0.25):
        add_pod_affinity(draw, target, 0.5)
    if draw.chance(0.2):
        add_spread(draw, target)
    if draw.chance(0.2):
        add_node_affinity(draw, target, names_of(nodes))
    if draw.chance(0.15):
        target["status"]["nominatedNodeName"] = name_of(draw.pick(nodes))
    return [*nodes, *running, *budgets, target]


def nominated(draw: Draw) -> list[Object]:
    """Pending pods that nodes are kept for."""
    nodes = fleet(draw, 1, 5, pods=draw.pick(["110", "4"]))
    others = load(draw, nodes, (3, 12), prios=[0, 10])
    for i in range(draw.pick([1, 2, 3])):
        each = pod(draw, f"nom{i}", prios=[0, 10, 100, 1000], big=True)
        each["status"]["nominatedNodeName"] = name_of(draw.pick(nodes))
        if draw.chance(0.3):
            add_pod_affinity(draw, each, 0.4)
        others.append(each)
    target = pod(draw, "target", big=True, prio=draw.pick([0, 10, 100, 500]))
    if draw.chance(0.4):
        add_pod_affinity(draw, target, 0.5)
    if draw.chance(0.3):
        add_spread(draw, target)
    return [*nodes, *others, target]


def mix(draw: Draw) -> list[Object]:
    """Everything at once, but volumes."""
    nodes = fleet(
        draw,
        3,
        14,
        ragged=draw.chance(0.3),
        taints=draw.chance(0.5),
        images=draw.chance(0.3),
        ext=draw.chance(0.3),
    )
    names = names_of(nodes)
    priorities = draw.pick([[0], [0, 100], [0, 10, 100, 1000]])
    others = load(
        draw,
        nodes,
        (4, 40),
        NAMESPACES,
        ports=draw.chance(0.3),
        inits=draw.chance(0.3),
        prios=priorities,
        ext=draw.chance(0.3),
    )
    for each in others:
        if draw.chance(0.15):
            add_pod_affinity(draw, each, 0.4)
    target = pod(
        draw,
        "target",
        draw.pick(NAMESPACES),
        big=True,
        ports=draw.chance(0.4),
        tols=draw.chance(0.7),
        inits=draw.chance(0.3),
        images=draw.chance(0.4),
        prio=draw.pick([0, 10, 100, 500]),
        ext=draw.chance(0.2),
    )
    if draw.chance(0.4):
        add_node_affinity(draw, target, names)
    if draw.chance(0.4):
        add_pod_affinity(draw, target, 0.5)
    if draw.chance(0.4):
        add_spread(draw, target)
    budgets = []
    if draw.chance(0.4):
        budget = {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "pdb", "namespace": draw.pick(NAMESPACES)},
            "spec": {"selector": {"matchLabels": {"app": draw.pick(APPS)}}},
            "status": {"disruptionsAllowed": draw.pick([0, 1])},
        }
        budgets.append(budget)
    for i in range(draw.pick([0, 0, 1, 2])):
        each = pod(draw, f"nom{i}", draw.pick(NAMESPACES), prios=[0, 10, 100, 1000])
        each["status"]["nominatedNodeName"] = draw.pick(names)
        others.append(each)
    return [*namespaces(), *nodes, *others, *budgets, target]


def config(draw: Draw) -> Drawn:
    """Everything at once, under a profile of its own."""
    return Drawn(mix(draw), one_profile(draw))


def gates(draw: Draw) -> list[Object]:
    """Scheduling gates."""
    nodes = fleet(draw, 1, 3)
    target = pod(draw, "target")
    if draw.chance(0.8):
        names = [{"name": f"example.com/g{i}"} for i in range(draw.pick([1, 2]))]
        target["spec"]["schedulingGates"] = names
    return [*nodes, target]


FAMILIES: Final[dict[str, Family]] = {
    "resources": resources,
    "nodeaffinity": node_affinity,
    "taints": taints,
    "ports": ports,
    "images": images,
    "interpod": interpod,
    "topology": topology,
    "defaultspread": default_spread,
    "preemption": preemption,
    "nominated": nominated,
    "volumes": volumes,
    "mix": mix,
    "config": config,
    "gates": gates,
    "devices": devices,
}
