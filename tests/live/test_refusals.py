"""A server that does not let kschedx in, or is none: one sentence, exit 3, no token in it."""

from __future__ import annotations

import base64
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.live.conftest import Asked
from tests.live.control_plane import ADMIN, ControlPlane, write_kubeconfig

TOKEN: Final = "a-token-that-nobody-must-ever-see"


def test_wrong_token(control_plane: ControlPlane, ask: Asked, tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "kubeconfig", control_plane.server, {"token": TOKEN})

    assert ask("why", "--kubeconfig", str(path)) == (
        3,
        "",
        "error[not-authenticated]: context test: the API server does not accept these credentials\n"
        "hint: log in again, as kubectl would need it too\n",
    )


@pytest.mark.parametrize("authority", ["none", "another"])
def test_untrusted(control_plane: ControlPlane, ask: Asked, tmp_path: Path, authority: str) -> None:
    cluster: dict[str, Any] = {}
    if authority == "another":
        other = tmp_path / "other.crt"
        make_certificate(other)
        cluster = {"certificate-authority-data": base64.b64encode(other.read_bytes()).decode()}
    path = write_kubeconfig(
        tmp_path / "kubeconfig", control_plane.server, {"token": ADMIN}, cluster
    )

    code, out, stderr = ask("why", "--kubeconfig", str(path))

    assert (code, out) == (3, "")
    assert stderr.splitlines()[0].startswith(
        f"error[not-trusted]: context test: the API server at {control_plane.server} cannot be trusted: "
    )
    assert len(stderr.splitlines()) == 2
    assert ADMIN not in stderr


def make_certificate(path: Path) -> None:
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other"),
            *("-keyout", str(path.with_suffix(".key")), "-out", str(path), "-days", "1"),
        ],
        check=True,
        capture_output=True,
    )


def test_a_name_that_is_not_the_servers(
    control_plane: ControlPlane, ask: Asked, tmp_path: Path
) -> None:
    authority = base64.b64encode(control_plane.certificate_authority.read_bytes()).decode()
    cluster = {"certificate-authority-data": authority, "tls-server-name": "prod.example"}
    path = write_kubeconfig(
        tmp_path / "kubeconfig", control_plane.server, {"token": ADMIN}, cluster
    )

    code, out, stderr = ask("why", "--kubeconfig", str(path))

    assert (code, out) == (3, "")
    assert stderr.startswith("error[not-trusted]: ")


def test_no_api_server(ask: Asked, tmp_path: Path) -> None:
    path = write_kubeconfig(tmp_path / "kubeconfig", "https://127.0.0.1:1", {"token": TOKEN}, {})

    code, out, stderr = ask("why", "--kubeconfig", str(path))

    assert (code, out) == (3, "")
    assert stderr == (
        "error[api-unreachable]: context test: the API server at https://127.0.0.1:1 cannot be "
        "reached: connection refused\nhint: -f FILE reads a snapshot instead\n"
    )
