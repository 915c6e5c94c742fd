"""A pod's request taken apart, by what decides it."""

from typing import Any

import pytest

from kschedx.diagnose.request_parts import PartKind, RequestApart, RequestPart, request_apart
from kschedx.framework.accounting import Accounting
from tests.builders import pod_view

ALWAYS = {"restartPolicy": "Always"}


def asks(name: str, cpu: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "resources": {"requests": {"cpu": cpu}}, **fields}


INIT = asks("init", "200m")
PROXY = asks("proxy", "100m", **ALWAYS)

SUMS: dict[str, tuple[dict[str, Any], str, str]] = {
    "one container": ({"containers": [asks("main", "1")]}, "1 container main", ""),
    "several containers": (
        {"containers": [asks("main", "1"), asks("log", "100m"), {"name": "idle"}]},
        "1 container main + 100m container log",
        "",
    ),
    "an init step that needs most": (
        {"containers": [asks("main", "100m")], "initContainers": [INIT]},
        "200m init step init",
        "init",
    ),
    "an init step beside a sidecar": (
        {"containers": [asks("main", "100m")], "initContainers": [PROXY, INIT]},
        "200m init step init + 100m sidecar proxy",
        "init",
    ),
    "a sidecar that comes after the init step": (
        {"containers": [asks("main", "150m")], "initContainers": [INIT, PROXY]},
        "150m container main + 100m sidecar proxy",
        "",
    ),
    "overhead": (
        {
            "containers": [asks("main", "1")],
            "overhead": {"cpu": "250m"},
            "runtimeClassName": "vm",
        },
        "1 container main + 250m overhead of RuntimeClass vm",
        "",
    ),
    "spec.resources instead of the containers": (
        {"containers": [asks("main", "1")], "resources": {"requests": {"cpu": "2"}}},
        "2 of spec.resources, the containers' sum of 1 does not count",
        "",
    ),
}


@pytest.mark.parametrize(("spec", "said", "step"), SUMS.values(), ids=SUMS.keys())
def test_sum(spec: dict[str, Any], said: str, step: str) -> None:
    view = pod_view("p", spec=spec)
    apart = request_apart(view, "cpu")

    assert (apart.sum(), apart.step) == (said, step)
    assert sum(part.amount for part in apart.parts) == apart.amount == view.asked["cpu"]


def test_spec_resources_do_not_count_without_their_gate() -> None:
    spec = {"containers": [asks("main", "1")], "resources": {"requests": {"cpu": "2"}}}
    view = pod_view("p", spec=spec, accounting=Accounting(pod_level=False))

    assert request_apart(view, "cpu").plain


def test_of_many_parts_the_largest_are_told() -> None:
    parts = tuple(RequestPart(PartKind.CONTAINER, f"c{n}", 10 * n) for n in range(1, 10))

    assert RequestApart("cpu", 450, parts, 450).sum() == (
        "90m container c9 + 80m container c8 + 70m container c7 + 60m container c6 + "
        "50m container c5 + 100m of 4 more"
    )
