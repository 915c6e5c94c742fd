"""Small complete clusters for rollouts, as an API server would store them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from kschedx.answers.replay import SchedulerChoice, release_for
from kschedx.answers.upgrade import UpgradeOptions
from kschedx.answers.upgrade_target import find_workload
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import Workload, touched
from kschedx.rollout.live_pod import Timing
from kschedx.rollout.played import Conditions, Played, play
from kschedx.rollout.policies import TODAY, Policy
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.decode import snapshot_from_objects
from kschedx.snapshot.snapshot import Snapshot

Raw = dict[str, Any]
TIMING = Timing(stop_seconds=10, gone_seconds=1, start_seconds=5)


def node(name: str, cpu: str = "4", *, labels: Mapping[str, str] | None = None) -> Raw:
    room = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": name,
            "labels": {"kubernetes.io/hostname": name, **(labels or {})},
        },
        "status": {"capacity": room, "allocatable": room},
    }


def spec(cpu: str, **more: Any) -> Raw:
    return {
        "schedulerName": "default-scheduler",
        "priority": 0,
        "terminationGracePeriodSeconds": 30,
        "containers": [{"name": "c", "image": "app:1", "resources": {"requests": {"cpu": cpu}}}],
        **more,
    }


def pod(
    name: str,
    cpu: str,
    *,
    on: str = "",
    owner: tuple[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
    **more: Any,
) -> Raw:
    """A pod that runs and is Ready where it has a node, and waits where it has none."""
    ready = "True" if on else "False"
    metadata: Raw = {
        "name": name,
        "namespace": "default",
        "uid": name,
        "labels": {"app": name, **(labels or {})},
    }
    if owner is not None:
        kind, controller = owner
        metadata["ownerReferences"] = [
            {"kind": kind, "name": controller, "uid": controller, "controller": True}
        ]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": spec(cpu, **more, **({"nodeName": on} if on else {})),
        "status": {
            "phase": "Running" if on else "Pending",
            "conditions": [{"type": "Ready", "status": ready}],
            **({"startTime": "2026-03-01T08:00:05Z"} if on else {}),
        },
    }


def _workload(
    kind: str,
    name: str,
    replicas: int,
    *,
    cpu: str,
    own: Raw | None = None,
    more: Raw | None = None,
) -> Raw:
    template = {"metadata": {"labels": {"app": name}}, "spec": spec(cpu, **(more or {}))}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": template,
            **(own or {}),
        },
    }


def stateful_set(
    name: str, cpu: str, *nodes: str, own: Raw | None = None, **more: Any
) -> list[Raw]:
    """A set with a Ready pod on each of these nodes; an empty name leaves its pod waiting."""
    revision = f"{name}-old"
    item = _workload("StatefulSet", name, len(nodes), cpu=cpu, own=own, more=dict(more))
    item["status"] = {"currentRevision": revision, "updateRevision": revision}
    labels = {"app": name, "controller-revision-hash": revision}
    return [
        item,
        *(
            pod(f"{name}-{i}", cpu, on=n, owner=("StatefulSet", name), labels=labels, **more)
            for i, n in enumerate(nodes)
        ),
    ]


def deployment(name: str, cpu: str, *nodes: str, own: Raw | None = None, **more: Any) -> list[Raw]:
    """A Deployment whose one ReplicaSet has a Ready pod on each of these nodes."""
    item = _workload("Deployment", name, len(nodes), cpu=cpu, own=own, more=dict(more))
    replica_set = _workload("ReplicaSet", f"{name}-old", len(nodes), cpu=cpu, more=dict(more))
    replica_set["spec"]["template"] = item["spec"]["template"]
    replica_set["metadata"]["ownerReferences"] = [
        {"kind": "Deployment", "name": name, "uid": name, "controller": True}
    ]
    owner = ("ReplicaSet", f"{name}-old")
    labels = {"app": name}
    return [
        item,
        replica_set,
        *(
            pod(f"{name}-old-{i}", cpu, on=n, owner=owner, labels=labels, **more)
            for i, n in enumerate(nodes)
        ),
    ]


def daemon_set(name: str, cpu: str, *nodes: str, own: Raw | None = None) -> list[Raw]:
    """A DaemonSet with a Ready pod on each of these nodes."""
    item = _workload("DaemonSet", name, 0, cpu=cpu, own=own)
    del item["spec"]["replicas"]
    item["status"] = {"desiredNumberScheduled": len(nodes)}
    labels = {"app": name, "controller-revision-hash": "old"}
    return [
        item,
        *(pod(f"{name}-{n}", cpu, on=n, owner=("DaemonSet", name), labels=labels) for n in nodes),
    ]


def budget(name: str, app: str, **rule: Any) -> Raw:
    """A disruption budget as its controller has left it, without counts."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default", "uid": name},
        "spec": {"selector": {"matchLabels": {"app": app}}, **rule},
        "status": {"disruptionsAllowed": 7},
    }


def cluster(*parts: Raw | list[Raw], version: str = "1.35") -> Snapshot:
    """Everything that the cluster holds."""
    objects = [item for part in parts for item in (part if isinstance(part, list) else [part])]
    encoded = [msgspec.Raw(msgspec.json.encode(item)) for item in objects]
    return snapshot_from_objects(encoded, release_for(version))


def scheduler(version: str = "1.35", gates: Mapping[str, bool] | None = None) -> KubeScheduler:
    return KubeScheduler(release_for(version, gates))


def choice(version: str = "1.35", gates: Mapping[str, bool] | None = None) -> SchedulerChoice:
    return SchedulerChoice(release_for(version, gates))


def options(**fields: Any) -> UpgradeOptions:
    return UpgradeOptions(timing=TIMING, **fields)


def workload(snapshot: Snapshot, name: str) -> Workload:
    return find_workload(snapshot, name, None)


def rolled(
    snapshot: Snapshot,
    *steps: Workload,
    name: str = "web",
    policy: Policy = TODAY,
    version: str = "1.35",
    gates: Mapping[str, bool] | None = None,
    **conditions: Any,
) -> Played:
    """The least favourable order of a rollout; without steps the template is touched."""
    first = steps or (touched(workload(snapshot, name)),)
    return play(
        snapshot,
        first,
        Attempts(scheduler(version, gates)),
        Conditions(TIMING, policy, **conditions),
    )


def places(played: Played) -> dict[str, str]:
    """Pod name -> node at the end; empty for a pod that waits."""
    return {pod.pod.removeprefix("default/"): pod.node for pod in played.pods}
