"""Names from a live cluster, while somebody types."""

from __future__ import annotations

from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.snapshot.kinds import BY_TYPE
from kschedx.snapshot.live import Target
from kschedx.snapshot.names import names_in_cluster
from tests.live.control_plane import ControlPlane
from tests.live.generated import Loaded, cases


def test_names(control_plane: ControlPlane) -> None:
    target = Target(kubeconfig=str(control_plane.kubeconfig))
    case = next(cases("resources", "completing", 100))
    made = [item for item in case["objects"] if item["kind"] in ("Node", "Pod")]
    with Loaded(control_plane.api, case) as loaded:
        loaded.try_pod()
        nodes = names_in_cluster(target, BY_TYPE[Node])
        pods = names_in_cluster(target, BY_TYPE[Pod])

    names = {item["metadata"]["name"] for item in made}
    assert {name for _, name in nodes} == {
        n["metadata"]["name"] for n in made if n["kind"] == "Node"
    }
    assert names >= {name for namespace, name in pods if namespace == loaded.pod.split("/")[0]}
    assert tuple(loaded.pod.split("/")) in pods
