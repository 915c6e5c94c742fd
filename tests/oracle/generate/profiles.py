"""Scheduler configuration: one profile with plugin args, weights and plugins left out."""

from typing import Final

from tests.oracle.generate.constraints import REQUIRED
from tests.oracle.generate.draw import ZONE, Draw, Object

GROUP: Final = "kubescheduler.config.k8s.io/v1"
STRATEGIES: Final[list[Object]] = [
    {
        "type": "MostAllocated",
        "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
    },
    {
        "type": "LeastAllocated",
        "resources": [
            {"name": "cpu", "weight": 3},
            {"name": "memory", "weight": 1},
            {"name": "nvidia.com/gpu", "weight": 5},
        ],
    },
    {
        "type": "RequestedToCapacityRatio",
        "resources": [{"name": "cpu", "weight": 2}, {"name": "memory", "weight": 1}],
        "requestedToCapacityRatio": {
            "shape": [
                {"utilization": 0, "score": 0},
                {"utilization": 70, "score": 10},
                {"utilization": 100, "score": 3},
            ]
        },
    },
]


def plugin_args(plugin: str, **args: object) -> Object:
    """Make one pluginConfig entry."""
    kind = {"kind": f"{plugin}Args", "apiVersion": GROUP}
    return {"name": plugin, "args": {**kind, **args}}


def some_plugin_args(draw: Draw) -> list[Object]:
    """Draw args for some of the plugins."""
    drawn = []
    if draw.chance(0.5):
        fit = plugin_args("NodeResourcesFit", scoringStrategy=draw.pick(STRATEGIES))
        if draw.chance(0.3):
            fit["args"]["ignoredResources"] = ["example.com/fpga"]
        if draw.chance(0.2):
            fit["args"]["ignoredResourceGroups"] = ["nvidia.com"]
        drawn.append(fit)
    if draw.chance(0.3):
        on_ssd = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
        added = {REQUIRED: {"nodeSelectorTerms": [on_ssd]}}
        drawn.append(plugin_args("NodeAffinity", addedAffinity=added))
    if draw.chance(0.3):
        drawn.append(
            plugin_args(
                "InterPodAffinity",
                hardPodAffinityWeight=draw.pick([0, 5, 100]),
                ignorePreferredTermsOfExistingPods=draw.chance(0.3),
            )
        )
    if draw.chance(0.3):
        hardness = draw.pick(["ScheduleAnyway", "DoNotSchedule"])
        constraint = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": hardness}
        drawn.append(
            plugin_args("PodTopologySpread", defaultingType="List", defaultConstraints=[constraint])
        )
    if draw.chance(0.3):
        resources = [{"name": name, "weight": 1} for name in ("cpu", "memory", "ephemeral-storage")]
        drawn.append(plugin_args("NodeResourcesBalancedAllocation", resources=resources))
    return drawn


def some_plugins(draw: Draw) -> Object:
    """Draw which plugins are left out, and one weight."""
    drawn: Object = {}
    if draw.chance(0.4):
        unscored = draw.pick(["ImageLocality", "PodTopologySpread", "NodeResourcesFit"])
        drawn["score"] = {"disabled": [{"name": unscored}]}
    if draw.chance(0.3):
        unfiltered = draw.pick(["TaintToleration", "NodePorts", "InterPodAffinity"])
        drawn["filter"] = {"disabled": [{"name": unfiltered}]}
    if draw.chance(0.3):
        score = drawn.setdefault("score", {})
        score.setdefault("enabled", []).append({"name": "TaintToleration", "weight": 7})
        score.setdefault("disabled", []).append({"name": "TaintToleration"})
    if draw.chance(0.2):
        drawn["postFilter"] = {"disabled": [{"name": "DefaultPreemption"}]}
    return drawn


def configuration(*profiles: Object) -> Object:
    """Make a KubeSchedulerConfiguration of these profiles."""
    return {
        "apiVersion": GROUP,
        "kind": "KubeSchedulerConfiguration",
        "profiles": list(profiles),
    }


def one_profile(draw: Draw) -> Object:
    """Draw a configuration with the one profile that every pod asks for."""
    profile: Object = {"schedulerName": "default-scheduler"}
    args = some_plugin_args(draw)
    plugins = some_plugins(draw)
    if args:
        profile["pluginConfig"] = args
    if plugins:
        profile["plugins"] = plugins
    return configuration(profile)
