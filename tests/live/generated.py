"""Generated cases loaded into a bare API server, one after the other."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Iterator
from typing import Any, Final

from tests.live.control_plane import MERGE, Api, Raw
from tests.oracle.generate.cases import cases as drawn
from tests.oracle.generate.families import FAMILIES

PATHS: Final = {
    "Node": ("/api/v1", "nodes", False),
    "Pod": ("/api/v1", "pods", True),
    "Namespace": ("/api/v1", "namespaces", False),
    "PersistentVolume": ("/api/v1", "persistentvolumes", False),
    "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims", True),
    "Service": ("/api/v1", "services", True),
    "ReplicationController": ("/api/v1", "replicationcontrollers", True),
    "ReplicaSet": ("/apis/apps/v1", "replicasets", True),
    "StatefulSet": ("/apis/apps/v1", "statefulsets", True),
    "PodDisruptionBudget": ("/apis/policy/v1", "poddisruptionbudgets", True),
    "StorageClass": ("/apis/storage.k8s.io/v1", "storageclasses", False),
    "CSINode": ("/apis/storage.k8s.io/v1", "csinodes", False),
    "CSIDriver": ("/apis/storage.k8s.io/v1", "csidrivers", False),
    "CSIStorageCapacity": ("/apis/storage.k8s.io/v1", "csistoragecapacities", True),
}
SEEN_SECONDS: Final = 0.5
"""How long a scheduler may take to see what was created."""
TRIED_SECONDS: Final = 15


def path_of(item: Raw) -> str:
    """The collection that an object belongs to."""
    base, plural, namespaced = PATHS[item["kind"]]
    namespace = item["metadata"].get("namespace", "default")
    return f"{base}/namespaces/{namespace}/{plural}" if namespaced else f"{base}/{plural}"


def cases(family: str, seed: str, count: int) -> Iterator[Raw]:
    """Cases with one Pending pod, on which no other pod's fate depends."""
    for case in drawn(family, FAMILIES[family], seed, count):
        pods = [item for item in case["objects"] if item["kind"] == "Pod"]
        waiting = [pod for pod in pods if not pod["spec"].get("nodeName")]
        alone = len(waiting) == 1 and not waiting[0]["status"].get("nominatedNodeName")
        leaving = any(item["metadata"].get("deletionTimestamp") for item in case["objects"])
        if alone and not leaving and not case.get("config"):
            yield case


class Loaded:
    """One case in the API server, as long as the `with` block runs."""

    def __init__(self, api: Api, case: Raw) -> None:
        self._api = api
        self._case = case
        self._made: list[Raw] = []
        self.pod: str = case["pod"]
        """ "namespace/name" of the Pending pod."""
        self.refused = ""
        """What the API server has against an object of the case."""

    def __enter__(self) -> Loaded:
        namespace, name = self.pod.split("/")
        others = [
            item
            for item in self._case["objects"]
            if (item["kind"], item["metadata"]["name"]) != ("Pod", name)
            or item["metadata"].get("namespace") != namespace
        ]
        for item in sorted(others, key=lambda item: item["kind"] == "Pod"):
            if not self.refused:
                self._create(item)
        return self

    def try_pod(self) -> tuple[str, str]:
        """Create the Pending pod: (the scheduler's message, "") or ("", the node that it got)."""
        namespace, name = self.pod.split("/")
        path = f"/api/v1/namespaces/{namespace}/pods/{name}"
        self._api.call("DELETE", f"{path}?gracePeriodSeconds=0")
        time.sleep(SEEN_SECONDS)
        self._create(
            next(
                item
                for item in self._case["objects"]
                if item["kind"] == "Pod"
                and (item["metadata"]["namespace"], item["metadata"]["name"]) == (namespace, name)
            )
        )
        until = time.monotonic() + TRIED_SECONDS
        found = ("", "")
        while not self.refused and time.monotonic() < until:
            before, found = found, self._outcome(path)
            if found != ("", "") and found == before:  # not just about to be scheduled
                return found
            time.sleep(0.2)
        return found

    def _outcome(self, path: str) -> tuple[str, str]:
        _, pod = self._api.call("GET", path)
        if pod["spec"].get("nodeName"):
            return "", str(pod["spec"]["nodeName"])
        for condition in pod["status"].get("conditions", []):
            if condition["type"] == "PodScheduled" and condition["status"] == "False":
                return str(condition.get("message", "")), ""
        return "", ""

    def _create(self, item: Raw) -> None:
        item = copy.deepcopy(item)
        metadata = item["metadata"]
        if item["kind"] != "PersistentVolumeClaim":
            metadata.pop("uid", None)
        if item["kind"] == "Namespace":
            path = f"/api/v1/namespaces/{metadata['name']}"
            labels = {"metadata": {"labels": metadata.get("labels", {})}}
            self._api.call("POST", "/api/v1/namespaces", {"metadata": {"name": metadata["name"]}})
            self._api.call("PATCH", path, labels, MERGE)
            return
        if item["kind"] == "Pod":
            item["spec"].setdefault("terminationGracePeriodSeconds", 0)
        if item["kind"] == "Node":
            item["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
        status, said = self._api.call("POST", path_of(item), item)
        if status >= 300:
            self.refused = json.dumps(said)
            return
        self._made.append(item)
        if item.get("status") and not (item["kind"] == "Pod" and not item["spec"].get("nodeName")):
            path = f"{path_of(item)}/{metadata['name']}/status"
            self._api.call("PATCH", path, {"status": item["status"]}, MERGE)

    def __exit__(self, *ended: Any) -> None:
        for item in reversed(self._made):
            path = f"{path_of(item)}/{item['metadata']['name']}"
            self._api.call("DELETE", f"{path}?gracePeriodSeconds=0")
