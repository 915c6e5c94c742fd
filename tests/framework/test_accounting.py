from typing import Any

import pytest

from kschedx.framework.accounting import counts, is_extended, is_scalar
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.versions import Release
from tests.builders import pod

MI = 1024 * 1024


def container(name: str = "main", *, sidecar: bool = False, **requests: str) -> dict[str, Any]:
    raw: dict[str, Any] = {"name": name, "resources": {"requests": requests}}
    return {**raw, "restartPolicy": "Always"} if sidecar else raw


def view(spec: dict[str, Any], status: dict[str, Any] | None = None, minor: int = 35) -> PodView:
    return PodView(pod(spec=spec, status=status), Release(minor).accounting())


SPECS: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "containers add up": (
        {"containers": [container("a", cpu="100m", memory="1Mi"), container("b", cpu="0.2")]},
        {"cpu": 300, "memory": MI},
    ),
    "parts of a unit round up once, in the sum": (
        {"containers": [container("a", memory="100m"), container("b", memory="1")]},
        {"memory": 2},
    ),
    "the largest init container": (
        {
            "containers": [container(cpu="1", memory="1Mi")],
            "initContainers": [container("x", cpu="3"), container("y", cpu="2", memory="5Mi")],
        },
        {"cpu": 3000, "memory": 5 * MI},
    ),
    "sidecars add up with the containers": (
        {
            "containers": [container(cpu="1")],
            "initContainers": [
                container("x", sidecar=True, cpu="1"),
                container("y", sidecar=True, cpu="2"),
            ],
        },
        {"cpu": 4000},
    ),
    "an init container runs beside the sidecars before it": (
        {
            "containers": [container(cpu="1")],
            "initContainers": [
                container("before", cpu="5"),
                container("x", sidecar=True, cpu="1"),
                container("worst", cpu="5"),
                container("y", sidecar=True, cpu="2"),
            ],
        },
        {"cpu": 6000},
    ),
    "overhead comes on top": (
        {
            "containers": [container(cpu="1")],
            "initContainers": [container("x", cpu="2")],
            "overhead": {"cpu": "100m", "memory": "1Mi"},
        },
        {"cpu": 2100, "memory": MI},
    ),
    "a request at pod level replaces the sum": (
        {
            "containers": [container(cpu="1", memory="1Mi")],
            "resources": {"requests": {"cpu": "3", "ephemeral-storage": "1Gi"}},
            "overhead": {"cpu": "100m"},
        },
        {"cpu": 3100, "memory": MI},
    ),
    "names that are not counted": (
        {
            "containers": [
                {"resources": {"requests": {"gpu": "1", "pods": "1", "a.example/gpu": "1"}}}
            ]
        },
        {"a.example/gpu": 1},
    ),
}


@pytest.mark.parametrize(("spec", "expected"), SPECS.values(), ids=SPECS.keys())
def test_requests(spec: dict[str, Any], expected: dict[str, int]) -> None:
    assert view(spec).asked == expected
    assert view(spec).requests == expected


def test_pod_level_is_gated_off_until_1_33() -> None:
    spec = {"containers": [container(cpu="1")], "resources": {"requests": {"cpu": "3"}}}

    assert view(spec, minor=33).asked == {"cpu": 1000}


def reported(
    name: str = "main", actuated: str | None = None, allocated: str | None = None
) -> dict[str, Any]:
    status: dict[str, Any] = {"name": name}
    if actuated is not None:
        status["resources"] = {"requests": {"cpu": actuated}}
    if allocated is not None:
        status["allocatedResources"] = {"cpu": allocated}
    return status


INFEASIBLE = [{"type": "PodResizePending", "reason": "Infeasible"}]
DEFERRED = [{"type": "PodResizePending", "reason": "Deferred"}]
ONE = {"containers": [container(cpu="2")]}
TWO = {"containers": [container("a", cpu="4"), container("b", cpu="1")]}
INIT = {"containers": [container(cpu="1")], "initContainers": [container("x", cpu="2")]}
AT_POD_LEVEL = {"containers": [container(cpu="1")], "resources": {"requests": {"cpu": "2"}}}

RESIZES: dict[str, tuple[dict[str, Any], dict[str, Any], dict[int, int]]] = {
    "nothing is reported": (ONE, {}, {32: 2000, 36: 2000, 37: 2000}),
    "as wanted": (
        ONE,
        {"containerStatuses": [reported(actuated="2", allocated="2")]},
        {32: 2000, 36: 2000, 37: 2000},
    ),
    "growing": (
        ONE,
        {"containerStatuses": [reported(actuated="1", allocated="1")], "conditions": DEFERRED},
        {32: 2000, 36: 2000, 37: 2000},
    ),
    "shrinking": (
        ONE,
        {"containerStatuses": [reported(actuated="4", allocated="3")]},
        {32: 2000, 33: 4000, 36: 4000, 37: 4000},
    ),
    "can never grow": (
        ONE,
        {"containerStatuses": [reported(actuated="1", allocated="1")], "conditions": INFEASIBLE},
        {32: 2000, 33: 1000, 36: 1000, 37: 1000},
    ),
    "can never grow, and nothing is reported": (
        ONE,
        {"conditions": INFEASIBLE},
        {36: 2000, 37: 0},
    ),
    "one container grows as another shrinks": (
        TWO,
        {"containerStatuses": [reported("a", "1", "1"), reported("b", "4", "4")]},
        {36: 8000, 37: 5000},
    ),
    "only what is allocated": (
        ONE,
        {"containerStatuses": [reported(allocated="3")]},
        {36: 2000, 37: 3000},
    ),
    "an init container that runs to its end": (
        INIT,
        {"initContainerStatuses": [reported("x", actuated="3", allocated="3")]},
        {36: 2000, 37: 3000},
    ),
    "at pod level": (
        AT_POD_LEVEL,
        {"resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "4"}},
        {35: 2000, 36: 4000, 37: 4000},
    ),
    "at pod level, can never grow": (
        AT_POD_LEVEL,
        {"resources": {"requests": {"cpu": "1"}}, "conditions": INFEASIBLE},
        {35: 2000, 36: 1000, 37: 1000},
    ),
    "pod-wide sums, without a request at pod level": (
        ONE,
        {"resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "4"}},
        {36: 2000, 37: 4000},
    ),
}


@pytest.mark.parametrize(("spec", "status", "expected"), RESIZES.values(), ids=RESIZES.keys())
def test_resize_in_place(
    spec: dict[str, Any], status: dict[str, Any], expected: dict[int, int]
) -> None:
    found = {minor: view(spec, status, minor).requests.get("cpu", 0) for minor in expected}

    assert found == expected
    assert view(spec, status).asked == view(spec).asked


NONZERO: dict[str, tuple[dict[str, Any], dict[int, tuple[int, int]]]] = {
    "each container without a request": (
        {"containers": [container("a"), container("b", cpu="1"), container("c", memory="0")]},
        {31: (1200, 400 * MI), 35: (1200, 400 * MI)},
    ),
    "sidecars": (
        {
            "containers": [container(cpu="1", memory="1Mi")],
            "initContainers": [container("x", sidecar=True, cpu="2")],
        },
        {31: (2000, 200 * MI), 32: (3000, 201 * MI), 35: (3000, 201 * MI)},
    ),
    "an init container beside a sidecar": (
        {
            "containers": [container(cpu="1", memory="1Mi")],
            "initContainers": [container("x", sidecar=True, cpu="2"), container("y")],
        },
        {31: (2000, 200 * MI), 32: (3000, 400 * MI)},
    ),
    "overhead": (
        {"containers": [container(cpu="1")], "overhead": {"cpu": "1", "memory": "1Mi"}},
        {31: (2000, 201 * MI), 35: (2000, 201 * MI)},
    ),
    "a request at pod level": (
        {"containers": [container(), container("b")], "resources": {"requests": {"cpu": "1"}}},
        {33: (200, 400 * MI), 35: (1000, 400 * MI)},
    ),
}


@pytest.mark.parametrize(("spec", "expected"), NONZERO.values(), ids=NONZERO.keys())
def test_what_scoring_counts(spec: dict[str, Any], expected: dict[int, tuple[int, int]]) -> None:
    assert {minor: view(spec, minor=minor).nonzero for minor in expected} == expected


@pytest.mark.parametrize(
    ("resource", "extended", "scalar", "counted"),
    [
        ("cpu", False, False, True),
        ("memory", False, False, True),
        ("ephemeral-storage", False, False, True),
        ("storage", False, False, False),
        ("pods", False, False, False),
        ("gpu", False, False, False),
        ("nvidia.com/gpu", True, True, True),
        ("hugepages-2Mi", False, True, True),
        ("attachable-volumes-aws-ebs", False, True, True),
        ("kubernetes.io/batteries", False, True, True),
        ("deviceclass.resource.kubernetes.io/gpus", False, True, True),
        ("requests.nvidia.com/gpu", False, False, False),
        ("requests.kubernetes.io/gpu", False, True, True),
        ("a/b/c", False, False, False),
        ("Upper.example/gpu", False, False, False),
        ("example.com/-gpu", False, False, False),
        (f"{'a' * 244}.b/gpu", False, False, False),
    ],
)
def test_names_that_the_scheduler_counts(
    resource: str, *, extended: bool, scalar: bool, counted: bool
) -> None:
    assert (is_extended(resource), is_scalar(resource), counts(resource)) == (
        extended,
        scalar,
        counted,
    )
