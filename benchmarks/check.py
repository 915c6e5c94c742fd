"""How long the CI gate takes: `python benchmarks/check.py [--base] [--node-loss]`.

200 manifests against a snapshot of 1,000 nodes and 10,000 pods: 80 new Deployments, 20 new
StatefulSets with claims and anti-affinity, 8 Jobs, 2 DaemonSets, 68 Deployments with another image,
2 with another request, 20 budgets. The target is 30 s on two cores.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from kschedx.answers.check import check
from kschedx.answers.replay import SchedulerChoice, release_for
from kschedx.gate.check import Known
from kschedx.gate.settings import Settings
from kschedx.snapshot.files import load
from kschedx.snapshot.manifests import read_manifests

Raw = dict[str, Any]
NODES = 1000
WORKLOADS = 200
REPLICAS = 50


def spec(cpu_milli: int, **more: Any) -> Raw:
    requests = {"cpu": f"{cpu_milli}m", "memory": "256Mi"}
    container = {
        "name": "c",
        "image": more.pop("image", "app:1"),
        "resources": {"requests": requests},
    }
    return {"containers": [container], **more}


def workload(kind: str, name: str, replicas: int, pod: Raw, **more: Any) -> Raw:
    labels = {"app": name}
    own: Raw = {"selector": {"matchLabels": labels}, **more}
    own["template"] = {"metadata": {"labels": labels}, "spec": pod}
    if kind not in ("DaemonSet", "Job"):
        own["replicas"] = replicas
    group = "batch/v1" if kind == "Job" else "apps/v1"
    metadata = {"name": name, "namespace": "prod"}
    return {"apiVersion": group, "kind": kind, "metadata": metadata, "spec": own}


def stored(item: Raw, owner: tuple[str, str] | None = None) -> Raw:
    metadata = {**item["metadata"], "uid": f"{item['kind']}-{item['metadata']['name']}"}
    if owner is not None:
        reference = {"kind": owner[0], "name": owner[1], "uid": f"{owner[0]}-{owner[1]}"}
        metadata["ownerReferences"] = [{**reference, "controller": True}]
    return {**item, "metadata": metadata}


def cluster() -> Iterator[Raw]:
    """Nodes of 16 cpu with ten pods of 1 cpu each; a tenth of them are nearly full."""
    for n in range(NODES):
        room = {"cpu": "16" if n % 10 else "10500m", "memory": "64Gi", "pods": "110"}
        name = f"node-{n:04}"
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"z{n % 3}"}
        metadata: Raw = {"name": name, "labels": labels}
        node = {"apiVersion": "v1", "kind": "Node", "metadata": metadata}
        yield stored({**node, "status": {"capacity": room, "allocatable": room}})
    metadata = {"name": "fast"}
    yield stored(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": metadata,
            "provisioner": "disk.csi.example.com",
            "volumeBindingMode": "WaitForFirstConsumer",
        }
    )
    ready = [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}]
    for w in range(WORKLOADS):
        name = f"app-{w:03}"
        item = workload("Deployment", name, REPLICAS, spec(1000))
        yield stored(item)
        own = {**item, "kind": "ReplicaSet", "metadata": {**item["metadata"], "name": f"{name}-1"}}
        yield stored(own, ("Deployment", name))
        for number in range(REPLICAS):
            place = f"node-{(w * REPLICAS + number) % NODES:04}"
            pod = spec(
                1000,
                nodeName=place,
                schedulerName="default-scheduler",
                priority=0,
                terminationGracePeriodSeconds=30,
                restartPolicy="Always",
            )
            metadata = {
                "name": f"{name}-1-{number:03}",
                "namespace": "prod",
                "labels": {"app": name},
                "creationTimestamp": "2026-01-01T00:00:00Z",
            }
            raw = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}
            status = {"phase": "Running", "conditions": ready}
            yield stored({**raw, "status": status}, ("ReplicaSet", f"{name}-1"))


def manifests() -> Iterator[Raw]:
    """200 of them."""
    for n in range(80):
        spread = {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "DoNotSchedule" if n % 4 == 0 else "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": f"new-{n}"}},
        }
        more = {"topologySpreadConstraints": [spread]} if n % 2 == 0 else {}
        yield workload("Deployment", f"new-{n}", 3, spec(500 + 10 * n, **more))
    for n in range(20):
        apart = {
            "topologyKey": "kubernetes.io/hostname",
            "labelSelector": {"matchLabels": {"app": f"db-{n}"}},
        }
        required = {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}
        claim = {
            "metadata": {"name": "data"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "fast",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
        pod = spec(1000, affinity={"podAntiAffinity": required})
        yield workload("StatefulSet", f"db-{n}", 3, pod, volumeClaimTemplates=[claim])
        yield {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": f"db-{n}", "namespace": "prod"},
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": {"app": f"db-{n}"}}},
        }
    for n in range(8):
        yield workload("Job", f"job-{n}", 1, spec(20_000 if n < 2 else 2000), parallelism=4)
    for n in range(2):
        yield workload("DaemonSet", f"agent-{n}", 0, spec(100))
    for n in range(70):
        cpu, image = (1000, "app:2") if n < 68 else (1500, "app:1")
        yield workload("Deployment", f"app-{n:03}", REPLICAS, spec(cpu, image=image))


def main() -> None:
    """Check and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", action="store_true", help="compare with the same manifests")
    parser.add_argument("--node-loss", action="store_true")
    wanted = parser.parse_args()
    release = release_for("1.35")
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("cluster.json", "manifests.json")]
        for path, items in zip(paths, (cluster(), manifests()), strict=True):
            Path(path).write_text(json.dumps(list(items)))
        begun, begun_cpu = time.perf_counter(), time.process_time()
        snapshot = load(paths[:1], complete=True, release=release)
        new = read_manifests(paths[1:])
    known = Known(base=new) if wanted.base else Known()
    settings = Settings(node_loss=wanted.node_loss)
    report = check(snapshot, new, SchedulerChoice(release), settings, known)
    seconds = time.perf_counter() - begun
    cpu_seconds = time.process_time() - begun_cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    for finding in report.findings[:20]:
        print(f"{finding.severity.value} {finding.rule} {finding.subject}: {finding.sentence}")
    print(f"{len(report.checked)} workloads, {len(report.findings)} findings")
    print(f"{seconds:.1f} s ({cpu_seconds:.1f} s of processor time), {memory} MiB")


if __name__ == "__main__":
    main()
