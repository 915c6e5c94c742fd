"""matchLabelKeys and mismatchLabelKeys, as stored by the API server and as written."""

from collections.abc import Sequence
from typing import Final

from tests.oracle.generate.constraints import PREFERRED, REQUIRED
from tests.oracle.generate.draw import APPS, HOSTNAME, NAMESPACES, ZONE, Draw, Object
from tests.oracle.generate.nodes import fleet
from tests.oracle.generate.pods import load, namespaces, pod

KEYS: Final = ["pod-template-hash", "tier", "revision", "absent"]


def relabel(draw: Draw, made: Object) -> None:
    """Give a pod the labels that the keys look at, or some of them."""
    labels = made["metadata"]["labels"]
    labels["app"] = draw.pick(APPS[:2])
    if draw.chance(0.8):
        labels["pod-template-hash"] = draw.pick(["abc", "def"])
    if draw.chance(0.7):
        labels["revision"] = draw.pick(["1", "2"])


def selector(draw: Draw) -> Object | None:
    """Draw the selector that the keys are added to."""
    match draw.branch(0.7, 0.8, 0.95):
        case 0:
            return {"matchLabels": {"app": draw.pick(APPS[:2])}}
        case 1:
            return {}
        case 2:
            return {"matchExpressions": [{"key": "app", "operator": "Exists"}]}
        case _:
            return None


def merge(made: Object, labels: Object, keys: Sequence[str], operator: str) -> None:
    """Add the keys to the selector as the API server does: those that the pod has a label of."""
    present = [key for key in keys if key in labels]
    if made.get("labelSelector") is not None and present:
        stored = dict(made["labelSelector"])
        stored["matchExpressions"] = [
            *stored.get("matchExpressions", []),
            *({"key": key, "operator": operator, "values": [labels[key]]} for key in present),
        ]
        made["labelSelector"] = stored


def keyed_term(draw: Draw, labels: Object) -> Object:
    """Draw one pod affinity term with keys: merged into the selector, bare, or none."""
    made: Object = {"topologyKey": draw.pick([HOSTNAME, ZONE, ZONE])}
    selecting = selector(draw)
    if selecting is not None:
        made["labelSelector"] = selecting
    keys = draw.sample(KEYS, draw.pick([1, 1, 2]))
    others = [key for key in KEYS if key not in keys]
    match draw.branch(0.45, 0.6, 0.9):
        case 0:
            made["matchLabelKeys"] = keys
        case 1:
            made["mismatchLabelKeys"] = keys
        case 2:
            made["matchLabelKeys"] = keys
            made["mismatchLabelKeys"] = draw.sample(others, 1)
    if draw.chance(0.65):
        merge(made, labels, made.get("matchLabelKeys", []), "In")
        merge(made, labels, made.get("mismatchLabelKeys", []), "NotIn")
    if draw.chance(0.2):
        made["namespaces"] = draw.sample(NAMESPACES, 2)
    return made


def add_keyed_affinity(draw: Draw, made: Object, probability: float) -> None:
    """Give a pod affinity and anti-affinity with keys."""
    labels = made["metadata"]["labels"]
    affinity: Object = {}
    for kind in ("podAffinity", "podAntiAffinity"):
        terms: Object = {}
        if draw.chance(probability):
            terms[REQUIRED] = [keyed_term(draw, labels) for _ in range(draw.pick([1, 1, 2]))]
        if draw.chance(probability):
            term = keyed_term(draw, labels)
            terms[PREFERRED] = [{"weight": draw.whole(1, 100), "podAffinityTerm": term}]
        if terms:
            affinity[kind] = terms
    if affinity:
        made["spec"]["affinity"] = affinity


def add_keyed_spread(draw: Draw, made: Object) -> None:
    """Give a pod spread constraints with keys, merged or bare."""
    labels = made["metadata"]["labels"]
    constraints = []
    for key in draw.sample([HOSTNAME, ZONE, "pool"], draw.pick([1, 1, 2])):
        constraint: Object = {
            "maxSkew": draw.whole(1, 2),
            "topologyKey": key,
            "whenUnsatisfiable": draw.pick(["DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"]),
            "matchLabelKeys": draw.sample(KEYS, draw.pick([1, 1, 2])),
        }
        selecting = selector(draw)
        if selecting is not None:
            constraint["labelSelector"] = selecting
        if draw.chance(0.5):
            merge(constraint, labels, constraint["matchLabelKeys"], "In")
        constraints.append(constraint)
    made["spec"]["topologySpreadConstraints"] = constraints


def label_keys(draw: Draw) -> list[Object]:
    """Affinity terms and spread constraints that look at a pod's own label values."""
    nodes = fleet(draw, 3, 8, cpu="16", mem="32Gi", pods="110", ragged=draw.chance(0.3))
    running = load(draw, nodes, (3, 16), ("default", "default", "prod"))
    target = pod(draw, "target", draw.pick(["default", "prod"]))
    for each in [*running, target]:
        relabel(draw, each)
    for each in running:
        if draw.chance(0.4):
            add_keyed_affinity(draw, each, 0.4)
    if draw.chance(0.6):
        add_keyed_affinity(draw, target, 0.6)
    if draw.chance(0.6) or "affinity" not in target["spec"]:
        add_keyed_spread(draw, target)
    return [*namespaces(), *nodes, *running, target]
