"""Starting up is a feature: what `kschedx --help` and completion may load."""

import subprocess
import sys

import pytest

HEAVY = ("kubernetes", "yaml", "msgspec")

REPORT_LOADED = """
import sys
from kschedx.cli.main import run

status = run(sys.argv[1:])
loaded = sorted({name.partition(".")[0] for name in sys.modules})
print("loaded:", *loaded, file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], [], ["--no-such-option"], ["why", "--help"]]
)
def test_nothing_heavy_is_loaded(arguments: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", REPORT_LOADED, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    loaded = ended.stderr.splitlines()[-1].split()

    assert loaded[0] == "loaded:"
    assert "typer" in loaded
    assert [name for name in HEAVY if name in loaded] == []
