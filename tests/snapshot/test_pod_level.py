from typing import Any

import msgspec
import pytest

from kschedx.api.pod import Pod
from kschedx.snapshot.pod_level import with_pod_level_requests


def container(*, sidecar: bool = False, limits: Any = None, **requests: str) -> dict[str, Any]:
    return {
        "resources": {"requests": requests, "limits": limits or {}},
        **({"restartPolicy": "Always"} if sidecar else {}),
    }


CASES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing stated": (
        {"resources": {}, "containers": [container(cpu="1")]},
        {},
    ),
    "limits alone": (
        {"resources": {"limits": {"cpu": "2", "memory": "1Gi"}}},
        {"cpu": "2", "memory": "1Gi"},
    ),
    "containers ask for less": (
        {
            "resources": {"limits": {"cpu": "2"}},
            "containers": [container(cpu="500m", memory="1")] * 3,
        },
        {"cpu": "1500m", "memory": "3"},
    ),
    "what is stated stays": (
        {
            "resources": {"limits": {"cpu": "2"}, "requests": {"cpu": "100m"}},
            "containers": [container(cpu="1")],
        },
        {"cpu": "100m"},
    ),
    "resources that a pod cannot state": (
        {
            "resources": {"limits": {"cpu": "2", "x.y/z": "1"}},
            "containers": [container(storage="1")],
        },
        {"cpu": "2"},
    ),
    "the worst step counts, with the sidecars started before it": (
        {
            "resources": {"limits": {"cpu": "9"}},
            "initContainers": [
                container(cpu="2"),
                container(sidecar=True, cpu="250m"),
                container(cpu="2"),
            ],
            "containers": [container(cpu="1")],
        },
        {"cpu": "2250m"},
    ),
    "sidecars beside the containers": (
        {
            "resources": {"limits": {"cpu": "9"}},
            "initContainers": [container(sidecar=True, cpu="1"), container(sidecar=True, cpu="1")],
            "containers": [container(cpu="500u")],
        },
        {"cpu": "2000500000n"},
    ),
    "huge pages from the containers' limits": (
        {
            "resources": {"limits": {"cpu": "1"}},
            "containers": [container(limits={"hugepages-2Mi": "4Mi"})] * 2,
        },
        {"cpu": "1", "hugepages-2Mi": "8388608"},
    ),
    "huge pages where the pod states only requests": (
        {
            "resources": {"requests": {"memory": "1Gi"}},
            "containers": [container(limits={"hugepages-2Mi": "4Mi"}, cpu="1")],
        },
        {"memory": "1Gi", "hugepages-2Mi": "4194304", "cpu": "1"},
    ),
}


@pytest.mark.parametrize(("spec", "requests"), CASES.values(), ids=CASES.keys())
def test_requests(spec: dict[str, Any], requests: dict[str, Any]) -> None:
    pod = with_pod_level_requests(msgspec.convert({"spec": spec}, Pod))

    assert pod.spec.resources is not None
    assert pod.spec.resources.requests == requests
    assert with_pod_level_requests(pod) == pod


@pytest.mark.parametrize(
    ("from_requests", "expected"), {False: {"cpu": "1"}, True: {"cpu": "1", "memory": "5"}}.items()
)
def test_requests_alone_suffice_from_1_37_on(from_requests: bool, expected: dict[str, str]) -> None:
    spec = {"resources": {"requests": {"cpu": "1"}}, "containers": [container(memory="5")]}
    pod = with_pod_level_requests(
        msgspec.convert({"spec": spec}, Pod), from_requests_alone=from_requests
    )

    assert pod.spec.resources is not None
    assert pod.spec.resources.requests == expected


def test_pod_without_its_own_resources_is_left_alone() -> None:
    pod = msgspec.convert({"spec": {"containers": [container(cpu="1")]}}, Pod)

    assert with_pod_level_requests(pod) is pod
