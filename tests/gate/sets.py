"""Small clusters and manifests as YAML, checked through the same door as the command line."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from kschedx.answers.check import check
from kschedx.answers.replay import choose_scheduler, release_for
from kschedx.gate.check import Known
from kschedx.gate.findings import CheckReport, Finding
from kschedx.gate.settings import Settings
from kschedx.snapshot.files import load
from kschedx.snapshot.manifests import Manifests, read_manifests
from kschedx.snapshot.snapshot import Snapshot

COMPLETE = """
apiVersion: v1
kind: List
metadata: {annotations: {kschedx.io/complete: "true", kschedx.io/kubernetes-version: v1.35.4}}
items: []
"""


def node(name: str, cpu: str = "4", **more: Any) -> str:
    labels = more.pop("labels", {})
    hostname = {"kubernetes.io/hostname": name, **labels}
    status = {"allocatable": {"cpu": cpu, "memory": "16Gi", "pods": "110"}}
    return document("v1", "Node", {"name": name, "uid": name, "labels": hostname}, status=status)


def document(api_version: str, kind: str, metadata: dict[str, Any], **fields: Any) -> str:
    import json

    value = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}
    return f"---\n{json.dumps(value)}\n"


def running(
    name: str, cpu: str, node: str, owner: tuple[str, str] | None = None, **more: Any
) -> str:
    """A Ready pod of namespace prod; `more` goes into its spec."""
    metadata: dict[str, Any] = {"name": name, "namespace": "prod", "uid": f"pod-{name}"}
    metadata["labels"] = more.pop("labels", {})
    if owner is not None:
        reference = {"kind": owner[0], "name": owner[1], "uid": owner[1], "controller": True}
        metadata["ownerReferences"] = [reference]
    spec = {"schedulerName": "default-scheduler", "priority": 0, **pod_spec(cpu, **more)}
    if node:
        spec["nodeName"] = node
    ready = [{"type": "Ready", "status": "True" if node else "False"}]
    status = {"phase": "Running" if node else "Pending", "conditions": ready}
    return document("v1", "Pod", metadata, spec=spec, status=status)


def pod_spec(cpu: str, **more: Any) -> dict[str, Any]:
    resources = more.pop("resources", {"requests": {"cpu": cpu}})
    image = more.pop("image", "app:1")
    return {"containers": [{"name": "main", "image": image, "resources": resources}], **more}


def workload(kind: str, name: str, replicas: int | None, cpu: str, **more: Any) -> str:
    """Of namespace prod; `more` goes into the pods' spec, `own` into the workload's."""
    own = more.pop("own", {})
    metadata = {"name": name, "namespace": "prod", **more.pop("metadata", {})}
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod_spec(cpu, **more)}
    spec: dict[str, Any] = {"selector": {"matchLabels": labels}, "template": template, **own}
    if replicas is not None:
        spec["replicas"] = replicas
    group = "batch/v1" if kind == "Job" else "apps/v1"
    return document(group, kind, metadata, spec=spec)


def existing_set(name: str, cpu: str, *nodes: str, **more: Any) -> str:
    """A StatefulSet with its pods, at rest."""
    metadata = {"uid": name}
    text = workload("StatefulSet", name, len(nodes), cpu, metadata=metadata, **more)
    revision = {"currentRevision": f"{name}-1", "updateRevision": f"{name}-1"}
    text = text.rstrip()[:-1] + f', "status": {{"currentRevision": "{name}-1", '
    text += f'"updateRevision": "{revision["updateRevision"]}"}}}}\n'
    labels = {"app": name, "controller-revision-hash": f"{name}-1"}
    for index, place in enumerate(nodes):
        owner = ("StatefulSet", name)
        text += running(f"{name}-{index}", cpu, place, owner, labels=labels)
    return text


def budget(name: str, app: str, **spec: Any) -> str:
    selector = {"matchLabels": {"app": app}}
    metadata = {"name": name, "namespace": "prod"}
    return document(
        "policy/v1", "PodDisruptionBudget", metadata, spec={**spec, "selector": selector}
    )


def cluster(*parts: str, complete: bool = True) -> Snapshot:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cluster.yaml"
        path.write_text((COMPLETE if complete else "") + "".join(parts))
        return load([str(path)], release=release_for(None))


def manifests(*parts: str, namespace: str | None = None, name: str = "m.yaml") -> Manifests:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text("# Source: chart\n" + "".join(parts))
        return read_manifests([str(path)], namespace)


def report(
    snapshot: Snapshot,
    new: Manifests,
    settings: Settings | None = None,
    base: Manifests | None = None,
    accepted: list[Finding] | None = None,
) -> CheckReport:
    known = Known(base, accepted or ())
    return check(snapshot, new, choose_scheduler(snapshot), settings, known)


def found(snapshot: Snapshot, *parts: str, node_loss: bool = False) -> list[tuple[str, str, str]]:
    """(rule, object, sentence) of every finding."""
    told = report(snapshot, manifests(*parts), Settings(node_loss=node_loss)).findings
    return [(f.rule, str(f.subject), f.sentence) for f in told]
