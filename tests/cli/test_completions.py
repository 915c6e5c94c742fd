"""The shipped completion scripts are those that the command prints.

To write them anew: `python -m tests.cli.test_completions`.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

COMPLETIONS = Path(__file__).parents[2] / "completions"
SCRIPTS = {"bash": "kschedx.bash", "zsh": "_kschedx", "fish": "kschedx.fish"}


def printed(shell: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", "kschedx"],
        env={**os.environ, "_KSCHEDX_COMPLETE": f"source_{shell}"},
        capture_output=True,
        text=True,
        check=True,
    )
    # zsh looks for #compdef in the first line only.
    return ended.stdout.strip() + "\n"


@pytest.mark.parametrize("shell", SCRIPTS)
def test_script_is_current(shell: str) -> None:
    assert (COMPLETIONS / SCRIPTS[shell]).read_text() == printed(shell)


def test_nothing_else_is_shipped() -> None:
    assert {path.name for path in COMPLETIONS.iterdir()} == set(SCRIPTS.values())


if __name__ == "__main__":
    COMPLETIONS.mkdir(exist_ok=True)
    for shell, name in SCRIPTS.items():
        (COMPLETIONS / name).write_text(printed(shell))
