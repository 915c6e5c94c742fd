from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.quantity import Quantity
from kschedx.api.workloads import Namespace, StatefulSet
from kschedx.snapshot.quantities import collector, paths, problem, struct_collector

RESOURCES = {"requests": {"cpu": "1"}, "limits": {"memory": "2"}}
EVERYWHERE = {
    "spec": {
        "containers": [{"resources": RESOURCES}, {}],
        "initContainers": [{"resources": {"requests": {"cpu": "3"}}}],
        "overhead": {"cpu": 4},
        "resources": {"limits": {"cpu": "5"}},
        "volumes": [
            {"name": "x"},
            {
                "ephemeral": {
                    "volumeClaimTemplate": {"spec": {"resources": {"requests": {"storage": "6"}}}}
                }
            },
        ],
    },
    "status": {
        "containerStatuses": [{"allocatedResources": {"cpu": "7"}, "resources": RESOURCES}],
        "initContainerStatuses": [{"resources": {"requests": {"cpu": "8"}}}],
        "allocatedResources": {"cpu": "9"},
        "resources": {"requests": {"cpu": 10.5}},
    },
}


def gathered(kind: type[Object], raw: Any) -> set[Quantity]:
    collect = collector(kind)
    seen: set[Quantity] = set()
    if collect is not None:
        collect(msgspec.convert(raw, kind), seen)
    return seen


def test_every_place_of_a_pod() -> None:
    assert gathered(Pod, EVERYWHERE) == {"1", "2", "3", 4, "5", "6", "7", "8", "9", 10.5}


def parts_of(value: Any) -> st.SearchStrategy[Any]:
    """The value with any of its fields and elements left out, at any depth."""
    if isinstance(value, dict):
        return st.fixed_dictionaries({}, optional={k: parts_of(v) for k, v in value.items()})
    if isinstance(value, list):
        return st.lists(st.one_of([parts_of(part) for part in value]), max_size=3)
    return st.just(value)


@settings(deadline=None)
@given(parts_of(EVERYWHERE))
def test_pods_are_spelled_out_right(raw: Any) -> None:
    derived = struct_collector(Pod)
    assert derived is not None
    expected: set[Quantity] = set()
    derived(msgspec.convert(raw, Pod), expected)

    assert gathered(Pod, raw) == expected


def test_other_kinds() -> None:
    node = {"status": {"capacity": {"cpu": "1"}, "allocatable": {"cpu": "2"}}}
    workload = {
        "spec": {
            "template": {"spec": {"containers": [{"resources": RESOURCES}]}},
            "volumeClaimTemplates": [{"spec": {"resources": {"requests": {"storage": "3"}}}}],
        }
    }

    assert gathered(Node, node) == {"1", "2"}
    assert gathered(StatefulSet, workload) == {"1", "2", "3"}
    assert collector(Namespace) is None


def test_paths() -> None:
    pod = msgspec.convert(EVERYWHERE, Pod)

    assert list(paths(pod, ["6", "2", 4])) == [
        ("spec.containers[0].resources.limits.memory", "2"),
        ("spec.overhead.cpu", 4),
        (
            "spec.volumes[1].ephemeral.volumeClaimTemplate.spec.resources.requests.storage",
            "6",
        ),
        ("status.containerStatuses[0].resources.limits.memory", "2"),
    ]


@pytest.mark.parametrize("quantity", ["1", "-1", "1e3", "0.5Gi", 3, -0.5, "9999999999E", ""])
def test_problems(quantity: Quantity) -> None:
    assert bool(problem(quantity)) == (quantity == "")
