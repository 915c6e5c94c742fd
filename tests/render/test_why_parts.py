"""Parts of the screen that the bundled examples do not show."""

from typing import Any

import pytest

from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.why import WhyQuestion, why
from kschedx.api.meta import Object, ObjectMeta
from kschedx.api.workloads import StatefulSet, StatefulSetSpec
from kschedx.render.text import Style
from kschedx.render.why_text import render_text
from kschedx.schedulers.kube.versions import Release
from tests.builders import budget, node, pod, snapshot
from tests.storage_builders import claim

DELETED = {"deletionTimestamp": "2026-03-10T09:00:00Z", "finalizers": ["example.com/backup"]}
TAINTED = node("n1", taints=[{"key": "new", "effect": "NoSchedule"}])


def low(name: str = "low", **fields: Any) -> Object:
    return pod(name, requests={"cpu": "4"}, priority=-1, **{"node": "n1", **fields})


def owned(name: str, **fields: Any) -> Object:
    reference = {"kind": "StatefulSet", "name": "db", "controller": True}
    return pod(name, metadata={"ownerReferences": [reference]}, **fields)


WANTING = pod("p", requests={"cpu": "1"})
CLAIMING = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
CLAIMING_TWO = {
    "volumes": [*CLAIMING["volumes"], {"name": "g", "persistentVolumeClaim": {"claimName": "gone"}}]
}

SCREENS: dict[str, tuple[tuple[Object, ...], str | None, str]] = {
    "waiting for victims": (
        (
            node(),
            low(metadata=DELETED, spec={"terminationGracePeriodSeconds": 60}),
            pod("p", requests={"cpu": "1"}, status={"nominatedNodeName": "n1"}),
        ),
        "p",
        """\
default/p is Pending: n1 is held for it until 1 pod there is gone
kube-scheduler 1.35 · the cluster has recorded no message

Nominated  n1
Waits for  default/low (priority -1), to be gone by 2026-03-10T09:00:00Z, 60 s grace, held by
           finalizers example.com/backup
Then       it fits n1
""",
    ),
    "a nominated node that is gone": (
        (node(), pod("p", requests={"cpu": "9"}, status={"nominatedNodeName": "n9"})),
        "p",
        """\
default/p is Pending: the only node cannot take it
too small even if empty: needs 9 cpu, n1 has 4 in all: short by 5
kube-scheduler 1.35 · the cluster has recorded no message

Nominated  n9, which is not in the snapshot
""",
    ),
    "drift": (
        (TAINTED, pod("p", node="n1")),
        "p",
        """\
default/p is on n1 (Running)
kube-scheduler 1.35

Drift  it would no longer get this node: does not tolerate taint new:NoSchedule
""",
    ),
    "a kubelet that has not begun": (
        (node(), pod("p", node="n1", status={"phase": "Pending"})),
        "p",
        """\
default/p is on n1 (Pending)
not a matter of scheduling: the kubelet has not reported any container yet
kube-scheduler 1.35

Kubelet  the kubelet has not reported any container yet
Drift    none: it would still pass every rule on this node
""",
    ),
    "a kubelet that refused": (
        (
            node(),
            pod(
                "p",
                node="n1",
                status={"phase": "Failed", "reason": "OutOfcpu", "message": "Pod was rejected"},
            ),
        ),
        "p",
        """\
default/p has failed: nothing is left to schedule
not a matter of scheduling: n1 refused it, OutOfcpu: Pod was rejected
kube-scheduler 1.35

Kubelet  OutOfcpu: Pod was rejected
""",
    ),
    "a node that is not there": (
        (node(), pod("p", node="n7")),
        "p",
        """\
default/p is on n7 (Running)
kube-scheduler 1.35

Node  n7 is not in the snapshot
""",
    ),
    "another scheduler's pod": (
        (node(), pod("p", spec={"schedulerName": "mine"})),
        "p",
        """\
default/p is Pending: asks for scheduler mine; this one serves default-scheduler
kube-scheduler 1.35 · the cluster has recorded no message

Behind it  the pod has no PodScheduled condition: nobody has tried it, most likely as no scheduler
           mine runs, or as it lacks rights
Not shown  objects do not tell whether a scheduler of that name runs

If it were tried: the scheduler would take n1
""",
    ),
    "pods that were never created": (
        (
            node(),
            StatefulSet(
                metadata=ObjectMeta(name="db", namespace="default"),
                spec=StatefulSetSpec(replicas=3),
            ),
            owned("db-0", node="n1"),
        ),
        "sts/db",
        """\
StatefulSet default/db: 3 pods wanted, 1 there, 0 Pending
kube-scheduler 1.35

Missing  2 pods of 3 do not exist
         the next pod waits until db-0 is Ready (OrderedReady)
""",
    ),
    "what comes after a claim": (
        (
            node(),
            node("n2", allocatable={"cpu": "500m"}),
            claim("data", ""),
            pod("p", requests={"cpu": "1"}, spec=CLAIMING),
        ),
        "p",
        """\
default/p is Pending: PersistentVolumeClaim default/data is not bound and has no StorageClass
no node is looked at; once the claim is bound, n1 would fit; 1 of 2 nodes would also refuse:
insufficient cpu
kube-scheduler 1.35 · the cluster has recorded no message

Behind it  StorageClasses in the snapshot: none; none is the default
Not known  which nodes can use its volume, before it is bound
Scheduler  0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found

Would also block, once the claim is bound:
  nodes  blocked by        detail                              eviction
      1  insufficient cpu  n2: needs 1 cpu, 500m of 500m free  cannot help
""",
    ),
    "two claims in the way": (
        (node(), claim("data", ""), pod("p", spec=CLAIMING_TWO)),
        "p",
        """\
default/p is Pending: PersistentVolumeClaim default/gone does not exist
no node is looked at; once claim default/gone is there and bound and claim default/data is bound, n1
would fit
kube-scheduler 1.35 · the cluster has recorded no message

Then       PersistentVolumeClaim default/data is not bound and has no StorageClass
Not known  which nodes can use their volumes, before they are bound
""",
    ),
    "no Pending pod": (
        (node(), pod("p", node="n1")),
        None,
        "No pod is Pending in all namespaces\nkube-scheduler 1.35\n",
    ),
}


@pytest.mark.parametrize(("objects", "target", "screen"), SCREENS.values(), ids=SCREENS.keys())
def test_screens_begin(objects: tuple[Object, ...], target: str | None, screen: str) -> None:
    report = why(snapshot(*objects), WhyQuestion(target), SchedulerChoice(Release()))

    assert render_text(report, Style())[: len(screen)] == screen


def test_a_pod_that_has_ended_does_not_drift() -> None:
    ended = pod("p", node="n1", status={"phase": "Succeeded"})
    report = why(snapshot(node(), ended), WhyQuestion("p"), SchedulerChoice(Release()))

    assert "Drift" not in render_text(report, Style())


def _recorded(name: str, message: str) -> Object:
    condition = {"type": "PodScheduled", "status": "False", "message": message}
    return pod(name, requests={"cpu": "9"}, status={"conditions": [condition]})


STALE = "0/1 nodes are available: 1 node(s) were unschedulable."
TODAY = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 "
    "nodes are available: 1 Preemption is not helpful for scheduling."
)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ((STALE,), "1 differs from the cluster's own message"),
        ((STALE, STALE), "2 differ from the cluster's own messages"),
        ((TODAY, STALE), "1 agrees with the cluster's own message, 1 differs"),
    ],
)
def test_how_many_messages_agree(messages: tuple[str, ...], said: str) -> None:
    pods = [_recorded(f"p{index}", message) for index, message in enumerate(messages)]
    report = why(snapshot(node(), *pods), WhyQuestion(None), SchedulerChoice(Release()))

    assert render_text(report, Style()).splitlines()[1] == f"kube-scheduler 1.35 · {said}"


PREEMPTION: dict[str, tuple[tuple[Object, ...], str]] = {
    "nobody of lower priority": (
        (node(), pod("equal", requests={"cpu": "4"}, node="n1"), WANTING),
        "cannot help: 1 node has no pod of lower priority",
    ),
    "nothing to gain": (
        (TAINTED, WANTING),
        "cannot help: on 1 node eviction does not lift what rejects the pod",
    ),
    "not enough even then": (
        (
            node(),
            pod("high", requests={"cpu": "3500m"}, node="n1", priority=5),
            pod("low", requests={"cpu": "500m"}, node="n1", priority=-1),
            WANTING,
        ),
        "cannot help: insufficient cpu on 1 node even without all pods of lower priority",
    ),
    "never": (
        (node(), low(), pod("p", requests={"cpu": "1"}, spec={"preemptionPolicy": "Never"})),
        "not eligible due to preemptionPolicy=Never",
    ),
    "a budget": (
        (node(), low(labels={"app": "low"}), budget("careful", labels={"app": "low"}), WANTING),
        "would evict default/low (priority -1) on n1 and nominate it there; violates disruption "
        "budget default/careful",
    ),
    "equally good nodes": (
        (node(), node("n2"), low(), low("low2", node="n2"), WANTING),
        "would evict default/low (priority -1) on n1 and nominate it there; 1 other node is as "
        "good (n2); no disruption budget is violated",
    ),
}


@pytest.mark.parametrize(("objects", "said"), PREEMPTION.values(), ids=PREEMPTION.keys())
def test_preemption(objects: tuple[Object, ...], said: str) -> None:
    report = why(snapshot(*objects), WhyQuestion("p"), SchedulerChoice(Release()))

    assert f"Preemption  {said}\n" in render_text(report, Style(width=400))


def test_unread_budgets_are_said() -> None:
    report = why(
        snapshot(node(), low(), WANTING, complete=False),
        WhyQuestion("p"),
        SchedulerChoice(Release()),
    )

    assert "disruption budgets were not read" in render_text(report, Style(width=400))


def test_an_assumed_version_is_said() -> None:
    report = why(
        snapshot(node(), WANTING),
        WhyQuestion("p"),
        SchedulerChoice(Release(), version_assumed=True),
    )

    assert render_text(report, Style()).splitlines()[1].startswith("kube-scheduler 1.35 (assumed)")


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            WhyQuestion("p", node="n1"),
            """\

n1 cannot take it

  resource  needs  free   of  short by
  cpu           1     4    4         -
  pods          1   110  110         -
""",
        ),
        (
            WhyQuestion("p", with_rows=True),
            """\

Supposed, once the claim is bound:
  node  verdict
  n1    would fit
  n2    needs 1 cpu, 500m of 500m free
""",
        ),
    ],
)
def test_single_nodes_after_a_claim(question: WhyQuestion, lines: str) -> None:
    held = snapshot(
        node(),
        node("n2", allocatable={"cpu": "500m"}),
        claim("data", ""),
        pod("p", requests={"cpu": "1"}, spec=CLAIMING),
    )
    text = render_text(why(held, question, SchedulerChoice(Release())), Style())

    assert lines in text
