"""A bar for who waits at a terminal, and for nobody else."""

import io
import time

import pytest

from kschedx.render import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, seconds: float, *, wanted: bool = True) -> str:
    with progress.waiting(stream, wanted=wanted) as bar:
        bar.told("pods", 500, 1_200)
        time.sleep(seconds)
        bar.told("pods", 1_200, 1_200)
    return stream.getvalue()


def test_a_pipe_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)

    assert shown(io.StringIO(), 0.3) == ""


def test_who_wants_no_bar_sees_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)

    assert shown(Terminal(), 0.3, wanted=False) == ""


def test_a_short_wait_shows_nothing() -> None:
    assert shown(Terminal(), 0.0) == ""


def test_a_long_wait_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)

    assert "500 of 1,200" in shown(Terminal(), 0.5)
