"""Every way a command can end, as exit code, stdout and stderr."""

import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise

import pytest
import typer

from kschedx import __version__
from kschedx.api.errors import KschedxError
from kschedx.cli import main as command_line
from kschedx.cli.options import Verbose


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    """The real root command, with room for a command of the test's own."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.callback(invoke_without_command=True)(command_line.kschedx)
    monkeypatch.setattr(command_line, "app", app)
    return app


def fail_with(app: typer.Typer, error: BaseException) -> None:
    @app.command()
    def fail(verbose: Verbose = False) -> None:
        raise error


ENDS: dict[str, tuple[BaseException, int, str]] = {
    "input that cannot be used": (
        KschedxError("snapshot-not-json", "a.json, line 3: not JSON", hint="look at line 3"),
        3,
        "error[snapshot-not-json]: a.json, line 3: not JSON\nhint: look at line 3\n",
    ),
    "an error with an exit code of its own": (
        KschedxError("two-pods", "two pods are named api-7", exit_code=2),
        2,
        "error[two-pods]: two pods are named api-7\n",
    ),
    "the system refuses": (
        PermissionError(13, "Permission denied", "a.json"),
        3,
        "error[system]: a.json: Permission denied\n",
    ),
    "interrupted": (KeyboardInterrupt(), 130, ""),
    "the command's own exit code": (typer.Exit(1), 1, ""),
}


@pytest.mark.parametrize(("error", "code", "stderr"), ENDS.values(), ids=ENDS.keys())
def test_ends(
    app: typer.Typer,
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    stderr: str,
) -> None:
    fail_with(app, error)

    assert command_line.run(["fail"]) == code
    assert capsys.readouterr() == ("", stderr)


@pytest.mark.parametrize("error", [KeyError("spec"), EOFError("cut\noff"), RecursionError()])
def test_a_fault_is_one_sentence(
    app: typer.Typer, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    fail_with(app, error)

    assert command_line.run(["fail"]) == 4
    stdout, stderr = capsys.readouterr()
    sentence, hint = stderr.splitlines()
    name = type(error).__name__
    assert stdout == ""
    assert sentence.startswith(
        f"error[fault]: kschedx {__version__} failed on its own account at test_main.py:"
    )
    assert name in sentence
    assert hint.startswith("hint: please report it")


@pytest.mark.parametrize("arguments", [["-v", "fail"], ["fail", "-v"], ["fail", "--verbose"]])
def test_a_fault_shows_its_traceback_with_v(
    app: typer.Typer, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    fail_with(app, ZeroDivisionError("by zero"))

    assert command_line.run(arguments) == 4
    assert "Traceback (most recent call last):" in capsys.readouterr().err


def test_a_command_returns_its_exit_code(app: typer.Typer) -> None:
    @app.command()
    def find() -> int:
        return 1

    assert command_line.run(["find"]) == 1


USAGE = {
    "no such option": (
        ["--colour"],
        "error[usage]: No such option: --colour\nhint: kschedx --help lists what it takes\n",
    ),
    "no such command": (
        ["whi"],
        "error[usage]: No such command 'whi'\nhint: kschedx --help lists what it takes\n",
    ),
    "no such option of a command": (
        ["fail", "-x"],
        "error[usage]: No such option: -x\nhint: kschedx fail --help lists what it takes\n",
    ),
}


@pytest.mark.parametrize(("arguments", "stderr"), USAGE.values(), ids=USAGE.keys())
def test_wrong_usage(
    app: typer.Typer, capsys: pytest.CaptureFixture[str], arguments: list[str], stderr: str
) -> None:
    fail_with(app, ValueError())

    assert command_line.run(arguments) == 2
    assert capsys.readouterr() == ("", stderr)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.run(["--version"]) == 0
    assert capsys.readouterr() == (f"kschedx {__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
def test_help(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert command_line.run(arguments) == 0
    stdout, stderr = capsys.readouterr()
    assert "Usage: kschedx [OPTIONS] COMMAND [ARGS]..." in stdout
    assert stderr == ""


COMMANDS = ["why", "preempt", "score", "simulate-upgrade", "check", "snapshot", "verify"]


@pytest.mark.parametrize("width", [80, 100, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_breaks_lines_at_the_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    assert command_line.run([command, "--help"]) == 0
    prose = [line.strip() for line in capsys.readouterr().out.partition("╭")[0].splitlines()]

    room = width - 2
    early = [
        (line, following)
        for line, following in pairwise(prose)
        if line and following and len(f"{line} {following.split()[0]}") <= room
    ]
    assert early == []


def test_usage_names_the_kubectl_plugin_as_it_was_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command_line.run(["--colour"], program="kubectl schedx") == 2
    assert "hint: kubectl schedx --help" in capsys.readouterr().err


def run_process(*arguments: str, close_stdout: Callable[[], int] | None = None) -> tuple[int, str]:
    process = subprocess.run(
        [sys.executable, "-m", "kschedx", *arguments],
        stdout=subprocess.PIPE if close_stdout is None else close_stdout(),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    return process.returncode, process.stderr


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_a_closed_pipe_ends_quietly(arguments: list[str]) -> None:
    def pipe_without_reader() -> int:
        reader, writer = os.pipe()
        os.close(reader)
        return writer

    assert run_process(*arguments, close_stdout=pipe_without_reader) == (141, "")


def test_a_standard_output_that_is_closed_from_the_start() -> None:
    command = 'exec "$0" -m kschedx why prod/api-7 -f example:pending --no-hints >&-'
    process = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable], stderr=subprocess.PIPE, text=True, check=False
    )

    assert (process.returncode, process.stderr) == (0, "")


def test_a_full_disk_is_no_fault_of_ours() -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        ended = run_process("--version", close_stdout=full.fileno)

    assert ended == (3, "error[system]: No space left on device\n")
