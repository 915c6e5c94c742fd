"""Which fields the real scheduler's strict decoding refuses: kube-scheduler 1.35.4 --config FILE."""

from typing import Any

import pytest

from kschedx.schedulers.kube.configuration_fields import unknown_fields


def profile(**fields: Any) -> dict[str, Any]:
    return {"profiles": [fields]}


def args(plugin: str, **args: Any) -> dict[str, Any]:
    return profile(pluginConfig=[{"name": plugin, "args": args}])


ARGS = "profiles[0].pluginConfig[0].args"
REFUSED = {
    "at the top": ({"profile": []}, ["profile"]),
    "in another case": ({"Profiles": []}, ["Profiles"]),
    "gone since v1beta3": ({"healthzBindAddress": ""}, ["healthzBindAddress"]),
    "of leader election": (
        {"leaderElection": {"leaderElectt": True}},
        ["leaderElection.leaderElectt"],
    ),
    "of a profile": (profile(pluginz={}), ["profiles[0].pluginz"]),
    "an extension point": (profile(plugins={"skore": {}}), ["profiles[0].plugins.skore"]),
    "of a plugin set": (
        profile(plugins={"score": {"enable": []}}),
        ["profiles[0].plugins.score.enable"],
    ),
    "of a plugin": (
        profile(plugins={"score": {"enabled": [{"name": "A"}, {"name": "B", "wait": 3}]}}),
        ["profiles[0].plugins.score.enabled[1].wait"],
    ),
    "of an extender": (
        {
            "extenders": [
                {"filterverb": "a", "tlsConfig": {"inscure": True}, "managedResources": [{"x": 1}]}
            ]
        },
        [
            "extenders[0].filterverb",
            "extenders[0].tlsConfig.inscure",
            "extenders[0].managedResources[0].x",
        ],
    ),
    "of arguments": (
        args("NodeResourcesFit", foo=1, scoringStrategy={"typ": "LeastAllocated"}),
        [f"{ARGS}.foo", f"{ARGS}.scoringStrategy.typ"],
    ),
    "of an affinity": (
        args("NodeAffinity", addedAffinity={"required": {}}),
        [f"{ARGS}.addedAffinity.required"],
    ),
    "of a constraint": (
        args("PodTopologySpread", defaultConstraints=[{"labelSelector": {"matchLabel": {}}}]),
        [f"{ARGS}.defaultConstraints[0].labelSelector.matchLabel"],
    ),
}
ACCEPTED: dict[str, dict[str, Any]] = {
    "settings that alter no verdict": {
        "parallelism": 16,
        "enableProfiling": True,
        "podInitialBackoffSeconds": 1,
        "clientConnection": {"qps": 50},
        "leaderElection": {"leaderElect": False},
    },
    "null": {"clientConnection": None, "profiles": [None, {"plugins": None}]},
    "arguments of a plugin of one's own": args("Coscheduling", anything={"at": "all"}),
    "arguments of a plugin that takes none": args("NodeName", anything=1),
    "arguments with their kind": args("NodeResourcesFit", kind="NodeResourcesFitArgs"),
    "labels by any name": args(
        "PodTopologySpread", defaultConstraints=[{"labelSelector": {"matchLabels": {"a": "b"}}}]
    ),
}


@pytest.mark.parametrize(("configuration", "paths"), REFUSED.values(), ids=REFUSED)
def test_refused(configuration: dict[str, Any], paths: list[str]) -> None:
    assert [field.path for field in unknown_fields(configuration)] == paths


@pytest.mark.parametrize("configuration", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(configuration: dict[str, Any]) -> None:
    assert list(unknown_fields(configuration)) == []
