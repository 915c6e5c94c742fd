"""What stands behind causes, and what a snapshot cannot show: by code."""

import re
from pathlib import Path
from typing import Any

import pytest

import kschedx.diagnose
from kschedx.answers.replay import Replay, SchedulerChoice
from kschedx.api.meta import Object
from kschedx.api.pod import Pod
from kschedx.diagnose.remark import NAMED_OBJECTS, Remark
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.files import load
from tests.builders import node, pod, snapshot
from tests.cases.clusters import cluster_file
from tests.storage_builders import claim

HOST = "kubernetes.io/hostname"
RECORDED = "0/2 nodes are available: 2 Insufficient cpu."
SPREAD = {
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": HOST,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
    ]
}
WEB = {"app": "web"}


def wanted(**fields: Any) -> Object:
    return pod("wanted", requests={"cpu": "1"}, **fields)


def unschedulable(message: str) -> dict[str, Any]:
    return {"conditions": [{"type": "PodScheduled", "status": "False", "message": message}]}


REMARKS: dict[str, tuple[tuple[Object, ...], list[tuple[str, str]]]] = {
    "nothing": ((node("a", allocatable={"cpu": "500m"}), wanted()), []),
    "a key that is nearly there": (
        (node("a", labels={"disktype": "ssd"}), wanted(spec={"nodeSelector": {"disktyp": "ssd"}})),
        [("label-key-unknown", "no node has label disktyp; the nearest key is disktype on a")],
    ),
    "the minimum is held by a cordoned node": (
        (
            node("a"),
            node("b", unschedulable=True),
            pod("x", labels=WEB, node="a"),
            wanted(labels=WEB, spec=SPREAD),
        ),
        [
            (
                "minimum-held-by-closed-node",
                "the minimum of 0 is held by b, where the pod cannot go: the node is cordoned; "
                "it lacks node.kubernetes.io/unschedulable, the taint that nodeTaintsPolicy heeds; "
                "so no domain takes more than 1 matching pod, until the node is uncordoned or gone",
            ),
            ("spread-counts", "matching pods by kubernetes.io/hostname: a 1, b 0"),
        ],
    ),
    "a recorded message that no longer holds": (
        (node("a"), node("b"), wanted(status=unschedulable(RECORDED))),
        [
            (
                "view-may-differ",
                "a snapshot does not show the scheduler's queue: the pod may be waiting for an "
                "event or for its next try",
            )
        ],
    ),
    "room held by a nomination": (
        (
            node("a", allocatable={"cpu": "500m"}),
            wanted(status={"nominatedNodeName": "a"}),
            pod("other"),
        ),
        [
            (
                "room-held-by-nomination",
                "its nomination keeps 1 cpu of a from waiting pods of no higher priority: "
                "default/other",
            )
        ],
    ),
}


def remarks_of(replay: Replay, key: str) -> tuple[Remark, ...]:
    asked = replay.snapshot.get(Pod, key)
    assert asked is not None
    return replay.explain(asked).explanation.remarks


def found(replay: Replay, key: str) -> list[tuple[str, str]]:
    return [(said.code, said.message) for said in remarks_of(replay, key)]


@pytest.mark.parametrize(("objects", "said"), REMARKS.values(), ids=REMARKS.keys())
def test_remarks(objects: tuple[Object, ...], said: list[tuple[str, str]]) -> None:
    replay = Replay(snapshot(*objects), SchedulerChoice(Release(35)))

    assert found(replay, "default/wanted") == said


Facts = dict[str, Any]
FACTS: dict[tuple[str, str], dict[str, tuple[Facts, list[str]]]] = {
    ("r07-sidecar-before-an-init-step", "app"): {
        "init-step-decides": (
            {"resource": "cpu", "init_container": "init", "request_milli": 300},
            [],
        ),
        "init-order": (
            {
                "resource": "cpu",
                "init_steps": ["init"],
                "sidecars": ["sidecar"],
                "request_milli": 300,
                "request_then_milli": 200,
            },
            [],
        ),
    },
    ("n03-greater-than-a-label-that-is-no-number", "app"): {
        "label-not-an-integer": (
            {"key": "cores", "value": "sixteen", "operator": "Gt"},
            ["Node/n2"],
        ),
    },
    ("n03-greater-than-a-fraction", "app"): {
        "value-not-an-integer": ({"key": "cores", "value": "8.5", "operator": "Gt"}, []),
    },
    ("r01-pod-slots-used-up-and-two-cordoned", "web-x"): {
        "slots-not-usage": (
            {"pods": 2, "allocatable_pods": 2, "free_cpu_milli": 7800},
            ["Node/n3"],
        ),
    },
    ("r09-resource-that-nodes-do-not-report", "app"): {
        "resource-not-reported": (
            {"resource": "ephemeral-storage", "node_count": 2},
            ["Node/n1", "Node/n2"],
        ),
    },
    ("g01-gate-that-nobody-lifts", "train"): {
        "gates-by-owner": (
            {
                "gates": ["q.example/admission", "team.example/approval"],
                "owners": ["q.example", "team.example"],
            },
            [],
        ),
    },
    ("g02-scheduler-that-nobody-serves", "web"): {
        "nobody-has-tried": ({"scheduler_name": "my-sched"}, ["Pod/default/web"]),
    },
    ("a04-the-terminating-twin-anchors-the-affinity", "solo-new"): {
        "not-the-first-of-its-kind": (
            {"pod_count": 1, "terminating_count": 1},
            ["Pod/default/solo-old"],
        ),
    },
    ("a06-repelled-from-another-namespace", "web"): {
        "repels-across-namespaces": (
            {"namespaces": [], "namespace_selector": "everything"},
            ["Pod/tenant-a/lonely"],
        ),
    },
    ("n11-nodes-not-initialized", "kube-system/coredns"): {
        "taint-of-condition": (
            {
                "key": "node.cloudprovider.kubernetes.io/uninitialized",
                "value": "true",
                "effect": "NoSchedule",
                "node_count": 3,
            },
            ["Node/n1", "Node/n2", "Node/n3"],
        ),
        "priority-is-no-toleration": (
            {"priority": 2000000000, "key": "node.cloudprovider.kubernetes.io/uninitialized"},
            [],
        ),
    },
    ("v13-no-limit-before-the-driver-registers", "db-new"): {
        "driver-not-registered": ({"driver": "csi.example.com", "node_count": 1}, ["Node/n1"]),
    },
    ("r14-daemon-pod-of-equal-priority", "agent-w1"): {
        "slots-not-usage": (
            {"pods": 3, "allocatable_pods": 3, "free_cpu_milli": 3700},
            ["Node/w1"],
        ),
        "victims-of-equal-priority": ({"priority": 0, "node_count": 1}, ["Node/w1"]),
    },
    ("n01-label-and-taint-renamed", "operator"): {
        "label-key-unknown": (
            {
                "key": "node-role.kubernetes.io/master",
                "nearest_key": "node-role.kubernetes.io/control-plane",
                "node_count": 1,
            },
            ["Node/cp1"],
        ),
    },
    ("n05-message-that-misses-a-node", "agent-w8"): {
        "view-may-differ": ({"recorded_node_count": 8, "nodes_accounted_for": 7}, []),
    },
    ("n10-node-not-ready", "web"): {
        "tolerated-with-other-effect": (
            {
                "key": "node.kubernetes.io/not-ready",
                "effect": "NoSchedule",
                "tolerated_effects": ["NoExecute"],
                "node_count": 1,
            },
            ["Node/n1"],
        ),
        "taint-of-condition": (
            {
                "key": "node.kubernetes.io/not-ready",
                "value": "",
                "effect": "NoSchedule",
                "node_count": 1,
            },
            ["Node/n1"],
        ),
    },
    ("n13-node-named-by-hand", "db"): {
        "node-named-by-hand": (
            {"node": "n1", "claim": "default/data", "storage_class": "local-sc"},
            [
                "Pod/default/db",
                "PersistentVolumeClaim/default/data",
                "StorageClass/local-sc",
            ],
        ),
    },
    ("t04-both-revisions-counted", "x-new-1"): {
        "minimum-held-by-closed-node": (
            {
                "topology_key": HOST,
                "domain": "cp1",
                "minimum": 0,
                "most_per_domain": 1,
                "node_count": 1,
                "closed_by": ["untolerated-taint"],
                "node_taints_policies": ["Ignore"],
            },
            ["Node/cp1"],
        ),
        "spread-counts": (
            {
                "topology_key": HOST,
                "pods_by_domain": {"cp1": 0, "cp2": 0, "cp3": 0, "w1": 1, "w2": 1, "w3": 1},
                "pods_by_revision": {"w1": {"old": 1}, "w2": {"old": 1}, "w3": {"old": 1}},
            },
            [],
        ),
    },
    ("t08-fewer-domains-than-the-minimum", "x-2"): {
        "too-few-domains": (
            {
                "topology_key": "topology.kubernetes.io/zone",
                "domain_count": 1,
                "min_domains": 2,
            },
            [],
        ),
        "spread-counts": (
            {
                "topology_key": "topology.kubernetes.io/zone",
                "pods_by_domain": {"z1": 1},
                "pods_by_revision": {},
            },
            [],
        ),
    },
    ("v01-claim-without-a-class", "hub"): {
        "default-class": (
            {"claim": "default/hub-db", "class_count": 1, "default_classes": []},
            ["PersistentVolumeClaim/default/hub-db", "StorageClass/other"],
        ),
    },
    ("v02-class-that-does-not-exist", "dhcp-0"): {
        "class-unknown": (
            {"claim": "default/dhcp", "storage_class": "standard", "class_count": 1},
            ["PersistentVolumeClaim/default/dhcp", "StorageClass/local-path"],
        ),
    },
    ("v04-volume-of-another-mode", "db"): {
        "nearest-volume": (
            {
                "volume": "pv1",
                "claim": "default/data",
                "volume_mode": "Block",
                "wanted_volume_mode": "Filesystem",
            },
            ["PersistentVolume/pv1", "PersistentVolumeClaim/default/data"],
        ),
    },
    ("v07-volume-and-selector-exclude-each-other", "elastic"): {
        "no-common-node": (
            {
                "volume": "log-pv",
                "claim": "default/log",
                "allowed_by_pod": ["node2"],
                "allowed_by_pod_count": 1,
                "allowed_by_volume": ["node4"],
                "allowed_by_volume_count": 1,
            },
            ["PersistentVolume/log-pv", "PersistentVolumeClaim/default/log"],
        ),
    },
    ("v08-volume-in-the-zone-of-the-control-plane", "web-1"): {
        "class-binds-at-once": (
            {
                "claim": "default/data-web-1",
                "storage_class": "fast",
                "volume_binding_mode": "Immediate",
            },
            ["StorageClass/fast", "PersistentVolumeClaim/default/data-web-1"],
        ),
        "volume-place-closed": (
            {
                "volume": "pv-1",
                "claim": "default/data-web-1",
                "node_count": 1,
                "closed_by": ["untolerated-taint"],
            },
            ["PersistentVolume/pv-1", "PersistentVolumeClaim/default/data-web-1", "Node/cp1"],
        ),
    },
    ("v11-storage-capacity-never-published", "db"): {
        "capacity-not-published": (
            {
                "claim": "default/data",
                "storage_class": "zfs",
                "wanted_bytes": 4 << 30,
                "largest_bytes": 0,
                "capacity_count": 0,
            },
            ["StorageClass/zfs", "PersistentVolumeClaim/default/data"],
        ),
    },
    ("v11-storage-capacity-of-zero", "db"): {
        "capacity-as-published": (
            {
                "claim": "default/data",
                "storage_class": "zfs",
                "wanted_bytes": 4 << 30,
                "largest_bytes": 0,
                "capacity_count": 1,
            },
            ["StorageClass/zfs", "PersistentVolumeClaim/default/data"],
        ),
    },
    ("v14-limit-that-is-too-high", "db-2"): {
        "kubelet-not-shown": ({"node": "n1"}, ["Pod/default/db-2"]),
    },
    ("v18-volume-for-one-node-in-use-elsewhere", "new"): {
        "volume-in-use-on-another-node": (
            {"claim": "default/data", "node": "n1", "pod_count": 1},
            ["PersistentVolumeClaim/default/data", "Pod/default/old"],
        ),
    },
    ("e02-budget-violated-all-the-same", "important"): {
        "budgets-by-status": (
            {
                "node": "n1",
                "violations": 1,
                "disruptions_allowed": {"default/a": 1},
                "status_outdated": [],
            },
            ["PodDisruptionBudget/default/a"],
        ),
    },
    ("e11-may-not-preempt", "p"): {
        "never-preempts": (
            {"priority_class": "batch-high", "priority": 100000},
            ["PriorityClass/batch-high"],
        ),
    },
    ("e04-nomination-that-no-longer-fits", "p1"): {
        "room-held-by-nomination": (
            {"held": {"cpu": "3"}, "waiting_pod_count": 1},
            ["Node/n1", "Pod/default/p3"],
        ),
    },
}


def about(said: Remark) -> list[str]:
    return ["/".join(filter(None, (o.kind, o.namespace, o.name))) for o in said.objects]


@pytest.mark.parametrize(("case", "name"), FACTS)
def test_facts_of_public_incidents(case: str, name: str) -> None:
    held = load([str(cluster_file(case))], complete=True, release=Release(35))
    replay = Replay(held, SchedulerChoice(Release(35)))
    said = remarks_of(replay, name if "/" in name else f"default/{name}")

    assert {r.code: (r.facts, about(r)) for r in said} == FACTS[case, name]
    assert all(item.uid for r in said for item in r.objects)


def test_every_remark_is_shown_with_its_facts() -> None:
    written = {
        code
        for path in Path(kschedx.diagnose.__file__).parent.glob("*remarks.py")
        for code in re.findall(r'(?:remark\(|code =)\s*"([a-z-]+)"', path.read_text())
    }

    assert written == {code for codes in FACTS.values() for code in codes}


def test_objects_are_named_up_to_a_number_and_counted() -> None:
    nodes = [node(f"n{i:02}", labels={"disktype": "ssd"}) for i in range(NAMED_OBJECTS + 5)]
    held = snapshot(*nodes, wanted(spec={"nodeSelector": {"disktyp": "ssd"}}))
    (said,) = remarks_of(Replay(held, SchedulerChoice(Release(35))), "default/wanted")

    assert said.facts["node_count"] == NAMED_OBJECTS + 5
    assert len(said.objects) == NAMED_OBJECTS


def test_a_claim_that_names_its_volume_says_nothing_of_classes() -> None:
    waiting = claim("data", "", spec={"volumeName": "v"})
    spec = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
    replay = Replay(snapshot(node("a"), waiting, wanted(spec=spec)), SchedulerChoice(Release(35)))

    assert found(replay, "default/wanted") == []
