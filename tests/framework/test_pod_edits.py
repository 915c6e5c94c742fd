"""Changes to the pod itself, as values and as patches."""

from kschedx.framework.pod_edits import LeaveHostNetwork
from tests.builders import pod


def test_leave_host_network() -> None:
    """Every port goes: on the host's network each would get its hostPort back."""
    ports = [{"containerPort": 80, "hostPort": 80}, {"containerPort": 53, "protocol": "UDP"}]
    own = {"hostNetwork": True, "containers": [{"name": "main", "ports": ports}]}
    edit = LeaveHostNetwork()
    before = pod("p", spec=own)
    after = edit.changed(before)

    assert not after.spec.host_network
    assert [port.host_port for port in after.spec.containers[0].ports] == [0, 0]
    assert {"op": "remove", "path": "/hostNetwork"} in edit.operations(before)
    assert edit.operations(after) == ()
