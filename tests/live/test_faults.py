"""A server that fails now and then costs time and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from kschedx.api.pod import Pod
from kschedx.snapshot.live import Target, connect
from kschedx.snapshot.saved import encoded
from kschedx.snapshot.whole_cluster import read_cluster
from tests.live import faulty_proxy
from tests.live.conftest import Asked
from tests.live.control_plane import ControlPlane, write_kubeconfig
from tests.live.faulty_proxy import Fault, FaultyProxy

PODS: Final = 1_100
"""Three pages."""
NAMESPACE: Final = "faults"


@pytest.fixture(scope="module")
def crowded(control_plane: ControlPlane) -> Iterator[ControlPlane]:
    """A namespace with more pods than two pages hold, all held by a gate."""
    api = control_plane.api
    api.create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
    for number in range(PODS):
        api.create(
            f"/api/v1/namespaces/{NAMESPACE}/pods",
            {
                "metadata": {"name": f"pod-{number:04}"},
                "spec": {
                    "containers": [{"name": "main", "image": "registry.test/app:1"}],
                    "schedulingGates": [{"name": "test/wait"}],
                    "terminationGracePeriodSeconds": 0,
                },
            },
        )
    yield control_plane
    api.call("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods?gracePeriodSeconds=0")


@pytest.fixture(scope="module")
def whole(crowded: ControlPlane) -> dict[str, Any]:
    """What a snapshot of the undisturbed server holds."""
    return counts(crowded.kubeconfig)


def first_two(path: str, number: int) -> bool:
    return number <= 2


def later_pages(path: str, number: int) -> bool:
    return "continue=" in path


def later_pages_at_first(path: str, number: int) -> bool:
    return "continue=" in path and number <= 3


FAULTS: Final[dict[str, tuple[Fault, Callable[[str, int], bool]]]] = {
    "429 with a delay": (faulty_proxy.busy, first_two),
    "500": (faulty_proxy.failing, first_two),
    "410 on continue, once": (faulty_proxy.gone, later_pages_at_first),
    "410 on every continue": (faulty_proxy.gone, later_pages),
    "connections cut in the middle": (faulty_proxy.cut, first_two),
    "answers cut unseen": (faulty_proxy.cut_unseen, first_two),
    "no answer at all": (faulty_proxy.silent, first_two),
    "slow": (faulty_proxy.slow, first_two),
}


@pytest.mark.parametrize(("fault", "wanted"), FAULTS.values(), ids=FAULTS.keys())
def test_nothing_is_lost(
    *,
    crowded: ControlPlane,
    whole: dict[str, Any],
    tmp_path: Path,
    fault: Fault,
    wanted: Callable[[str, int], bool],
) -> None:
    with FaultyProxy(crowded.server, fault, wanted) as proxy:
        kubeconfig = write_kubeconfig(tmp_path / "kubeconfig", proxy.address, {})
        through = counts(kubeconfig)

    assert through == whole
    assert whole["pods"] >= PODS
    assert proxy.injected > 0


def counts(kubeconfig: Path) -> dict[str, Any]:
    cluster = connect(Target(kubeconfig=str(kubeconfig)))
    try:
        snapshot = read_cluster(cluster)
    finally:
        cluster.close()
    parts = encoded(replace(snapshot, taken_at=None))
    return {
        "pods": len(snapshot.all(Pod)),
        "unread": snapshot.unread,
        "digest": hashlib.sha256(b"".join(parts)).hexdigest(),
    }


def test_a_server_that_never_recovers_is_one_sentence(
    crowded: ControlPlane, ask: Asked, tmp_path: Path
) -> None:
    with FaultyProxy(crowded.server, faulty_proxy.slow, lambda path, number: True) as proxy:
        kubeconfig = write_kubeconfig(tmp_path / "kubeconfig", proxy.address, {"token": "s3cr3t"})
        code, out, stderr = ask("why", "--kubeconfig", str(kubeconfig), "--request-timeout", "1s")

    assert (code, out) == (3, "")
    assert stderr == (
        f"error[api-timeout]: context test: the API server at {proxy.address} does not answer "
        "within 1 s\nhint: --request-timeout 5m waits longer\n"
    )
