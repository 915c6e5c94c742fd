from typing import Any

import pytest

from kschedx.schedulers.kube.configuration import (
    API_VERSION,
    KIND,
    ProfileSpec,
    parse_configuration,
)
from kschedx.schedulers.kube.profile import Profile, build_profile, default_plugins
from kschedx.schedulers.kube.versions import Release


def profile(minor: int = 35, **plugins: Any) -> Profile:
    value = {"apiVersion": API_VERSION, "kind": KIND, "profiles": [{"plugins": plugins}]}
    return build_profile(parse_configuration(value).profiles[0], Release(minor))


def names(plugins: Any) -> list[str]:
    return [plugin.name for plugin in plugins]


def weights(built: Profile) -> dict[str, int]:
    return {plugin.name: weight for plugin, weight in built.score}


FILTERS_134 = [
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
    "DynamicResources",
]
DEFAULT_FILTERS = {
    33: FILTERS_134[:-1],
    34: FILTERS_134,
    35: FILTERS_134,
    36: [*FILTERS_134, "NodeDeclaredFeatures"],
    37: ["NodeName", "NodeUnschedulable", *FILTERS_134[2:], "NodeDeclaredFeatures"],
}


@pytest.mark.parametrize(("minor", "expected"), DEFAULT_FILTERS.items())
def test_default_filters_run_in_upstreams_order(minor: int, expected: list[str]) -> None:
    built = build_profile(ProfileSpec(), Release(minor))

    assert names(built.filter) == expected


def test_default_weights_are_upstreams() -> None:
    assert weights(profile()) == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "VolumeBinding": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "DynamicResources": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }


def test_binder_and_queue_sort_are_named_but_have_no_verdict() -> None:
    listed = dict(default_plugins(Release(35)))

    assert {"PrioritySort", "DefaultPreemption", "DefaultBinder"} <= listed.keys()
    assert profile().not_modelled == ()


def test_a_star_clears_an_extension_point() -> None:
    assert profile(score={"disabled": [{"name": "*"}]}).score == ()
    assert profile(multiPoint={"disabled": [{"name": "*"}]}).filter == ()


def test_a_plugin_named_in_its_own_point_runs_before_the_multi_point_ones() -> None:
    built = profile(filter={"enabled": [{"name": "NodeResourcesFit"}]})

    assert names(built.filter)[:2] == ["NodeResourcesFit", "NodeUnschedulable"]
    assert names(built.filter).count("NodeResourcesFit") == 1


def test_a_plugin_taken_out_and_put_back_runs_last() -> None:
    fit = [{"name": "NodeResourcesFit"}]
    built = profile(filter={"disabled": fit, "enabled": fit})

    assert names(built.filter)[-1] == "NodeResourcesFit"


def test_a_weight_in_the_score_point_beats_the_multi_point_one() -> None:
    built = profile(
        score={"enabled": [{"name": "ImageLocality", "weight": 9}]},
        multiPoint={"enabled": [{"name": "ImageLocality", "weight": 5}]},
    )

    assert weights(built)["ImageLocality"] == 9


def test_a_multi_point_plugin_keeps_its_place_and_takes_the_new_weight() -> None:
    built = profile(multiPoint={"enabled": [{"name": "NodeAffinity"}]})

    assert names(built.filter) == FILTERS_134
    assert weights(built)["NodeAffinity"] == 1


def test_plugins_that_are_not_replayed_are_named() -> None:
    assert profile(filter={"enabled": [{"name": "Coscheduling"}]}).not_modelled == ("Coscheduling",)


ALL_POINTS = {
    "preEnqueue",
    "preFilter",
    "filter",
    "postFilter",
    "preScore",
    "score",
    "reserve",
    "permit",
    "preBind",
    "queueSort",
}


def test_what_is_not_replayed_has_its_extension_points() -> None:
    own = {"enabled": [{"name": "Own"}]}

    assert profile(score=own, permit=own).unknown == {"Own": {"score", "permit"}}
    assert profile(multiPoint=own).unknown == {"Own": ALL_POINTS}
    assert profile(
        multiPoint=own, filter={"disabled": [{"name": "Own"}]}, score={"disabled": [{"name": "*"}]}
    ).unknown == {"Own": ALL_POINTS - {"filter", "score"}}


def test_another_order_of_the_queue_counts_in_play_only() -> None:
    sort = {"disabled": [{"name": "PrioritySort"}], "enabled": [{"name": "Own"}]}
    built = profile(queueSort=sort)

    assert built.not_modelled == ()
    assert built.not_modelled_in_play == ("Own",)


def test_who_binds_has_no_say() -> None:
    own = {"enabled": [{"name": "Own"}]}

    assert profile(bind=own, postBind=own).unknown == {}


def test_post_filters_follow_the_profile() -> None:
    assert profile().post_filter == ("DynamicResources", "DefaultPreemption")
    without = profile(postFilter={"disabled": [{"name": "DefaultPreemption"}]})
    assert without.post_filter == ("DynamicResources",)
