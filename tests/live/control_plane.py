"""A control plane of real binaries on 127.0.0.1, without machines: etcd, API server, scheduler."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

ADMIN: Final = "admin-token-of-this-test-only"
UP_SECONDS: Final = 120
ADMISSION_OFF: Final = (
    "ServiceAccount",
    "Priority",
    "DefaultTolerationSeconds",
    "TaintNodesByCondition",
    "StorageObjectInUseProtection",
    "DefaultStorageClass",
    "RuntimeClass",
)
"""Plugins that would refuse or change the objects of a generated case."""
MERGE: Final = "application/merge-patch+json"
Raw = dict[str, Any]


class Api:
    """One connection to an API server, for whoever sets up a test."""

    def __init__(self, server: str, token: str = ADMIN) -> None:
        self.server = server
        self._token = token
        self._connection: http.client.HTTPSConnection | None = None

    def call(
        self, method: str, path: str, body: object = None, content_type: str = "application/json"
    ) -> tuple[int, Raw]:
        """Status and decoded body; asks again where the server closed an idle connection."""
        text = None if body is None else json.dumps(body)
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content_type}
        for again in (True, False):
            try:
                if self._connection is None:
                    where = urlsplit(self.server)
                    self._connection = http.client.HTTPSConnection(
                        where.hostname or "", where.port, context=trusting(), timeout=30
                    )
                self._connection.request(method, path, text, headers)
                answer = self._connection.getresponse()
                return answer.status, json.loads(answer.read() or b"{}")
            except (OSError, http.client.HTTPException):
                self.close()
                if not again:
                    raise
        raise AssertionError("the second try returns or raises")

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def create(self, path: str, body: Raw) -> Raw:
        status, said = self.call("POST", path, body)
        assert status < 300, (path, body, said)
        return said


def trusting() -> ssl.SSLContext:
    """The server's certificate is its own."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def write_kubeconfig(
    path: Path, server: str, user: Mapping[str, Any], cluster: Mapping[str, Any] | None = None
) -> Path:
    """A kubeconfig with the one context "test"."""
    trust = {"insecure-skip-tls-verify": True} if cluster is None else dict(cluster)
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": {"server": server, **trust}}],
        "users": [{"name": "test", "user": dict(user)}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "current-context": "test",
    }
    path.write_text(json.dumps(config))
    return path


class ControlPlane:
    """Runs while the `with` block does; everything it writes is below `folder`."""

    def __init__(self, binaries: Path, folder: Path, *, scheduler: bool = True) -> None:
        self._binaries = binaries
        self._folder = folder
        self._scheduler = scheduler
        self._processes: list[subprocess.Popen[bytes]] = []
        self.server = f"https://127.0.0.1:{free_port()}"
        self.etcd = f"http://127.0.0.1:{free_port()}"
        self.api = Api(self.server)
        self.kubeconfig = write_kubeconfig(folder / "kubeconfig", self.server, {"token": ADMIN})

    @property
    def certificate_authority(self) -> Path:
        return self._folder / "certs" / "apiserver.crt"

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def _start(self) -> None:
        folder = self._folder
        clients, peers = self.etcd, f"http://127.0.0.1:{free_port()}"
        self._run(
            "etcd",
            f"--data-dir={folder}/etcd",
            f"--listen-client-urls={clients}",
            f"--advertise-client-urls={clients}",
            f"--listen-peer-urls={peers}",
            f"--initial-advertise-peer-urls={peers}",
            f"--initial-cluster=default={peers}",
            "--unsafe-no-fsync",
        )
        key = folder / "sa.key"
        subprocess.run(
            ["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True
        )
        tokens = folder / "tokens.csv"
        tokens.write_text(f"{ADMIN},admin,1,system:masters\n")
        self._run(
            "kube-apiserver",
            f"--etcd-servers={clients}",
            f"--secure-port={urlsplit(self.server).port}",
            "--bind-address=127.0.0.1",
            f"--cert-dir={folder}/certs",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-account-issuer=https://control-plane.test",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--authorization-mode=RBAC",
            f"--token-auth-file={tokens}",
            f"--disable-admission-plugins={','.join(ADMISSION_OFF)}",
            "--enable-priority-and-fairness=false",
        )
        self._await_ready()
        if self._scheduler:
            self._run(
                "kube-scheduler",
                f"--kubeconfig={self.kubeconfig}",
                "--leader-elect=false",
                f"--secure-port={free_port()}",
                "--bind-address=127.0.0.1",
                "--kube-api-qps=500",
                "--kube-api-burst=900",
            )
            time.sleep(4)

    def _run(self, name: str, *arguments: str) -> None:
        with (self._folder / f"{name}.log").open("wb") as log:
            self._processes.append(
                subprocess.Popen(
                    [str(self._binaries / name), *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )

    def _await_ready(self) -> None:
        until = time.monotonic() + UP_SECONDS
        while time.monotonic() < until:
            with contextlib.suppress(OSError, http.client.HTTPException, json.JSONDecodeError):
                if self._ready():
                    return
            time.sleep(0.25)
        log = (self._folder / "kube-apiserver.log").read_text()[-2000:]
        raise AssertionError(f"the API server did not come up:\n{log}")

    def _ready(self) -> bool:
        """The default namespace exists once the server's own controllers have run."""
        return self.api.call("GET", "/api/v1/namespaces/default")[0] == 200

    def _stop(self) -> None:
        self.api.close()
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
