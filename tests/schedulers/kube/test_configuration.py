from typing import Any

import pytest

from kschedx.api.errors import KschedxError
from kschedx.schedulers.kube.configuration import (
    API_VERSION,
    KIND,
    Configuration,
    Extender,
    PluginSet,
    ProfileSpec,
    parse_configuration,
)


def configuration(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": API_VERSION, "kind": KIND, **fields}


def test_nothing_configured_is_one_default_profile() -> None:
    assert parse_configuration(configuration()) == Configuration((ProfileSpec(),), ())


def test_a_profile_keeps_its_points_args_and_weights() -> None:
    parsed = parse_configuration(
        configuration(
            percentageOfNodesToScore=50,
            profiles=[
                {
                    "schedulerName": "batch",
                    "plugins": {
                        "score": {
                            "enabled": [{"name": "ImageLocality", "weight": 7}, {"name": "X"}],
                            "disabled": [{"name": "*"}],
                        }
                    },
                    "pluginConfig": [{"name": "X", "args": {"a": 1}}],
                },
                {"percentageOfNodesToScore": 100},
            ],
            extenders=[
                {
                    "urlPrefix": "http://127.0.0.1:1",
                    "filterVerb": "filter",
                    "managedResources": [
                        {"name": "example.com/a", "ignoredByScheduler": True},
                        {"name": "example.com/b"},
                    ],
                }
            ],
        )
    )

    assert parsed == Configuration(
        (
            ProfileSpec(
                "batch",
                {"score": PluginSet((("ImageLocality", 7), ("X", 0)), ("*",))},
                {"X": {"a": 1}},
                50,
            ),
            ProfileSpec("default-scheduler", percentage_of_nodes_to_score=100),
        ),
        (Extender("http://127.0.0.1:1", filters=True, ignored_resources=("example.com/a",)),),
    )


UNREADABLE = {
    "a list": ([], "top level: expected a mapping, found list"),
    "another kind": (
        {"apiVersion": "v1", "kind": "Pod"},
        "top level: found 'Pod' of 'v1'",
    ),
    "an older version": (
        {"apiVersion": "kubescheduler.config.k8s.io/v1beta3", "kind": KIND},
        f"top level: found '{KIND}' of 'kubescheduler.config.k8s.io/v1beta3'",
    ),
    "profiles that are no list": (
        configuration(profiles={}),
        "profiles: expected a list, found dict",
    ),
    "a plugin without a name": (
        configuration(profiles=[{"plugins": {"filter": {"enabled": [{}]}}}]),
        "profiles[0].plugins.filter.enabled[0]: a name is missing",
    ),
    "a weight that is text": (
        configuration(
            profiles=[{"plugins": {"score": {"enabled": [{"name": "A", "weight": "x"}]}}}]
        ),
        "profiles[0].plugins.score.enabled[0].weight: expected a whole number, found 'x'",
    ),
    "arguments twice": (
        configuration(profiles=[{"pluginConfig": [{"name": "A"}, {"name": "A"}]}]),
        "profiles[0].pluginConfig[1]: plugin A is configured twice",
    ),
    "one name for two profiles": (
        configuration(profiles=[{}, {}]),
        "profiles: schedulerName 'default-scheduler' is there twice",
    ),
}


@pytest.mark.parametrize(("value", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_named_with_its_place(value: object, message: str) -> None:
    with pytest.raises(KschedxError) as error:
        parse_configuration(value)

    assert error.value.message == f"scheduler configuration: {message}"


def test_errors_name_the_file() -> None:
    with pytest.raises(KschedxError) as error:
        parse_configuration([], "scheduler.yaml")

    assert error.value.message == "scheduler.yaml: top level: expected a mapping, found list"


def test_an_unknown_field_is_an_error_with_near_names() -> None:
    with pytest.raises(KschedxError) as error:
        parse_configuration(configuration(profile=[]), "scheduler.yaml")

    assert error.value.message == "scheduler.yaml: profile: unknown field"
    assert error.value.hint == "near names: profiles"
    assert error.value.exit_code == 3


def test_several_unknown_fields_are_one_sentence() -> None:
    with pytest.raises(KschedxError) as error:
        parse_configuration(configuration(x=1, leaderElection={"leaderElectt": True}))

    assert error.value.message == (
        "scheduler configuration: x, leaderElection.leaderElectt: unknown fields"
    )
