"""Taints that tell of a node's health."""

import pytest

from kschedx.diagnose.node_trouble import trouble_of
from tests.builders import node

PRESSURE = {"conditions": [{"type": "DiskPressure", "status": "True", "reason": "KubeletFull"}]}

TROUBLES = {
    "node.kubernetes.io/disk-pressure": ("short of disk: condition DiskPressure=True, KubeletFull"),
    "node.kubernetes.io/not-ready": "not ready",
    "node.cloudprovider.kubernetes.io/uninitialized": (
        "not initialized by the cloud controller manager yet"
    ),
    "dedicated": "",
}


@pytest.mark.parametrize(("key", "said"), TROUBLES.items())
def test_trouble(key: str, said: str) -> None:
    assert trouble_of(key, node(status=PRESSURE)) == said
