"""What would help, on clusters small enough to see it."""

from collections.abc import Sequence

import pytest

from kschedx.answers.replay import Replay, SchedulerChoice
from kschedx.api.meta import Object, ObjectMeta
from kschedx.api.pod import Pod
from kschedx.api.scheduling import PriorityClass
from kschedx.schedulers.kube.versions import Release
from tests.builders import node, pod, snapshot

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
OWNED = {"ownerReferences": [{"kind": "ReplicaSet", "name": "rs", "uid": "1", "controller": True}]}
TAINT = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}
ANTI = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "labelSelector": {"matchLabels": {"app": "web"}},
                "topologyKey": "kubernetes.io/hostname",
            }
        ]
    }
}
ON_SSD = {
    "requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
        ]
    }
}
SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
]
NEAR_DB = {
    "podAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": HOST}
        ]
    }
}
PORT = {"containers": [{"name": "main", "ports": [{"containerPort": 80, "hostPort": 80}]}]}


def hints(*objects: Object) -> list[str]:
    """The hints for the pod "wanted" with the nodes that they give, in order."""
    replay = Replay(snapshot(*objects), SchedulerChoice(Release(35)))
    wanted = replay.snapshot.get(Pod, "default/wanted")
    assert wanted is not None
    found = replay.explain(wanted, with_hints=True).explanation.remedies
    assert found is not None
    return [f"{remedy.message} -> {', '.join(remedy.nodes)}" for remedy in found.remedies]


CASES: dict[str, tuple[Sequence[Object], list[str]]] = {
    "a request is lowered to exactly what is left": (
        (
            node("a"),
            pod("other", requests={"cpu": "2500m"}, node="a", priority=9),
            pod("wanted", requests={"cpu": "2"}),
        ),
        [
            "lower container main's cpu request from 2 to 1500m -> a",
            "give it a PriorityClass of value 10 -> a",
            "add one node like a (4 cpu, 8Gi) -> new-like-a",
        ],
    ),
    "more changes that lower the request further are no other way": (
        (
            node("a"),
            node("b", taints=[TAINT]),
            pod("other", requests={"cpu": "2"}, node="a", priority=9),
            pod("another", requests={"cpu": "3"}, node="b", priority=9),
            pod("wanted", requests={"cpu": "3"}, spec={"preemptionPolicy": "Never"}),
        ),
        [
            "lower container main's cpu request from 3 to 2 -> a",
            "add one node like a (4 cpu, 8Gi) -> new-like-a",
        ],
    ),
    "a higher priority that evicts the same pods is no other way": (
        (
            node("a", allocatable={"cpu": "2"}),
            pod("other", requests={"cpu": "2"}, node="a", priority=1),
            pod("third", node="a", priority=5),
            pod("wanted", requests={"cpu": "2"}),
        ),
        [
            "give it a PriorityClass of value 2 -> a",
            "add one node like a (2 cpu, 8Gi) -> new-like-a",
        ],
    ),
    "a class whose pods evict nobody is no help": (
        (
            node("a"),
            pod("other", requests={"cpu": "2500m"}, node="a", priority=9),
            pod("wanted", requests={"cpu": "2"}),
            PriorityClass(metadata=ObjectMeta(name="patient"), value=50, preemption_policy="Never"),
        ),
        [
            "lower container main's cpu request from 2 to 1500m -> a",
            "give it a PriorityClass of value 10 -> a",
            "add one node like a (4 cpu, 8Gi) -> new-like-a",
        ],
    ),
    "a cordoned node is the cheapest": (
        (node("a", unschedulable=True), pod("wanted", requests={"cpu": "1"})),
        ["uncordon a -> a"],
    ),
    "two causes are lifted together": (
        (node("a", taints=[TAINT], unschedulable=True), pod("wanted")),
        [
            "uncordon a and tolerate dedicated=db:NoSchedule -> a",
            "uncordon a and remove taint dedicated=db:NoSchedule from a -> a",
        ],
    ),
    "a pod with a controller is moved where it finds a place": (
        (
            node("a"),
            node("b", taints=[TAINT]),
            pod(
                "other",
                requests={"cpu": "3"},
                node="a",
                metadata=OWNED,
                spec={"tolerations": [{"key": "dedicated", "operator": "Exists"}]},
            ),
            pod("wanted", requests={"cpu": "4"}),
        ),
        [
            "tolerate dedicated=db:NoSchedule -> b",
            "lower container main's cpu request from 4 to 1 -> a",
            "give it a PriorityClass of value 1 -> a",
            "move default/other to b (deleted on a, its controller makes it again; if back first, "
            "may take a again) -> a",
            "remove taint dedicated=db:NoSchedule from b -> b",
        ],
    ),
    "a pod with a controller that would come back is left alone": (
        (
            node("a"),
            pod("other", requests={"cpu": "3"}, node="a", metadata=OWNED),
            pod("wanted", requests={"cpu": "4"}, spec={"preemptionPolicy": "Never"}),
        ),
        [
            "lower container main's cpu request from 4 to 1 -> a",
            "add one node like a (4 cpu, 8Gi) -> new-like-a",
        ],
    ),
    "a node selector is dropped, or the node labelled": (
        (node("a"), pod("wanted", spec={"nodeSelector": {"disk": "ssd"}})),
        ["drop disk=ssd from the nodeSelector -> a", "label a disk=ssd -> a"],
    ),
    "a required value is joined by the one that a node has": (
        (
            node("a", labels={"disk": "hdd"}),
            pod("wanted", spec={"affinity": {"nodeAffinity": ON_SSD}}),
        ),
        [
            "accept disk=hdd in the required node affinity as well -> a",
            "label a disk=ssd -> a",
        ],
    ),
    "a node larger than any is the smallest that fits": (
        (node("a"), pod("wanted", requests={"cpu": "6", "memory": "8Gi"})),
        [
            "lower container main's cpu request from 6 to 4 -> a",
            "add one node like a, but with at least 6 cpu -> new-like-a",
        ],
    ),
    "a host port is given up": (
        (
            node("a"),
            pod("other", node="a", spec=PORT),
            pod("wanted", spec={**PORT, "preemptionPolicy": "Never"}),
        ),
        [
            "do without host port 80/TCP -> a",
            "delete default/other on a -> a",
            "add one node like a (4 cpu, 8Gi) -> new-like-a",
        ],
    ),
    "anti-affinity is dropped": (
        (
            node("a"),
            pod("other", labels={"app": "web"}, node="a", priority=9),
            pod("wanted", spec={"affinity": ANTI, "preemptionPolicy": "Never"}),
        ),
        [
            "drop the required anti-affinity to pods matching app=web by kubernetes.io/hostname"
            " -> a",
            "add one node like a (4 cpu, 8Gi) -> new-like-a",
        ],
    ),
    "a tainted node holds the spread's minimum at 0": (
        (
            node("a"),
            node("b", taints=[TAINT]),
            pod("other", labels={"app": "web"}, node="a", priority=9),
            pod(
                "wanted",
                labels={"app": "web"},
                spec={"topologySpreadConstraints": SPREAD, "preemptionPolicy": "Never"},
            ),
        ),
        [
            "raise maxSkew over kubernetes.io/hostname from 1 to 2 -> a",
            "set nodeTaintsPolicy: Honor in the spread over kubernetes.io/hostname -> a",
            "tolerate dedicated=db:NoSchedule -> b",
            "remove taint dedicated=db:NoSchedule from b -> b",
            "add one node like a (4 cpu, 8Gi) -> new-like-a",
        ],
    ),
    "what gives up more is shown where it gives more nodes": (
        (
            node("a", labels={"disk": "hdd"}),
            node("b"),
            pod("wanted", spec={"affinity": {"nodeAffinity": ON_SSD}}),
        ),
        [
            "accept disk=hdd in the required node affinity as well -> a",
            "drop the required node affinity disk in (ssd) -> a, b",
            "label a disk=ssd -> a",
            "label b disk=ssd -> b",
        ],
    ),
    "a neighbour may be farther away": (
        (
            node("a", labels={ZONE: "z"}, allocatable={"pods": "1"}),
            node("b", labels={ZONE: "z"}),
            pod("db", labels={"app": "db"}, node="a", priority=9),
            pod("wanted", spec={"affinity": NEAR_DB, "preemptionPolicy": "Never"}),
        ),
        [
            f"widen the required affinity to pods matching app=db from {HOST} to {ZONE} -> b",
            "raise the kubelet's maxPods on a from 1 to 2 -> a",
        ],
    ),
    "a neighbour in no zone is left": (
        (
            node("a", allocatable={"pods": "1"}),
            node("b", labels={ZONE: "z"}),
            pod("db", labels={"app": "db"}, node="a", priority=9),
            pod("wanted", spec={"affinity": NEAR_DB, "preemptionPolicy": "Never"}),
        ),
        [
            f"drop the required affinity to pods matching app=db by {HOST} -> b",
            "raise the kubelet's maxPods on a from 1 to 2 -> a",
        ],
    ),
    "a neighbour is spared by preemption": (
        (
            node("a"),
            pod("db", labels={"app": "db"}, node="a"),
            pod("other", requests={"cpu": "3"}, node="a"),
            pod("wanted", requests={"cpu": "2"}, priority=5, spec={"affinity": NEAR_DB}),
        ),
        [
            "lower container main's cpu request from 2 to 1 -> a",
            "delete default/other on a -> a",
            "give default/db a PriorityClass of value 5 (made again on a; within about 5 minutes "
            "the waiting pod is tried) -> a",
        ],
    ),
    "a neighbour that is made again elsewhere spares nobody": (
        (
            node("a"),
            node("b", allocatable={"cpu": "1"}),
            pod("db", labels={"app": "db"}, node="a"),
            pod("other", requests={"cpu": "3"}, node="a"),
            pod("wanted", requests={"cpu": "2"}, priority=5, spec={"affinity": NEAR_DB}),
        ),
        [
            "lower container main's cpu request from 2 to 1 -> a",
            "delete default/other on a -> a",
        ],
    ),
    "a label that no node has is taken from one that says the same": (
        (
            node("a", labels={BETA_ZONE: "y"}),
            node("b", labels={BETA_ZONE: "z"}),
            pod("wanted", spec={"topologySpreadConstraints": [{**SPREAD[0], "topologyKey": ZONE}]}),
        ),
        [
            f"set whenUnsatisfiable: ScheduleAnyway in the spread over {ZONE} -> a, b",
            f"label a and b {ZONE}=y or z, each as its {BETA_ZONE} says -> a, b",
        ],
    ),
    "a node larger than some is needed where the large ones are another's": (
        (
            node("a", allocatable={"cpu": "1"}),
            node("b", taints=[TAINT]),
            pod("other", requests={"cpu": "3"}, node="b", priority=9),
            pod("wanted", requests={"cpu": "2"}, spec={"preemptionPolicy": "Never"}),
        ),
        [
            "lower container main's cpu request from 2 to 1 -> a",
            "add one node like a, but with at least 2 cpu -> new-like-a",
        ],
    ),
    "a node that is not well is not advised about": (
        (
            node("a", taints=[{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]),
            pod("wanted"),
        ),
        [],
    ),
}


@pytest.mark.parametrize(("objects", "expected"), CASES.values(), ids=CASES)
def test_hints(objects: Sequence[Object], expected: list[str]) -> None:
    assert hints(*objects) == expected
