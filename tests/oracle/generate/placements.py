"""Where pods may run, in unusual ways: sidecar ports, few domains, fields, wrong selectors."""

from collections.abc import Sequence
from typing import Final

from tests.oracle.generate.constraints import PREFERRED, REQUIRED, add_node_affinity, pod_selector
from tests.oracle.generate.draw import HOSTNAME, ZONE, Draw, Object, names_of
from tests.oracle.generate.nodes import fleet
from tests.oracle.generate.pods import container, load, pod, port

WRONG_REQUIREMENTS: Final[list[Object]] = [
    {"key": "disk", "operator": "In", "values": []},
    {"key": "disk", "operator": "In"},
    {"key": "disk", "operator": "Exists", "values": ["ssd"]},
    {"key": "disk", "operator": "in", "values": ["ssd"]},
    {"key": "gen", "operator": "Gt", "values": ["many"]},
    {"key": "gen", "operator": "Gt", "values": ["1", "2"]},
    {"key": "gen", "operator": "Lt", "values": ["3.5"]},
    {"key": "not a key", "operator": "Exists"},
    {"key": "", "operator": "Exists"},
    {"key": "disk", "operator": "NotIn", "values": ["not a value!"]},
    {"key": "disk", "operator": "NotIn", "values": [""]},
    {"key": "gen", "operator": "Gt", "values": ["-1"]},
    {"key": "disk", "operator": "Gt", "values": ["1"]},
]
WRONG_FIELDS: Final[list[Object]] = [
    {"key": "metadata.name", "operator": "In", "values": []},
    {"key": "metadata.name", "operator": "In", "values": ["n0", "n1"]},
    {"key": "metadata.name", "operator": "Exists"},
    {"key": "metadata.namespace", "operator": "In", "values": ["n0"]},
    {"key": "metadata.uid", "operator": "NotIn", "values": ["n0"]},
]
WRONG_SELECTORS: Final[list[Object | None]] = [
    {"matchExpressions": [{"key": "app", "operator": "In", "values": []}]},
    {"matchExpressions": [{"key": "app", "operator": "Exists", "values": ["web"]}]},
    {"matchExpressions": [{"key": "app", "operator": "Gt", "values": ["1"]}]},
    {"matchExpressions": [{"key": "not a key", "operator": "Exists"}]},
    {"matchLabels": {"app": "not a value!"}},
    {"matchLabels": {"app": ""}},
    {"matchLabels": {"app": "web"}, "matchExpressions": []},
    None,
]


def sidecars(draw: Draw) -> list[Object]:
    """Host ports of sidecars, of init containers that end, and of pods on the host's network."""
    nodes = fleet(draw, 2, 5, cpu="16", mem="32Gi", pods="110")
    running = load(draw, nodes, (2, 9), prios=[0, 10], ports=draw.chance(0.3))
    target = pod(draw, "target", prio=draw.pick([0, 100]), ports=draw.chance(0.4))
    for each in [*running, target]:
        inits = []
        for i in range(draw.pick([0, 1, 1, 2])):
            made = container(draw, f"i{i}")
            made["ports"] = [port(draw) for _ in range(draw.pick([1, 1, 2]))]
            if draw.chance(0.65):
                made["restartPolicy"] = "Always"
            inits.append(made)
        if inits:
            each["spec"]["initContainers"] = inits
        if draw.chance(0.2):
            each["spec"]["hostNetwork"] = True
            ports = [{"containerPort": draw.pick([80, 443, 9090])}]
            each["spec"]["containers"][0].setdefault("ports", []).extend(ports)
    return [*nodes, *running, target]


def few_domains(draw: Draw) -> list[Object]:
    """MinDomains with fewer domains than that, nodes without labels, every inclusion policy."""
    nodes = fleet(draw, 1, 7, cpu="16", mem="32Gi", pods="110", taints=draw.chance(0.4))
    for each in nodes:
        labels = each["metadata"]["labels"]
        for key in (HOSTNAME, ZONE, "disk"):
            match draw.branch(0.12, 0.2):
                case 0:
                    del labels[key]
                case 1:
                    labels[key] = ""
    running = load(draw, nodes, (0, 12), ("default", "default", "prod"))
    target = pod(draw, "target", tols=draw.chance(0.5))
    constraints = []
    for key in draw.sample([HOSTNAME, ZONE, "pool", "disk"], draw.pick([1, 1, 2, 3])):
        constraint: Object = {
            "maxSkew": draw.pick([1, 1, 2, 5]),
            "topologyKey": key,
            "whenUnsatisfiable": draw.pick(["DoNotSchedule"] * 3 + ["ScheduleAnyway"]),
            "labelSelector": pod_selector(draw),
        }
        if constraint["whenUnsatisfiable"] == "DoNotSchedule" and draw.chance(0.7):
            constraint["minDomains"] = draw.pick([1, 2, 3, 5, 10])
        for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if draw.chance(0.5):
                constraint[policy] = draw.pick(["Honor", "Ignore"])
        constraints.append(constraint)
    target["spec"]["topologySpreadConstraints"] = constraints
    if draw.chance(0.4):
        add_node_affinity(draw, target, names_of(nodes))
    return [*nodes, *running, target]


def by_name(draw: Draw, names: Sequence[str]) -> Object:
    """Draw one requirement on a node's name."""
    operator = draw.pick(["In", "In", "In", "NotIn"])
    count = draw.pick([1, 1, 1, 2])
    return {"key": "metadata.name", "operator": operator, "values": draw.sample(names, count)}


def daemons(draw: Draw) -> list[Object]:
    """Pods bound to nodes by field, as a DaemonSet's are: one name, several, none that agree."""
    nodes = fleet(draw, 2, 7, taints=draw.chance(0.5), pods=draw.pick(["110", "3"]))
    names = [*names_of(nodes), "elsewhere"]
    running = load(draw, nodes, (1, 8), prios=[0, 10])
    target = pod(draw, "target", prio=draw.pick([0, 100, 2000001000]), tols=draw.chance(0.3))
    terms = []
    for _ in range(draw.pick([1, 1, 1, 2, 3])):
        term: Object = {"matchFields": [by_name(draw, names) for _ in range(draw.pick([1, 1, 2]))]}
        if draw.chance(0.25):
            term["matchExpressions"] = [{"key": "disk", "operator": "In", "values": ["ssd"]}]
        if draw.chance(0.08):
            del term["matchFields"]
        terms.append(term)
    required = {REQUIRED: {"nodeSelectorTerms": terms}}
    target["spec"]["affinity"] = {"nodeAffinity": required}
    if draw.chance(0.6):
        target["spec"]["tolerations"] = [
            {"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": effect}
            for key, effect in (
                ("not-ready", "NoExecute"),
                ("disk-pressure", "NoSchedule"),
                ("unschedulable", "NoSchedule"),
            )
        ]
    return [*nodes, *running, target]


def wrong_node_term(draw: Draw) -> Object:
    """Draw a node selector term that the API server would refuse, or nearly."""
    term: Object = {}
    if draw.chance(0.75):
        right = {"key": "disk", "operator": "In", "values": ["ssd"]}
        wrong = draw.pick(WRONG_REQUIREMENTS)
        term["matchExpressions"] = [wrong, *draw.some([right], 0.3)]
    if draw.chance(0.25):
        term["matchFields"] = [draw.pick(WRONG_FIELDS)]
    return term


def wrong_pod_affinity(draw: Draw, kind: str, weight: str) -> Object:
    """Draw pod affinity with a selector that the API server would refuse, or nearly."""
    term: Object = {"topologyKey": draw.pick([ZONE, HOSTNAME, ""])}
    selector = draw.pick(WRONG_SELECTORS)
    if selector is not None:
        term["labelSelector"] = selector
    if draw.chance(0.2):
        term["namespaceSelector"] = draw.pick([each for each in WRONG_SELECTORS if each])
    if weight == PREFERRED:
        return {kind: {PREFERRED: [{"weight": draw.pick([0, 1, 50]), "podAffinityTerm": term}]}}
    return {kind: {REQUIRED: [term]}}


def wrong_selectors(draw: Draw) -> list[Object]:
    """Selectors with wrong operators, values and keys: what the API server would not let in."""
    nodes = fleet(draw, 2, 6, cpu="16", mem="32Gi", pods="110", ragged=draw.chance(0.2))
    running = load(draw, nodes, (1, 6), ("default", "prod"))
    target = pod(draw, "target")
    kinds = ["podAffinity", "podAntiAffinity"]
    for each in running:
        if draw.chance(0.4):
            strength = draw.pick([REQUIRED, REQUIRED, PREFERRED])
            each["spec"]["affinity"] = wrong_pod_affinity(draw, draw.pick(kinds), strength)
    affinity: Object = {}
    match draw.branch(0.52, 0.59, 0.82, 0.86):
        case 0:
            terms = [wrong_node_term(draw) for _ in range(draw.pick([0, 1, 1, 2, 3]))]
            if draw.chance(0.4):
                right = {"key": "disk", "operator": "Exists"}
                terms.append({"matchExpressions": [right]})
            affinity["nodeAffinity"] = {REQUIRED: {"nodeSelectorTerms": terms}}
        case 1:
            weight = draw.pick([0, 1, 100])
            term = {"weight": weight, "preference": wrong_node_term(draw)}
            affinity["nodeAffinity"] = {PREFERRED: [term]}
        case 2:
            strength = draw.pick([REQUIRED, PREFERRED])
            affinity = wrong_pod_affinity(draw, draw.pick(kinds), strength)
        case 3:
            constraint: Object = {"maxSkew": 1, "topologyKey": ZONE}
            constraint["whenUnsatisfiable"] = draw.pick(["DoNotSchedule", "ScheduleAnyway"])
            selector = draw.pick(WRONG_SELECTORS)
            if selector is not None:
                constraint["labelSelector"] = selector
            target["spec"]["topologySpreadConstraints"] = [constraint]
        case _:
            target["spec"]["nodeSelector"] = draw.pick(
                [{"disk": ""}, {"disk": "not a value!"}, {"not a key": "x"}, {}]
            )
    if affinity:
        target["spec"]["affinity"] = affinity
    return [*nodes, *running, target]
