"""`kschedx snapshot` and `kschedx verify` from the command line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kschedx.cli.live import parse_duration
from kschedx.cli.main import run

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"
Captured = pytest.CaptureFixture[str]

WRITTEN = """
Cluster  v1.35.4
Objects  27 Pod, 12 Node, 5 Namespace, 5 StatefulSet, 3 PriorityClass, 2 Job, 1 Deployment, 1
         PodDisruptionBudget, 1 of other kinds
"""


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No cluster of the user's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)


def test_text(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert run(["snapshot", "s.json", "-f", "example:pending", "--complete"]) == 0
    stdout, stderr = capsys.readouterr()
    first, _, rest = stdout.partition("\n")
    size = Path("s.json").stat().st_size / 1000
    assert first == f"s.json: 57 objects, {size:.1f} kB written"
    assert rest == WRITTEN
    assert stderr == ""


@pytest.mark.parametrize("redact", [(), ("--redact",)])
def test_json(tmp_path: Path, capsys: Captured, redact: tuple[str, ...]) -> None:
    file = str(tmp_path / "s.json.gz")

    assert run(["snapshot", file, "-f", "example:volumes", "-o", "json", *redact]) == 0
    report = json.loads(capsys.readouterr().out)
    jsonschema.validate(report, json.loads((SCHEMAS / "snapshot.json").read_text()))
    assert (report["redacted"], report["replayed"]) == ((True, 4) if redact else (False, 0))
    assert report["sizeBytes"] == Path(file).stat().st_size


def test_the_answer_from_the_file_is_the_same(tmp_path: Path, capsys: Captured) -> None:
    file = str(tmp_path / "s.json")
    run(["snapshot", file, "-f", "example:spread"])
    capsys.readouterr()

    run(["why", "-o", "json", "-f", "example:spread"])
    before = capsys.readouterr().out
    run(["why", "-o", "json", "-f", file])
    assert capsys.readouterr().out == before


def test_standard_output() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "kschedx", "snapshot", "-", "-f", "example:spread"],
        capture_output=True,
        check=False,
    )

    assert (ended.returncode, ended.stderr) == (0, b"")
    assert json.loads(ended.stdout)["kind"] == "List"


def test_no_cluster(tmp_path: Path, capsys: Captured) -> None:
    assert run(["snapshot", str(tmp_path / "s.json")]) == 3
    assert capsys.readouterr() == (
        "",
        "error[no-cluster]: there is no kubeconfig, and this is no pod with a service account\n"
        "hint: -f FILE reads a snapshot; --kubeconfig PATH names a cluster\n",
    )


VERIFIED = """\
Agrees with the cluster's own scheduler on 5 of 5 Pending pods (100.0 %)
kube-scheduler 1.35

Drift: none, 22 pods would pass every rule on their nodes again
"""


def test_verify(capsys: Captured) -> None:
    assert run(["verify", "-f", "example:pending"]) == 0
    assert capsys.readouterr() == (VERIFIED, "")


def disagreeing(folder: Path) -> str:
    """A cluster that says of a pod what is not so, and a pod that has drifted."""
    file = folder / "cluster.json"
    room = {"cpu": "4", "memory": "8Gi", "pods": "10"}
    taint = {"key": "k", "effect": "NoSchedule"}
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    pods: dict[str, dict[str, Any]] = {
        "p": {
            "spec": {"containers": [{"name": "main"}]},
            "status": {
                "phase": "Pending",
                "conditions": [condition | {"message": "0/2 nodes are available: 2 x."}],
            },
        },
        "q": {"spec": {"nodeName": "n1", "containers": [{"name": "main"}]}},
    }
    node = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "n1", "uid": "n"},
        "spec": {"taints": [taint]},
        "status": {"allocatable": room, "capacity": room},
    }
    items = [node] + [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "uid": name}, **rest}
        for name, rest in pods.items()
    ]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return str(file)


def test_a_disagreement_ends_with_1(tmp_path: Path, capsys: Captured) -> None:
    assert run(["verify", "-f", disagreeing(tmp_path), "--complete"]) == 1
    stdout, _ = capsys.readouterr()
    lines = [line.split() for line in stdout.splitlines()]
    assert "Agrees with the cluster's own scheduler on 0 of 1 Pending pod (0.0 %)" in stdout
    assert ["default/p", *["recorded", "of", "2", "nodes,", "replayed", "on", "1"]] in lines
    assert "Drift: 1 of 1 pod would not get its node again" in stdout


def test_verify_json(tmp_path: Path, capsys: Captured) -> None:
    run(["verify", "-f", disagreeing(tmp_path), "--complete", "-o", "json"])
    report = json.loads(capsys.readouterr().out)

    jsonschema.validate(report, json.loads((SCHEMAS / "verify.json").read_text()))
    assert report["finding"] is True
    assert report["pending"] == {"differs": 1}
    assert [drift["causes"][0]["code"] for drift in report["drifted"]] == ["untolerated-taint"]


DURATIONS = {"30s": 30.0, "2m": 120.0, "1h30m": 5400.0, "45": 45.0, "0": None, "1.5s": 1.5}


@pytest.mark.parametrize(("text", "seconds"), DURATIONS.items())
def test_durations(text: str, seconds: float | None) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "soon", "-1s", "1d"])
def test_no_durations(capsys: Captured, text: str) -> None:
    kubeconfig = ("--kubeconfig", "/dev/null")
    assert run(["why", *kubeconfig, f"--request-timeout={text}"]) == 2
    assert "is not a duration" in capsys.readouterr().err


@pytest.mark.parametrize("redact", [(), ("--redact",)])
def test_no_secret_gets_into_the_file(
    tmp_path: Path, capsys: Captured, redact: tuple[str, ...]
) -> None:
    secret = "hunter2"
    about: dict[str, Any] = {"namespace": "prod", "annotations": {"vault/token": secret}}
    container = {
        "name": "main",
        "image": "registry.test/app:1",
        "args": [secret],
        "env": [{"name": "PASSWORD", "value": secret}],
        "lifecycle": {"preStop": {"exec": {"command": [secret]}}},
    }
    spec = {"containers": [container], "initContainers": [container | {"name": "init"}]}
    template = {"metadata": {"annotations": about["annotations"]}, "spec": spec}
    items = [
        {"apiVersion": "v1", "kind": "Secret", "metadata": about, "data": {"a": secret}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": about, "data": {"a": secret}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec},
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": about,
            "spec": {"template": template, "selector": {"matchLabels": {"a": "b"}}},
        },
    ]
    for number, each in enumerate(items):
        each["metadata"] = about | {"name": f"x{number}", "uid": f"u{number}"}
    source, file = tmp_path / "all.json", tmp_path / "s.json"
    source.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))

    assert run(["snapshot", str(file), "-f", str(source), *redact]) == 0
    written = file.read_text()
    assert json.loads(written)["items"][0]["kind"] == "Pod"
    assert [word for word in (secret, "PASSWORD", "ConfigMap", "Secret") if word in written] == []


@pytest.mark.parametrize("kind", ["Pod", "Node"])
def test_a_snapshot_without_pods_or_nodes_answers_nothing(
    tmp_path: Path, capsys: Captured, kind: str
) -> None:
    said = {"kschedx.io/complete": "true", "kschedx.io/unread": f"CSINode,{kind}"}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a"}}
    content = {"apiVersion": "v1", "kind": "List", "metadata": {"annotations": said}}
    file = tmp_path / "s.json"
    file.write_text(json.dumps(content | {"items": [namespace]}))

    assert run(["verify", "-f", str(file)]) == 3
    assert capsys.readouterr().err.startswith(
        f"error[essential-unread]: the snapshot was taken without listing {kind.lower()}s"
    )
    assert run(["snapshot", str(tmp_path / "again.json"), "-f", str(file)]) == 0
