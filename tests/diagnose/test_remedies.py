"""Hints made ready to use, where the change is one of a priority."""

from typing import Any

import msgspec
import pytest

from kschedx.api.meta import Object
from kschedx.api.workloads import Deployment, ReplicaSet, StatefulSet
from kschedx.diagnose.hints import Hint, Hints
from kschedx.diagnose.remedies import Step, remedies
from kschedx.framework.edit import Edit
from kschedx.framework.priority_edits import RaiseOtherPriority, RaisePriority
from tests.builders import pod, snapshot

CREATE = "kubectl create priorityclass priority-7 --value=7"
CLASS = '{"op":"add","path":"%s/priorityClassName","value":"priority-7"}'
IN_TEMPLATE = CLASS % "/spec/template/spec"
PRIORITY = '{"op":"remove","path":"/spec/priority"}'
NODE = '{"op":"remove","path":"/spec/nodeName"}'


def again(name: str, *operations: str) -> str:
    return (
        f"kubectl get pod {name} -n default -o json | kubectl patch --local -f - --type=json "
        f"-p '[{','.join(operations)}]' -o json | kubectl replace --force -f -"
    )


def owned(kind: str, name: str) -> dict[str, Any]:
    return {"ownerReferences": [{"kind": kind, "name": name, "uid": name, "controller": True}]}


def workload(kind: type[Object], name: str, **fields: Any) -> Object:
    metadata = {"name": name, "namespace": "default", "uid": name, **fields.pop("metadata", {})}
    return msgspec.convert({"metadata": metadata, **fields}, kind)


def step(edit: Edit, *objects: Object, **waiting: Any) -> Step:
    hints = Hints((Hint((edit,), ("a",)),))
    found = remedies(hints, pod("wanted", **waiting), snapshot(*objects))
    return found.remedies[0].steps[0]


OTHERS: dict[str, tuple[dict[str, Any], tuple[Object, ...], str]] = {
    "that nobody makes": ({}, (), again("near", CLASS % "/spec", PRIORITY, NODE)),
    "of a Deployment": (
        owned("ReplicaSet", "near-1"),
        (
            workload(ReplicaSet, "near-1", metadata=owned("Deployment", "near")),
            workload(Deployment, "near"),
        ),
        f"kubectl patch deployment/near -n default --type=json -p '[{IN_TEMPLATE}]'",
    ),
    "of a ReplicaSet, which leaves its pods as they are": (
        owned("ReplicaSet", "near-1"),
        (workload(ReplicaSet, "near-1"),),
        f"kubectl patch replicaset/near-1 -n default --type=json -p '[{IN_TEMPLATE}]' && "
        "kubectl delete pod -n default near",
    ),
    "of a StatefulSet that waits for deletions": (
        owned("StatefulSet", "near"),
        (workload(StatefulSet, "near", spec={"updateStrategy": {"type": "OnDelete"}}),),
        f"kubectl patch statefulset/near -n default --type=json -p '[{IN_TEMPLATE}]' && "
        "kubectl delete pod -n default near",
    ),
}


@pytest.mark.parametrize(("metadata", "owners", "command"), OTHERS.values(), ids=OTHERS.keys())
def test_another_pod(metadata: dict[str, Any], owners: tuple[Object, ...], command: str) -> None:
    near = pod("near", node="a", metadata=metadata)
    edit = RaiseOtherPriority((near.key,), 7, "", ("a",))

    assert step(edit, near, *owners).command == f"{CREATE} && {command}"


def test_a_bare_pod_is_made_again_once_its_class_exists() -> None:
    made = step(RaisePriority(7, ""))

    assert made.command == f"{CREATE} && {again('wanted', CLASS % '/spec', PRIORITY)}"
    assert made.prerequisite == ""


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        (owned("StatefulSet", "web"), "/spec/template/spec/priorityClassName"),
        (owned("Clone", "web"), "/spec/priorityClassName"),
        ({"uid": ""}, "/spec/priorityClassName"),
    ],
    ids=[
        "its StatefulSet was not read",
        "its owner has an unknown kind",
        "it is in no cluster yet",
    ],
)
def test_the_class_comes_first_where_the_manifest_is_changed(
    metadata: dict[str, Any], path: str
) -> None:
    made = step(RaisePriority(7, ""), metadata=metadata)

    assert (made.command, made.prerequisite) == ("", CREATE)
    assert [operation["path"] for operation in made.patch] == [path]
