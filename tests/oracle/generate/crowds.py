"""Preemption: many victims, several budgets, ties, nominated pods, and what else victims hold."""

from collections.abc import Sequence
from typing import Final

from tests.oracle.generate.cases import Drawn
from tests.oracle.generate.constraints import PREFERRED, REQUIRED, add_spread
from tests.oracle.generate.draw import APPS, HOSTNAME, ZONE, Draw, Object, name_of, names_of
from tests.oracle.generate.nodes import fleet, node
from tests.oracle.generate.pods import load, pod, port, terminating
from tests.oracle.generate.volumes import DISK, storage_class, uses, volume, volume_claim

MINUTES: Final = 24 * 60
TIES_TRIED: Final = 100
BUDGET_SELECTORS: Final[list[Object | None]] = [
    {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "db"]}]},
    {"matchExpressions": [{"key": "tier", "operator": "Exists"}]},
    {"matchExpressions": [{"key": "pod-template-hash", "operator": "DoesNotExist"}]},
    {"matchLabels": {"tier": "front"}},
    {"matchLabels": {"app": "web", "tier": "back"}},
    {"matchExpressions": [{"key": "app", "operator": "In", "values": []}]},
    {},
    None,
]


def stamp(draw: Draw, running: Sequence[Object]) -> None:
    """Let every pod have started at a minute of its own."""
    for each, minute in zip(running, draw.sample(range(MINUTES), len(running)), strict=True):
        each["status"]["startTime"] = f"2026-03-02T{minute // 60:02}:{minute % 60:02}:00Z"


def ask(made: Object, **requests: str) -> None:
    """Let the pod's only container ask for this."""
    made["spec"]["containers"] = made["spec"]["containers"][:1]
    made["spec"]["containers"][0]["resources"] = {"requests": requests}


def budget(draw: Draw, name: str, running: Sequence[Object]) -> Object:
    """Draw a budget whose selector overlaps with others'."""
    selector = draw.pick([*BUDGET_SELECTORS, {"matchLabels": {"app": draw.pick(APPS)}}])
    made: Object = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": draw.pick(["default"] * 4 + ["prod"])},
        "spec": {"maxUnavailable": 1},
        "status": {"disruptionsAllowed": draw.pick([0, 0, 1, 2, 3, 5])},
    }
    if selector is not None:
        made["spec"]["selector"] = selector
    if draw.chance(0.25):
        gone = draw.sample(names_of(running), min(len(running), 3))
        made["status"]["disruptedPods"] = dict.fromkeys(gone, "2026-03-03T00:00:00Z")
    if draw.chance(0.2):
        made["spec"]["unhealthyPodEvictionPolicy"] = "AlwaysAllow"
    if draw.chance(0.08):
        del made["status"]
    return made


def crowd(draw: Draw) -> list[Object]:
    """Twelve and more small pods on each node, under several budgets."""
    nodes = fleet(draw, 1, 4, cpu="8", mem="32Gi", pods=draw.pick(["110", "110", "18"]))
    priorities = draw.pick([[0, 10, 20], [0], [-10, 0, 10, 100, 1000], [5, 5, 5, 50]])
    running = [
        pod(draw, f"{name}-p{i}", node=name, prios=priorities)
        for name in names_of(nodes)
        for i in range(draw.whole(12, 18))
    ]
    stamp(draw, running)
    for each in running:
        ask(each, cpu=draw.pick(["300m", "400m", "500m"]), memory="256Mi")
        if draw.chance(0.05):
            terminating(each)
    for name in names_of(nodes):
        starting = [each for each in running if each["spec"]["nodeName"] == name]
        if draw.chance(0.3):
            del draw.pick(starting)["status"]["startTime"]
    budgets = [budget(draw, f"pdb{i}", running) for i in range(draw.pick([0, 1, 2, 3, 4]))]
    target = pod(draw, "target", prio=draw.pick([5, 15, 100, 5000]))
    ask(target, cpu=draw.pick(["1", "3", "5", "7500m", "8"]), memory="1Gi")
    if draw.chance(0.2):
        add_spread(draw, target)
    return [*nodes, *running, *budgets, target]


def vary(draw: Draw, group: Sequence[Object], criterion: int) -> None:
    """Make one node's pods differ in one of the criteria that preemption ranks nodes by."""
    match criterion:
        case 0:
            group[0]["spec"]["priority"] += draw.pick([-1, 1])
        case 1:
            group[-1]["spec"]["priority"] += draw.pick([-1, 1])
        case 2:
            group[0]["metadata"]["labels"] = {"app": "kept"}
        case 3:
            group[0]["status"]["startTime"] = draw.pick(
                ["2026-03-01T00:00:00Z", "2026-03-04T00:00:00Z"]
            )
        case 4:
            ask(group[0], cpu=draw.pick(["500m", "1500m"]))


def ties(draw: Draw) -> Drawn:
    """Nodes that are alike, or alike but for one criterion."""
    count = draw.whole(2, 6)
    nodes = [node(draw, f"n{i}", cpu="4", mem="32Gi", pods="110") for i in range(count)]
    priorities = draw.sample([0, 5, 10, 20, 50], 3)
    size = draw.pick([2, 3])
    running = []
    varied = draw.some(range(count), 0.5)
    criterion = draw.whole(0, 4)
    for number, name in enumerate(names_of(nodes)):
        group = [pod(draw, f"{name}-p{i}", node=name, prio=priorities[i]) for i in range(size)]
        for i, each in enumerate(group):
            each["metadata"]["labels"] = {"app": "spare"}
            each["status"]["startTime"] = f"2026-03-02T0{i}:00:00Z"
            ask(each, cpu="1")
        if number in varied:
            vary(draw, group, draw.whole(0, 4) if draw.chance(0.2) else criterion)
        running += group
    kept = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "kept", "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": "kept"}}},
        "status": {"disruptionsAllowed": 0},
    }
    target = pod(draw, "target", prio=draw.pick([15, 100, 100]))
    ask(target, cpu=draw.pick(["2", "3", "4"]))
    return Drawn([*nodes, *running, kept, target], runs=TIES_TRIED)


def add_anti_affinity(draw: Draw, made: Object) -> None:
    """Keep a pod away from, or near to, the pods of one app."""
    key = draw.pick([HOSTNAME, HOSTNAME, ZONE])
    labels = {"app": draw.pick(APPS[:2])}
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": key}
    kind = draw.pick(["podAntiAffinity", "podAntiAffinity", "podAffinity"])
    terms: Object = {REQUIRED: [term]}
    if draw.chance(0.2):
        terms = {PREFERRED: [{"weight": 10, "podAffinityTerm": term}]}
    made["spec"]["affinity"] = {kind: terms}


def nominee(draw: Draw, name: str, nodes: Sequence[str]) -> Object:
    """Draw a pod that a node is kept for."""
    made = pod(draw, name, prios=[0, 10, 100, 1000], ports=draw.chance(0.6))
    made["metadata"]["labels"]["app"] = draw.pick(APPS[:2])
    made["status"]["nominatedNodeName"] = draw.pick([*nodes, *nodes, "elsewhere"])
    if draw.chance(0.5):
        add_anti_affinity(draw, made)
    if draw.chance(0.3):
        ask(made, cpu=draw.pick(["1", "2", "3"]))
    if draw.chance(0.15):
        made["spec"]["volumes"] = uses(["once"])
    if draw.chance(0.1):
        terminating(made)
    if draw.chance(0.1):
        made["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]
    return made


def nominees(draw: Draw) -> list[Object]:
    """Nominated pods with host ports, affinity, spread, claims; nominations gone wrong."""
    nodes = fleet(draw, 1, 4, cpu=draw.pick([None, "3"]), pods=draw.pick(["110", "4"]))
    names = names_of(nodes)
    others = load(draw, nodes, (2, 9), prios=[0, 10], ports=draw.chance(0.5))
    others += [nominee(draw, f"nom{i}", names) for i in range(draw.pick([1, 2, 3, 4]))]
    target = pod(draw, "target", prio=draw.pick([0, 10, 100, 500]), ports=draw.chance(0.6))
    target["metadata"]["labels"]["app"] = draw.pick(APPS[:2])
    if draw.chance(0.5):
        add_anti_affinity(draw, target)
    if draw.chance(0.3):
        add_spread(draw, target)
    if draw.chance(0.3):
        target["status"]["nominatedNodeName"] = draw.pick([*names, "elsewhere"])
    if draw.chance(0.35):
        target["spec"]["volumes"] = uses(["once"])
    claimed = any("volumes" in each["spec"] for each in [*others, target])
    storage = once(draw) if claimed else []
    return [*nodes, *storage, *others, target]


def once(draw: Draw) -> list[Object]:
    """Make a bound claim that one pod at a time may use."""
    made = volume(draw, ["n0"], "pv-once", "now", "once", modes=["ReadWriteOncePod"], kind="csi")
    made["spec"].pop("nodeAffinity", None)
    made["metadata"]["labels"] = {}
    claim = volume_claim("once", "now", "pv-once", modes=["ReadWriteOncePod"])
    return [made, claim, storage_class("now", "x.csi.example.com", delayed=False)]


def hold(draw: Draw, made: Object, held: str) -> None:
    """Let a pod hold what others of its kind hold too."""
    if held in ("port", "all"):
        made["spec"]["containers"][0]["ports"] = [port(draw)]
    if held in ("disk", "all"):
        made["spec"].setdefault("volumes", []).append(DISK)
    if held in ("anti-affinity", "all"):
        made["metadata"]["labels"]["app"] = "web"
        add_anti_affinity(draw, made)


def evict(draw: Draw, made: Object) -> None:
    """Mark a pod as evicted and going: by the scheduler's preemption, or through the API."""
    terminating(made)
    reason = draw.pick(["PreemptionByScheduler", "EvictionByEvictionAPI"])
    condition = {"type": "DisruptionTarget", "status": "True", "reason": reason}
    made["status"]["conditions"] = [condition]


def holdings(draw: Draw) -> list[Object]:
    """Victims that hold host ports, disks, a claim for one pod, GPUs, pages, or keep others off."""
    room = draw.pick(["110", "4", "3"])
    nodes = fleet(draw, 1, 4, cpu="8", mem="16Gi", ext=True, pods=room)
    running = [
        pod(draw, f"{name}-p{i}", node=name, prios=draw.pick([[0, 10], [0, 10, 200]]), ext=True)
        for name in names_of(nodes)
        for i in range(draw.whole(1, 4))
    ]
    stamp(draw, running)
    target = pod(draw, "target", prio=draw.pick([5, 100, 100]), ext=draw.chance(0.5))
    held = draw.pick(["port", "disk", "claim", "anti-affinity", "spread", "all"])
    for each in running:
        if draw.chance(0.6):
            hold(draw, each, held)
        if draw.chance(0.08):
            evict(draw, each)
    hold(draw, target, held)
    storage: list[Object] = []
    if held in ("claim", "all"):
        storage = once(draw)
        for each in [target, draw.pick(running)]:
            each["spec"].setdefault("volumes", []).extend(uses(["once"]))
    if held == "spread":
        add_spread(draw, target)
    if draw.chance(0.3):
        target["status"]["nominatedNodeName"] = name_of(draw.pick(nodes))
    budgets = [budget(draw, f"pdb{i}", running) for i in range(draw.pick([0, 0, 1, 2]))]
    return [*nodes, *storage, *running, *budgets, target]
