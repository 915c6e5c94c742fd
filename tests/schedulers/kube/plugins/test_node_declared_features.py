from typing import Any

import pytest

from kschedx.framework.verdict import Outcome, Reason
from kschedx.schedulers.kube.plugins.node_declared_features import (
    FeatureNotDeclared,
    NodeDeclaredFeatures,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, rejections

RESTARTS = "RestartAllContainersOnContainerExits"
USERS = "UserNamespacesHostNetworkSupport"
MOUNTS = "VolumeBindMountOptions"
NODES = cluster(
    node("none"),
    node("all", status={"declaredFeatures": [RESTARTS, USERS, MOUNTS, "Unheard"]}),
    node("restarts", status={"declaredFeatures": [RESTARTS]}),
)


def containers(**fields: Any) -> dict[str, Any]:
    return {"containers": [{"name": "main", **fields}]}


def inits(**fields: Any) -> dict[str, Any]:
    return {"initContainers": [{"name": "init", **fields}]}


ACTION = {"restartPolicyRules": [{"action": "Restart"}, {"action": "RestartAllContainers"}]}
MOUNT = {"volumeMounts": [{}, {"bindMountOptions": ["noexec"]}]}
HOST = {"hostNetwork": True, "hostUsers": False}


def missing(*features: str) -> tuple[Reason, ...]:
    return (FeatureNotDeclared(features),)


@pytest.mark.parametrize(
    ("minor", "spec", "expected"),
    [
        pytest.param(37, {}, {}, id="nothing is needed"),
        pytest.param(
            36,
            containers(**ACTION),
            {"none": missing(RESTARTS), "all": (), "restarts": ()},
            id="restart of all containers",
        ),
        pytest.param(
            37,
            inits(**ACTION),
            {"none": missing(RESTARTS), "all": (), "restarts": ()},
            id="asked for by an init container",
        ),
        pytest.param(
            36,
            HOST,
            {"none": missing(USERS), "all": (), "restarts": missing(USERS)},
            id="user namespace on the host's network",
        ),
        pytest.param(36, {"hostNetwork": True, "hostUsers": True}, {}, id="the host's users"),
        pytest.param(36, {"hostNetwork": True}, {}, id="users not said"),
        pytest.param(36, {"hostUsers": False}, {}, id="network of its own"),
        pytest.param(36, containers(**MOUNT), {}, id="1.36: mount options are not looked for"),
        pytest.param(
            37,
            containers(**MOUNT),
            {"none": missing(MOUNTS), "all": (), "restarts": missing(MOUNTS)},
            id="1.37: they are",
        ),
        pytest.param(
            37,
            {**containers(**MOUNT), **inits(**ACTION), **HOST},
            {
                "none": missing(RESTARTS, USERS, MOUNTS),
                "all": (),
                "restarts": missing(USERS, MOUNTS),
            },
            id="several",
        ),
        pytest.param(35, containers(**ACTION), {}, id="1.35: the gate is off"),
    ],
)
def test_features(minor: int, spec: dict[str, Any], expected: dict[str, Any]) -> None:
    rule = NodeDeclaredFeatures.from_args({}, Release(minor))

    assert rejections(rule, pod(spec=spec), NODES) == expected


def test_the_gate_of_1_35() -> None:
    rule = NodeDeclaredFeatures.from_args({}, Release(35, {"NodeDeclaredFeatures": True}))

    assert rejections(rule, pod(spec={**containers(**ACTION), **HOST}), NODES) == {
        "none": missing(RESTARTS),
        "all": (),
        "restarts": (),
    }


def test_words() -> None:
    reason = FeatureNotDeclared((RESTARTS, USERS))

    assert reason.outcome is Outcome.UNRESOLVABLE
    assert reason.upstream_text(36) == "node(s) didn't match Pod's required features"
    assert reason.upstream_text(35) == (
        f"node declared features check failed - unsatisfied requirements: {RESTARTS}, {USERS}"
    )
    assert reason.sentence() == (
        f"needs {RESTARTS}, {USERS}, which the node's kubelet does not declare"
    )
    assert reason.subject() == f"feature {RESTARTS}, {USERS} not declared"
