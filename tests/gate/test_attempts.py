"""Law: the gate's shortcuts find what the scheduler finds."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kschedx.answers.replay import choose_scheduler
from kschedx.api.pod import Pod
from kschedx.framework.views import ClusterView
from kschedx.gate.attempts import GateAttempts
from kschedx.rollout.attempts import Attempts
from kschedx.schedulers.kube.cycle import KubeScheduler
from tests.gate.sets import cluster, node, running

ON_A = {
    "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [
                {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
            ]
        }
    }
}


def apart(app: str) -> dict[str, Any]:
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": app}},
    }
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


@pytest.mark.parametrize("seed", range(6))
def test_shortcuts_find_what_the_scheduler_finds(seed: int) -> None:
    """Pods of a few shapes are placed one after the other; each answer is compared."""
    r = random.Random(seed)
    waiting = []
    for number in range(14):
        app = r.choice("xyz")
        more: dict[str, Any] = r.choice(
            [{}, {}, {"affinity": apart(r.choice("xyz"))}, {"affinity": ON_A}, {"priority": 5}]
        )
        cpu = r.choice(["1", "2", "3"])
        waiting.append(running(f"w{number}", cpu, "", labels={"app": app}, **more))
    nodes = [node(f"n{number}", r.choice(["2", "4"])) for number in range(4)]
    snapshot = cluster(*nodes, running("low", "1", "n0", labels={"app": "x"}), *waiting)
    choice = choose_scheduler(snapshot)
    scheduler = KubeScheduler(choice.release, choice.configuration)
    view = ClusterView.of(snapshot, choice.release.accounting())
    quick, plain = GateAttempts(scheduler), Attempts(scheduler)
    for pod in list(snapshot.all(Pod).values())[1:]:
        waiting_view = view.waiting[pod.key]
        found = quick.attempt(waiting_view, view)
        expected = plain.attempt(waiting_view, view)

        assert found.winners == expected.winners
        if not found.winners:
            assert found == expected
        else:
            placed = view.view(pod.with_spec(node_name=found.winners[0]))
            view = view.with_pod_on(placed, found.winners[0])
