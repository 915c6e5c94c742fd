"""Where a pod may run: node affinity, pod affinity, topology spread."""

from collections.abc import Sequence
from typing import Final

from tests.oracle.generate.draw import APPS, HOSTNAME, NAMESPACES, ZONE, ZONES, Draw, Object

REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
TOPOLOGY_KEYS: Final = [HOSTNAME, ZONE, ZONE, "pool"]
NODE_VALUES: Final = {ZONE: ZONES, "disk": ["ssd", "hdd"], "pool": ["a", "b"], "missing": ["x"]}


def node_requirement(draw: Draw) -> Object:
    """Draw one expression on node labels."""
    operator = draw.pick(["In", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"])
    if operator in ("Gt", "Lt"):
        return {"key": "gen", "operator": operator, "values": [str(draw.whole(1, 9))]}
    key = draw.pick([ZONE, "disk", "pool", "missing"])
    made: Object = {"key": key, "operator": operator}
    if operator in ("In", "NotIn"):
        made["values"] = draw.sample(NODE_VALUES[key], 1)
    return made


def node_term(draw: Draw, nodes: Sequence[str]) -> Object:
    """Draw one node selector term."""
    made: Object = {}
    if draw.chance(0.85):
        made["matchExpressions"] = [node_requirement(draw) for _ in range(draw.pick([1, 1, 2]))]
    if draw.chance(0.15):
        operator = draw.pick(["In", "In", "NotIn"])
        made["matchFields"] = [
            {"key": "metadata.name", "operator": operator, "values": [draw.pick(nodes)]}
        ]
    return made


def preference(draw: Draw) -> Object:
    """Draw one weighted node preference."""
    return {
        "weight": draw.whole(1, 100),
        "preference": {
            "matchExpressions": [node_requirement(draw) for _ in range(draw.pick([1, 2]))]
        },
    }


def add_node_affinity(draw: Draw, pod: Object, nodes: Sequence[str]) -> None:
    """Give a pod node affinity, and sometimes a node selector."""
    affinity = pod["spec"].setdefault("affinity", {}).setdefault("nodeAffinity", {})
    if draw.chance(0.6):
        terms = [node_term(draw, nodes) for _ in range(draw.pick([1, 1, 2]))]
        affinity[REQUIRED] = {"nodeSelectorTerms": terms}
    if draw.chance(0.5):
        affinity[PREFERRED] = [preference(draw) for _ in range(draw.pick([1, 2]))]
    if draw.chance(0.35):
        wanted = [("disk", draw.pick(["ssd", "hdd"])), (ZONE, draw.pick(ZONES))]
        selector = {key: value for key, value in wanted if draw.chance(0.6)}
        pod["spec"]["nodeSelector"] = selector or {"disk": "ssd"}


def pod_selector(draw: Draw) -> Object:
    """Draw a label selector for pods."""
    if draw.chance(0.7):
        return {"matchLabels": {"app": draw.pick(APPS)}}
    if draw.chance(0.1):
        return {}
    made: Object = {
        "key": draw.pick(["app", "tier", "nokey"]),
        "operator": draw.pick(["In", "NotIn", "Exists", "DoesNotExist"]),
    }
    if made["operator"] in ("In", "NotIn"):
        made["values"] = draw.sample([*APPS, "front", "back"], 2)
    return {"matchExpressions": [made]}


def pod_term(draw: Draw) -> Object:
    """Draw one pod affinity term."""
    made: Object = {"labelSelector": pod_selector(draw), "topologyKey": draw.pick(TOPOLOGY_KEYS)}
    if draw.chance(0.2):
        made["namespaces"] = draw.sample(NAMESPACES, draw.pick([1, 2]))
    if draw.chance(0.2):
        made["namespaceSelector"] = draw.pick(
            [{}, {"matchLabels": {"team": "x"}}, {"matchLabels": {"team": "y"}}]
        )
    return made


def weighted_pod_term(draw: Draw) -> Object:
    """Draw one weighted pod affinity term."""
    return {"weight": draw.whole(1, 100), "podAffinityTerm": pod_term(draw)}


def add_pod_affinity(draw: Draw, pod: Object, probability: float = 0.6) -> None:
    """Give a pod affinity and anti-affinity to pods, each with this probability."""
    affinity = pod["spec"].setdefault("affinity", {})
    for kind in ("podAffinity", "podAntiAffinity"):
        if not draw.chance(probability):
            continue
        terms = affinity.setdefault(kind, {})
        if draw.chance(0.7):
            terms[REQUIRED] = [pod_term(draw) for _ in range(draw.pick([1, 1, 2]))]
        if draw.chance(0.5):
            terms[PREFERRED] = [weighted_pod_term(draw) for _ in range(draw.pick([1, 2]))]
    if not affinity:
        pod["spec"].pop("affinity")


def add_spread(draw: Draw, pod: Object) -> None:
    """Give a pod topology spread constraints: one at most per key and hardness."""
    constraints: list[Object] = []
    seen = set()
    for _ in range(draw.pick([1, 1, 2, 3])):
        made: Object = {
            "maxSkew": draw.whole(1, 3),
            "topologyKey": draw.pick(TOPOLOGY_KEYS),
            "whenUnsatisfiable": draw.pick(["DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"]),
            "labelSelector": pod_selector(draw),
        }
        kind = (made["topologyKey"], made["whenUnsatisfiable"])
        if kind in seen:
            continue
        seen.add(kind)
        if made["whenUnsatisfiable"] == "DoNotSchedule" and draw.chance(0.25):
            made["minDomains"] = draw.whole(1, 4)
        for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if draw.chance(0.25):
                made[policy] = draw.pick(["Honor", "Ignore"])
        constraints.append(made)
    pod["spec"]["topologySpreadConstraints"] = constraints
