"""A large cluster as `kubectl get -o json` prints it.

python -m benchmarks.large_cluster NODES PODS PENDING OUT.json [SEED]
"""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Object = dict[str, Any]
SHAPES = [("7910m", "31482544Ki"), ("15890m", "63594508Ki"), ("3920m", "15842692Ki")]
ZONES = ["eu-1a", "eu-1b", "eu-1c"]
READY = "2026-01-01T00:00:00Z"
STARTED = "2026-01-02T00:00:00Z"
IMAGES_PER_NODE = 20


def namespaces() -> Iterator[Object]:
    for number in range(40):
        name = f"team-{number}"
        labels = {"kubernetes.io/metadata.name": name}
        yield {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": name, "labels": labels},
            "status": {"phase": "Active"},
        }


def node_name(number: int) -> str:
    return f"ip-10-{number >> 8 & 255}-{number & 255}.internal"


def image(r: random.Random, apps: list[str]) -> Object:
    names = [
        f"registry.example/{r.choice(apps)}@sha256:{r.getrandbits(256):064x}",
        f"registry.example/{r.choice(apps)}:v{r.randint(1, 9)}",
    ]
    return {"names": names, "sizeBytes": r.randint(10**7, 10**9)}


def node(r: random.Random, number: int, apps: list[str]) -> Object:
    cpu, memory = r.choice(SHAPES)
    name = node_name(number)
    labels = {
        "kubernetes.io/hostname": name,
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/os": "linux",
        "topology.kubernetes.io/zone": r.choice(ZONES),
        "topology.kubernetes.io/region": "eu-1",
        "node.kubernetes.io/instance-type": "m5",
        "pool": r.choice(["general", "general", "batch", "db"]),
    }
    spec: Object = {"providerID": f"aws:///{number}"}
    if labels["pool"] == "db":
        spec["taints"] = [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]
    room = {
        "cpu": cpu,
        "memory": memory,
        "pods": "58",
        "ephemeral-storage": "95551679124",
        "hugepages-1Gi": "0",
        "hugepages-2Mi": "0",
    }
    conditions = [
        {
            "type": kind,
            "status": "True" if kind == "Ready" else "False",
            "lastHeartbeatTime": READY,
            "reason": "KubeletOk",
            "message": "fine",
        }
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": f"node-{number}",
            "labels": labels,
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
            "creationTimestamp": READY,
        },
        "spec": spec,
        "status": {
            "allocatable": room,
            "capacity": {**room, "cpu": "16"},
            "conditions": conditions,
            "addresses": [
                {"type": "InternalIP", "address": "10.0.0.1"},
                {"type": "Hostname", "address": name},
            ],
            "images": [image(r, apps) for _ in range(IMAGES_PER_NODE)],
            "nodeInfo": {
                "kubeletVersion": "v1.35.4",
                "osImage": "Linux",
                "containerRuntimeVersion": "containerd://2.0",
            },
        },
    }


def container(r: random.Random, app: str) -> Object:
    return {
        "name": "main",
        "image": f"registry.example/{app}:v3",
        "imagePullPolicy": "IfNotPresent",
        "env": [{"name": f"SETTING_{k}", "value": "x" * 20} for k in range(8)],
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
        "resources": {
            "requests": {
                "cpu": r.choice(["50m", "100m", "250m", "400m"]),
                "memory": r.choice(["128Mi", "256Mi", "512Mi", "1Gi"]),
            },
            "limits": {"memory": "1Gi"},
        },
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http"}, "periodSeconds": 10},
        "readinessProbe": {"httpGet": {"path": "/ready", "port": "http"}, "periodSeconds": 5},
        "volumeMounts": [
            {
                "name": "kube-api-access",
                "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount",
                "readOnly": True,
            }
        ],
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    }


def pod_spec(r: random.Random, app: str) -> Object:
    api_access = {
        "defaultMode": 420,
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
            {
                "configMap": {
                    "name": "kube-root-ca.crt",
                    "items": [{"key": "ca.crt", "path": "ca.crt"}],
                }
            },
        ],
    }
    tolerations = [
        {
            "key": f"node.kubernetes.io/{key}",
            "operator": "Exists",
            "effect": "NoExecute",
            "tolerationSeconds": 300,
        }
        for key in ("not-ready", "unreachable")
    ]
    return {
        "containers": [container(r, app)],
        "volumes": [{"name": "kube-api-access", "projected": api_access}],
        "tolerations": tolerations,
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "serviceAccountName": "default",
        "terminationGracePeriodSeconds": 30,
        "priority": r.choice([0, 0, 0, 1000]),
        "preemptionPolicy": "PreemptLowerPriority",
        "enableServiceLinks": True,
        "securityContext": {},
    }


def anti_affinity(app: str, *, required: bool) -> Object:
    term = {
        "labelSelector": {"matchLabels": {"app": app}},
        "topologyKey": "kubernetes.io/hostname",
    }
    if required:
        return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    weighted = {"weight": 100, "podAffinityTerm": term}
    return {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [weighted]}}


def running(r: random.Random, app: str) -> Object:
    conditions = [
        {"type": kind, "status": "True", "lastTransitionTime": STARTED}
        for kind in (
            "PodReadyToStartContainers",
            "Initialized",
            "Ready",
            "ContainersReady",
            "PodScheduled",
        )
    ]
    container_status = {
        "name": "main",
        "image": f"registry.example/{app}:v3",
        "imageID": f"registry.example/{app}@sha256:{r.getrandbits(256):064x}",
        "containerID": f"containerd://{r.getrandbits(256):064x}",
        "ready": True,
        "started": True,
        "restartCount": 0,
        "lastState": {},
        "state": {"running": {"startedAt": STARTED}},
    }
    return {
        "phase": "Running",
        "startTime": STARTED,
        "qosClass": "Burstable",
        "podIP": "10.1.2.3",
        "hostIP": "10.0.0.1",
        "conditions": conditions,
        "containerStatuses": [container_status],
    }


def waiting() -> Object:
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0 nodes",
        "lastTransitionTime": STARTED,
    }
    return {"phase": "Pending", "conditions": [condition], "qosClass": "Burstable"}


def pod(r: random.Random, number: int, *, nodes: int, bound: int, apps: list[str]) -> Object:
    """A running pod; from number `bound` on a large one that waits."""
    app = r.choice(apps)
    name = f"{app}-{r.getrandbits(36):09x}-{r.getrandbits(20):05x}"
    spec = pod_spec(r, app)
    if r.random() < 0.1:
        spec["affinity"] = anti_affinity(app, required=False)
    elif r.random() < 0.05:
        spec["affinity"] = anti_affinity(app, required=True)
    if number < bound:
        spec["nodeName"] = node_name(number % nodes)
        status = running(r, app)
    else:
        name = f"pending-{number - bound}"
        status = waiting()
        spec["containers"][0]["resources"] = {"requests": {"cpu": "15500m", "memory": "20Gi"}}
        spec["priority"] = 1000 if number % 2 else 0
        if number % 3 == 0:
            constraint = {
                "maxSkew": 1,
                "topologyKey": "topology.kubernetes.io/zone",
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": app}},
            }
            spec["topologySpreadConstraints"] = [constraint]
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": app,
        "uid": f"rs-{app}",
        "controller": True,
        "blockOwnerDeletion": True,
    }
    metadata = {
        "name": name,
        "namespace": f"team-{int(app[4:]) % 40}",
        "uid": f"pod-{number}",
        "labels": {"app": app, "pod-template-hash": f"{r.getrandbits(36):09x}"},
        "creationTimestamp": STARTED,
        "generateName": f"{app}-",
        "ownerReferences": [owner],
    }
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def write_cluster(out: Path, *, nodes: int, pods: int, pending: int, seed: int = 1) -> None:
    """One List of namespaces, nodes, running and waiting pods; the same bytes for the same seed."""
    r = random.Random(seed)
    apps = [f"svc-{i}" for i in range(max(10, pods // 40))]
    with out.open("w") as file:
        file.write('{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[')
        separator = ""

        def emit(item: Object) -> None:
            nonlocal separator
            file.write(separator + json.dumps(item, separators=(",", ":")))
            separator = ",\n"

        for item in namespaces():
            emit(item)
        for number in range(nodes):
            emit(node(r, number, apps))
        for number in range(pods + pending):
            emit(pod(r, number, nodes=nodes, bound=pods, apps=apps))
        file.write("]}\n")


if __name__ == "__main__":
    counts = [int(argument) for argument in sys.argv[1:4]]
    write_cluster(
        Path(sys.argv[4]),
        nodes=counts[0],
        pods=counts[1],
        pending=counts[2],
        seed=int(sys.argv[5]) if len(sys.argv) > 5 else 1,
    )
