"""Priorities of the pod and of others, as values, patches and commands."""

import json
import shlex

from kschedx.framework.priority_edits import (
    AllowPreemption,
    RaiseOtherPriority,
    RaisePriority,
    made_again,
)
from tests.builders import cluster, node, pod


def test_raise_priority() -> None:
    known, unknown = RaisePriority(7, "high"), RaisePriority(7, "")

    assert known.changed(pod()).spec.priority == 7
    assert (known.prerequisite(), unknown.prerequisite()) == (
        "",
        "kubectl create priorityclass priority-7 --value=7",
    )
    assert unknown.operations(pod()) == (
        {"op": "add", "path": "/priorityClassName", "value": "priority-7"},
    )


def test_allow_preemption() -> None:
    edit = AllowPreemption(7, "")
    before = pod("p", spec={"preemptionPolicy": "Never"}, priority=7)

    assert edit.changed(before).spec.preemption_policy is None
    assert edit.operations(before) == (
        {"op": "add", "path": "/priorityClassName", "value": "priority-7"},
        {"op": "remove", "path": "/preemptionPolicy"},
    )
    command = made_again(before, edit.operations(before))
    assert command.count("/spec/preemptionPolicy") == 1


def test_another_pod_is_made_again_with_the_priority() -> None:
    host, other = node("a"), node("b")
    near, twin = pod("near", node="a"), pod("twin", node="b", spec={"preemptionPolicy": "Never"})
    edit = RaiseOtherPriority(("default/near", "default/twin"), 7, "", ("b", "b"))
    waiting, after = edit.apply(pod("p"), cluster(host, other, near, twin))
    made = [view.pod for view in after.nodes["b"].pods]

    assert waiting == pod("p")
    assert after.nodes["a"].pods == ()
    assert [(each.name, each.spec.priority, each.spec.preemption_policy) for each in made] == [
        ("near", 7, None),
        ("twin", 7, None),
    ]
    assert edit.sentence() == (
        "give default/near and 1 other pod of its template a PriorityClass of value 7 "
        "(made again on b; within about 5 minutes the waiting pod is tried)"
    )


def test_a_class_that_there_is_needs_none_made() -> None:
    edit = RaiseOtherPriority(("default/near",), 7, "high", ("a",))

    assert edit.prerequisite() == ""
    assert edit.sentence() == (
        "give default/near PriorityClass high (7) "
        "(made again on a; within about 5 minutes the waiting pod is tried)"
    )
    assert edit.patch(pod()).operations == (
        {"op": "add", "path": "/priorityClassName", "value": "high"},
    )


def test_a_pod_made_again_keeps_nothing_that_admission_computed() -> None:
    near = pod("near", node="a", spec={"preemptionPolicy": "PreemptLowerPriority"})
    words = shlex.split(made_again(near, [{"op": "add", "path": "/x", "value": 1}]))
    patch = json.loads(words[words.index("-p") + 1])

    assert words[:7] == ["kubectl", "get", "pod", "near", "-n", "default", "-o"]
    assert words[-5:] == ["kubectl", "replace", "--force", "-f", "-"]
    assert patch == [
        {"op": "add", "path": "/spec/x", "value": 1},
        {"op": "remove", "path": "/spec/priority"},
        {"op": "remove", "path": "/spec/preemptionPolicy"},
        {"op": "remove", "path": "/spec/nodeName"},
    ]
