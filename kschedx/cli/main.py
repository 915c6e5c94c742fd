"""The `kschedx` command: its subcommands, and the frame that turns every end into an exit code.

0 answered; 1 a finding; 2 wrong usage; 3 input that cannot be used; 4 a fault of kschedx;
130 interrupted; 141 the reader closed the pipe. A command returns its code, or None for 0.
"""

import gc
import inspect
import io
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn

import typer

from kschedx import __version__
from kschedx.api.errors import EXIT_INPUT_UNUSABLE, KschedxError
from kschedx.cli.bash_script import BASH_SCRIPT
from kschedx.cli.check import check
from kschedx.cli.options import VERBOSE, Verbose
from kschedx.cli.preempt import preempt
from kschedx.cli.score import score
from kschedx.cli.simulate_upgrade import simulate_upgrade
from kschedx.cli.snapshot import snapshot
from kschedx.cli.verify import verify
from kschedx.cli.why import why

EXIT_FAULT: Final = 4
EXIT_INTERRUPTED: Final = 130
EXIT_PIPE_CLOSED: Final = 141
COMPLETE_VARIABLE: Final = "_KSCHEDX_COMPLETE"
_COLLECT_AFTER: Final = 500_000
"""Objects made before the collector looks for cycles: a cluster's objects live to the end."""

app = typer.Typer(
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"kschedx {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def kschedx(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
    verbose: Verbose = False,
) -> None:
    """Why is this pod Pending, can preemption help, would this upgrade deadlock?

    Answers are kube-scheduler's own, from a live cluster or a file, without touching the cluster.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _help(command: Callable[..., int | None]) -> str:
    """The docstring with each paragraph on one line: typer breaks it at the terminal's width."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


for _command in (why, preempt, score, simulate_upgrade, check, snapshot, verify):
    app.command(help=_help(_command))(_command)


def main() -> NoReturn:
    """Run the command line of this process and exit."""
    if sys.stdout is None:  # the caller closed it: nobody wants to read
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - stays open, as the real one
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that knows ASCII only
    gc.set_threshold(_COLLECT_AFTER)
    sys.exit(run(sys.argv[1:], program=_program_name()))  # noqa: TID251 - the one place that exits


def run(arguments: Sequence[str], program: str = "kschedx") -> int:
    """Run one command line; every exception ends here as an exit code and at most a few lines."""
    said: dict[str, Any] = {}
    try:
        return _invoke(program, arguments, said)
    except typer.TyperException as error:
        return _usage_error(error)
    except KschedxError as error:
        _say(f"error[{error.code}]: {error.message}", error.hint)
        return error.exit_code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        return _pipe_closed()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich turns one into the other
            return _pipe_closed()
        raise
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename}: "
        _say(f"error[system]: {place}{error.strerror or error}", None)
        return EXIT_INPUT_UNUSABLE
    except Exception as error:
        return _fault(error, verbose=VERBOSE in said)


def _invoke(program: str, arguments: Sequence[str], said: dict[str, Any]) -> int:
    if os.environ.get(COMPLETE_VARIABLE) == "source_bash":
        typer.echo(BASH_SCRIPT)
        return 0
    command = typer.main.get_command(app)
    if COMPLETE_VARIABLE in os.environ:
        command.main(arguments, prog_name="kschedx", complete_var=COMPLETE_VARIABLE)
    try:
        with command.make_context(program, list(arguments), obj=said) as context:
            result = command.invoke(context)
        sys.stdout.flush()
    except typer.Exit as end:
        return end.exit_code
    return result if isinstance(result, int) else 0


def _pipe_closed() -> int:
    # What is still buffered must not fail again when the interpreter flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return EXIT_PIPE_CLOSED


def _usage_error(error: typer.TyperException) -> int:
    context = getattr(error, "ctx", None)
    path = "kschedx" if context is None else context.command_path
    _say(
        f"error[usage]: {error.format_message().rstrip('.')}", f"{path} --help lists what it takes"
    )
    return error.exit_code


def _fault(error: Exception, *, verbose: bool) -> int:
    if verbose:
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    words = " ".join(str(error).split())
    what = f"{type(error).__name__}: {words}" if words else type(error).__name__
    hint = "please report it with the command, the input if it may be shown"
    hint += ", and this traceback" if verbose else ", and what the same command prints with -v"
    _say(f"error[fault]: kschedx {__version__} failed on its own account{place}: {what}", hint)
    return EXIT_FAULT


def _say(error: str, hint: str | None) -> None:
    typer.echo(error, err=True)
    if hint is not None:
        typer.echo(f"hint: {hint}", err=True)


def _program_name() -> str:
    """As the user typed it: kubectl runs `kubectl schedx` as a program named kubectl-schedx."""
    return "kubectl schedx" if Path(sys.argv[0]).name == "kubectl-schedx" else "kschedx"
