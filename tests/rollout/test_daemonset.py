"""The DaemonSet controller: which pods a node keeps, and who waits for whom."""

from typing import Any

from kschedx.api.change import replaced
from kschedx.api.workloads import DaemonSet
from kschedx.rollout.change import with_template
from kschedx.rollout.played import Played
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import Raw, cluster, daemon_set, node, places, rolled, workload

SURGE = {
    "updateStrategy": {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0},
    }
}


def _step(snapshot: Snapshot, label: str, **spec: Any) -> DaemonSet:
    """The set web with another label in its template, and other fields of the pods' spec."""
    item = workload(snapshot, "web")
    assert isinstance(item, DaemonSet)
    template = item.spec.template
    labels = {**template.metadata.labels, "step": label}
    metadata = replaced(template.metadata, labels=labels)
    changed = replaced(template, metadata=metadata, spec=replaced(template.spec, **spec))
    result = with_template(item, changed)
    assert isinstance(result, DaemonSet)
    return result


def _deleted(played: Played) -> list[tuple[str, Any]]:
    return [(m.subject, m.facts["why"]) for m in played.moments if m.code == "deleted"]


def _quota(pods: int) -> Raw:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "few", "namespace": "default"},
        "spec": {"hard": {"pods": str(pods)}},
    }


def test_a_surging_pod_of_a_revision_in_between_goes() -> None:
    snapshot = cluster(node("n1"), daemon_set("web", "3", "n1", own=SURGE))

    played = rolled(snapshot, _step(snapshot, "second"), _step(snapshot, "third"))

    assert list(places(played).values()) == ["", "n1"]
    assert [why for _, why in _deleted(played)] == ["one too many on its node"]


def test_a_pod_stays_beside_its_unready_successor_only_while_it_is_ready() -> None:
    snapshot = cluster(node("n1"), daemon_set("web", "1", "n1", own=SURGE))

    played = rolled(snapshot, _step(snapshot, "second"), _step(snapshot, "third"), never_ready=True)

    assert _deleted(played)[0][1] == "one too many on its node"
    assert played.done


def test_a_node_that_is_no_longer_selected_loses_its_pod() -> None:
    zones = [node("n1", labels={"zone": "a"}), node("n2", labels={"zone": "b"})]
    snapshot = cluster(*zones, daemon_set("web", "3", "n1", "n2"))

    played = rolled(snapshot, _step(snapshot, "second", node_selector={"zone": "a"}))

    assert _deleted(played)[0] == ("default/web-n2", "its node should not run it")
    assert (played.done, list(places(played).values())) == (True, ["n1"])


def test_the_rolling_step_waits_while_a_quota_refuses_a_pod_elsewhere() -> None:
    own = {
        "updateStrategy": {
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 2},
        }
    }
    nodes = [node("n1"), node("n2")]
    snapshot = cluster(*nodes, _quota(1), daemon_set("web", "3", "n2", own=own))

    played = rolled(snapshot)

    assert _deleted(played) == []
