"""Requests of a pod as a whole, as values, patches and commands."""

from typing import Any

from kschedx.framework.request_edits import LowerOverhead, LowerPodRequest
from tests.builders import cluster, pod

MI = 2**20


def asking(**spec: Any) -> Any:
    return pod("p", requests={"memory": "256Mi"}, spec=spec)


def test_lower_pod_request() -> None:
    before = asking(resources={"requests": {"memory": "2Gi"}}, overhead={"memory": "24Mi"})
    edit = LowerPodRequest.of(before, "memory", 1024 * MI, cluster())

    assert edit is not None
    assert cluster().view(edit.changed(before)).asked["memory"] == 1024 * MI
    path = "/resources/requests/memory"
    assert edit.operations(before) == ({"op": "replace", "path": path, "value": "1000Mi"},)
    assert edit.sentence() == "lower the memory request of spec.resources from 2Gi to 1000Mi"


def test_not_below_the_sum_of_the_containers() -> None:
    before = asking(resources={"requests": {"memory": "2Gi"}})

    assert LowerPodRequest.of(before, "memory", 256 * MI - 1, cluster()) is None
    assert LowerPodRequest.of(before, "memory", 256 * MI, cluster()) is not None
    assert LowerPodRequest.of(asking(), "memory", 100 * MI, cluster()) is None


def test_lower_overhead() -> None:
    before = asking(overhead={"memory": "200Mi"}, runtimeClassName="vm")
    edit = LowerOverhead.of(before, "memory", 150 * MI)

    assert edit is not None
    assert edit.apply(before, cluster())[0].spec.overhead == {"memory": "50Mi"}
    assert edit.patch(before).command == (
        """kubectl patch runtimeclass vm --type=merge -p '{"overhead":{"podFixed":{"memory":"50Mi"}}}'"""
    )
    assert edit.sentence() == (
        "lower the memory overhead of RuntimeClass vm from 200Mi to 50Mi, then create the pod again"
    )
    assert LowerOverhead.of(before, "memory", 200 * MI) is None
