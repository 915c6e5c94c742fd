from typing import Any

import pytest

from kschedx.framework.verdict import Outcome, Reason, Verdict
from kschedx.schedulers.kube.plugins.node_ports import HostPortTaken, NodePorts
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, rejections


def port(number: int, ip: str | None = None, protocol: str | None = None) -> dict[str, Any]:
    return {
        "containerPort": 80,
        "hostPort": number,
        **({"hostIP": ip} if ip is not None else {}),
        **({"protocol": protocol} if protocol is not None else {}),
    }


def listening(*ports: dict[str, Any]) -> dict[str, Any]:
    return {"containers": [{"name": "main", "ports": list(ports)}]}


def sidecar(*ports: dict[str, Any], policy: str = "Always") -> dict[str, Any]:
    init = {"name": "side", "ports": list(ports), "restartPolicy": policy}
    return {"containers": [{"name": "main"}], "initContainers": [init]}


def taken(
    number: int = 80, protocol: str = "TCP", ip: str = "0.0.0.0", held: str = "0.0.0.0"
) -> HostPortTaken:
    return HostPortTaken(number, protocol, ip, "default/holder", held)


def asked(minor: int, wanted: dict[str, Any], held: dict[str, Any]) -> tuple[Reason, ...] | None:
    view = cluster(node("n1"), pod("other", node="n1"), pod("holder", node="n1", spec=held))
    return rejections(NodePorts.from_args({}, Release(minor)), pod(spec=wanted), view).get("n1")


CASES: dict[str, tuple[dict[str, Any], dict[str, Any], tuple[HostPortTaken, ...] | None]] = {
    "no host ports are wanted": (listening(port(0)), listening(port(80)), None),
    "no host ports are held": (listening(port(80)), listening(port(0)), ()),
    "the same port": (listening(port(80)), listening(port(80)), (taken(),)),
    "another port": (listening(port(81)), listening(port(80)), ()),
    "another protocol": (listening(port(80, protocol="UDP")), listening(port(80)), ()),
    "no protocol is TCP": (
        listening(port(80, protocol="TCP")),
        listening(port(80, protocol="")),
        (taken(),),
    ),
    "two addresses": (listening(port(80, "10.0.0.1")), listening(port(80, "10.0.0.2")), ()),
    "the same address": (
        listening(port(80, "10.0.0.1")),
        listening(port(80, "10.0.0.1")),
        (taken(ip="10.0.0.1", held="10.0.0.1"),),
    ),
    "every address is wanted": (
        listening(port(80)),
        listening(port(80, "10.0.0.2")),
        (taken(held="10.0.0.2"),),
    ),
    "every address is held": (
        listening(port(80, "10.0.0.1")),
        listening(port(80, "0.0.0.0")),
        (taken(ip="10.0.0.1"),),
    ),
    "each taken port is told once": (
        listening(port(80), port(443), port(80), port(81)),
        listening(port(80), port(443)),
        (taken(), taken(443)),
    ),
    "a sidecar's port is held": (listening(port(80)), sidecar(port(80)), (taken(),)),
    "a sidecar's port is wanted": (sidecar(port(80)), listening(port(80)), (taken(),)),
    "an init container's port does not count": (
        listening(port(80)),
        sidecar(port(80), policy=""),
        (),
    ),
}


@pytest.mark.parametrize(("wanted", "held", "expected"), CASES.values(), ids=CASES.keys())
def test_ports(
    wanted: dict[str, Any], held: dict[str, Any], expected: tuple[HostPortTaken, ...] | None
) -> None:
    assert asked(35, wanted, held) == expected


@pytest.mark.parametrize(
    ("minor", "wanted", "held"),
    [(32, 0, 0), (33, 1, 1)],
    ids=["until 1.32 ports of sidecars do not count", "from 1.33 on they do"],
)
def test_sidecars_by_version(minor: int, wanted: int, held: int) -> None:
    assert asked(minor, listening(port(80)), sidecar(port(80))) == (taken(),) * held
    assert (asked(minor, sidecar(port(80)), listening(port(80))) or ()) == (taken(),) * wanted


def test_words() -> None:
    text = "node(s) didn't have free ports for the requested pod ports"

    assert taken().outcome is Outcome.UNSCHEDULABLE
    assert Verdict("NodePorts", (taken(), taken(443))).texts(35) == [text]
    assert taken().sentence() == "needs host port 80/TCP, which pod/default/holder holds"
    assert taken(held="10.0.0.1").sentence() == (
        "needs host port 80/TCP on every address, which pod/default/holder holds on 10.0.0.1"
    )
    assert taken(ip="10.0.0.1").sentence() == (
        "needs host port 10.0.0.1:80/TCP, which pod/default/holder holds on every address"
    )
    assert taken().subject() == "host port 80/TCP taken"
    assert taken(53, "UDP", "10.0.0.1").subject() == "host port 10.0.0.1:53/UDP taken"
