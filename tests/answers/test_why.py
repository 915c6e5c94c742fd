"""Every situation that a pod can be in, as `why` finds and says it."""

from typing import Any

import msgspec
import pytest

from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.why import WhyQuestion, why
from kschedx.api.meta import Object
from kschedx.api.selectors import from_labels
from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.report import WhyReport
from kschedx.diagnose.situation import Situation
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.snapshot import Snapshot
from tests.builders import budget, node, pod, snapshot

CHOICE = SchedulerChoice(Release())
ROOMY = node("n1")
FULL = pod("full", requests={"cpu": "4"}, node="n1")
LOW = pod("low", requests={"cpu": "4"}, node="n1", priority=-1)


def ask(
    *objects: Object, target: str | None = "p", complete: bool = True, **question: Any
) -> WhyReport:
    held = snapshot(*objects, complete=complete)
    return why(held, WhyQuestion(target, **question), CHOICE)


def explained(*objects: Object, **question: Any) -> Explanation:
    return ask(*objects, **question).explained[0].explanation


def claiming(name: str = "p", claim: str = "data", **fields: Any) -> Object:
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": claim}}
    return pod(name, spec={"volumes": [volume]}, **fields)


DELETED = {"deletionTimestamp": "2026-03-10T09:00:00Z"}
WAITING = {
    "containerStatuses": [
        {
            "name": "main",
            "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such tag"}},
        }
    ]
}

SITUATIONS: dict[str, tuple[tuple[Object, ...], Situation, str]] = {
    "a node has room": (
        (ROOMY, pod("p", requests={"cpu": "1"})),
        Situation.FITS_NOW,
        "default/p is Pending but fits now: the scheduler would take n1",
    ),
    "equally good nodes": (
        (ROOMY, node("n2"), pod("p")),
        Situation.FITS_NOW,
        "default/p is Pending but fits now: the scheduler would take n1 or n2",
    ),
    "never sent to an API server": (
        (ROOMY, pod("p", metadata={"uid": ""})),
        Situation.FITS_NOW,
        "default/p fits: the scheduler would take n1",
    ),
    "never sent, and too large": (
        (ROOMY, pod("p", requests={"cpu": "5"}, metadata={"uid": ""})),
        Situation.NO_NODE,
        "default/p would be Pending: the only node cannot take it",
    ),
    "the only node is full": (
        (ROOMY, FULL, pod("p", requests={"cpu": "1"})),
        Situation.NO_NODE,
        "default/p is Pending: the only node cannot take it",
    ),
    "all nodes are full": (
        (ROOMY, node("n2", unschedulable=True), FULL, pod("p", requests={"cpu": "1"})),
        Situation.NO_NODE,
        "default/p is Pending: no node of 2 can take it",
    ),
    "a scheduling gate": (
        (ROOMY, pod("p", spec={"schedulingGates": [{"name": "example.com/quota"}]})),
        Situation.HELD_BY_GATES,
        "default/p is Pending: never tried: waits for scheduling gate example.com/quota",
    ),
    "another scheduler": (
        (ROOMY, pod("p", spec={"schedulerName": "mine"})),
        Situation.SCHEDULER_NOT_SERVED,
        "default/p is Pending: asks for scheduler mine; this one serves default-scheduler",
    ),
    "being deleted": (
        (ROOMY, pod("p", metadata=DELETED)),
        Situation.BEING_DELETED,
        "default/p is Pending: being deleted since 2026-03-10T09:00:00Z, so the scheduler passes "
        "it over",
    ),
    "a claim that does not exist": (
        (ROOMY, claiming()),
        Situation.PREFILTER_REJECTED,
        "default/p is Pending: PersistentVolumeClaim default/data does not exist",
    ),
    "no nodes": ((pod("p"),), Situation.NO_NODES, "default/p is Pending: there are no nodes"),
    "victims on their way out": (
        (
            ROOMY,
            pod("low", requests={"cpu": "4"}, node="n1", priority=-1, metadata=DELETED),
            pod("p", requests={"cpu": "1"}, status={"nominatedNodeName": "n1"}),
        ),
        Situation.WAITING_FOR_VICTIMS,
        "default/p is Pending: n1 is held for it until 1 pod there is gone",
    ),
    "on a node": (
        (ROOMY, pod("p", node="n1")),
        Situation.ALREADY_PLACED,
        "default/p is on n1 (Running)",
    ),
    "finished": (
        (ROOMY, pod("p", node="n1", status={"phase": "Succeeded"})),
        Situation.FINISHED,
        "default/p has succeeded: nothing is left to schedule",
    ),
    "a selector that cannot be parsed": (
        (
            ROOMY,
            pod(
                "p",
                spec={
                    "topologySpreadConstraints": [
                        {
                            "maxSkew": 1,
                            "topologyKey": "zone",
                            "whenUnsatisfiable": "DoNotSchedule",
                            "labelSelector": {"matchLabels": {"a": "-"}},
                        }
                    ]
                },
            ),
        ),
        Situation.SCHEDULER_ERROR,
        "default/p is Pending: the scheduler fails with an error of its own: ",
    ),
}


@pytest.mark.parametrize(
    ("objects", "situation", "headline"), SITUATIONS.values(), ids=SITUATIONS.keys()
)
def test_situations(objects: tuple[Object, ...], situation: Situation, headline: str) -> None:
    found = explained(*objects)

    assert found.situation is situation
    if situation is Situation.SCHEDULER_ERROR:  # what follows is the scheduler's own text
        assert found.headline.startswith(headline)
    else:
        assert found.headline == headline


def test_every_situation_is_shown() -> None:
    shown = {situation for _, situation, _ in SITUATIONS.values()}

    assert shown | {Situation.NOT_CHECKED} == set(Situation)


def test_what_was_not_read_is_not_judged() -> None:
    found = explained(ROOMY, claiming(), complete=False)

    assert found.situation is Situation.NOT_CHECKED
    assert found.headline == (
        "default/p is Pending: not decided: the snapshot holds no CSINode and no "
        "PersistentVolumeClaim objects"
    )


def test_a_node_is_named_once_whatever_number_of_rules_lacks_the_same() -> None:
    blockers = explained(ROOMY, claiming(), complete=False).blockers

    assert [detail.nodes for blocker in blockers for detail in blocker.details] == [("n1",)] * 2


def test_a_pod_that_is_never_tried_is_explained_as_if_it_were() -> None:
    gated = pod("p", requests={"cpu": "5"}, spec={"schedulingGates": [{"name": "g"}]})
    elsewhere = pod("p", spec={"schedulerName": "mine"})

    assert explained(ROOMY, gated).otherwise.predicate == "the only node cannot take it"  # type: ignore[union-attr]
    assert explained(ROOMY, elsewhere).otherwise.predicate == "the scheduler would take n1"  # type: ignore[union-attr]


def test_a_node_stands_under_every_cause_that_blocks_it() -> None:
    found = explained(
        node("n1", taints=[{"key": "gpu", "effect": "NoSchedule"}]),
        node("n2", taints=[{"key": "gpu", "effect": "NoSchedule"}]),
        node("n3"),
        pod("a", requests={"cpu": "3"}, node="n1"),
        pod("b", requests={"cpu": "2500m"}, node="n3"),
        pod("p", requests={"cpu": "2"}),
    )

    told = [
        (b.subject, b.nodes, b.alone, b.nearest, b.short_by, b.evictable) for b in found.blockers
    ]
    assert told == [
        ("insufficient cpu", ("n1", "n3"), ("n3",), "n3", 500, ("n3",)),
        ("untolerated taint gpu:NoSchedule", ("n1", "n2"), ("n2",), "n2", None, ()),
    ]
    assert [(c.subjects, c.nodes) for c in found.combinations] == [
        (("untolerated taint gpu:NoSchedule", "insufficient cpu"), ("n1",))
    ]


def test_a_cause_on_every_node_comes_first() -> None:
    found = explained(
        node("n1", taints=[{"key": "a", "effect": "NoSchedule"}]),
        node("n2", unschedulable=True),
        pod("p", requests={"cpu": "9"}),
    )

    assert [blocker.subject for blocker in found.blockers] == [
        "insufficient cpu",
        "cordoned",
        "untolerated taint a:NoSchedule",
    ]


def test_a_cordon_and_its_taint_are_one_cause() -> None:
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    found = explained(node("n1", unschedulable=True, taints=[taint]), pod("p"))

    assert [blocker.subject for blocker in found.blockers] == ["cordoned"]
    assert found.combinations == ()


def test_enough_in_total_but_not_on_one_node() -> None:
    found = explained(
        node("n1"),
        node("n2"),
        node("n3", taints=[{"key": "a", "effect": "NoSchedule"}]),
        pod("a", requests={"cpu": "2"}, node="n1"),
        pod("b", requests={"cpu": "1500m"}, node="n2"),
        pod("p", requests={"cpu": "3"}),
    )

    assert [item.sentence() for item in found.fragmentations] == [
        "needs 3 cpu; 4500m free in total on 2 nodes that lack only room, at most 2500m on one of "
        "them (n2)"
    ]


def test_preemption_names_its_victims() -> None:
    found = explained(
        ROOMY, pod("low", labels={"app": "low"}, requests={"cpu": "4"}, node="n1", priority=-1),
        budget("careful", labels={"app": "low"}),
        pod("p", requests={"cpu": "1"}),
    )  # fmt: skip

    summary = found.preemption
    assert summary is not None
    assert summary.nodes == ("n1",)
    assert [(v.pod.key, v.pod.priority, v.budgets_violated) for v in summary.victims] == [
        ("default/low", -1, ("default/careful",))
    ]


def test_what_victims_leave_may_not_be_enough() -> None:
    low = pod("low", requests={"cpu": "1"}, node="n1", priority=-1, metadata=DELETED)
    high = pod("high", requests={"cpu": "3"}, node="n1", priority=5)
    found = explained(
        ROOMY, low, high, pod("p", requests={"cpu": "2"}, status={"nominatedNodeName": "n1"})
    )

    assert found.nomination is not None
    assert found.nomination.fits_after is False
    assert [cause.message for cause in found.nomination.then] == ["needs 2 cpu, 1 of 4 free"]


def test_a_nominated_node_that_is_gone() -> None:
    found = explained(
        ROOMY, FULL, pod("p", requests={"cpu": "1"}, status={"nominatedNodeName": "x"})
    )

    assert found.situation is Situation.NO_NODE
    assert found.nomination is not None
    assert not found.nomination.node_known


def test_drift() -> None:
    cordoned = node("n1", taints=[{"key": "new", "effect": "NoSchedule"}])
    found = explained(cordoned, pod("p", requests={"cpu": "3"}, node="n1"))

    assert found.placement is not None
    assert [cause.message for cause in found.placement.drift] == [
        "does not tolerate taint new:NoSchedule"
    ]
    assert ask(cordoned, pod("p", node="n1")).finding


def test_a_pod_does_not_drift_from_itself() -> None:
    found = explained(ROOMY, pod("p", requests={"cpu": "3"}, node="n1"))

    assert found.placement is not None
    assert found.placement.drift == ()


def test_a_node_that_the_snapshot_does_not_hold() -> None:
    found = explained(ROOMY, pod("p", node="gone"))

    assert found.placement is not None
    assert not found.placement.node_known


def test_what_the_kubelet_waits_for() -> None:
    found = explained(ROOMY, pod("p", node="n1", status={"phase": "Pending", **WAITING}))

    assert found.placement is not None
    assert found.placement.waits == ("container main waits: ImagePullBackOff: no such tag",)


def test_a_pod_pinned_to_one_node_leaves_the_others_out() -> None:
    pinned = {
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {
                            "matchFields": [
                                {"key": "metadata.name", "operator": "In", "values": ["n1"]}
                            ]
                        }
                    ]
                }
            }
        }
    }
    found = explained(
        ROOMY, node("n2"), node("n3"), FULL, pod("p", requests={"cpu": "1"}, spec=pinned)
    )

    assert found.predicate == "of 3 nodes only n1 may take it, and cannot"
    assert [(b.subject, b.nodes) for b in found.blockers] == [
        ("insufficient cpu", ("n1",)),
        ("ruled out by NodeAffinity", ("n2", "n3")),
    ]


def test_what_could_not_be_checked_takes_nothing_from_what_is_certain() -> None:
    found = explained(ROOMY, FULL, claiming(requests={"cpu": "1"}), complete=False)

    assert [(b.subject, b.alone, b.checked) for b in found.blockers] == [
        ("insufficient cpu", ("n1",), True),
        ("not checked: CSINode not read", (), False),
        ("not checked: PersistentVolumeClaim not read", (), False),
    ]
    assert found.combinations == ()


def test_all_pending_pods_grouped_worst_first() -> None:
    report = ask(
        ROOMY,
        FULL,
        pod("a-2", requests={"cpu": "1"}),
        pod("a-1", requests={"cpu": "2"}),
        pod("gated", spec={"schedulingGates": [{"name": "g"}]}),
        claiming("b"),
        pod("done", status={"phase": "Failed"}),
        target=None,
    )

    groups = [
        (group.explanation.situation, [pod.name for pod in group.pods])
        for group in report.explained
    ]
    assert groups == [
        (Situation.PREFILTER_REJECTED, ["b"]),
        (Situation.NO_NODE, ["a-1", "a-2"]),
        (Situation.HELD_BY_GATES, ["gated"]),
    ]
    assert report.explained[1].explanation.pod.name == "a-1"


def test_pods_that_no_rule_tells_apart_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    original = why.__globals__["Replay"].explain

    def counting(self: Any, waiting: Any, **options: Any) -> Any:
        tried.append(waiting.name)
        return original(self, waiting, **options)

    monkeypatch.setattr(why.__globals__["Replay"], "explain", counting)
    condition = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, "
        "preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.",
    }
    report = ask(
        ROOMY,
        FULL,
        pod("a", requests={"cpu": "1"}),
        pod("b", requests={"cpu": "1"}, status={"conditions": [condition]}),
        pod("c", requests={"cpu": "2"}),
        target=None,
    )

    assert tried == ["a", "c"]
    assert dict(report.agreements) == {
        AgreementStatus.AGREES: 1,
        AgreementStatus.NONE_RECORDED: 2,
    }


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ({}, ["default/a", "other/b"]),
        ({"namespace": "other"}, ["other/b"]),
        ({"selector": from_labels({"app": "a"})}, ["default/a"]),
    ],
)
def test_narrowed(question: dict[str, Any], names: list[str]) -> None:
    report = ask(
        pod("a", labels={"app": "a"}), pod("b", namespace="other"), target=None, **question
    )

    assert [found.key for group in report.explained for found in group.pods] == names


def test_no_pod_is_pending() -> None:
    report = ask(ROOMY, pod("p", node="n1"), target=None)

    assert report.explained == ()
    assert not report.finding


def test_single_nodes() -> None:
    found = explained(ROOMY, node("n2"), FULL, pod("p", requests={"cpu": "1"}), with_rows=True)

    rows = [(row.node, row.fits, [cause.message for cause in row.causes]) for row in found.rows]
    assert rows == [
        ("n2", True, []),
        ("n1", False, ["needs 1 cpu, 0 of 4 free"]),
    ]


def test_facts_are_plain_values() -> None:
    found = explained(ROOMY, FULL, pod("p", requests={"cpu": "1"}))

    assert msgspec.to_builtins(found.blockers[0].cause.facts) == {
        "resource": "cpu",
        "requested": 1000,
        "used": 4000,
        "allocatable": 4000,
        "preemptible": True,
    }


def test_an_unknown_version_is_assumed() -> None:
    report = why(
        Snapshot().with_objects([ROOMY, pod("p")]),
        WhyQuestion("p"),
        SchedulerChoice(Release(), version_assumed=True),
    )

    assert report.version_assumed
