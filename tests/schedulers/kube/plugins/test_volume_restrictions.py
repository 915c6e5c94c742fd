from typing import Any

import pytest

from kschedx.api.pod import Pod
from kschedx.api.storage import PersistentVolumeClaim
from kschedx.framework.verdict import SnapshotLacks
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.claims import ClaimNotFound
from kschedx.schedulers.kube.plugins.volume_restrictions import (
    ClaimInUse,
    DiskInUse,
    VolumeRestrictions,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, snapshot
from tests.storage_builders import Said, claim, said, using

RULE = VolumeRestrictions(Release())
ONE_POD = ("ReadWriteOncePod",)


def disk(kind: str, name: str = "p", *, on: str = "", **source: Any) -> Pod:
    return pod(name, node=on, spec={"volumes": [{"name": "v", kind: source}]})


def in_use(text: str) -> Said:
    return {"n1": (DiskInUse(text, "default/other"),)}


DISKS: dict[str, tuple[Pod, Pod, Said]] = {
    "a GCE disk written by both": (
        disk("gcePersistentDisk", pdName="d"),
        disk("gcePersistentDisk", "other", on="n1", pdName="d"),
        in_use("gcePersistentDisk d"),
    ),
    "a GCE disk read by both": (
        disk("gcePersistentDisk", pdName="d", readOnly=True),
        disk("gcePersistentDisk", "other", on="n1", pdName="d", readOnly=True),
        {},
    ),
    "an EBS volume read by both": (
        disk("awsElasticBlockStore", volumeID="d", readOnly=True),
        disk("awsElasticBlockStore", "other", on="n1", volumeID="d", readOnly=True),
        in_use("awsElasticBlockStore d"),
    ),
    "an iSCSI target of which one side reads only": (
        disk("iscsi", iqn="q", readOnly=True),
        disk("iscsi", "other", on="n1", iqn="q"),
        in_use("iscsi q"),
    ),
    "an RBD image by a common monitor": (
        disk("rbd", monitors=["a", "b"], pool="rbd", image="i"),
        disk("rbd", "other", on="n1", monitors=["b", "c"], pool="rbd", image="i"),
        in_use("rbd rbd/i"),
    ),
    "an RBD image of another pool": (
        disk("rbd", monitors=["a"], pool="rbd", image="i"),
        disk("rbd", "other", on="n1", monitors=["a"], pool="fast", image="i"),
        {},
    ),
    "an RBD image by other monitors": (
        disk("rbd", monitors=["a"], pool="rbd", image="i"),
        disk("rbd", "other", on="n1", monitors=["b"], pool="rbd", image="i"),
        {},
    ),
    "disks of different kinds": (
        disk("gcePersistentDisk", pdName="d"),
        disk("awsElasticBlockStore", "other", on="n1", volumeID="d"),
        {},
    ),
    "a disk on another node": (
        disk("gcePersistentDisk", pdName="d"),
        disk("gcePersistentDisk", "other", on="n2", pdName="d"),
        {"n2": (DiskInUse("gcePersistentDisk d", "default/other"),)},
    ),
    "no such volume": (pod(), disk("gcePersistentDisk", "other", on="n1", pdName="d"), None),
}


@pytest.mark.parametrize("case", DISKS)
def test_disks(case: str) -> None:
    target, other, expected = DISKS[case]

    assert said(RULE, cluster(node("n1"), node("n2"), other), target) == expected


CLAIMED = (ClaimInUse("default/c", ("default/user",)),)
CLAIMS: dict[str, tuple[list[Any], Said]] = {
    "a claim for one pod, in use on any node": (
        [claim("c", modes=ONE_POD), using("c", name="user", node="n2")],
        {"n1": CLAIMED, "n2": CLAIMED},
    ),
    "a claim for one pod, free": ([claim("c", modes=ONE_POD)], None),
    "a claim for one node, in use": ([claim("c"), using("c", name="user", node="n2")], None),
    "a claim of that name in another namespace": (
        [claim("c", modes=ONE_POD), using("c", name="user", node="n2", namespace="other")],
        None,
    ),
    "the user's node does not exist": (
        [claim("c", modes=ONE_POD), using("c", name="user", node="gone")],
        None,
    ),
    "no such claim": ([], (ClaimNotFound("default/c"),)),
}


@pytest.mark.parametrize("case", CLAIMS)
def test_claims_for_one_pod(case: str) -> None:
    objects, expected = CLAIMS[case]

    assert said(RULE, cluster(node("n1"), node("n2"), *objects), using("c")) == expected


def test_a_disk_in_use_hides_a_claim_in_use() -> None:
    volumes = [
        {"name": "d", "gcePersistentDisk": {"pdName": "d"}},
        {"name": "c", "persistentVolumeClaim": {"claimName": "c"}},
    ]
    target = pod(spec={"volumes": volumes})
    user = pod("user", node="n1", spec={"volumes": volumes})
    view = cluster(node("n1"), node("n2"), claim("c", modes=ONE_POD), user)

    assert said(RULE, view, target) == {
        "n1": (DiskInUse("gcePersistentDisk d", "default/user"),),
        "n2": CLAIMED,
    }


def reasons_after(
    *, removed: tuple[PodView, ...] = (), added: tuple[PodView, ...] = ()
) -> list[ClaimInUse]:
    users = [using("c", name=name, node="n1") for name in ("user", "user2")]
    view = cluster(node("n1"), claim("c", modes=ONE_POD), *users)
    state = RULE.prepare(PodView(using("c"), view.accounting), view).state
    host = view.nodes["n1"]
    state = RULE.after(state, host, added, removed)
    return [reason for reason in RULE.filter(state, host) if isinstance(reason, ClaimInUse)]


def user(name: str = "user", *claims: str, namespace: str = "default") -> PodView:
    return PodView(using(*(claims or ("c",)), name=name, namespace=namespace), cluster().accounting)


def test_a_dry_run_counts_one_use_however_many_pods_there_are() -> None:
    assert reasons_after() == [ClaimInUse("default/c", ("default/user", "default/user2"))]
    assert reasons_after(removed=(user(),)) == []
    assert reasons_after(removed=(user("bystander", "d"),)) == [
        ClaimInUse("default/c", ("default/user", "default/user2"))
    ]


def test_a_dry_run_counts_claims_by_name_alone_as_upstream_does() -> None:
    assert reasons_after(removed=(user("stranger", namespace="other"),)) == []


def test_a_pod_put_back_uses_the_claim_again() -> None:
    assert reasons_after(removed=(user(),), added=(user(),)) == [
        ClaimInUse("default/c", ("default/user", "default/user2"))
    ]


def test_unread_claims_are_not_taken_for_missing() -> None:
    view = cluster().with_snapshot(snapshot(node(), complete=False))

    assert said(RULE, view, using("c")) == (
        SnapshotLacks("PersistentVolumeClaim", "PersistentVolumeClaim default/c"),
    )
    assert view.snapshot.get(PersistentVolumeClaim, "default/c") is None


@pytest.mark.parametrize(
    ("minor", "text"),
    [
        (
            33,
            "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod "
            "access mode",
        ),
        (
            34,
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
            "already in-use by another pod",
        ),
    ],
)
def test_upstream_text_by_version(minor: int, text: str) -> None:
    assert CLAIMED[0].upstream_text(minor) == text


def test_sentences() -> None:
    assert CLAIMED[0].sentence() == (
        "PersistentVolumeClaim default/c is for one pod (ReadWriteOncePod) and in use by "
        "pod default/user"
    )
    assert DiskInUse("iscsi q", "default/a").sentence() == (
        "iscsi q is in use by pod default/a on the node"
    )
