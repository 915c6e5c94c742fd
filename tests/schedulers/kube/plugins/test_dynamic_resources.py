from typing import Any

import msgspec
import pytest

from kschedx.api.devices import DeviceClass
from kschedx.framework.verdict import NotModelled
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.plugins.dynamic_resources import DynamicResources
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, rejections, scores, snapshot

GPU = "nvidia.com/gpu"
CLASS = msgspec.convert(
    {"metadata": {"name": "gpus"}, "spec": {"extendedResourceName": GPU}}, DeviceClass
)
NODES = cluster(node("none"), node("one", allocatable={GPU: "1"}), CLASS)
CLAIMS = {"resourceClaims": [{"name": "gpu"}, {"name": "nic"}]}
ALLOCATION = (NotModelled(f"allocation of devices for {GPU}"),)


def rule(minor: int, **gates: bool) -> DynamicResources:
    return DynamicResources.from_args({}, Release(minor, gates))


@pytest.mark.parametrize(
    ("minor", "asking", "expected"),
    [
        pytest.param(35, pod(requests={"cpu": "1"}), {}, id="no devices"),
        pytest.param(
            34,
            pod(spec=CLAIMS),
            dict.fromkeys(NODES.nodes, (NotModelled("allocation of device claims (gpu, nic)"),)),
            id="claims",
        ),
        pytest.param(33, pod(spec=CLAIMS), {}, id="1.33: the gate is off"),
        pytest.param(
            36,
            pod(requests={GPU: "1"}),
            {"none": ALLOCATION, "one": ()},
            id="devices behind a resource, where the node has none",
        ),
        pytest.param(36, pod(requests={GPU: "0"}), {}, id="none of them is asked for"),
        pytest.param(36, pod(requests={"example.com/x": "1"}), {}, id="another resource"),
        pytest.param(35, pod(requests={GPU: "1"}), {}, id="1.35: only nodes have resources"),
    ],
)
def test_what_needs_devices_is_not_checked(
    minor: int, asking: Any, expected: dict[str, Any]
) -> None:
    assert rejections(rule(minor), asking, NODES) == expected


def test_unread_device_classes_are_told_by_the_resources() -> None:
    view = ClusterView.of(snapshot(node("none"), complete=False))

    assert rejections(rule(36), pod(requests={GPU: "1"}), view) == {}


def test_it_never_scores() -> None:
    assert scores(rule(35), pod(), NODES) == {}
