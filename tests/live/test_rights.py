"""With the rights of docs/rbac.yaml and no more; and with each of them taken away."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from kschedx.snapshot import kinds
from tests.live.conftest import Asked
from tests.live.control_plane import Api, ControlPlane, Raw, write_kubeconfig

RBAC: Final = Path(__file__).parents[2] / "docs" / "rbac.yaml"
ROLE: Final = "/apis/rbac.authorization.k8s.io/v1/clusterroles/kschedx"
COLLECTIONS: Final = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/kschedx/serviceaccounts",
    "ClusterRole": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
    "ClusterRoleBinding": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}


@pytest.fixture(scope="module")
def reader(control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The kubeconfig of the service account that docs/rbac.yaml makes."""
    api = control_plane.api
    made = list(yaml.load_all(RBAC.read_text(), yaml.SafeLoader))
    for item in made:
        api.create(COLLECTIONS[item["kind"]], item)
    account = f"{COLLECTIONS['ServiceAccount']}/kschedx"
    token = api.create(f"{account}/token", {"spec": {"expirationSeconds": 3600}})
    authority = base64.b64encode(control_plane.certificate_authority.read_bytes()).decode()
    yield write_kubeconfig(
        tmp_path_factory.mktemp("reader") / "kubeconfig",
        control_plane.server,
        {"token": token["status"]["token"]},
        {"certificate-authority-data": authority},
    )
    for item in reversed(made):
        api.call("DELETE", f"{COLLECTIONS[item['kind']]}/{item['metadata']['name']}")


@pytest.fixture(scope="module")
def pending(control_plane: ControlPlane) -> Iterator[str]:
    """A pod that no node can take, on a node that can be drained of one pod of lower priority."""
    api = control_plane.api
    room = {"cpu": "4", "memory": "8Gi", "pods": "10"}
    status: Raw = {"capacity": room, "allocatable": room}
    status |= {"conditions": [{"type": "Ready", "status": "True"}]}
    labels = {"kubernetes.io/hostname": "rights-1"}
    node = {"metadata": {"name": "rights-1", "labels": labels}, "status": status}
    api.create("/api/v1/nodes", node)
    api.create("/api/v1/namespaces", {"metadata": {"name": "rights"}})
    api.create("/api/v1/namespaces/rights/pods", pod("small", "1", node="rights-1"))
    api.create("/api/v1/namespaces/rights/pods", pod("big", "9"))
    for _ in range(100):
        conditions = api.call("GET", "/api/v1/namespaces/rights/pods/big")[1]["status"]
        if conditions.get("conditions"):
            break
    yield "rights/big"
    api.call("DELETE", "/api/v1/namespaces/rights/pods?gracePeriodSeconds=0")
    api.call("DELETE", "/api/v1/nodes/rights-1")


def pod(name: str, cpu: str, node: str = "") -> Raw:
    container = {"name": "main", "image": "a", "resources": {"requests": {"cpu": cpu}}}
    spec: Raw = {"containers": [container], "terminationGracePeriodSeconds": 0}
    return {"metadata": {"name": name}, "spec": spec | ({"nodeName": node} if node else {})}


def without_versions(report: Any) -> Any:
    """A report without what changes whenever the pod's status does."""
    for explained in report["explanations"]:
        for one in explained["pods"]:
            one["resourceVersion"] = ""
    return report


def test_the_rights_suffice(
    control_plane: ControlPlane, reader: Path, pending: str, ask: Asked, tmp_path: Path
) -> None:
    code, report, stderr = ask("why", pending, "-o", "json", "--kubeconfig", str(reader))
    as_admin = ask("why", pending, "-o", "json", "--kubeconfig", str(control_plane.kubeconfig))
    file = tmp_path / "snapshot.json"
    written = ask("snapshot", str(file), "-o", "json", "--kubeconfig", str(reader))

    assert (code, stderr) == (0, "")
    assert without_versions(report) == without_versions(as_admin[1])
    assert written[1]["unread"] == []


def test_the_rights_are_the_least(reader: Path, control_plane: ControlPlane) -> None:
    token = json.loads(reader.read_text())["users"][0]["user"]["token"]
    as_reader = Api(control_plane.server, token)
    refused = [
        ("GET", "/api/v1/secrets"),
        ("GET", "/api/v1/configmaps"),
        ("GET", "/api/v1/namespaces/rights/pods/big"),
        ("POST", "/api/v1/namespaces/rights/pods"),
        ("DELETE", "/api/v1/namespaces/rights/pods/big"),
    ]
    try:
        assert [as_reader.call(method, path, {})[0] for method, path in refused] == [403] * 5
    finally:
        as_reader.close()


@pytest.fixture
def role(control_plane: ControlPlane) -> Iterator[Raw]:
    """The role, put back afterwards."""
    _, before = control_plane.api.call("GET", ROLE)
    yield before
    _, now = control_plane.api.call("GET", ROLE)
    control_plane.api.call("PUT", ROLE, now | {"rules": before["rules"]})


@pytest.mark.parametrize("kind", kinds.ALL, ids=lambda kind: kind.name)
def test_each_kind_forbidden(
    *,
    control_plane: ControlPlane,
    reader: Path,
    pending: str,
    role: Raw,
    ask: Asked,
    tmp_path: Path,
    kind: kinds.Kind,
) -> None:
    rules = [
        rule | {"resources": [name for name in rule["resources"] if name != kind.plural]}
        for rule in role["rules"]
    ]
    left = [rule for rule in rules if rule["resources"]]
    assert control_plane.api.call("PUT", ROLE, role | {"rules": left})[0] == 200
    file = tmp_path / "snapshot.json"
    for _ in range(50):  # the authorizer hears of it a little later
        written = ask("snapshot", str(file), "-o", "json", "-q", "--kubeconfig", str(reader))
        if written[1]["unread"]:
            break
    answer = ask("why", pending, "-o", "json", "-q", "--kubeconfig", str(reader))

    assert written[1]["unread"] == [kind.name]
    assert written[1]["notes"] == [f"forbidden: {kind.plural}"]
    if kind.name in ("Pod", "Node"):
        assert answer == (
            3,
            "",
            f"error[forbidden]: context test: listing {kind.plural} of all namespaces is "
            "forbidden\nhint: docs/rbac.yaml holds the rights that are needed\n",
        )
    else:
        assert answer[0] == 0
        assert answer[1]["explanations"][0]["situation"] == "no-node"
