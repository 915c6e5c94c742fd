"""Scheduler configurations with every extension point, every plugin's args, several profiles."""

from collections.abc import Sequence
from typing import Final

from tests.oracle.generate.cases import Drawn
from tests.oracle.generate.constraints import PREFERRED, REQUIRED
from tests.oracle.generate.draw import HOSTNAME, ZONE, Draw, Object, names_of
from tests.oracle.generate.families import mix
from tests.oracle.generate.profiles import STRATEGIES, configuration, plugin_args
from tests.oracle.generate.volumes import volumes

FILTERS: Final = [
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
]
SCORES: Final = [
    "TaintToleration",
    "NodeAffinity",
    "NodeResourcesFit",
    "PodTopologySpread",
    "InterPodAffinity",
    "NodeResourcesBalancedAllocation",
    "ImageLocality",
]
# These filters work without what their PreFilter prepares.
UNPREPARED: Final = ["NodeAffinity", "VolumeZone", "NodeVolumeLimits"]
PREPARED: Final = [
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "PodTopologySpread",
    "InterPodAffinity",
]
SHAPES: Final = [
    [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}],
    [{"utilization": 20, "score": 2}, {"utilization": 50, "score": 9}],
    [{"utilization": 33, "score": 7}],
    [{"utilization": 0, "score": 0}, {"utilization": 1, "score": 10}],
]


def all_args(draw: Draw) -> list[Object]:
    """Draw args for some of the plugins that take any."""
    scored = [{"name": name, "weight": draw.whole(1, 9)} for name in resources(draw)]
    ratio = {"shape": draw.pick(SHAPES)}
    kind = draw.pick(["MostAllocated", "LeastAllocated"])
    strategy = draw.pick(
        [
            *STRATEGIES,
            {
                "type": "RequestedToCapacityRatio",
                "resources": scored,
                "requestedToCapacityRatio": ratio,
            },
            {"type": kind, "resources": scored},
            {"type": "MostAllocated"},
        ]
    )
    fit = plugin_args("NodeResourcesFit", scoringStrategy=strategy)
    fit["args"] |= draw.pick(
        [
            {},
            {"ignoredResources": ["example.com/fpga", "nvidia.com/gpu"]},
            {"ignoredResourceGroups": ["example.com"]},
        ]
    )
    balanced = [{"name": name, "weight": 1} for name in resources(draw)]
    budget = {"minCandidateNodesPercentage": 100, "minCandidateNodesAbsolute": 100}
    drawn = [
        fit,
        plugin_args("NodeAffinity", addedAffinity=added_affinity(draw)),
        plugin_args(
            "InterPodAffinity",
            hardPodAffinityWeight=draw.pick([0, 1, 50, 100]),
            ignorePreferredTermsOfExistingPods=draw.chance(0.5),
        ),
        plugin_args("PodTopologySpread", **spread_defaults(draw)),
        plugin_args("NodeResourcesBalancedAllocation", resources=balanced),
        plugin_args("DefaultPreemption", **budget),
        plugin_args("VolumeBinding", bindTimeoutSeconds=draw.pick([10, 600])),
    ]
    return draw.some(drawn, 0.35)


def resources(draw: Draw) -> list[str]:
    """Draw which resources are scored."""
    names = ["cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "example.com/fpga"]
    return draw.sample(names, draw.pick([1, 2, 3, 4]))


def added_affinity(draw: Draw) -> Object:
    """Draw the node affinity that a profile adds to every pod's."""
    made: Object = {}
    on_ssd = {"key": "disk", "operator": "In", "values": ["ssd"]}
    young = {"key": "gen", "operator": "Gt", "values": ["4"]}
    if draw.chance(0.5):
        terms = [{"matchExpressions": [each]} for each in draw.some([on_ssd, young], 0.7)]
        if terms:
            made[REQUIRED] = {"nodeSelectorTerms": terms}
    if draw.chance(0.6):
        preference = {"matchExpressions": [draw.pick([on_ssd, young])]}
        made[PREFERRED] = [{"weight": draw.whole(1, 100), "preference": preference}]
    return made


def spread_defaults(draw: Draw) -> Object:
    """Draw a profile's default constraints: the system's, none, or a list."""
    match draw.branch(0.15, 0.35):
        case 0:
            return {"defaultingType": "System"}
        case 1:
            return {"defaultingType": "List"}
        case _:
            hardness = ["ScheduleAnyway", "DoNotSchedule"]
            constraints: list[Object] = [
                {"maxSkew": draw.whole(1, 3), "topologyKey": key, "whenUnsatisfiable": each}
                for key in (HOSTNAME, ZONE)
                for each in draw.some(hardness, 0.45)
            ]
            return {"defaultingType": "List", "defaultConstraints": constraints}


def named(*names: str) -> list[Object]:
    """Name plugins."""
    return [{"name": name} for name in names]


def weighted(draw: Draw, names: Sequence[str], weights: Sequence[int]) -> list[Object]:
    """Name plugins with a weight each."""
    return [{"name": name, "weight": draw.pick(weights)} for name in names]


def filter_point(draw: Draw) -> Object | None:
    """Draw what a profile says of filters: some left out, all in another order, some in front."""
    match draw.branch(0.2, 0.35, 0.5):
        case 0:
            return {"disabled": named(*draw.sample(FILTERS, draw.pick([1, 2, 3])))}
        case 1:
            return {"enabled": named(*draw.sample(FILTERS, len(FILTERS))), "disabled": named("*")}
        case 2:
            return {"enabled": named(*draw.sample(FILTERS, 3))}
        case _:
            return None


def score_point(draw: Draw) -> Object | None:
    """Draw what a profile says of scores: weights, a few alone, some left out, all left out."""
    match draw.branch(0.25, 0.4, 0.55, 0.6):
        case 0:
            return {"enabled": weighted(draw, draw.some(SCORES, 0.4), [0, 1, 5, 50])}
        case 1:
            chosen = weighted(draw, draw.sample(SCORES, 2), [1, 2, 9])
            return {"enabled": chosen, "disabled": named("*")}
        case 2:
            return {"disabled": named(*draw.sample(SCORES, 3))}
        case 3:
            return {"disabled": named("*")}
        case _:
            return None


def some_points(draw: Draw) -> Object:
    """Draw what a profile says of single extension points."""
    drawn = {"filter": filter_point(draw), "score": score_point(draw)}
    plugins: Object = {point: said for point, said in drawn.items() if said is not None}
    match draw.branch(0.15, 0.25):
        case 0:
            plugins["preFilter"] = {"disabled": named(draw.pick(UNPREPARED))}
        case 1:
            gone = draw.pick(PREPARED)
            plugins["preFilter"] = {"disabled": named(gone)}
            plugins["filter"] = {"disabled": named(gone)}
    leaving: list[tuple[str, float, list[str]]] = [
        ("preScore", 0.1, ["TaintToleration", "NodeAffinity", "ImageLocality"]),
        ("postFilter", 0.15, ["DefaultPreemption", "*"]),
        ("preEnqueue", 0.15, ["SchedulingGates", "*"]),
        ("reserve", 0.05, ["*"]),
        ("permit", 0.05, ["*"]),
        ("preBind", 0.05, ["VolumeBinding", "*"]),
        ("postBind", 0.05, ["*"]),
    ]
    for point, probability, names in leaving:
        if draw.chance(probability):
            plugins[point] = {"disabled": named(draw.pick(names))}
    return plugins


def multi_point(draw: Draw) -> Object:
    """Draw what a profile says of all extension points at once."""
    match draw.branch(0.3, 0.6, 0.85):
        case 0:
            return {"disabled": named(*draw.sample(FILTERS, draw.pick([1, 2])))}
        case 1:
            chosen = draw.sample(SCORES, draw.pick([1, 2]))
            return {"enabled": weighted(draw, chosen, range(1, 21))}
        case 2:
            needed = ["PrioritySort", "DefaultBinder", *draw.some(["SchedulingGates"], 0.7)]
            chosen = draw.sample(FILTERS, draw.whole(3, len(FILTERS)))
            others = ["DefaultPreemption", "NodeResourcesBalancedAllocation", "DynamicResources"]
            enabled = named(*needed, *chosen, *draw.some(others, 0.7))
            draw.random.shuffle(enabled)
            return {"enabled": enabled, "disabled": named("*")}
        case _:
            moved = draw.pick(FILTERS)
            return {"enabled": named(moved), "disabled": named(moved)}


def profile(draw: Draw, name: str) -> Object:
    """Draw a profile."""
    made: Object = {"schedulerName": name}
    plugins = some_points(draw) if draw.chance(0.7) else {}
    if draw.chance(0.45):
        plugins["multiPoint"] = multi_point(draw)
    if plugins:
        made["plugins"] = plugins
    args = all_args(draw) if draw.chance(0.7) else []
    if args:
        made["pluginConfig"] = args
    if draw.chance(0.2):
        made["percentageOfNodesToScore"] = draw.pick([0, 5, 50, 100])
    return made


def gate(draw: Draw, objects: list[Object]) -> None:
    """Put a scheduling gate on the target now and then."""
    target = next(each for each in objects if each["metadata"]["name"] == "target")
    if draw.chance(0.08):
        target["spec"]["schedulingGates"] = [{"name": "example.com/wait"}]


def profiles(draw: Draw) -> Drawn:
    """One profile that says something of every extension point."""
    objects = mix(draw) if draw.chance(0.75) else volumes(draw)
    gate(draw, objects)
    made = configuration(profile(draw, "default-scheduler"))
    made |= draw.pick([{}, {}, {"percentageOfNodesToScore": 30}, {"parallelism": 4}])
    return Drawn(objects, made)


def schedulers(draw: Draw) -> Drawn:
    """Several profiles, pods of each, and of a scheduler that nobody runs."""
    objects = mix(draw)
    gate(draw, objects)
    names = ["default-scheduler", "second", "third"]
    for each in objects:
        if each["kind"] == "Pod":
            chosen = draw.pick(names)
            if each["metadata"]["name"] != "target":
                chosen = draw.pick([*names, "nobody"])
            if chosen != "default-scheduler" or draw.chance(0.5):
                each["spec"]["schedulerName"] = chosen
    nodes = names_of([each for each in objects if each["kind"] == "Node"])
    pending = [each for each in objects if each["metadata"]["name"].startswith("nom")]
    for each in pending:
        each["status"]["nominatedNodeName"] = draw.pick(nodes)
    return Drawn(objects, configuration(*(profile(draw, name) for name in names)))
