"""What a shell offers: words from the snapshot that the command line names."""

import json
import sys
import time
from pathlib import Path

import pytest

from kschedx.cli.completion import complete_file
from kschedx.cli.kubectl_plugin import kubectl_complete
from kschedx.cli.main import COMPLETE_VARIABLE, run
from kschedx.snapshot import names
from kschedx.snapshot.sources import example_names

EXAMPLE = "-f example:pending"
OFFERED = {
    "pods that wait": (f"why {EXAMPLE} prod/a", ["prod/api-7"]),
    "pods, where none that waits is called so": (
        f"why {EXAMPLE} prod/web-6c9d7f5b8d-4",
        ["prod/web-6c9d7f5b8d-4xk2p"],
    ),
    "names within a namespace": (f"why {EXAMPLE} -n prod ", ["api-7"]),
    "names alone": (f"why {EXAMPLE} api-", ["api-7"]),
    "workloads": (f"why {EXAMPLE} deploy/", ["deploy/prod/web"]),
    "kinds": ("why d", ["deploy/", "ds/"]),
    "kinds of workloads": (f"simulate-upgrade {EXAMPLE} s", ["sts/"]),
    "nodes": (f"why {EXAMPLE} --node gpu-", ["gpu-1", "gpu-2", "gpu-3", "gpu-4"]),
    "namespaces": (f"why {EXAMPLE} -n k", ["kube-system"]),
    "examples": ("why -f example:pe", ["example:pending"]),
    "a file that is not there": ("why -f /no/such/file.json prod/", []),
}


def offered(
    words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    monkeypatch.setenv(COMPLETE_VARIABLE, "complete_fish")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", f"kschedx {words}")
    with pytest.raises(SystemExit):
        run([])
    return capsys.readouterr().out.split()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No cluster of the user's own, and more time on a busy machine."""
    monkeypatch.setattr(names, "PATIENCE_SECONDS", 20.0)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)


@pytest.mark.parametrize(("words", "expected"), OFFERED.values(), ids=OFFERED.keys())
def test_offered(
    words: str,
    expected: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert offered(words, capsys, monkeypatch) == expected


def test_contexts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kubeconfig"
    contexts = [{"name": name, "context": {"cluster": "c"}} for name in ("prod-2", "prod-1", "dev")]
    path.write_text(json.dumps({"contexts": contexts, "clusters": [], "users": []}))

    words = f"why --kubeconfig {path} --context prod"
    assert offered(words, capsys, monkeypatch) == ["prod-1", "prod-2"]


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "snapshots").mkdir()
    (tmp_path / "snapshot.json").touch()
    (tmp_path / ".hidden").touch()
    monkeypatch.chdir(tmp_path)

    assert complete_file("sn") == ["snapshot.json", "snapshots/"]
    examples = [f"example:{name}" for name in example_names()]
    assert complete_file("") == [*examples, "snapshot.json", "snapshots/"]
    assert complete_file(f"{tmp_path}/snapshots") == [f"{tmp_path}/snapshots/"]
    assert complete_file("/no/such/") == []


def test_nobody_waits_longer_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "PATIENCE_SECONDS", 0.1)
    began = time.monotonic()

    def late() -> list[str]:
        time.sleep(5)
        return ["late"]

    assert names.within_patience(late) == ()
    assert time.monotonic() - began < 4


def test_kubectl_asks_its_plugin(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["kubectl_complete-schedx", "why", "-f", "example:pending", "prod/a"]
    monkeypatch.setattr(sys, "argv", words)
    for name in (COMPLETE_VARIABLE, "_TYPER_COMPLETE_FISH_ACTION", "_TYPER_COMPLETE_ARGS"):
        monkeypatch.setenv(name, "")  # put back afterwards

    with pytest.raises(SystemExit):
        kubectl_complete()
    assert capsys.readouterr().out == "prod/api-7\n:4\n"
