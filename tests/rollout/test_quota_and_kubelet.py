"""What the API server and the kubelet refuse while a rollout is played."""

from typing import Any

import pytest

from kschedx.api.pod import Pod
from kschedx.api.policy import ResourceQuota
from kschedx.framework.views import ClusterView
from kschedx.rollout import kubelet
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import with_requests
from kschedx.rollout.contention import run_of
from kschedx.rollout.quota import exceeded
from tests.rollout.clusters import (
    Raw,
    cluster,
    deployment,
    node,
    pod,
    rolled,
    scheduler,
    stateful_set,
    workload,
)


def _quota(hard: Raw, **more: Any) -> Raw:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q", "namespace": "default", "uid": "q"},
        "spec": {"hard": hard, **more},
    }


QUOTAS: dict[str, tuple[Raw, str | None]] = {
    "within": (_quota({"requests.cpu": "6"}), None),
    "cpu": (
        _quota({"requests.cpu": "5"}),
        "quota q allows 5 of requests.cpu; 3 in use, 3 wanted",
    ),
    "cpu by its short name": (
        _quota({"cpu": "5"}),
        "quota q allows 5 of cpu; 3 in use, 3 wanted",
    ),
    "pods": (_quota({"pods": "1"}), "quota q allows 1 of pods; 1 in use, 1 wanted"),
    "memory is not stated": (
        _quota({"requests.memory": "1Gi"}),
        "quota q allows 1Gi of requests.memory; 0 in use, 0 wanted",
    ),
    "of other pods only": (_quota({"pods": "1"}, scopes=["BestEffort"]), None),
    "of another class": (
        _quota(
            {"pods": "1"},
            scopeSelector={
                "matchExpressions": [
                    {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}
                ]
            },
        ),
        None,
    ),
}


@pytest.mark.parametrize("case", QUOTAS)
def test_a_quota_forbids(case: str) -> None:
    quota, sentence = QUOTAS[case]
    snapshot = cluster(node("n1"), quota, pod("there", "3", on="n1"), pod("new", "3"))
    view = ClusterView.of(snapshot)
    there, new = view.find("default/there"), view.find("default/new")
    assert there is not None
    assert new is not None

    found = exceeded(new, snapshot.all(ResourceQuota).values(), [there])

    assert (found.sentence() if found else None) == sentence


def test_a_set_waits_for_its_quota_and_goes_on_when_there_is_room() -> None:
    snapshot = cluster(
        node("n1"), node("n2"), _quota({"requests.cpu": "6"}), stateful_set("web", "3", "n1", "n2")
    )
    bigger = with_requests(workload(snapshot, "web"), "c", {"cpu": "4"})

    assert rolled(snapshot).done
    assert run_of(rolled(snapshot, bigger)).reason == (
        "quota q allows 6 of requests.cpu; 3 in use, 4 wanted"
    )


def test_a_surge_needs_room_in_the_quota_too() -> None:
    own = {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    }
    parts = (node("n1", "16"), deployment("web", "3", "n1", "n1", own=own))

    assert rolled(cluster(*parts, _quota({"requests.cpu": "9"}))).done
    assert not rolled(cluster(*parts, _quota({"requests.cpu": "6"}))).done


REFUSED: dict[str, tuple[Raw, Raw, str | None]] = {
    "it fits": (pod("new", "1", on="n1"), node("n1"), None),
    "cpu": (pod("new", "3", on="n1"), node("n1"), "OutOfcpu"),
    "node affinity": (
        pod("new", "1", on="n1", nodeSelector={"disk": "ssd"}),
        node("n1"),
        "NodeAffinity",
    ),
    "NoSchedule taints are not looked at": (
        pod("new", "1", on="n1"),
        {**node("n1"), "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}},
        None,
    ),
    "NoExecute taints are": (
        pod("new", "1", on="n1"),
        {**node("n1"), "spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}},
        "TaintToleration",
    ),
    "an extended resource that the node does not know": (
        pod(
            "new",
            "1",
            on="n1",
            containers=[{"name": "c", "resources": {"requests": {"example.com/gpu": "1"}}}],
        ),
        node("n1"),
        None,
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_kubelet_admits(case: str) -> None:
    raw, raw_node, reason = REFUSED[case]
    snapshot = cluster(raw_node, pod("there", "2", on="n1"), raw)
    opening = Attempts(scheduler()).opening(snapshot)

    found = kubelet.refusal(opening.pods["default/new"], opening.cluster.nodes["n1"])

    assert (found[0] if found else None) == reason
    assert snapshot.all(Pod)


def test_a_parallel_set_replaces_nothing_while_a_quota_refuses_one_of_its_pods() -> None:
    web = stateful_set("web", "3", "n1", "n2", own={"podManagementPolicy": "Parallel"})
    del web[1]
    snapshot = cluster(node("n1"), node("n2"), _quota({"pods": "1"}), web)

    played = rolled(snapshot)

    assert [m.subject for m in played.moments if m.code == "deleted"] == []
