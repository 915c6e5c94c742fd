"""Record rollouts: `python -m tests.live.record_rollouts KUBECONFIG OUT default|gated [ID...]`.

`... KUBECONFIG OUT random SEED...` records random ones; a seed may be a range, as in 0-99.

The cluster needs no machines: a stand-in must run every bound pod and remove every deleted one,
giving it a terminal phase first. A pod with the annotation kubelet-stand-in/crash is to stay
unready. A cluster counts as standing still when no pod has changed for 8 seconds.
"""

from __future__ import annotations

import contextlib
import copy
import json
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import urllib3
from kubernetes import client, config

from tests.live.gated_scenarios import GATED
from tests.live.random_scenarios import random_scenario
from tests.live.rollout_objects import Raw
from tests.live.rollout_scenarios import SCENARIOS, Scenario

KEYS: Final = ("pod", "node", "phase", "image", "ready", "terminating")
STILL_SECONDS: Final = 8
LISTED: Final = (
    ("/api/v1/nodes", "v1", "Node"),
    ("/api/v1/namespaces", "v1", "Namespace"),
    ("/apis/scheduling.k8s.io/v1/priorityclasses", "scheduling.k8s.io/v1", "PriorityClass"),
    ("/apis/apps/v1/namespaces/default/controllerrevisions", "apps/v1", "ControllerRevision"),
    ("/apis/apps/v1/namespaces/default/statefulsets", "apps/v1", "StatefulSet"),
    ("/apis/apps/v1/namespaces/default/deployments", "apps/v1", "Deployment"),
    ("/apis/apps/v1/namespaces/default/replicasets", "apps/v1", "ReplicaSet"),
    ("/apis/apps/v1/namespaces/default/daemonsets", "apps/v1", "DaemonSet"),
    ("/apis/policy/v1/namespaces/default/poddisruptionbudgets", "policy/v1", "PodDisruptionBudget"),
    ("/api/v1/persistentvolumes", "v1", "PersistentVolume"),
    ("/api/v1/namespaces/default/persistentvolumeclaims", "v1", "PersistentVolumeClaim"),
    ("/apis/storage.k8s.io/v1/storageclasses", "storage.k8s.io/v1", "StorageClass"),
    ("/api/v1/namespaces/default/resourcequotas", "v1", "ResourceQuota"),
    ("/api/v1/namespaces/default/pods", "v1", "Pod"),
)
COLLECTIONS: Final = (
    "/apis/apps/v1/namespaces/default/statefulsets",
    "/apis/apps/v1/namespaces/default/deployments",
    "/apis/apps/v1/namespaces/default/daemonsets",
    "/apis/apps/v1/namespaces/default/replicasets",
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    "/api/v1/namespaces/default/resourcequotas",
)
PATHS: Final = {
    "Pod": "/api/v1/namespaces/default/pods",
    "StatefulSet": "/apis/apps/v1/namespaces/default/statefulsets",
    "Deployment": "/apis/apps/v1/namespaces/default/deployments",
    "DaemonSet": "/apis/apps/v1/namespaces/default/daemonsets",
    "ReplicaSet": "/apis/apps/v1/namespaces/default/replicasets",
    "ResourceQuota": "/api/v1/namespaces/default/resourcequotas",
    "PodDisruptionBudget": "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    "PersistentVolume": "/api/v1/persistentvolumes",
    "PriorityClass": "/apis/scheduling.k8s.io/v1/priorityclasses",
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
    "Node": "/api/v1/nodes",
}
VERSIONS: Final = {
    "StatefulSet": "apps/v1",
    "Deployment": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "PodDisruptionBudget": "policy/v1",
    "PriorityClass": "scheduling.k8s.io/v1",
    "StorageClass": "storage.k8s.io/v1",
}


class Api:
    """Plain HTTP to the API server; a failed call raises."""

    def __init__(self, kubeconfig: str) -> None:
        config.load_kube_config(kubeconfig)  # type: ignore[no-untyped-call]
        settings = client.Configuration.get_default_copy()
        self.host = settings.host
        self.http = urllib3.PoolManager(cert_reqs="CERT_NONE")
        keys = settings.api_key
        held = keys.get("BearerToken") or keys.get("authorization", "")
        self.token = held.removeprefix("Bearer ")

    def call(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        content = None if body is None else json.dumps(body)
        answer = self.http.request(method, self.host + path, body=content, headers=headers)
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {answer.data[:300]!r}")
        return json.loads(answer.data)

    def create(self, item: Raw) -> None:
        item = copy.deepcopy(item)
        kind = item["kind"]
        item["apiVersion"] = VERSIONS.get(kind, "v1")
        self.call("POST", PATHS[kind], item)

    def patch(self, path: str, change: Raw) -> None:
        self.call("PATCH", path, change, "application/strategic-merge-patch+json")

    def items(self, path: str) -> list[Raw]:
        return list(self.call("GET", path)["items"])


def _state(item: Raw) -> tuple[Any, ...]:
    conditions = item["status"].get("conditions") or []
    return (
        item["metadata"]["name"],
        item["spec"].get("nodeName", ""),
        item["status"].get("phase"),
        item["spec"]["containers"][0]["image"],
        any(c["type"] == "Ready" and c["status"] == "True" for c in conditions),
        "deletionTimestamp" in item["metadata"],
    )


def _available(item: Raw) -> bool:
    """Whether as many pods as the workload wants have been Ready for long enough."""
    status = item.get("status") or {}
    if item["kind"] == "DaemonSet":
        return bool(status.get("numberAvailable", 0) == status["desiredNumberScheduled"])
    return bool(status.get("availableReplicas", 0) == item["spec"]["replicas"])


class Recorder:
    """One control plane, one scenario at a time."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.restless = False
        """The cluster has not come to stand still."""

    def pods(self) -> list[tuple[Any, ...]]:
        return sorted(_state(item) for item in self.api.items(PATHS["Pod"]))

    def still(self, seconds: float, limit: float = 60) -> list[tuple[Any, ...]]:
        last: list[tuple[Any, ...]] = []
        begun = since = time.time()
        while time.time() - begun < limit:
            now = self.pods()
            if now != last or any(state[5] for state in now):
                last, since = now, time.time()
            if time.time() - since > seconds:
                break
            time.sleep(0.2)
        else:
            self.restless = True
        return last

    def wipe(self) -> None:
        for path in COLLECTIONS:
            self.api.call("DELETE", path)
        begun = time.time()
        while time.time() - begun < 30:
            self.api.call("DELETE", PATHS["Pod"] + "?gracePeriodSeconds=0")
            if not self.api.items(PATHS["Pod"]) and not self.api.items(PATHS["ReplicaSet"]):
                break
            time.sleep(0.3)
        claims = "/api/v1/namespaces/default/persistentvolumeclaims"
        for path in (claims, PATHS["PersistentVolume"]):
            self.api.call("DELETE", path)
            for item in self.api.items(path):
                with contextlib.suppress(RuntimeError):
                    self.api.call(
                        "PATCH",
                        f"{path}/{item['metadata']['name']}",
                        {"metadata": {"finalizers": None}},
                        "application/merge-patch+json",
                    )
        self.api.call("DELETE", "/apis/apps/v1/namespaces/default/controllerrevisions")
        self.api.call("DELETE", PATHS["Node"])

    def dump(self) -> Raw:
        found = []
        for path, version, kind in LISTED:
            for item in self.api.items(path):
                item["metadata"].pop("managedFields", None)
                found.append({"apiVersion": version, "kind": kind, **item})
        return {"apiVersion": "v1", "kind": "List", "items": found}

    def classes(self) -> None:
        for name, value, policy in (
            ("high", 1000, "PreemptLowerPriority"),
            ("low", 10, "PreemptLowerPriority"),
            ("high-never", 1000, "Never"),
        ):
            item = {"kind": "PriorityClass", "metadata": {"name": name}, "value": value}
            with contextlib.suppress(RuntimeError):
                self.api.create({**item, "preemptionPolicy": policy})
        with contextlib.suppress(RuntimeError):
            self.api.create(
                {
                    "kind": "StorageClass",
                    "metadata": {"name": "local"},
                    "provisioner": "kubernetes.io/no-provisioner",
                    "volumeBindingMode": "WaitForFirstConsumer",
                }
            )

    def nodes(self, nodes: dict[str, str]) -> None:
        for name, shape in nodes.items():
            cpu, _, zone = shape.partition(":")
            labels = {"kubernetes.io/hostname": name}
            if zone:
                labels["topology.kubernetes.io/zone"] = zone
            self.api.create({"kind": "Node", "metadata": {"name": name, "labels": labels}})
            room = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
            ready = [{"type": "Ready", "status": "True"}]
            status = {"capacity": room, "allocatable": room, "conditions": ready}
            self.api.patch(f"{PATHS['Node']}/{name}/status", {"status": status})
            self.api.patch(f"{PATHS['Node']}/{name}", {"spec": {"taints": None}})

    def intrude(self, scenario: Scenario) -> Callable[[], None]:
        """Watch for pods whose containers stop, and let others arrive in that moment."""
        ended = threading.Event()

        def watch() -> None:
            left = dict(scenario.arrives)
            while left and not ended.is_set():
                for state in self.pods():
                    if state[0] in left and state[2] in ("Succeeded", "Failed"):
                        with contextlib.suppress(RuntimeError):  # A quota may refuse it.
                            self.api.create(left.pop(state[0]))
                time.sleep(0.03)

        thread = threading.Thread(target=watch, daemon=True)
        thread.start()
        return ended.set

    def await_late(self, pods: Sequence[Raw]) -> None:
        """Create pods that stay Pending, and let their first back-off pass."""
        for item in pods:
            with contextlib.suppress(RuntimeError):  # A quota may refuse it.
                self.api.create(item)
            time.sleep(1.1)
        if pods:
            time.sleep(3)

    def record(self, name: str, scenario: Scenario) -> Raw:
        self.wipe()
        self.nodes(scenario.nodes)
        for item in scenario.first:
            self.api.create(item)
            self.still(1.2)
        self.restless = False
        self.await_late(scenario.late)
        before, placed_before = self.dump(), self.pods()
        taken_at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        workload = next(
            item
            for item in scenario.first
            if item["kind"] in ("StatefulSet", "Deployment", "DaemonSet")
            and scenario.rolled in ("", item["metadata"]["name"])
        )
        own = workload["metadata"]["name"]
        kinds = {item["metadata"]["name"]: item["kind"] for item in scenario.first}
        path = f"{PATHS[workload['kind']]}/{own}"
        stop = self.intrude(scenario)
        end: list[tuple[Any, ...]] = []
        for index, patch in enumerate(scenario.patches):
            self.api.patch(path, patch)
            if index == 0:
                for other, change in scenario.also.items():
                    self.api.patch(f"{PATHS[kinds[other]]}/{other}", change)
            end = self.still(STILL_SECONDS)
        stop()
        item = self.api.call("GET", path)
        image = item["spec"]["template"]["spec"]["containers"][0]["image"]
        mine = [state for state in end if state[0].startswith(f"{own}-")]
        record = {
            "id": name,
            "workload": f"{workload['kind']}/default/{own}",
            "patch": list(scenario.patches) if len(scenario.patches) > 1 else scenario.patches[0],
            "taken_at": taken_at,
            "before": before,
            "placed_before": [dict(zip(KEYS, state, strict=True)) for state in placed_before],
            "placed_after": [dict(zip(KEYS, state, strict=True)) for state in end],
            "all_updated_and_ready": _available(item) and all(s[3] == image and s[4] for s in mine),
            "status": item.get("status"),
        }
        if scenario.also:
            record["also"] = {f"{kinds[k]}/default/{k}": v for k, v in scenario.also.items()}
        if scenario.arrives:
            record["arrives"] = {f"default/{k}": v for k, v in scenario.arrives.items()}
        if scenario.never_ready:
            record["assume"] = "new-revision-never-ready"
        if self.restless:
            record["restless"] = True
        return record


def _random(seeds: Sequence[str]) -> dict[str, Scenario]:
    found: dict[str, Scenario] = {}
    for text in seeds:
        first, _, last = text.partition("-")
        for seed in range(int(first), int(last or first) + 1):
            found[f"random-{seed}"] = random_scenario(seed)
    return found


def main() -> None:
    """Record what is named, or every scenario of the group."""
    kubeconfig, out, group, *only = sys.argv[1:]
    urllib3.disable_warnings()
    recorder = Recorder(Api(kubeconfig))
    recorder.classes()
    scenarios = _random(only) if group == "random" else GATED if group == "gated" else SCENARIOS
    with Path(out).open("a") as lines:
        for name, scenario in scenarios.items():
            if group != "random" and only and name not in only:
                continue
            record = recorder.record(name, scenario)
            lines.write(json.dumps(record, separators=(",", ":")) + "\n")
            lines.flush()
            states = [(p["pod"], p["node"], p["image"], p["ready"]) for p in record["placed_after"]]
            sys.stdout.write(f"{name} {record['all_updated_and_ready']} {states}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
