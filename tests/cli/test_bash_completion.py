"""The completion script in a real bash, which ends words at ":" and "=" too."""

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kschedx.cli.bash_script import BASH_SCRIPT
from kschedx.snapshot.sources import example_names

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash here")

PROMPT = "ready> "
ASK = """
COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
_kschedx_completion kschedx
printf '%s\\n' "${COMPREPLY[@]}"
"""
SPLIT: dict[str, tuple[str, str, list[str]]] = {
    "an example": ("why -f example:pe", "why -f example : pe", ["pending"]),
    "the examples": ("why -f example:", "why -f example :", example_names()),
    "with an equals sign": (
        "why --filename=example:pe",
        "why --filename = example : pe",
        ["pending"],
    ),
    "a value after an equals sign": (
        "why -f example:pending --namespace=k",
        "why -f example : pending --namespace = k",
        ["kube-system"],
    ),
    "a word after an example": (
        "why -f example:pending  prod/a",
        "why -f example : pending prod/a",
        ["prod/api-7"],
    ),
    "a word not begun": (
        "why -f example:pending -n prod ",
        "why -f example : pending -n prod ",
        ["api-7"],
    ),
    "in quotes": ("why -f 'example:pe", "why -f 'example:pe", ["example:pending"]),
}


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """No cluster of the user's own, and a `kschedx` on the path."""
    program = tmp_path / "bin" / "kschedx"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m kschedx "$@"\n')
    program.chmod(0o755)
    root = Path(__file__).parents[2]
    return {
        "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(root),
        "HOME": str(tmp_path),
        "TERM": "dumb",
        "PS1": PROMPT,
    }


@pytest.mark.parametrize(("line", "words", "expected"), SPLIT.values(), ids=SPLIT)
def test_words_are_put_together(
    environment: dict[str, str], line: str, words: str, expected: list[str]
) -> None:
    assert BASH is not None
    arguments = [f"kschedx {line}", "kschedx", *words.split(" ")]
    ended = subprocess.run(
        [BASH, "--norc", "-c", BASH_SCRIPT + ASK, "bash", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ended.stdout.split() == expected


def test_a_tab_in_a_terminal(environment: dict[str, str], tmp_path: Path) -> None:
    """What the words above are taken from: bash as a person has it."""
    assert BASH is not None
    (tmp_path / "script").write_text(BASH_SCRIPT)
    terminal, far_end = pty.openpty()
    shell = subprocess.Popen(
        [BASH, "--norc", "--noprofile", "-i"],
        env=environment,
        stdin=far_end,
        stdout=far_end,
        stderr=far_end,
        start_new_session=True,
    )
    try:
        read_until(terminal, PROMPT)
        os.write(terminal, f"source {tmp_path}/script\n".encode())
        read_until(terminal, PROMPT)
        os.write(terminal, b"kschedx why -f example:pe\t")
        assert read_until(terminal, "example:pending ").count("example:") == 1
    finally:
        shell.kill()
        shell.wait()
        os.close(terminal)
        os.close(far_end)


def read_until(terminal: int, text: str, *, seconds: float = 30) -> str:
    """What the terminal shows up to `text`, or all within that time."""
    shown, end = "", time.monotonic() + seconds
    while text not in shown and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            shown += os.read(terminal, 4096).decode(errors="replace")
    assert text in shown
    return shown
