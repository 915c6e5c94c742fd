"""Small workloads for rollouts on a control plane without machines."""

from __future__ import annotations

from typing import Any

Raw = dict[str, Any]
HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"


def spec(cpu: str, priority: str | None = None, image: str = "app:1", **more: Any) -> Raw:
    """A pod spec with one container that asks for cpu alone."""
    container: Raw = {"name": "c", "image": image, "resources": {"requests": {"cpu": cpu}}}
    ports = more.pop("ports", None)
    if ports:
        container["ports"] = ports
    named = {"priorityClassName": priority} if priority else {}
    return {"terminationGracePeriodSeconds": 1, **named, "containers": [container], **more}


def pod(name: str, cpu: str, priority: str | None = None, **more: Any) -> Raw:
    labels = more.pop("labels", {"app": name})
    return {
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": spec(cpu, priority, **more),
    }


def _template(app: str, cpu: str, priority: str | None, more: Raw) -> Raw:
    annotations = more.pop("annotations", {})
    return {
        "metadata": {"labels": {"app": app}, "annotations": annotations},
        "spec": spec(cpu, priority, **more),
    }


def stateful_set(
    name: str,
    replicas: int,
    cpu: str,
    priority: str | None = None,
    own: Raw | None = None,
    **more: Any,
) -> Raw:
    """`own` goes into the set's spec, everything else into its pods'."""
    return {
        "kind": "StatefulSet",
        "metadata": {"name": name},
        "spec": {
            "serviceName": name,
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": _template(name, cpu, priority, more),
            **(own or {}),
        },
    }


def deployment(
    name: str,
    replicas: int,
    cpu: str,
    priority: str | None = None,
    own: Raw | None = None,
    **more: Any,
) -> Raw:
    return {
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": _template(name, cpu, priority, more),
            **(own or {}),
        },
    }


def replica_set(name: str, replicas: int, cpu: str, priority: str | None = None) -> Raw:
    return {**deployment(name, replicas, cpu, priority), "kind": "ReplicaSet"}


def daemon_set(name: str, cpu: str, own: Raw | None = None, **more: Any) -> Raw:
    return {
        "kind": "DaemonSet",
        "metadata": {"name": name},
        "spec": {
            "selector": {"matchLabels": {"app": name}},
            "template": _template(name, cpu, None, more),
            **(own or {}),
        },
    }


def budget(name: str, app: str, minimum: int) -> Raw:
    return {
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name},
        "spec": {"minAvailable": minimum, "selector": {"matchLabels": {"app": app}}},
    }


def quota(**hard: str) -> Raw:
    return {"kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": hard}}


def local_volume(node: str) -> Raw:
    match = {"key": HOST, "operator": "In", "values": [node]}
    return {
        "kind": "PersistentVolume",
        "metadata": {"name": f"pv-{node}"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "persistentVolumeReclaimPolicy": "Retain",
            "local": {"path": "/mnt/x"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [match]}]}},
        },
    }


CLAIMS: Raw = {
    "volumeClaimTemplates": [
        {
            "metadata": {"name": "data"},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "storageClassName": "local",
                "resources": {"requests": {"storage": "1Gi"}},
            },
        }
    ]
}


def containers(image: str, cpu: str | None = None, labels: Raw | None = None) -> Raw:
    """A patch of the template's container, and of its labels."""
    container: Raw = {"name": "c", "image": image}
    if cpu is not None:
        container["resources"] = {"requests": {"cpu": cpu}}
    template: Raw = {"spec": {"containers": [container]}}
    if labels:
        template["metadata"] = {"labels": labels}
    return {"spec": {"template": template}}


def rolling(surge: int | str, unavailable: int | str) -> Raw:
    return {
        "strategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable},
        }
    }


def daemon_rolling(surge: int | str, unavailable: int | str) -> Raw:
    return {
        "updateStrategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable},
        }
    }


def set_rolling(**fields: Any) -> Raw:
    return {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": fields}}


def apart(app: str, key: str = HOST) -> Raw:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    }


def beside(key: str, value: str) -> Raw:
    term = {"labelSelector": {"matchLabels": {key: value}}, "topologyKey": HOST}
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def spread(app: str, key: str, skew: int = 1) -> Raw:
    return {
        "topologySpreadConstraints": [
            {
                "maxSkew": skew,
                "topologyKey": key,
                "whenUnsatisfiable": "DoNotSchedule",
                "labelSelector": {"matchLabels": {"app": app}},
            }
        ]
    }
