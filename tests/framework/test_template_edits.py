"""Changes to a template, as values and as patches."""

from typing import Any

from kschedx.framework.template_edits import CountOwnRevision, InitStepsFirst, SpreadIfPossible
from tests.builders import pod

ALWAYS = {"restartPolicy": "Always"}
HOST = "kubernetes.io/hostname"


def spread(key: str, action: str) -> dict[str, Any]:
    return {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": action}


def test_init_steps_first() -> None:
    own = [{"name": "proxy", **ALWAYS}, {"name": "one"}, {"name": "log", **ALWAYS}, {"name": "two"}]
    edit = InitStepsFirst(("one", "two"), ("proxy", "log"))
    before = pod("p", spec={"initContainers": own})
    after = edit.changed(before)

    assert [c.name for c in after.spec.init_containers] == ["one", "two", "proxy", "log"]
    assert edit.operations(before) == (
        {"op": "move", "from": "/initContainers/1", "path": "/initContainers/0"},
        {"op": "move", "from": "/initContainers/3", "path": "/initContainers/1"},
    )
    assert edit.operations(after) == ()
    assert edit.sentence() == "run one and two before sidecars proxy and log"


def test_count_own_revision() -> None:
    constraints = [spread(HOST, "ScheduleAnyway"), spread(HOST, "DoNotSchedule")]
    edit = CountOwnRevision(HOST)
    before = pod("p", spec={"topologySpreadConstraints": constraints})
    soft, hard = edit.changed(before).spec.topology_spread_constraints

    assert (soft.match_label_keys, hard.match_label_keys) == ((), ("pod-template-hash",))
    path = "/topologySpreadConstraints/1/matchLabelKeys"
    assert edit.operations(before) == ({"op": "add", "path": path, "value": ["pod-template-hash"]},)


def test_spread_if_possible() -> None:
    constraints = [
        spread("zone", "DoNotSchedule"),
        {**spread(HOST, "DoNotSchedule"), "minDomains": 2},
    ]
    edit = SpreadIfPossible(HOST)
    before = pod("p", spec={"topologySpreadConstraints": constraints})
    other, changed = edit.changed(before).spec.topology_spread_constraints

    assert (other.when_unsatisfiable, changed.when_unsatisfiable) == (
        "DoNotSchedule",
        "ScheduleAnyway",
    )
    assert changed.min_domains is None
    path = "/topologySpreadConstraints/1"
    assert edit.operations(before) == (
        {"op": "replace", "path": f"{path}/whenUnsatisfiable", "value": "ScheduleAnyway"},
        {"op": "remove", "path": f"{path}/minDomains"},
    )


def test_no_second_soft_constraint_over_the_same_key() -> None:
    constraints = [spread(HOST, "DoNotSchedule"), spread(HOST, "ScheduleAnyway")]
    edit = SpreadIfPossible(HOST)
    before = pod("p", spec={"topologySpreadConstraints": constraints})
    (left,) = edit.changed(before).spec.topology_spread_constraints

    assert left.when_unsatisfiable == "ScheduleAnyway"
    assert edit.operations(before) == ({"op": "remove", "path": "/topologySpreadConstraints/0"},)
