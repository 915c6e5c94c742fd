"""The README shows what the command prints, and names what is replayed."""

from pathlib import Path

from kschedx.schedulers.kube.profile import PLUGINS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
GOLDEN = ROOT / "tests" / "fixtures" / "goldens" / "why" / "pending" / "api-7.txt"


def test_the_screen_is_real() -> None:
    assert (
        f"```console\n$ kschedx why prod/api-7 -f example:pending\n{GOLDEN.read_text()}```"
        in README
    )


def test_every_plugin_is_named() -> None:
    named = {"SchedulingGates": "scheduling gates"}

    assert [p.name for p in PLUGINS if named.get(p.name, p.name) not in README] == []
