"""What `kschedx check` says before is what a real control plane makes of the same manifests.

Besides the scheduler this runs the controller manager, and a stand-in for kubelets: it makes bound
pods Ready and lets deleted ones go.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from tests.gate.sets import budget, document, node, pod_spec, workload
from tests.live.conftest import Asked
from tests.live.control_plane import Api, ControlPlane, free_port

STILL_SECONDS: Final = 4
MOST_SECONDS: Final = 40
CONTROLLERS: Final = (
    "deployment-controller,replicaset-controller,statefulset-controller,daemonset-controller,"
    "job-controller,resourcequota-controller,disruption-controller,"
    "persistentvolume-binder-controller,ephemeral-volume-controller"
)
PATHS: Final = {
    "Pod": "/api/v1/namespaces/prod/pods",
    "Node": "/api/v1/nodes",
    "ResourceQuota": "/api/v1/namespaces/prod/resourcequotas",
    "LimitRange": "/api/v1/namespaces/prod/limitranges",
    "PersistentVolumeClaim": "/api/v1/namespaces/prod/persistentvolumeclaims",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "Deployment": "/apis/apps/v1/namespaces/prod/deployments",
    "StatefulSet": "/apis/apps/v1/namespaces/prod/statefulsets",
    "DaemonSet": "/apis/apps/v1/namespaces/prod/daemonsets",
    "Job": "/apis/batch/v1/namespaces/prod/jobs",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/prod/poddisruptionbudgets",
}


class WholeControlPlane(ControlPlane):
    """With admission as it is by default, and with controllers."""

    def _run(self, name: str, *arguments: str) -> None:
        changed = [
            "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"
            if argument.startswith("--disable-admission-plugins")
            else argument
            for argument in arguments
        ]
        super()._run(name, *changed)

    def _start(self) -> None:
        super()._start()
        self._run(
            "kube-controller-manager",
            f"--kubeconfig={self.kubeconfig}",
            "--leader-elect=false",
            f"--controllers={CONTROLLERS}",
            f"--secure-port={free_port()}",
            "--bind-address=127.0.0.1",
            "--kube-api-qps=500",
            "--kube-api-burst=900",
        )
        time.sleep(4)


class Kubelets(threading.Thread):
    """Every node's kubelet, as far as pods turn Ready and go."""

    def __init__(self, server: str) -> None:
        super().__init__(daemon=True)
        self._api = Api(server)
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(0.3):
            for pod in self._api.call("GET", PATHS["Pod"])[1].get("items", ()):
                self._act(pod)
        self._api.close()

    def _act(self, pod: dict[str, Any]) -> None:
        path = f"{PATHS['Pod']}/{pod['metadata']['name']}"
        phase = pod["status"].get("phase")
        if "deletionTimestamp" in pod["metadata"]:
            self._status(path, {"phase": "Succeeded"})
            self._api.call("DELETE", f"{path}?gracePeriodSeconds=0")
        elif pod["spec"].get("nodeName") and phase == "Pending":
            ready = {
                "type": "Ready",
                "status": "True",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
            self._status(path, {"phase": "Running", "conditions": [ready]})

    def _status(self, path: str, status: dict[str, Any]) -> None:
        merge = "application/strategic-merge-patch+json"
        self._api.call("PATCH", f"{path}/status", {"status": status}, merge)


@pytest.fixture(scope="module")
def whole(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    if not (binaries / "kube-controller-manager").exists():
        pytest.skip("needs kube-controller-manager beside the other binaries")
    with WholeControlPlane(binaries, tmp_path_factory.mktemp("whole")) as running:
        running.api.create("/api/v1/namespaces", {"metadata": {"name": "prod"}})
        kubelets = Kubelets(running.server)
        kubelets.start()
        yield running
        kubelets.over.set()
        kubelets.join()


def objects(parts: Sequence[str]) -> list[dict[str, Any]]:
    return [json.loads(text) for part in parts for text in part.split("---\n") if text.strip()]


def put(api: Api, parts: Sequence[str]) -> None:
    """Create, or change what is there; what the server refuses is left out."""
    for item in objects(parts):
        item["metadata"].pop("uid", None)
        path = PATHS[item["kind"]]
        code, answer = api.call("POST", path, item)
        if code == 409:
            name = f"{path}/{item['metadata']['name']}"
            code, answer = api.call("PATCH", name, item, "application/merge-patch+json")
        if item["kind"] == "Node":
            status = {"status": item["status"]}
            merge = "application/merge-patch+json"
            api.call("PATCH", f"{path}/{item['metadata']['name']}/status", status, merge)
        assert code < 500, answer


def still(api: Api) -> list[dict[str, Any]]:
    """The pods once nothing has changed for a while."""
    last: object = None
    since = begun = time.monotonic()
    while True:
        pods = api.call("GET", PATHS["Pod"])[1]["items"]
        now = [(p["metadata"]["uid"], p["metadata"]["resourceVersion"]) for p in pods]
        if now != last:
            last, since = now, time.monotonic()
        waited = time.monotonic()
        if waited - since > STILL_SECONDS or waited - begun > MOST_SECONDS:
            return list(pods)
        time.sleep(0.3)


def clear(api: Api) -> None:
    for kind, path in PATHS.items():
        if kind != "PriorityClass":
            api.call("DELETE", f"{path}?propagationPolicy=Background")
    for item in api.call("GET", "/apis/apps/v1/namespaces/prod/replicasets")[1]["items"]:
        name = item["metadata"]["name"]
        api.call("DELETE", f"/apis/apps/v1/namespaces/prod/replicasets/{name}")
    until = time.monotonic() + MOST_SECONDS
    while api.call("GET", PATHS["Pod"])[1]["items"] and time.monotonic() < until:
        api.call("DELETE", f"{PATHS['Pod']}?gracePeriodSeconds=0")
        time.sleep(0.3)


def bare(name: str, cpu: str) -> str:
    metadata = {"name": name, "namespace": "prod", "labels": {"app": name}}
    return document("v1", "Pod", metadata, spec=pod_spec(cpu))


def quota(**hard: str) -> str:
    metadata = {"name": "q", "namespace": "prod"}
    return document("v1", "ResourceQuota", metadata, spec={"hard": hard})


def limit(**fields: Any) -> str:
    metadata = {"name": "l", "namespace": "prod"}
    return document("v1", "LimitRange", metadata, spec={"limits": [fields]})


APART = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "topologyKey": "kubernetes.io/hostname",
                "labelSelector": {"matchLabels": {"app": "x"}},
            }
        ]
    }
}
LARGE = {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}
TWO = [node("a"), node("b")]
CASES: dict[str, tuple[list[str], list[str]]] = {
    "fits": (TWO, [workload("Deployment", "x", 2, "3")]),
    "too large": (TWO, [workload("Deployment", "x", 2, "5")]),
    "one too many": (TWO, [workload("Deployment", "x", 3, "3")]),
    "ordered": (TWO, [workload("StatefulSet", "x", 4, "3")]),
    "parallel": (
        TWO,
        [workload("StatefulSet", "x", 4, "3", own={"podManagementPolicy": "Parallel"})],
    ),
    "daemon": ([node("a"), node("b", "1")], [workload("DaemonSet", "x", None, "2")]),
    "job": (
        TWO,
        [
            workload("Job", "x", None, "3", restartPolicy="Never", own={"parallelism": 3}).replace(
                '"selector": {"matchLabels": {"app": "x"}}, ', ""
            )
        ],
    ),
    "bare pod": (TWO, [bare("x", "9")]),
    "apart": (TWO, [workload("Deployment", "x", 3, "1", affinity=APART)]),
    "no such label": (TWO, [workload("Deployment", "x", 1, "1", nodeSelector={"disk": "ssd"})]),
    "quota on cpu": ([*TWO, quota(**{"requests.cpu": "3"})], [workload("Deployment", "x", 5, "1")]),
    "quota on pods": ([*TWO, quota(pods="1")], [workload("StatefulSet", "x", 2, "1")]),
    "limit range": (
        [*TWO, limit(type="Container", max={"cpu": "1"})],
        [workload("Deployment", "x", 1, "1", resources=LARGE)],
    ),
    "no priority class": (TWO, [workload("Deployment", "x", 2, "1", priorityClassName="none")]),
    "no runtime class": (TWO, [workload("Deployment", "x", 2, "1", runtimeClassName="none")]),
    "no claim": (
        TWO,
        [
            workload(
                "Deployment",
                "x",
                1,
                "1",
                volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "none"}}],
            )
        ],
    ),
    "scaled": ([*TWO, workload("Deployment", "x", 1, "3")], [workload("Deployment", "x", 3, "3")]),
    "rolls": (
        [*TWO, workload("StatefulSet", "x", 2, "3")],
        [workload("StatefulSet", "x", 2, "3", image="app:2"), budget("x", "x", minAvailable=1)],
    ),
    "deadlock": (
        [*TWO, workload("StatefulSet", "x", 2, "3"), bare("thief", "2")],
        [workload("StatefulSet", "x", 2, "3", image="app:2")],
    ),
    "grows": (
        [*TWO, workload("StatefulSet", "x", 2, "3")],
        [workload("StatefulSet", "x", 2, "5")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_check_says_is_what_happens(
    name: str, whole: ControlPlane, ask: Asked, tmp_path: Path
) -> None:
    before, parts = CASES[name]
    api = whole.api
    clear(api)
    for part in before:  # what comes first takes its place first
        put(api, [part])
        if '"Node"' not in part:
            still(api)
    file = tmp_path / "m.yaml"
    file.write_text("".join(parts))
    _, said, _ = ask("check", str(file), "-o", "json", "--kubeconfig", str(whole.kubeconfig))
    put(api, parts)
    pods = [pod for pod in still(api) if pod["metadata"].get("labels", {}).get("app") == "x"]

    assert _said(said) == _happened(name, objects(parts)[0], pods)


def _said(report: dict[str, Any]) -> dict[str, int]:
    """Replicas without a node, pods not created, rollouts that stop."""
    told: dict[str, int] = {}
    for finding in report["findings"]:
        if finding["rule"] in ("unschedulable", "claim-unusable"):
            told["waiting"] = finding["amount"]
        elif finding["rule"] == "not-created":
            told["refused"] = 1
        elif finding["rule"] == "rollout-deadlock":
            told["stopped"] = 1
    return told


def _happened(name: str, item: dict[str, Any], pods: list[dict[str, Any]]) -> dict[str, int]:
    spec = item["spec"]
    wanted = {"Job": spec.get("parallelism"), "DaemonSet": 2, "Pod": 1}.get(
        item["kind"], spec.get("replicas")
    )
    assert wanted is not None
    waiting = sum(not pod["spec"].get("nodeName") for pod in pods)
    missing = wanted - len(pods)
    if name in ("rolls", "deadlock", "grows"):
        template = spec["template"]["spec"]["containers"][0]
        fresh = [
            pod
            for pod in pods
            if pod["spec"]["containers"][0]["image"] == template["image"]
            and pod["spec"]["containers"][0]["resources"] == template["resources"]
            and pod["spec"].get("nodeName")
        ]
        return {} if len(fresh) == wanted else {"stopped": 1}
    if item["kind"] == "StatefulSet" and waiting:
        waiting, missing = waiting + missing, 0
    told = {"waiting": waiting} if waiting else {}
    return told | ({"refused": 1} if missing else {})
