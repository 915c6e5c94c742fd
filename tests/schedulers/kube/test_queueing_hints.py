"""Which waiting pods are woken by a pod that goes or comes."""

from typing import Any

import pytest

from kschedx.framework.accounting import Accounting
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.queueing_hints import Change, PodEvent, wakes
from kschedx.schedulers.kube.versions import parse_release
from tests.builders import pod

HOST = "kubernetes.io/hostname"


def _view(name: str, **fields: Any) -> PodView:
    return PodView(pod(name, **fields), Accounting())


def _port(number: int, protocol: str = "TCP") -> dict[str, Any]:
    port = {"containerPort": 80, "hostPort": number, "protocol": protocol}
    return {"containers": [{"name": "c", "ports": [port]}]}


def _claim(name: str) -> dict[str, Any]:
    return {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]}


def _apart(*apps: str) -> dict[str, Any]:
    terms = [{"labelSelector": {"matchLabels": {"app": a}}, "topologyKey": HOST} for a in apps]
    return {
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    }


def _beside(app: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": HOST}
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def _spread(app: str) -> dict[str, Any]:
    constraint = {
        "maxSkew": 1,
        "topologyKey": HOST,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}},
    }
    return {"topologySpreadConstraints": [constraint]}


WEB = {"app": "web"}
DELETED = {
    "resources: always, whatever the pod had": ("NodeResourcesFit", {}, {}, "1.35", True),
    "node affinity: never": ("NodeAffinity", {}, {}, "1.35", False),
    "taints: never": ("TaintToleration", {}, {}, "1.35", False),
    "volume binding: never": ("VolumeBinding", {}, {}, "1.35", False),
    "ports: the same": ("NodePorts", {"spec": _port(80)}, {"spec": _port(80)}, "1.35", True),
    "ports: another": ("NodePorts", {"spec": _port(80)}, {"spec": _port(81)}, "1.35", False),
    "ports: another protocol": (
        "NodePorts",
        {"spec": _port(80)},
        {"spec": _port(80, "UDP")},
        "1.35",
        False,
    ),
    "claims: the same": (
        "VolumeRestrictions",
        {"spec": _claim("data")},
        {"spec": _claim("data")},
        "1.35",
        True,
    ),
    "claims: another": (
        "VolumeRestrictions",
        {"spec": _claim("data")},
        {"spec": _claim("logs")},
        "1.35",
        False,
    ),
    "volume limits: it had a claim": (
        "NodeVolumeLimits",
        {},
        {"spec": _claim("data")},
        "1.35",
        True,
    ),
    "volume limits: it had none": ("NodeVolumeLimits", {}, {}, "1.35", False),
    "spread: of the constraint's pods": (
        "PodTopologySpread",
        {"spec": _spread("web")},
        {"labels": WEB},
        "1.35",
        True,
    ),
    "spread: of other pods": ("PodTopologySpread", {"spec": _spread("web")}, {}, "1.35", False),
    "anti-affinity: the pod it kept away from": (
        "InterPodAffinity",
        {"spec": _apart("web")},
        {"labels": WEB},
        "1.35",
        True,
    ),
    "anti-affinity: one of two, until 1.36 a gap": (
        "InterPodAffinity",
        {"spec": _apart("web", "db")},
        {"labels": WEB},
        "1.36",
        False,
    ),
    "anti-affinity: one of two, from 1.37": (
        "InterPodAffinity",
        {"spec": _apart("web", "db")},
        {"labels": WEB},
        "1.37",
        True,
    ),
    "anti-affinity: the other's own, until 1.36 a gap": (
        "InterPodAffinity",
        {"labels": WEB},
        {"spec": _apart("web")},
        "1.36",
        False,
    ),
    "anti-affinity: the other's own, from 1.37": (
        "InterPodAffinity",
        {"labels": WEB},
        {"spec": _apart("web")},
        "1.37",
        True,
    ),
    "without hints every registered plugin wants it": (
        "NodePorts",
        {"spec": _port(80)},
        {},
        "1.31",
        True,
    ),
    "without hints still only registered plugins": ("NodeAffinity", {}, {}, "1.31", False),
}


@pytest.mark.parametrize("case", DELETED)
def test_a_pod_that_is_gone_wakes(case: str) -> None:
    plugin, waiting, gone, version, woken = DELETED[case]
    event = PodEvent(Change.DELETED, _view("gone", node="n1", **gone))

    found = wakes([plugin], event, _view("waits", **waiting), parse_release(version))

    assert found == (plugin if woken else None)


ADDED = {
    "a pod that it wants to be beside": ("InterPodAffinity", _beside("web"), True),
    "another": ("InterPodAffinity", _beside("db"), False),
    "resources: never": ("NodeResourcesFit", {}, False),
    "spread over its kind": ("PodTopologySpread", _spread("web"), True),
}


@pytest.mark.parametrize("case", ADDED)
def test_a_pod_that_is_bound_wakes(case: str) -> None:
    plugin, spec, woken = ADDED[case]
    event = PodEvent(Change.ADDED, _view("new", node="n1", labels=WEB))

    found = wakes([plugin], event, _view("waits", spec=spec), parse_release("1.35"))

    assert found == (plugin if woken else None)


def test_one_plugin_that_wants_it_is_enough() -> None:
    event = PodEvent(Change.DELETED, _view("gone", node="n1"))
    rejected_by = ["NodeAffinity", "NodeResourcesFit"]

    found = wakes(rejected_by, event, _view("waits"), parse_release("1.35"))

    assert found == "NodeResourcesFit"
