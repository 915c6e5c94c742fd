"""Nodes that change."""

import pytest

from kschedx.framework.cluster_edits import EndDeletion, LabelNodes, RaiseMaxPods
from tests.builders import cluster, node, pod

ZONE, OLD = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
FEW = (("a", "x"), ("b", "y"), ("c", "x"))
MANY = tuple((f"n{i}", "x") for i in range(9))

LABELS: dict[str, tuple[LabelNodes, str, str]] = {
    "a few": (
        LabelNodes(ZONE, FEW, OLD),
        f"label a, b and c {ZONE}=x or y, each as its {OLD} says",
        f"kubectl label nodes a c {ZONE}=x && kubectl label nodes b {ZONE}=y",
    ),
    "many, as another label says": (
        LabelNodes(ZONE, MANY, OLD),
        f"label 9 nodes {ZONE}=x, each as its {OLD} says",
        f"kubectl label nodes -l '{OLD}=x,!{ZONE}' {ZONE}=x",
    ),
    "many, nobody says what": (
        LabelNodes(ZONE, MANY, ""),
        f"label 9 nodes {ZONE}=x (a made-up value: none is known)",
        f"kubectl label nodes -l '!{ZONE}' {ZONE}=x",
    ),
    "one": (
        LabelNodes(ZONE, FEW[:1], ""),
        f"label a {ZONE}=x (a made-up value: none is known)",
        f"kubectl label nodes a {ZONE}=x",
    ),
}


@pytest.mark.parametrize(("edit", "sentence", "command"), LABELS.values(), ids=LABELS.keys())
def test_label_nodes(edit: LabelNodes, sentence: str, command: str) -> None:
    before = cluster(*(node(name) for name, _ in edit.values), node("other"))
    _, after = edit.apply(pod(), before)

    assert [(name, view.labels.get(ZONE)) for name, view in after.nodes.items()] == [
        *edit.values,
        ("other", None),
    ]
    assert (edit.sentence(), edit.patch(pod()).command) == (sentence, command)


def test_raise_max_pods() -> None:
    edit = RaiseMaxPods("a", 3, 4)
    _, after = edit.apply(pod(), cluster(node("a", allocatable={"pods": "3"})))
    patch = edit.patch(pod())

    assert after.nodes["a"].allocatable["pods"] == 4
    assert (patch.kind, patch.name, patch.command) == ("KubeletConfiguration", "a", "")
    assert patch.operations == ({"op": "add", "path": "/maxPods", "value": 4},)
    assert edit.sentence() == "raise the kubelet's maxPods on a from 3 to 4"


def test_end_deletion() -> None:
    """What is being deleted already: its finalizers go, or its grace period does."""
    edit = EndDeletion("n1", ("a/held", "a/slow"), (("x.io/f",), ()))

    assert edit.sentence() == (
        "take finalizer x.io/f off a/held and force-delete a/slow on n1, being deleted already"
    )
    assert edit.patch(pod()).command == (
        """kubectl patch pod -n a held --type=merge -p '{"metadata":{"finalizers":null}}' && """
        "kubectl delete pod -n a slow --grace-period=0 --force"
    )
