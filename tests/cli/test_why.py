"""`kschedx why` from the command line: what it prints, where, and how it ends."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from kschedx.cli.main import run
from kschedx.snapshot.sources import example_names

API_7 = ("why", "prod/api-7", "-f", "example:pending")

ENDS: dict[str, tuple[tuple[str, ...], int]] = {
    "answered": (API_7, 0),
    "something is in the way": ((*API_7, "--exit-code"), 1),
    "nothing is in the way": (("why", "api-2", "-f", "example:pending", "--exit-code"), 0),
    "all Pending pods": (("why", "-f", "example:pending", "--exit-code"), 1),
    "no Pending pod": (("why", "-n", "kube-system", "-f", "example:pending", "--exit-code"), 0),
    "a workload that is well": (("why", "deploy/web", "-f", "example:pending", "--exit-code"), 0),
    "a workload with Pending pods": (("why", "sts/api", "-f", "example:pending", "--exit-code"), 1),
}


@pytest.mark.parametrize(("arguments", "code"), ENDS.values(), ids=ENDS.keys())
def test_ends(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int) -> None:
    assert run(arguments) == code
    stdout, stderr = capsys.readouterr()
    assert stdout
    assert stderr == ""


REFUSED: dict[str, tuple[tuple[str, ...], int, str]] = {
    "no such pod": (
        ("why", "prod/api-77", "-f", "example:pending"),
        3,
        "error[no-such-pod]: no pod api-77 in namespace prod\n"
        "hint: near names: prod/api-7, prod/api-6, prod/api-5\n",
    ),
    "no such node": (
        (*API_7, "--node", "worker-9"),
        3,
        "error[no-such-node]: no node worker-9\nhint: near names: worker-5, worker-4, worker-3\n",
    ),
    "no such file": (
        ("why", "-f", "/no/such/file"),
        3,
        "error[no-such-file]: /no/such/file: no such file\nhint: name a file, a folder or -\n",
    ),
    "no such example": (
        ("why", "-f", "example:none"),
        3,
        "error[no-such-example]: there is no example 'none'\n"
        f"hint: examples: {', '.join(example_names())}\n",
    ),
    "a version that is not known": (
        (*API_7, "--k8s-version", "1.20"),
        2,
        "error[unknown-version]: Kubernetes version '1.20' is not one of 1.30 to 1.37\n"
        "hint: --k8s-version 1.35 replays that version's scheduler\n",
    ),
    "an empty name": (
        ("why", "prod/", "-f", "example:pending"),
        2,
        "error[not-a-name]: 'prod/' names nothing\n"
        "hint: POD, NAMESPACE/POD or KIND/NAME, such as prod/api-7 or deploy/web\n",
    ),
    "two namespaces": (
        (*API_7, "-n", "batch"),
        2,
        "error[options-contradict]: prod/api-7 is in namespace prod, not in batch\n"
        "hint: leave out -n, or the namespace before the slash\n",
    ),
    "a gate without a value": (
        (*API_7, "--feature-gate", "PodLevelResources"),
        2,
        "error[not-a-feature-gate]: 'PodLevelResources' does not set a feature gate\n"
        "hint: write NAME=true or NAME=false\n",
    ),
    "one gate of several without a value": (
        (*API_7, "--feature-gate", "PodLevelResources=true,SidecarContainers"),
        2,
        "error[not-a-feature-gate]: 'SidecarContainers' does not set a feature gate\n"
        "hint: write NAME=true or NAME=false\n",
    ),
    "a name and labels": (
        (*API_7, "-l", "app=api"),
        2,
        "error[options-contradict]: a name and -l cannot both be given\nhint: kschedx why --help\n",
    ),
    "one node and all": (
        (*API_7, "--node", "worker-1", "--nodes"),
        2,
        "error[options-contradict]: --node and --nodes cannot both be given\n"
        "hint: kschedx why --help\n",
    ),
    "a node for all pods": (
        ("why", "-f", "example:pending", "--node", "worker-1"),
        2,
        "error[options-contradict]: --node needs a pod to look at there\nhint: kschedx why --help\n",
    ),
    "labels that are none": (
        ("why", "-f", "example:pending", "-l", "app in ("),
        2,
        "error[not-a-selector]: 'app in (' is not a label selector: not understood from "
        "'app in (' on\nhint: written as for kubectl: app=web,tier in (a, b),!legacy\n",
    ),
    "a format that is none": (
        (*API_7, "-o", "xml"),
        2,
        "error[usage]: Invalid value for '--output' / '-o': Value error, 'xml' is not one of "
        "'text', 'json', 'yaml'\nhint: kschedx why --help lists what it takes\n",
    ),
}


@pytest.mark.parametrize(("arguments", "code", "stderr"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, stderr: str
) -> None:
    assert run(arguments) == code
    assert capsys.readouterr() == ("", stderr)


def test_json_says_what_text_says(capsys: pytest.CaptureFixture[str]) -> None:
    run(API_7)
    headline = capsys.readouterr().out.splitlines()[0]
    run((*API_7, "-o", "json"))
    document = json.loads(capsys.readouterr().out)

    assert (document["apiVersion"], document["kind"]) == ("kschedx.io/v1", "WhyReport")
    assert document["explanations"][0]["message"] == headline


def test_a_new_node_as_a_what_if(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    larger = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "large-1", "labels": {"disktype": "ssd"}},
        "status": {"capacity": {"cpu": "64", "memory": "256Gi", "pods": "110"}},
    }
    (tmp_path / "node.json").write_text(json.dumps(larger))

    assert run((*API_7, "--with", str(tmp_path / "node.json"))) == 0
    assert capsys.readouterr().out.startswith(
        "prod/api-7 is Pending and would fit then: the scheduler would take large-1\n"
    )


def test_a_pod_gone_as_a_what_if(capsys: pytest.CaptureFixture[str]) -> None:
    assert run((*API_7, "--without", "pod/prod/low")) == 0
    assert capsys.readouterr().out.startswith(
        "prod/api-7 is Pending and would fit then: the scheduler would take worker-2\n"
    )


def test_another_version(capsys: pytest.CaptureFixture[str]) -> None:
    run((*API_7, "--k8s-version", "1.33"))

    assert "had untolerated taint {dedicated: gpu}" in " ".join(capsys.readouterr().out.split())


def test_a_scheduler_configuration(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    configuration = tmp_path / "config.yaml"
    configuration.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\n"
        "kind: KubeSchedulerConfiguration\n"
        "profiles:\n"
        "- schedulerName: default-scheduler\n"
        "  plugins: {filter: {disabled: [{name: NodeResourcesFit}]}}\n"
    )

    assert run((*API_7, "--scheduler-config", str(configuration))) == 0
    assert capsys.readouterr().out.startswith("prod/api-7 is Pending but fits now")


def test_notes_go_to_stderr_unless_quiet(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "low", "namespace": "prod", "uid": "other"},
        "spec": {"nodeName": "worker-2", "containers": [{"name": "a"}]},
    }
    (tmp_path / "pod.json").write_text(json.dumps(other))
    arguments = (*API_7, "-f", str(tmp_path / "pod.json"))

    run(arguments)
    assert capsys.readouterr().err.startswith("note: ")
    run((*arguments, "-q"))
    assert capsys.readouterr().err == ""


def test_verbose_tells_what_was_read(capsys: pytest.CaptureFixture[str]) -> None:
    run((*API_7, "-v"))

    assert "12 Node" in capsys.readouterr().err


def test_same_input_same_bytes() -> None:
    def output(seed: str, columns: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": seed, "COLUMNS": columns}
        command = [sys.executable, "-m", "kschedx", "why", "-f", "example:spread"]
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    assert output("1", "60") == output("2", "200")


def on_terminal(*arguments: str, columns: int, **environment: str) -> str:
    """What the command prints on a terminal of that width."""
    main, side = pty.openpty()
    os.set_blocking(main, True)
    process = subprocess.Popen(
        [
            "sh",
            "-c",
            f'stty cols {columns} && exec "$0" -m kschedx "$@"',
            sys.executable,
            *arguments,
        ],
        stdin=side,
        stdout=side,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment},
    )
    os.close(side)
    chunks = []
    try:
        while chunk := os.read(main, 65536):
            chunks.append(chunk)
    except OSError:  # Linux reports the closed side as an input/output error
        pass
    finally:
        os.close(main)
        process.wait()
    return b"".join(chunks).decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_its_own_width() -> None:
    text = on_terminal(*API_7, columns=140)

    assert "\x1b[" in text
    assert "closest worker-2: needs 9 cpu, 3 of 12 free" in text


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(("--no-color",), {}), ((), {"NO_COLOR": "1"}), ((), {"TERM": "dumb"})],
    ids=["--no-color", "NO_COLOR", "a terminal that has none"],
)
def test_no_colour(arguments: tuple[str, ...], environment: dict[str, str]) -> None:
    assert "\x1b" not in on_terminal(*API_7, *arguments, columns=100, **environment)
