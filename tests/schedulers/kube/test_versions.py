"""Releases: what a report calls them."""

import pytest

from kschedx.schedulers.kube.versions import NEWEST, OLDEST, parse_release


@pytest.mark.parametrize("minor", range(OLDEST, NEWEST + 1))
def test_a_version_that_was_never_compared_says_so(minor: int) -> None:
    mark = ", not compared with the real scheduler" if minor < 34 else ""

    assert parse_release(f"1.{minor}").name == f"kube-scheduler 1.{minor}{mark}"
