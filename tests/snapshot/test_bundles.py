"""Trees that support tools leave behind, as folders and archives, whole and damaged."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kschedx.api.errors import KschedxError
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.policy import PodDisruptionBudget
from kschedx.api.storage import PersistentVolumeClaim
from kschedx.snapshot import bundles
from kschedx.snapshot.files import read_files
from kschedx.snapshot.snapshot import Snapshot

Files = Mapping[str, str]


def item(name: str, namespace: str = "", **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, **more}


def listed(kind: str, *items: Any, api_version: str = "v1") -> str:
    return json.dumps({"kind": kind, "apiVersion": api_version, "items": items})


NODE = item("n1", kind="Node", apiVersion="v1")
POD = item("p1", "shop", kind="Pod", apiVersion="v1")

CLUSTER_INFO_DUMP: Files = {
    "dump/nodes.json": listed("NodeList", item("n1")),
    "dump/shop/pods.json": listed("PodList", item("p1", "shop")),
    "dump/shop/events.json": listed("EventList", item("e1", "shop")),
    "dump/shop/p1/logs.txt": "==== START logs\n{",
}
_GATHER = "must-gather.local.1/quay-io-openshift-sha256-ab"
MUST_GATHER: Files = {
    f"{_GATHER}/cluster-scoped-resources/core/nodes/n1.yaml": json.dumps(NODE),
    f"{_GATHER}/cluster-scoped-resources/machineconfiguration.openshift.io/a.yaml": "{{ broken",
    f"{_GATHER}/namespaces/shop/core/pods.yaml": listed("PodList", item("p1", "shop")),
    f"{_GATHER}/namespaces/shop/pods/p1/p1.yaml": "{{ broken",
    f"{_GATHER}/namespaces/shop/pods/p1/main/logs/current.log": "x",
    f"{_GATHER}/namespaces/all/namespaces/shop/core/persistentvolumeclaims.yaml": listed(
        "PersistentVolumeClaimList", item("c1", "shop")
    ),
    f"{_GATHER}/event-filter.html": "<html>",
    f"{_GATHER}/pod_network_connectivity_check/a.json": "broken",
}
_BUNDLE = "support-bundle-2026"
SUPPORT_BUNDLE: Files = {
    f"{_BUNDLE}/version.yaml": "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n",
    f"{_BUNDLE}/cluster-info/cluster_version.json": json.dumps(
        {"info": {"gitVersion": "v1.34.2"}, "string": "v1.34.2"}
    ),
    f"{_BUNDLE}/cluster-resources/nodes.json": json.dumps({"metadata": {}, "items": [item("n1")]}),
    f"{_BUNDLE}/cluster-resources/nodes-errors.json": '["no"]',
    f"{_BUNDLE}/cluster-resources/pods/shop.json": json.dumps([item("p1", "shop")]),
    f"{_BUNDLE}/cluster-resources/pods/empty.json": "null",
    f"{_BUNDLE}/cluster-resources/pods/logs/shop/p1/main.json": "broken",
    f"{_BUNDLE}/cluster-resources/pvcs/shop.json": listed(
        "PersistentVolumeClaimList", item("c1", "shop")
    ),
    f"{_BUNDLE}/cluster-resources/pod-disruption-budgets/shop.json": json.dumps(
        [item("b1", "shop", kind="PodDisruptionBudget", apiVersion="policy/v1")]
    ),
    f"{_BUNDLE}/cluster-resources/custom-resources/widgets.yaml": "{{ broken",
    f"{_BUNDLE}/analysis.json": "broken",
}
BUNDLES = {
    "cluster-info dump": CLUSTER_INFO_DUMP,
    "must-gather": MUST_GATHER,
    "support bundle": SUPPORT_BUNDLE,
}


def as_folder(files: Files, folder: Path) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / next(iter(files)).partition("/")[0]


def packed(files: Files, *extra: tarfile.TarInfo) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for member in extra:
            archive.addfile(member)
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


def as_tar(files: Files, folder: Path) -> Path:
    path = folder / "bundle.tar"
    path.write_bytes(packed(files))
    return path


def as_tar_gz(files: Files, folder: Path) -> Path:
    path = folder / "bundle.tar.gz"
    path.write_bytes(gzip.compress(packed(files)))
    return path


def as_nameless(files: Files, folder: Path) -> Path:
    """An archive whose name does not say so."""
    path = folder / "download"
    path.write_bytes(gzip.compress(packed(files)))
    return path


FORMS = (as_folder, as_tar, as_tar_gz, as_nameless)


def names(snapshot: Snapshot) -> dict[str, list[str]]:
    return {kind.__name__: list(items) for kind, items in snapshot.objects.items() if items}


EXPECTED = {
    "cluster-info dump": {"Node": ["n1"], "Pod": ["shop/p1"]},
    "must-gather": {"Node": ["n1"], "PersistentVolumeClaim": ["shop/c1"], "Pod": ["shop/p1"]},
    "support bundle": {
        "Node": ["n1"],
        "PersistentVolumeClaim": ["shop/c1"],
        "Pod": ["shop/p1"],
        "PodDisruptionBudget": ["shop/b1"],
    },
}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("bundle", BUNDLES)
def test_read(bundle: str, form: Callable[[Files, Path], Path], tmp_path: Path) -> None:
    snapshot = read_files([str(form(BUNDLES[bundle], tmp_path))])

    found = names(snapshot)
    assert {kind: found[kind] for kind in sorted(found)} == EXPECTED[bundle]
    assert snapshot.version == ("v1.34.2" if bundle == "support bundle" else None)
    assert not snapshot.complete


def member(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type = kind
    made.linkname = target
    return made


PLAIN: Files = {"pods.json": listed("PodList", item("p1", "shop"))}


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE])
def test_links_and_devices_are_not_followed(kind: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(packed(PLAIN, member("nodes.json", kind, "/etc/passwd")))

    assert names(read_files([str(path)])) == {"Pod": ["shop/p1"]}


def refused(content: bytes, folder: Path, name: str = "a.tar.gz") -> tuple[str, str]:
    path = folder / name
    path.write_bytes(content)
    with pytest.raises(KschedxError) as caught:
        read_files([str(path)])
    assert caught.value.exit_code == 3
    assert "\n" not in caught.value.message
    return caught.value.code, caught.value.message.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    "path", ["../pods.json", "/etc/pods.json", "a/../../pods.json", "..\\p.json"]
)
def test_paths_that_leave_the_archive(path: str, tmp_path: Path) -> None:
    code, said = refused(packed({path: PLAIN["pods.json"]}), tmp_path)

    assert (code, said) == (
        "unsafe-archive",
        f"the archive holds a path that leaves it: {path!r}",
    )


def test_cut_off(tmp_path: Path) -> None:
    whole = gzip.compress(packed({"pods.json": listed("PodList", *[POD] * 500)}))

    assert refused(whole[: len(whole) // 2], tmp_path)[0] == "broken-archive"


def test_archives_inside_are_not_opened(tmp_path: Path) -> None:
    inner = gzip.compress(packed(PLAIN))
    logs = packed_bytes("inner.tar.gz", inner)
    dressed = packed_bytes("pods.json.gz", inner)

    assert refused(logs, tmp_path)[0] == "empty-archive"
    assert refused(dressed, tmp_path)[0] == "archive-in-archive"
    assert refused(gzip.compress(inner), tmp_path, "x.gz")[0] == "not-utf-8"


def packed_bytes(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return made.getvalue()


def test_bombs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = gzip.compress(packed({"logs/a.log": "0" * 100_000, **PLAIN}))
    monkeypatch.setattr(bundles, "MAX_ARCHIVE_BYTES", 50_000)
    assert refused(bomb, tmp_path)[0] == "too-large"

    large = packed({"pods.json": " " * 10_000 + PLAIN["pods.json"]})
    monkeypatch.setattr(bundles, "MAX_FILE_BYTES", 5_000)
    assert refused(large, tmp_path)[0] == "too-large"
    monkeypatch.setattr(bundles, "MAX_FILE_BYTES", 50_000)
    monkeypatch.setattr(bundles, "MAX_KEPT_BYTES", 5_000)
    assert refused(large, tmp_path)[0] == "too-large"
    monkeypatch.setattr(bundles, "MAX_MEMBERS", 1)
    assert refused(packed({"a.log": "", **PLAIN}), tmp_path)[0] == "too-large"


def test_other_encodings(tmp_path: Path) -> None:
    path = tmp_path / "dump" / "pods.json"
    path.parent.mkdir()
    path.write_bytes(PLAIN["pods.json"].encode("utf-16"))
    assert names(read_files([str(path.parent)])) == {"Pod": ["shop/p1"]}

    path.write_bytes("kind: Pod\nmetadata: {name: \xe4}".encode("latin-1"))
    with pytest.raises(KschedxError) as caught:
        read_files([str(path.parent)])
    assert caught.value.code == "not-utf-8"


WHOLE = {name: packed(files) for name, files in BUNDLES.items()}


@settings(max_examples=150, deadline=None)
@given(data=st.data(), name=st.sampled_from(sorted(WHOLE)), squeezed=st.booleans())
def test_damaged_bundles_end_in_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, name: str, squeezed: bool
) -> None:
    content = bytearray(gzip.compress(WHOLE[name]) if squeezed else WHOLE[name])
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(content)))
    path = tmp_path_factory.mktemp("damaged") / "bundle.tar.gz"
    path.write_bytes(bytes(content[:cut] if data.draw(st.booleans()) else content))
    try:
        read_files([str(path)])
    except KschedxError as error:
        said = error
    else:
        return

    assert said.exit_code == 3
    assert "\n" not in said.message
    assert said.message.startswith(str(path))


def test_what_is_read_can_be_looked_up(tmp_path: Path) -> None:
    snapshot = read_files([str(as_folder(SUPPORT_BUNDLE, tmp_path))])

    assert snapshot.read(Pod)
    assert snapshot.read(Node)
    assert snapshot.read(PodDisruptionBudget)
    assert snapshot.read(PersistentVolumeClaim)
