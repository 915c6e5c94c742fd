"""How long a rollout takes to play: `python benchmarks/rollout.py [--all] [--remedies] [--calm]`.

1,000 nodes, 10,000 pods of 300 workloads, 200 waiting pods of 20 kinds, a StatefulSet of 30.
Prints seconds and the peak memory of the process; the targets on two cores are 20 s without
remedies, 90 s with them, 600 s for all workloads, 1 GB.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).parents[1]))

from kschedx.answers.replay import SchedulerChoice, release_for
from kschedx.answers.upgrade import UpgradeOptions, simulate_upgrade
from kschedx.answers.upgrade_all import simulate_all
from kschedx.answers.upgrade_target import find_workload
from kschedx.rollout.change import touched
from kschedx.snapshot.decode import snapshot_from_objects
from kschedx.snapshot.snapshot import Snapshot

Raw = dict[str, Any]
NODES = 1000
PODS_PER_NODE = 10
WORKLOADS = 300
WAITING = 200
KINDS = 20
SET = 30


def _spec(cpu_milli: int, node: str = "", **more: Any) -> Raw:
    requests = {"cpu": f"{cpu_milli}m", "memory": "256Mi"}
    spec: Raw = {
        "containers": [{"name": "c", "image": "app:1", "resources": {"requests": requests}}],
        "schedulerName": "default-scheduler",
        "priority": 0,
        "terminationGracePeriodSeconds": 30,
        **more,
    }
    return {**spec, "nodeName": node} if node else spec


def _pod(name: str, owner: tuple[str, str] | None, spec: Raw, labels: Raw) -> Raw:
    running = "nodeName" in spec
    reference = (
        [{"kind": owner[0], "name": owner[1], "uid": owner[1], "controller": True}] if owner else []
    )
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "prod",
            "uid": name,
            "labels": labels,
            "ownerReferences": reference,
            "creationTimestamp": "2026-01-01T00:00:00Z",
        },
        "spec": spec,
        "status": {
            "phase": "Running" if running else "Pending",
            "conditions": [
                {
                    "type": "Ready",
                    "status": "True" if running else "False",
                    "lastTransitionTime": "2026-01-01T00:00:00Z",
                }
            ],
        },
    }


def _workload(kind: str, name: str, replicas: int, cpu_milli: int) -> list[Raw]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": _spec(cpu_milli)}
    base: Raw = {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "prod", "uid": name},
        "spec": {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template},
    }
    if kind == "StatefulSet":
        base["status"] = {"currentRevision": f"{name}-1", "updateRevision": f"{name}-1"}
        return [base]
    replica_set: Raw = {
        **base,
        "kind": "ReplicaSet",
        "metadata": {
            "name": f"{name}-1",
            "namespace": "prod",
            "uid": f"{name}-1",
            "ownerReferences": [
                {"kind": "Deployment", "name": name, "uid": name, "controller": True}
            ],
        },
    }
    return [base, replica_set]


def cluster(*, calm: bool = False) -> list[Raw]:
    """The objects. Nodes of 10 cpu: nine full, every tenth with room.

    `calm`: all waiting pods are too large for what a rollout frees.
    """
    objects: list[Raw] = []
    for n in range(NODES):
        room = {"cpu": "10", "memory": "32Gi", "pods": "110"}
        name = f"node-{n:04}"
        labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"z{n % 3}"}
        objects.append(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": name, "uid": name, "labels": labels},
                "status": {"capacity": room, "allocatable": room},
            }
        )
    members: dict[str, int] = {}
    for n in range(NODES):
        for slot in range(PODS_PER_NODE):
            name = _member(n, slot)
            members[name] = members.get(name, 0) + 1
    kinds = {name: "StatefulSet" if hash_of(name) % 5 == 0 else "Deployment" for name in members}
    kinds["database"] = "StatefulSet"
    counts = dict.fromkeys(members, 0)
    for n in range(NODES):
        for slot in range(PODS_PER_NODE):
            name = _member(n, slot)
            node = f"node-{n:04}"
            number = counts[name]
            counts[name] += 1
            own = kinds[name]
            owner = (own, name) if own == "StatefulSet" else ("ReplicaSet", f"{name}-1")
            pod_name = f"{name}-{number}" if own == "StatefulSet" else f"{name}-1-{number:05}"
            labels = {"app": name}
            if own == "StatefulSet":
                labels["controller-revision-hash"] = f"{name}-1"
            cpu = 1000 if n % 10 else 950
            objects.append(_pod(pod_name, owner, _spec(cpu, node), labels))
    for name, replicas in members.items():
        objects += _workload(kinds[name], name, replicas, 1000)
    for index in range(WAITING):
        cpu = (1100 if calm else 600) + 100 * (index % KINDS)
        objects.append(_pod(f"waiting-{index:03}", None, _spec(cpu), {"job": str(index % KINDS)}))
    return objects


def _member(node: int, slot: int) -> str:
    """Whose pod is in this place."""
    index = node * PODS_PER_NODE + slot
    return "database" if slot == 0 and node < SET else f"app-{index % (WORKLOADS - 1):03}"


def hash_of(name: str) -> int:
    """The same on every run, unlike hash()."""
    return sum(name.encode())


def read(*, calm: bool = False) -> Snapshot:
    """The cluster as a complete snapshot."""
    release = release_for("1.35")
    return snapshot_from_objects(
        [msgspec.Raw(msgspec.json.encode(o)) for o in cluster(calm=calm)], release
    )


def main() -> None:
    """Play what is asked for and print how long it took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--remedies", action="store_true")
    parser.add_argument("--calm", action="store_true", help="no waiting pod fits freed room")
    arguments = parser.parse_args()
    choice = SchedulerChoice(release_for("1.35"))
    snapshot = read(calm=arguments.calm)
    begun = time.perf_counter()
    if arguments.all:
        every = simulate_all(snapshot, choice, UpgradeOptions(remedies=False))
        proved = sum(line.proved for line in every.lines)
        what = f"{len(every.lines)} workloads, {proved} proved, {every.outcome}"
    else:
        item = find_workload(snapshot, "sts/database", None)
        options = UpgradeOptions(remedies=arguments.remedies)
        report = simulate_upgrade(snapshot, [touched(item)], choice, options)
        what = f"{report.outcome} at {report.worst.step}, {report.search.runs} orders"
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu = time.process_time()
    print(f"{what}: {seconds:.1f} s ({cpu:.1f} s of cpu with reading), {peak:.0f} MB")


if __name__ == "__main__":
    main()
