"""Which cluster is meant, and what goes wrong on the way there: kubeconfigs without a server."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from kschedx.api.errors import KschedxError
from kschedx.snapshot.live import Target, connect, context_names
from kschedx.snapshot.paging import NoAnswerError

TOKEN = "eyJhbGciOiJSUzI1NiIsImtpZCI6InNlY3JldC1vZi10aGlzLXRlc3QifQ"


def kubeconfig(folder: Path, *, server: str = "http://127.0.0.1:1", **user: Any) -> Path:
    """Two contexts: dev, the current one, and prod with a namespace."""
    path = folder / "kubeconfig"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": server}}],
        "users": [{"name": "u", "user": user or {"token": TOKEN}}],
        "contexts": [
            {"name": "dev", "context": {"cluster": "c", "user": "u"}},
            {"name": "prod", "context": {"cluster": "c", "user": "u", "namespace": "shop"}},
        ],
        "current-context": "dev",
    }
    path.write_text(json.dumps(content))
    return path


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No kubeconfig of the user's own, and no pod around the test."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_the_current_context(tmp_path: Path) -> None:
    cluster = connect(Target(kubeconfig=str(kubeconfig(tmp_path))))

    assert (cluster.shown, cluster.namespace) == ("context dev", "default")
    assert repr(cluster) == "Cluster(context dev)"


def test_another_context_and_its_namespace(tmp_path: Path) -> None:
    cluster = connect(Target("prod", str(kubeconfig(tmp_path))))

    assert (cluster.shown, cluster.namespace) == ("context prod", "shop")


def test_kubeconfigs_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", f"/no/such/file:{kubeconfig(tmp_path)}")

    assert connect().shown == "context dev"
    assert context_names(Target()) == ["dev", "prod"]


def refused(target: Target) -> tuple[str, str, str | None]:
    with pytest.raises(KschedxError) as caught:
        connect(target)
    return caught.value.code, caught.value.message, caught.value.hint


def test_no_cluster_at_all() -> None:
    code, message, _ = refused(Target())

    assert code == "no-cluster"
    assert message == "there is no kubeconfig, and this is no pod with a service account"


def test_a_pod_without_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "1")

    assert refused(Target())[:2] == (
        "no-service-account",
        "the service account of this pod cannot be used: Service token file does not exist.",
    )


def test_no_such_context(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path)

    assert refused(Target("test", str(path))) == (
        "no-such-context",
        f"{path}: there is no context 'test'",
        "contexts: dev, prod",
    )


BROKEN = {
    "no YAML": (
        "users: [\ntoken: " + TOKEN,
        "an unusable kubeconfig: while parsing a flow sequence",
    ),
    "empty": ("", "an unusable kubeconfig: Invalid kube-config. this file is empty"),
    "a list": ("[]", "an unusable kubeconfig: list indices must be integers or slices, not str"),
}


@pytest.mark.parametrize(("content", "what"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_kubeconfig(tmp_path: Path, content: str, what: str) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(content)

    code, message, _ = refused(Target(kubeconfig=str(path)))

    assert code == "kubeconfig-unusable"
    assert message == f"{path}: {what}"


def test_a_credentials_plugin_that_fails(tmp_path: Path) -> None:
    plugin = tmp_path / "login"
    plugin.write_text(f"#!/bin/sh\necho 'expired: {TOKEN}' >&2\nexit 1\n")
    plugin.chmod(plugin.stat().st_mode | stat.S_IXUSR)
    ask = {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin)}
    path = kubeconfig(tmp_path, exec=ask)

    assert refused(Target(kubeconfig=str(path))) == (
        "no-credentials",
        "context dev: no credentials: exec: process returned 1. expired: ...",
        "kubectl with the same context needs them too",
    )


def test_an_unreachable_server_is_one_sentence_without_secrets(tmp_path: Path) -> None:
    path = kubeconfig(tmp_path, server="https://name:hunter2@127.0.0.1:1")
    cluster = connect(Target(kubeconfig=str(path)))

    with pytest.raises(NoAnswerError) as caught:
        cluster.get("/version")

    problem = caught.value.problem
    assert problem.code == "api-unreachable"
    assert problem.message == (
        "context dev: the API server at https://127.0.0.1:1 cannot be reached: connection refused"
    )
