"""Releases: what a report calls them."""

import pytest

from kschedx.api.errors import KschedxError
from kschedx.schedulers.kube.versions import NEWEST, OLDEST, parse_release


@pytest.mark.parametrize("minor", range(OLDEST, NEWEST + 1))
def test_a_version_that_was_never_compared_says_so(minor: int) -> None:
    mark = ", not compared with the real scheduler" if minor < 34 else ""

    assert parse_release(f"1.{minor}").name == f"kube-scheduler 1.{minor}{mark}"


def test_a_gate_that_nobody_knows_is_wrong_usage() -> None:
    with pytest.raises(KschedxError, match="'Nope' is not known") as raised:
        parse_release("1.35", {"Nope": True})

    assert raised.value.exit_code == 2
