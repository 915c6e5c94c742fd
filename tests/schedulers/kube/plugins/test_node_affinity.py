from typing import Any

import pytest

from kschedx.api.errors import KschedxError
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome, Reason
from kschedx.schedulers.kube.plugins.node_affinity import (
    AffinityTermsConflict,
    EnforcedAffinityMismatch,
    FailedRequirement,
    NodeAffinity,
    NodeAffinityMismatch,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, rejections, scores

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
RULE = NodeAffinity.from_args({}, Release())


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def labels(*expressions: dict[str, Any]) -> dict[str, Any]:
    return {"matchExpressions": list(expressions)}


def named(*values: str, operator: str = "In", key: str = "metadata.name") -> dict[str, Any]:
    return {"matchFields": [expression(key, operator, *values)]}


def requiring(*terms: dict[str, Any], **selector: str) -> dict[str, Any]:
    """A pod's spec with these terms, or with the nodeSelector alone."""
    affinity = {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": list(terms)}}}
    return {"affinity": affinity if terms else None, "nodeSelector": selector}


def mismatch(*failed: tuple[Any, ...], alternatives: int = 1) -> tuple[Reason, ...]:
    return (NodeAffinityMismatch(tuple(FailedRequirement(*f) for f in failed), alternatives),)


SSD = expression("disk", "In", "ssd")
N1 = node("n1", labels={"disk": "hdd", "gen": "3"})

CASES: dict[str, tuple[dict[str, Any], tuple[Reason, ...] | None]] = {
    "nothing is asked": ({}, None),
    "an empty selector asks nothing": (requiring(), None),
    "selector matches": (requiring(disk="hdd"), ()),
    "selector differs": (
        requiring(disk="ssd", gen="3"),
        mismatch(("disk", "In", ("ssd",), "hdd"), alternatives=0),
    ),
    "selector names a label that is not there": (
        requiring(pool="a"),
        mismatch(("pool", "In", ("a",), None), alternatives=0),
    ),
    "a term matches": (requiring(labels(expression("gen", "Gt", "2"))), ()),
    "terms are ORed": (requiring(labels(SSD), labels(expression("gen", "Exists"))), ()),
    "requirements are ANDed": (
        requiring(labels(SSD, expression("gen", "Lt", "3"), expression("gen", "Exists"))),
        mismatch(("disk", "In", ("ssd",), "hdd"), ("gen", "Lt", ("3",), "3")),
    ),
    "the nearest term is told": (
        requiring(
            labels(SSD, expression("pool", "Exists")), labels(expression("gen", "NotIn", "3"))
        ),
        mismatch(("gen", "NotIn", ("3",), "3"), alternatives=2),
    ),
    "selector and terms": (
        requiring(labels(SSD), pool="a"),
        mismatch(("pool", "In", ("a",), None), ("disk", "In", ("ssd",), "hdd")),
    ),
    "no terms match nothing": (
        {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": []}}}},
        mismatch(alternatives=0),
    ),
    "an empty term matches nothing": (requiring({}), mismatch()),
    "a term that cannot be parsed matches nothing": (
        requiring(labels(expression("disk", "Near", "hdd"))),
        mismatch(),
    ),
    "by name": (requiring(named("n1")), ()),
    "not by this name": (
        requiring(named("n1", operator="NotIn")),
        mismatch(("metadata.name", "NotIn", ("n1",), "n1")),
    ),
    "two names in one requirement cannot be parsed": (requiring(named("n1", "n2")), mismatch()),
    "another field is empty": (
        requiring(named("n1", key="metadata.namespace")),
        mismatch(("metadata.namespace", "In", ("n1",), None)),
    ),
    "names that exclude each other": (
        requiring(
            {"matchFields": [*named("n1")["matchFields"], *named("n2")["matchFields"]]}, named()
        ),
        (AffinityTermsConflict(),),
    ),
}


@pytest.mark.parametrize(("spec", "expected"), CASES.values(), ids=CASES.keys())
def test_required(spec: dict[str, Any], expected: tuple[Reason, ...] | None) -> None:
    assert rejections(RULE, pod(spec=spec), cluster(N1)).get("n1") == expected


NARROWING: dict[str, tuple[dict[str, Any], frozenset[str] | None]] = {
    "one name": (requiring(named("n1")), frozenset({"n1"})),
    "names of all terms": (requiring(named("n1"), named("n2")), frozenset({"n1", "n2"})),
    "all values of a requirement": (requiring(named("n1", "n2")), frozenset({"n1", "n2"})),
    "requirements of a term intersect": (
        requiring({"matchFields": [*named("a", "b")["matchFields"], *named("b")["matchFields"]]}),
        frozenset({"b"}),
    ),
    "a term without names": (requiring(named("n1"), labels(SSD)), None),
    "NotIn does not narrow": (requiring(named("n1", operator="NotIn")), None),
    "a selector does not narrow": (requiring(disk="ssd"), None),
}


@pytest.mark.parametrize(("spec", "expected"), NARROWING.values(), ids=NARROWING.keys())
def test_terms_that_name_nodes_narrow_the_search(
    spec: dict[str, Any], expected: frozenset[str] | None
) -> None:
    view = cluster(N1)

    assert RULE.prepare(view.view(pod(spec=spec)), view).nodes == expected


def added(required: list[Any] | None = None, preferred: list[Any] | None = None) -> NodeAffinity:
    affinity: dict[str, Any] = {}
    if required is not None:
        affinity[REQUIRED] = {"nodeSelectorTerms": required}
    if preferred is not None:
        affinity[PREFERRED] = preferred
    return NodeAffinity.from_args(
        {"kind": "NodeAffinityArgs", "addedAffinity": affinity}, Release()
    )


def test_added_affinity_holds_for_every_pod_and_is_told_first() -> None:
    rule = added([labels(SSD)])
    enforced = (EnforcedAffinityMismatch((FailedRequirement("disk", "In", ("ssd",), "hdd"),), 1),)
    view = cluster(N1, node("n2", labels={"disk": "ssd"}))

    assert rejections(rule, pod(), view) == {"n1": enforced, "n2": ()}
    assert rejections(rule, pod(spec=requiring(gen="1")), view) == {
        "n1": enforced,
        "n2": mismatch(("gen", "In", ("1",), None), alternatives=0),
    }


@pytest.mark.parametrize(
    "affinity",
    [
        {REQUIRED: {"nodeSelectorTerms": [labels(expression("disk", "Near"))]}},
        {PREFERRED: [{"weight": 1, "preference": labels(expression("disk", "In"))}]},
        {REQUIRED: "ssd"},
    ],
)
def test_added_affinity_must_be_readable(affinity: dict[str, Any]) -> None:
    with pytest.raises(KschedxError, match="arguments of NodeAffinity"):
        NodeAffinity.from_args({"addedAffinity": affinity}, Release())


def preferring(*weighted: tuple[int, dict[str, Any]]) -> dict[str, Any]:
    terms = [{"weight": weight, "preference": term} for weight, term in weighted]
    return {"affinity": {"nodeAffinity": {PREFERRED: terms}}}


SCORED = cluster(
    node("n1", labels={"disk": "ssd"}),
    node("n2", labels={"disk": "ssd", "gen": "3"}),
    node("n3"),
)


@pytest.mark.parametrize(
    ("rule", "spec", "expected"),
    [
        pytest.param(RULE, {}, {}, id="nothing is preferred"),
        pytest.param(
            RULE,
            preferring((5, labels(SSD)), (10, labels(expression("gen", "Exists")))),
            {"n1": 33, "n2": 100, "n3": 0},
            id="weights add up",
        ),
        pytest.param(
            RULE, preferring((1, named("n3"))), {"n1": 0, "n2": 0, "n3": 100}, id="by name"
        ),
        pytest.param(RULE, preferring((1, {}), (0, labels(SSD))), {}, id="nothing to match"),
        pytest.param(
            added(preferred=[{"weight": 1, "preference": labels(SSD)}]),
            preferring((3, labels(expression("gen", "DoesNotExist")))),
            {"n1": 100, "n2": 25, "n3": 75},
            id="what the scheduler's configuration prefers counts as well",
        ),
    ],
)
def test_preferred(rule: NodeAffinity, spec: dict[str, Any], expected: dict[str, int]) -> None:
    assert scores(rule, pod(spec=spec), SCORED) == expected


def test_a_preference_that_cannot_be_parsed_ends_the_cycle() -> None:
    with pytest.raises(CycleError, match="PreScore"):
        scores(RULE, pod(spec=preferring((1, labels(expression("disk", "Near"))))), SCORED)


def test_words() -> None:
    one = NodeAffinityMismatch((FailedRequirement("disk", "In", ("ssd",), "hdd"),), 1)
    two = NodeAffinityMismatch(
        (
            FailedRequirement("gen", "Gt", ("3",), "3"),
            FailedRequirement("pool", "Exists", (), None),
        ),
        3,
    )
    unusable = NodeAffinityMismatch((), 1)

    assert one.outcome is Outcome.UNRESOLVABLE
    assert one.upstream_text(35) == "node(s) didn't match Pod's node affinity/selector"
    assert one.sentence() == "wants disk in (ssd), node has disk=hdd"
    assert one.subject() == "wants disk in (ssd)"
    assert one.detail() == "node has disk=hdd"
    assert two.sentence() == (
        "wants gen > 3 and pool exists (nearest of 3 terms), node has gen=3, no pool"
    )
    assert unusable.sentence() == (
        "wants what no node can have: node affinity without a usable term"
    )
    assert unusable.subject() == "node affinity without a usable term"


def test_words_on_enforced_affinity_and_conflicts() -> None:
    enforced = EnforcedAffinityMismatch((FailedRequirement("disk", "In", ("ssd",), None),), 1)
    conflict = AffinityTermsConflict()

    assert enforced.outcome is Outcome.UNRESOLVABLE
    assert enforced.upstream_text(35) == "node(s) didn't match scheduler-enforced node affinity"
    assert enforced.sentence() == (
        "the scheduler's addedAffinity wants disk in (ssd), node has no disk"
    )
    assert enforced.subject() == "scheduler-enforced: wants disk in (ssd)"
    assert enforced.detail() == "node has no disk"
    assert conflict.outcome is Outcome.UNRESOLVABLE
    assert conflict.upstream_text(35) == "pod affinity terms conflict"
    assert conflict.sentence() == "wants to be on differently named nodes at once"
