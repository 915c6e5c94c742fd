"""Random clusters in a real API server: `kschedx why` says what the running scheduler said."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from typing import Final

import pytest

from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.versions import parse_release
from kschedx.snapshot.decode import snapshot_from_objects
from tests.live.conftest import Asked
from tests.live.control_plane import ControlPlane, Raw
from tests.live.generated import Loaded, cases

CLUSTERS: Final = int(os.environ.get("KSCHEDX_LIVE_CLUSTERS", "120"))
SEED: Final = os.environ.get("KSCHEDX_LIVE_SEED", "live")
MAX_PLACED: Final = 15
"""Clusters in which the pod gets a node: there is no message to compare."""
DRAWN: Final = (
    "resources",
    "taints",
    "nodeaffinity",
    "interpod",
    "topology",
    "ports",
    "mix",
    "preemption",
)
"""Families whose outcome no volume controller decides."""


def rounds() -> Iterator[Raw]:
    """Cases of all families in turn, without end."""
    streams = [cases(family, SEED, 10_000) for family in DRAWN]
    while True:
        for stream in streams:
            yield next(stream)


def test_random_clusters(
    control_plane: ControlPlane, ask: Asked, capsys: pytest.CaptureFixture[str]
) -> None:
    compared = placed = refused = 0
    different: list[str] = []
    for case in rounds():
        if compared >= CLUSTERS:
            break
        if placed >= MAX_PLACED and gets_a_node(case):
            continue
        with Loaded(control_plane.api, case) as loaded:
            message, node = loaded.try_pod()
            said, agreement = replayed(ask, control_plane, loaded.pod)
            if message and said != message:  # did the scheduler see all of it in time?
                message, node = loaded.try_pod()
                said, agreement = replayed(ask, control_plane, loaded.pod)
            if loaded.refused:
                refused += 1
            elif node:
                placed += 1
            else:
                compared += 1
                if said != message or agreement != "agrees":
                    different.append(f"{case['id']}: {message!r}, replayed {said!r}")
    counts = f"{compared} compared, {placed} got a node, {refused} refused by the API server"
    with capsys.disabled():
        sys.stderr.write(f"{counts}\n")

    assert different == []


def gets_a_node(case: Raw) -> bool:
    """As the replay sees it, without a cluster."""
    release = parse_release("1.35")
    texts = [json.dumps(item).encode() for item in case["objects"]]
    cluster = ClusterView.of(snapshot_from_objects(texts, release), release.accounting())
    pod = cluster.waiting[case["pod"]]
    return bool(KubeScheduler(release).attempt(pod, cluster, dry_runs=False).winners)


def replayed(ask: Asked, control_plane: ControlPlane, pod: str) -> tuple[str, str]:
    """The message that `kschedx why` gives on the live cluster, and how it compares."""
    code, report, stderr = ask(
        "why", pod, "-o", "json", "-q", "--kubeconfig", str(control_plane.kubeconfig)
    )
    if code == 3 and "no-such-pod" in stderr:
        return "", ""
    assert code == 0, stderr
    explained = report["explanations"][0]
    return explained["schedulerMessage"], (explained["agreement"] or {}).get("status", "")
