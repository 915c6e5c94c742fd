"""What nodes would refuse once the rejection of the pod itself is mended; never part of the verdict."""

from typing import Any

import pytest

from kschedx.answers.replay import Replay, SchedulerChoice
from kschedx.answers.why import WhyQuestion, why
from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.node_report import RuleResult
from kschedx.diagnose.situation import Situation
from kschedx.diagnose.verdict_class import VerdictClass
from kschedx.schedulers.kube.versions import Release
from tests.builders import node, pod, snapshot
from tests.storage_builders import ZONE, claim, storage_class, volume

NODES = (node("n1"), node("n2"), node("n3", allocatable={"cpu": "1"}))
UNBOUND = claim("a", "", namespace="default")
GOING = claim("a", bound="v", metadata={"deletionTimestamp": "2026-03-10T09:00:00Z"})
IN_ZONE_1 = (
    claim("b", bound="v"),
    volume("v", places=[[(ZONE, "In", ["z1"])]], phase="Bound"),
    storage_class("waits"),
)
ZONED = (node("n1", labels={ZONE: "z1"}), node("n2", labels={ZONE: "z2"}))
NAMES_APART = {
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [
                    {
                        "matchFields": [
                            {"key": "metadata.name", "operator": "In", "values": [name]}
                            for name in ("n1", "n2")
                        ]
                    }
                ]
            }
        }
    }
}


def using(*claims: str, cpu: str = "1", **fields: Any) -> Object:
    spec = {
        **fields.pop("spec", {}),
        "volumes": [{"name": c, "persistentVolumeClaim": {"claimName": c}} for c in claims],
    }
    return pod("p", requests={"cpu": cpu}, spec=spec, **fields)


SUPPOSED: dict[str, tuple[tuple[Object, ...], str]] = {
    "all nodes would fit": (
        (*NODES, UNBOUND, using("a")),
        "once the claim is bound, n1, n2 and n3 would fit",
    ),
    "some would not": (
        (*NODES, UNBOUND, using("a", cpu="2")),
        "once the claim is bound, n1 and n2 would fit; 1 of 3 nodes would also refuse: "
        "insufficient cpu",
    ),
    "none would": (
        (*NODES, UNBOUND, using("a", cpu="9")),
        "once the claim is bound, all 3 nodes would also refuse: insufficient cpu",
    ),
    "for several causes": (
        (node("n1", unschedulable=True), node("n2"), UNBOUND, using("a", cpu="9")),
        "once the claim is bound, both nodes would also refuse: insufficient cpu on 2, "
        "cordoned on 1",
    ),
    "a claim that does not exist": (
        (node("n1"), using("a", cpu="9")),
        "once the claim is there and bound, the only node would also refuse: insufficient cpu",
    ),
    "a claim on its way out": (
        (node("n1"), GOING, volume("v"), using("a")),
        "once the claim is made anew, n1 would fit",
    ),
    "another claim in the way": (
        (node("n1"), UNBOUND, using("a", "gone")),
        "once claim default/gone is there and bound and claim default/a is bound, n1 would fit",
    ),
    "another claim's volume still holds": (
        (*ZONED, *IN_ZONE_1, UNBOUND, using("a", "b")),
        "once the claim is bound, n1 would fit; 1 of 2 nodes would also refuse: "
        "volume of claim default/b is only usable from topology.kubernetes.io/zone in (z1)",
    ),
    "names of nodes that exclude each other": (
        (node("n1"), node("n2"), using(cpu="9", spec=NAMES_APART)),
        "once NodeAffinity is left aside, both nodes would also refuse: insufficient cpu",
    ),
    "not decided without what is not modelled": (
        (node("n1"), UNBOUND, using("a", spec={"resourceClaims": [{"name": "gpu"}]})),
        "once the claim is bound, it is not decided for the only node",
    ),
}
UNREADABLE = {
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"a": "-"}},
        }
    ]
}


def explained(*objects: Object, minor: int = 35) -> Explanation:
    replay = Replay(snapshot(*objects), SchedulerChoice(Release(minor)))
    asked = replay.snapshot.get(Pod, "default/p")
    assert asked is not None
    return replay.explain(asked).explanation


@pytest.mark.parametrize(("objects", "sentence"), SUPPOSED.values(), ids=SUPPOSED.keys())
def test_what_would_come_next(objects: tuple[Object, ...], sentence: str) -> None:
    found = explained(*objects)

    assert found.situation is Situation.PREFILTER_REJECTED
    assert found.also_blocked is not None
    assert found.also_blocked.sentence == sentence


def test_an_error_may_come_next() -> None:
    found = explained(node("n1"), UNBOUND, using("a", spec=UNREADABLE)).also_blocked

    assert found is not None
    assert found.sentence.startswith(
        "once the claim is bound, the scheduler would fail with an error of its own: running"
    )


def test_the_verdict_knows_nothing_of_it() -> None:
    message = "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found"
    recorded = {"conditions": [{"type": "PodScheduled", "status": "False", "message": message}]}
    found = explained(*NODES, UNBOUND, using("a", cpu="9", status=recorded))

    assert found.scheduler_message == message
    assert found.agreement is not None
    assert found.agreement.status is AgreementStatus.AGREES
    assert found.verdict_class is VerdictClass.REJECTED_BEFORE_NODES
    assert (found.feasible, found.winners, found.blockers) == ((), (), ())
    assert found.headline == (
        "default/p is Pending: PersistentVolumeClaim default/a is not bound and has no StorageClass"
    )


def test_only_a_pod_that_is_rejected_beforehand_is_asked_about() -> None:
    assert explained(*NODES, using(cpu="9")).also_blocked is None
    assert explained(*NODES, using()).also_blocked is None


def test_a_gated_pod_with_such_a_claim() -> None:
    gated = using("a", cpu="2", spec={"schedulingGates": [{"name": "example.com/quota"}]})
    found = explained(*NODES, UNBOUND, gated)

    assert found.also_blocked is None
    assert found.otherwise is not None
    assert found.otherwise.also_blocked is not None
    assert found.otherwise.also_blocked.feasible == ("n1", "n2")


def test_on_one_node_the_other_rules_are_asked_all_the_same() -> None:
    held = snapshot(*ZONED, *IN_ZONE_1, UNBOUND, using("a", "b", cpu="9"))
    report = why(held, WhyQuestion("p", node="n2"), SchedulerChoice(Release(35))).node

    assert report is not None
    assert not report.fits
    assert report.supposes == ("claim default/a is bound",)
    assert [
        (rule.plugin, [cause.code for cause in rule.causes])
        for rule in report.rules
        if rule.result is RuleResult.REJECTS
    ] == [
        ("NodeResourcesFit", ["insufficient-resource"]),
        ("VolumeBinding", ["claim-not-bound", "volume-out-of-reach"]),
    ]


def test_one_node_where_the_scheduler_fails() -> None:
    held = snapshot(node("n1"), using(spec=UNREADABLE))
    report = why(held, WhyQuestion("p", node="n1"), SchedulerChoice(Release(35))).node

    assert report is not None
    assert report.error.startswith('running PreFilter plugin "PodTopologySpread"')
    assert (report.fits, report.rules) == (False, ())


@pytest.mark.parametrize(
    "spec", [{"schedulerName": "mine"}, {"schedulingGates": [{"name": "example.com/quota"}]}]
)
def test_one_node_for_a_pod_that_is_never_tried(spec: dict[str, Any]) -> None:
    held = snapshot(node("n1"), using(spec=spec))
    report = why(held, WhyQuestion("p", node="n1"), SchedulerChoice(Release(35))).node

    assert report is not None
    assert report.fits
    assert report.supposes == ("it is tried all the same",)
