"""The README shows what the command prints, and names what is replayed."""

from pathlib import Path

import pytest

from kschedx.cli.main import run
from kschedx.schedulers.kube.profile import PLUGINS

README = (Path(__file__).parents[1] / "README.md").read_text()
COMMAND = "why prod/api-7 -f example:pending"


def test_the_screen_is_real(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(COMMAND.split()) == 0
    assert f"```console\n$ kschedx {COMMAND}\n{capsys.readouterr().out}```" in README


def test_every_plugin_is_named() -> None:
    named = {"SchedulingGates": "scheduling gates"}

    assert [p.name for p in PLUGINS if named.get(p.name, p.name) not in README] == []
