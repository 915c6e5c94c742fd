from typing import Any

import pytest

from kschedx.framework.verdict import Outcome, Verdict
from kschedx.schedulers.kube.plugins.taint_toleration import TaintToleration, UntoleratedTaint
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, rejections, scores

RULE = TaintToleration.from_args({}, Release())


def taint(key: str, effect: str = "NoSchedule", **value: str) -> dict[str, str]:
    return {"key": key, "effect": effect, **value}


def untolerated(
    key: str, value: str = "", effect: str = "NoSchedule", first: tuple[str, str] | None = None
) -> UntoleratedTaint:
    return UntoleratedTaint(key, value, effect, first or (key, value))


CASES: dict[str, tuple[list[dict[str, str]], list[dict[str, Any]], list[UntoleratedTaint]]] = {
    "no taints": ([], [], []),
    "a taint": ([taint("gpu")], [], [untolerated("gpu")]),
    "a taint with a value": ([taint("gpu", value="a")], [], [untolerated("gpu", "a")]),
    "tolerated by key and value": (
        [taint("gpu", value="a")],
        [{"key": "gpu", "operator": "Equal", "value": "a", "effect": "NoSchedule"}],
        [],
    ),
    "another value is tolerated": (
        [taint("gpu", value="a")],
        [{"key": "gpu", "value": "b"}],
        [untolerated("gpu", "a")],
    ),
    "tolerated by key": ([taint("gpu", value="a")], [{"key": "gpu", "operator": "Exists"}], []),
    "another effect is tolerated": (
        [taint("gpu", "NoExecute")],
        [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
        [untolerated("gpu", effect="NoExecute")],
    ),
    "all is tolerated": ([taint("gpu"), taint("a", "NoExecute")], [{"operator": "Exists"}], []),
    "a soft taint rejects nobody": ([taint("gpu", "PreferNoSchedule")], [], []),
    "every untolerated taint is told": (
        [taint("soft", "PreferNoSchedule"), taint("a", value="1"), taint("b"), taint("c")],
        [{"key": "b", "operator": "Exists"}],
        [untolerated("a", "1"), untolerated("c", first=("a", "1"))],
    ),
    "comparison operators are gated off": (
        [taint("level", value="5")],
        [{"key": "level", "operator": "Gt", "value": "1"}],
        [untolerated("level", "5")],
    ),
}


@pytest.mark.parametrize(("taints", "tolerations", "expected"), CASES.values(), ids=CASES.keys())
def test_taints(
    taints: list[dict[str, str]],
    tolerations: list[dict[str, Any]],
    expected: list[UntoleratedTaint],
) -> None:
    view = cluster(node("n1", taints=taints))

    assert rejections(RULE, pod(spec={"tolerations": tolerations}), view) == {"n1": tuple(expected)}


@pytest.mark.parametrize(
    ("operator", "bound", "value", "expected"),
    [
        ("Gt", "5", "6", True),
        ("Gt", "5", "5", False),
        ("Lt", "5", "-6", True),
        ("Lt", "5", "5", False),
        ("Gt", "05", "6", False),
        ("Gt", "5", "+6", False),
        ("Gt", "5", "9223372036854775808", False),
        ("Gt", "5", "", False),
    ],
)
def test_comparison_operators_where_their_gate_is_on(
    operator: str, bound: str, value: str, *, expected: bool
) -> None:
    rule = TaintToleration.from_args({}, Release(35, {"TaintTolerationComparisonOperators": True}))
    view = cluster(node("n1", taints=[taint("level", value=value)]))
    asking = pod(spec={"tolerations": [{"key": "level", "operator": operator, "value": bound}]})

    assert (rejections(rule, asking, view) == {"n1": ()}) is expected


@pytest.mark.parametrize(
    ("minor", "text"),
    [(33, "node(s) had untolerated taint {a: 1}"), (34, "node(s) had untolerated taint(s)")],
)
def test_upstream_speaks_of_one_taint_per_node(minor: int, text: str) -> None:
    found = (untolerated("a", "1"), untolerated("c", first=("a", "1")))

    assert Verdict("TaintToleration", found).texts(minor) == [text]


def test_words() -> None:
    reason = untolerated("gpu", "a")

    assert reason.outcome is Outcome.UNRESOLVABLE
    assert reason.sentence() == "does not tolerate taint gpu=a:NoSchedule"
    assert reason.subject() == "untolerated taint gpu=a:NoSchedule"


def test_fewer_soft_taints_score_higher() -> None:
    soft = [taint(key, "PreferNoSchedule") for key in ("a", "b", "c")]
    view = cluster(
        node("none"), node("hard", taints=[taint("a")]), node("one", taints=soft[:1]),
        node("three", taints=soft),
    )  # fmt: skip
    tolerating = pod(spec={"tolerations": [{"key": "b", "operator": "Exists"}]})
    hard_only = pod(
        spec={"tolerations": [{"key": "b", "operator": "Exists", "effect": "NoSchedule"}]}
    )

    assert scores(RULE, tolerating, view) == {"none": 100, "hard": 100, "one": 50, "three": 0}
    assert scores(RULE, hard_only, view) == {"none": 100, "hard": 100, "one": 67, "three": 0}
    assert scores(RULE, pod(), cluster(node("n1"), node("n2"))) == {"n1": 100, "n2": 100}
