"""From the options to a scheduler."""

from pathlib import Path

import pytest

from kschedx.api.errors import KschedxError
from kschedx.cli.main import run
from kschedx.cli.reading import parse_gates

GATES: dict[str, tuple[tuple[str, ...], dict[str, bool]]] = {
    "none": ((), {}),
    "one": (("A=true",), {"A": True}),
    "several in one option": (("A=true,B=false",), {"A": True, "B": False}),
    "several options": (("A=true", "B=false"), {"A": True, "B": False}),
    "the later wins": (("A=true,B=true", "A=false"), {"A": False, "B": True}),
    "written as people do": ((" A = True , B=FALSE,",), {"A": True, "B": False}),
}
WRONG = {
    "no value": ("A", "'A'"),
    "no name": ("=true", "'=true'"),
    "neither true nor false": ("A=true,B=maybe", "'B=maybe'"),
    "two in one": ("A=true=false", "'A=true=false'"),
    "nothing but a space": ("A=true, ", "' '"),
}


@pytest.mark.parametrize(("texts", "expected"), GATES.values(), ids=GATES)
def test_gates(texts: tuple[str, ...], expected: dict[str, bool]) -> None:
    assert parse_gates(texts) == expected


@pytest.mark.parametrize(("text", "part"), WRONG.values(), ids=WRONG)
def test_the_part_that_sets_no_gate_is_named(text: str, part: str) -> None:
    with pytest.raises(KschedxError) as error:
        parse_gates([text])

    assert error.value.message == f"{part} does not set a feature gate"
    assert error.value.exit_code == 2


CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
"""
REFUSED_CONFIGURATIONS = {
    "a misspelt field": (
        "profiles:\n- pluginz: {}\n",
        "error[scheduler-config-unreadable]: {path}: profiles[0].pluginz: unknown field\n"
        "hint: near names: plugins, pluginConfig\n",
    ),
    "a field twice": (
        "parallelism: 3\nparallelism: 4\n",
        "error[duplicate-key]: {path}, line 4: 'parallelism' is there twice\n",
    ),
}


@pytest.mark.parametrize(
    ("text", "stderr"), REFUSED_CONFIGURATIONS.values(), ids=REFUSED_CONFIGURATIONS
)
def test_a_scheduler_configuration_is_read_strictly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, stderr: str
) -> None:
    path = tmp_path / "scheduler.yaml"
    path.write_text(CONFIGURATION + text)

    assert run(["why", "-f", "example:pending", "--scheduler-config", str(path)]) == 3
    assert capsys.readouterr() == ("", stderr.format(path=path))


CLUSTER_OPTIONS = {
    "--context": "--context names a cluster",
    "--kubeconfig": "--kubeconfig names a cluster",
    "--request-timeout": "--request-timeout is for a cluster",
}
COMMANDS = {
    "why": (),
    "preempt": ("prod/api-7",),
    "score": ("prod/api-7",),
    "simulate-upgrade": ("--all",),
    "snapshot": ("-",),
    "verify": (),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("option", "what"), CLUSTER_OPTIONS.items())
def test_files_or_a_cluster(
    capsys: pytest.CaptureFixture[str], command: str, option: str, what: str
) -> None:
    arguments = (command, *COMMANDS[command], "-f", "example:pending", option, "5")

    assert run(arguments) == 2
    assert capsys.readouterr() == (
        "",
        f"error[options-contradict]: -f reads files, {what}: use one\n",
    )
