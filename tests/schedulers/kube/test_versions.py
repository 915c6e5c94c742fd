"""Releases: what a report calls them."""

import pytest

from kschedx.api.errors import KschedxError
from kschedx.schedulers.kube.feature_gates import NOT_REPLAYED, ON_FROM, WITHOUT_EFFECT
from kschedx.schedulers.kube.versions import NEWEST, OLDEST, parse_release


@pytest.mark.parametrize("minor", range(OLDEST, NEWEST + 1))
def test_a_version_that_was_never_compared_says_so(minor: int) -> None:
    mark = ", not compared with the real scheduler" if minor < 34 else ""

    assert parse_release(f"1.{minor}").name == f"kube-scheduler 1.{minor}{mark}"


def test_a_gate_that_nobody_knows_is_wrong_usage() -> None:
    with pytest.raises(KschedxError, match="'Nope' is not known") as raised:
        parse_release("1.35", {"Nope": True})

    assert raised.value.exit_code == 2


def test_a_gate_that_is_nearly_one_is_told_which() -> None:
    with pytest.raises(KschedxError) as raised:
        parse_release("1.35", {"SchedulerQueueingHint": True})

    assert raised.value.hint == "near it: SchedulerQueueingHints, SchedulerPreQueueingHints"


def test_a_cluster_s_whole_list_of_gates_is_taken_and_what_alters_nothing_is_left_out() -> None:
    given = {"WatchList": True, "DRADeviceTaints": True, "PodLevelResources": False}

    assert parse_release("1.35", given) == parse_release("1.35", {"PodLevelResources": False})


@pytest.mark.parametrize(("gate", "setting"), sorted(NOT_REPLAYED.items()))
def test_a_setting_that_is_not_replayed_is_refused_and_its_opposite_is_not(
    gate: str, setting: bool
) -> None:
    with pytest.raises(KschedxError, match="is not replayed") as raised:
        parse_release("1.35", {gate: setting})

    assert raised.value.exit_code == 2
    assert parse_release("1.35", {gate: not setting}) == parse_release("1.35")


def test_no_gate_stands_twice() -> None:
    assert not ON_FROM.keys() & WITHOUT_EFFECT
    assert not (ON_FROM.keys() | WITHOUT_EFFECT) & NOT_REPLAYED.keys()
