"""The sentence below the headline and the class of the trouble, on clusters small enough to see."""

from typing import Any

import pytest

from kschedx.answers.replay import Replay, SchedulerChoice
from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.diagnose.verdict_class import VerdictClass
from kschedx.schedulers.kube.versions import Release
from tests.builders import node, pod, snapshot

GONE = {"deletionTimestamp": "2026-03-10T09:00:00Z"}
DATABASE = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
NEVER = {"preemptionPolicy": "Never"}
FIELD = {"key": "metadata.name", "operator": "In", "values": ["b"]}
TO_B = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchFields": [FIELD]}]
    }
}

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NEAR_DB = {
    "podAffinity": {
        REQUIRED: [
            {
                "labelSelector": {"matchLabels": {"app": "db"}},
                "topologyKey": "kubernetes.io/hostname",
            }
        ]
    }
}
OVER_RACKS = [
    {"maxSkew": 1, "topologyKey": "example.com/rack", "whenUnsatisfiable": "DoNotSchedule"}
]


def wanted(cpu: str = "1", **fields: Any) -> Object:
    return pod("wanted", requests={"cpu": cpu}, **fields)


def full(name: str = "a", **fields: Any) -> Object:
    return pod(f"on-{name}", requests={"cpu": "4"}, node=name, **fields)


SUMMARIES: dict[str, tuple[tuple[Object, ...], VerdictClass, str]] = {
    "it fits": ((node("a"), wanted()), VerdictClass.FITS_NOW, ""),
    "room is taken": (
        (node("a"), full(), node("b", taints=[DATABASE]), wanted()),
        VerdictClass.FULL_NOW,
        "full now: needs 1 cpu, a has 0 free of 4: short by 1; "
        "b has taint dedicated=db:NoSchedule, not tolerated",
    ),
    "no node is large enough": (
        (node("a"), node("b", allocatable={"cpu": "8"}), wanted("9")),
        VerdictClass.TOO_SMALL,
        "too small even if empty: needs 9 cpu, the largest node, b, has 8 in all: short by 1",
    ),
    "some are too small, others are closed": (
        (
            node("a"),
            node("b"),
            node("c", allocatable={"cpu": "16"}, taints=[DATABASE]),
            wanted("9"),
        ),
        VerdictClass.TOO_SMALL,
        "too small even if empty: needs 9 cpu, the largest of 2 nodes, a, has 4 in all: short by "
        "5; c has taint dedicated=db:NoSchedule, not tolerated",
    ),
    "rules exclude all": (
        (node("a", unschedulable=True), wanted(spec={"nodeSelector": {"disk": "ssd"}})),
        VerdictClass.PLACEMENT_EXCLUDES_ALL,
        "no node admits it: no node has label disk, wants disk in (ssd); a is cordoned",
    ),
    "a pod of lower priority can go": (
        (node("a"), full(), wanted(priority=1)),
        VerdictClass.PREEMPTION_WILL_HELP,
        "full, but evicting default/on-a on a makes room; "
        "needs 1 cpu, a has 0 free of 4: short by 1",
    ),
    "it may not evict": (
        (node("a"), full(), wanted(priority=1, spec=NEVER)),
        VerdictClass.PREEMPTION_BY_HAND,
        "removing default/on-a alone would suffice to fit a, but the scheduler evicts nobody: "
        "not eligible due to preemptionPolicy=Never; needs 1 cpu, a has 0 free of 4: short by 1",
    ),
    "the dry run takes away the pod to be near": (
        (
            node("a"),
            pod("near", labels={"app": "db"}, node="a"),
            full(),
            wanted(priority=1, spec={"affinity": NEAR_DB}),
        ),
        VerdictClass.PREEMPTION_BY_HAND,
        "removing default/on-a alone would suffice to fit a, but the scheduler evicts nobody: "
        "it first takes away all pods of lower priority there, with them default/near, near which "
        "the pod must be; needs 1 cpu, a has 0 free of 4: short by 1",
    ),
    "no node has the label to spread over": (
        (node("a"), wanted(spec={"topologySpreadConstraints": OVER_RACKS})),
        VerdictClass.PLACEMENT_EXCLUDES_ALL,
        "no node has label example.com/rack: the constraint can never be met",
    ),
    "room is about to be free": (
        (node("a"), full(metadata=GONE), wanted()),
        VerdictClass.WAITING_FOR_TERMINATING,
        "fits a once default/on-a is gone, being deleted already; "
        "needs 1 cpu, a has 0 free of 4: short by 1",
    ),
    "it has its node": (
        (node("a"), wanted(node="a")),
        VerdictClass.NOT_SCHEDULING,
        "",
    ),
    "it is held": (
        (node("a"), wanted(spec={"schedulingGates": [{"name": "example.com/later"}]})),
        VerdictClass.NEVER_TRIED,
        "",
    ),
    "its only node is gone": (
        (node("a"), wanted(spec={"affinity": {"nodeAffinity": TO_B}})),
        VerdictClass.PLACEMENT_EXCLUDES_ALL,
        "no node admits it: it may only go to b, which is not there",
    ),
    "there are no nodes": ((wanted(),), VerdictClass.TOO_SMALL, ""),
}


@pytest.mark.parametrize(("objects", "kind", "said"), SUMMARIES.values(), ids=SUMMARIES.keys())
def test_summary(objects: tuple[Object, ...], kind: VerdictClass, said: str) -> None:
    replay = Replay(snapshot(*objects), SchedulerChoice(Release(35)))
    asked = replay.snapshot.get(Pod, "default/wanted")
    assert asked is not None
    found = replay.explain(asked, with_hints=True).explanation

    assert (found.verdict_class, found.summary) == (kind, said)
