"""What stands behind causes, and what a snapshot cannot show: by code."""

from typing import Any

import pytest

from kschedx.answers.replay import Replay, SchedulerChoice
from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.files import load
from tests.builders import node, pod, snapshot
from tests.cases.clusters import cluster_file

HOST = "kubernetes.io/hostname"
RECORDED = "0/2 nodes are available: 2 Insufficient cpu."
SPREAD = {
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": HOST,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
    ]
}
WEB = {"app": "web"}


def wanted(**fields: Any) -> Object:
    return pod("wanted", requests={"cpu": "1"}, **fields)


def unschedulable(message: str) -> dict[str, Any]:
    return {"conditions": [{"type": "PodScheduled", "status": "False", "message": message}]}


REMARKS: dict[str, tuple[tuple[Object, ...], list[tuple[str, str]]]] = {
    "nothing": ((node("a", allocatable={"cpu": "500m"}), wanted()), []),
    "a key that is nearly there": (
        (node("a", labels={"disktype": "ssd"}), wanted(spec={"nodeSelector": {"disktyp": "ssd"}})),
        [("label-key-unknown", "no node has label disktyp; the nearest key is disktype on a")],
    ),
    "the minimum is held by a cordoned node": (
        (
            node("a"),
            node("b", unschedulable=True),
            pod("x", labels=WEB, node="a"),
            wanted(labels=WEB, spec=SPREAD),
        ),
        [
            (
                "minimum-held-by-closed-node",
                "the minimum of 0 is held by b, where the pod cannot go: the node is cordoned; "
                "it counts because nodeTaintsPolicy is Ignore",
            ),
            ("spread-counts", "matching pods by kubernetes.io/hostname: a 1, b 0"),
        ],
    ),
    "a recorded message that no longer holds": (
        (node("a"), node("b"), wanted(status=unschedulable(RECORDED))),
        [
            (
                "view-may-differ",
                "a snapshot does not show the scheduler's queue: the pod may be waiting for an "
                "event or for its next try",
            )
        ],
    ),
    "room held by a nomination": (
        (
            node("a", allocatable={"cpu": "500m"}),
            wanted(status={"nominatedNodeName": "a"}),
            pod("other"),
        ),
        [
            (
                "room-held-by-nomination",
                "its nomination keeps 1 cpu of a from waiting pods of no higher priority: "
                "default/other",
            )
        ],
    ),
}


def found(replay: Replay, key: str) -> list[tuple[str, str]]:
    asked = replay.snapshot.get(Pod, key)
    assert asked is not None
    return [(r.code, r.message) for r in replay.explain(asked).explanation.remarks]


@pytest.mark.parametrize(("objects", "said"), REMARKS.values(), ids=REMARKS.keys())
def test_remarks(objects: tuple[Object, ...], said: list[tuple[str, str]]) -> None:
    replay = Replay(snapshot(*objects), SchedulerChoice(Release(35)))

    assert found(replay, "default/wanted") == said


CODES = {
    ("r07-sidecar-before-an-init-step", "app"): {"init-step-decides", "init-order"},
    ("n03-greater-than-a-label-that-is-no-number", "app"): {"label-not-an-integer"},
    ("n03-greater-than-a-fraction", "app"): {"value-not-an-integer"},
    ("r14-daemon-pod-of-equal-priority", "agent-w1"): {"victims-of-equal-priority"},
    ("n10-node-not-ready", "web"): {"taint-of-condition", "tolerated-with-other-effect"},
    ("n13-node-named-by-hand", "db"): {"node-named-by-hand"},
    ("t08-fewer-domains-than-the-minimum", "x-2"): {"spread-counts", "too-few-domains"},
    ("v01-claim-without-a-class", "hub"): {"default-class"},
    ("v02-class-that-does-not-exist", "dhcp-0"): {"class-unknown"},
    ("v04-volume-of-another-mode", "db"): {"nearest-volume"},
    ("v07-volume-and-selector-exclude-each-other", "elastic"): {"no-common-node"},
    ("v08-volume-in-the-zone-of-the-control-plane", "web-1"): {
        "class-binds-at-once",
        "volume-place-closed",
    },
    ("v11-storage-capacity-never-published", "db"): {"capacity-not-published"},
    ("v11-storage-capacity-of-zero", "db"): {"capacity-as-published"},
    ("v14-limit-that-is-too-high", "db-2"): {"kubelet-not-shown"},
    ("v18-volume-for-one-node-in-use-elsewhere", "new"): {"volume-in-use-on-another-node"},
    ("e02-budget-violated-all-the-same", "important"): {"budgets-by-status"},
}


@pytest.mark.parametrize(("case", "name"), CODES)
def test_codes_of_public_incidents(case: str, name: str) -> None:
    held = load([str(cluster_file(case))], complete=True, release=Release(35))
    replay = Replay(held, SchedulerChoice(Release(35)))

    assert {code for code, _ in found(replay, f"default/{name}")} == CODES[case, name]
