"""Snapshot files: what is in them, that they come back as they were, that they are never half."""

from __future__ import annotations

import gzip
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kschedx.api.errors import KschedxError
from kschedx.api.pod import Pod
from kschedx.snapshot.files import read_files
from kschedx.snapshot.saved import encoded, trimmed, write
from kschedx.snapshot.snapshot import Snapshot
from tests.builders import budget, node, pod, snapshot


def taken() -> Snapshot:
    return replace(
        snapshot(node(), pod(node="n1", labels={"a": "b"}), budget()),
        version="v1.35.4",
        taken_at="2026-03-01T00:00:00Z",
        unread=frozenset({"CSINode", "ResourceClaim"}),
    )


def test_it_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    write(encoded(taken()), path)

    assert replace(read_files([str(path)]), sources={}) == taken()


def test_it_is_a_list(tmp_path: Path) -> None:
    written = json.loads(b"".join(encoded(taken())))

    assert (written["apiVersion"], written["kind"]) == ("v1", "List")
    assert written["metadata"]["annotations"] == {
        "kschedx.io/kubernetes-version": "v1.35.4",
        "kschedx.io/taken-at": "2026-03-01T00:00:00Z",
        "kschedx.io/complete": "true",
        "kschedx.io/unread": "CSINode,ResourceClaim",
    }
    assert [(item["apiVersion"], item["kind"]) for item in written["items"]] == [
        ("v1", "Pod"),
        ("v1", "Node"),
        ("policy/v1", "PodDisruptionBudget"),
    ]


def test_an_empty_snapshot_is_a_list_too() -> None:
    assert json.loads(b"".join(encoded(Snapshot())))["items"] == []


def test_annotations_that_matter_stay() -> None:
    kept = {"controller.kubernetes.io/pod-deletion-cost": "5"}
    claim = {"metadata": {"annotations": {"secret": "x"}}, "spec": {}}
    volumes = [{"name": "v", "ephemeral": {"volumeClaimTemplate": claim}}]
    seen = pod(metadata={"annotations": {**kept, "secret": "x"}}, spec={"volumes": volumes})

    (left,) = trimmed(snapshot(seen)).all(Pod).values()

    assert left.metadata.annotations == kept
    assert b"secret" not in b"".join(encoded(trimmed(snapshot(seen))))


def test_gzip_by_suffix_and_the_same_bytes_every_time(tmp_path: Path) -> None:
    one, two = tmp_path / "a.json.gz", tmp_path / "b.json.gz"
    write(encoded(taken()), one)
    write(encoded(taken()), two)

    assert one.read_bytes() == two.read_bytes()
    assert gzip.decompress(one.read_bytes()) == b"".join(encoded(taken()))


def test_size_is_that_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "s.json.gz"

    assert write(encoded(taken()), path) == path.stat().st_size


def breaking() -> Iterator[bytes]:
    yield b"half"
    raise RuntimeError


@pytest.mark.parametrize("before", [None, b"whole"])
def test_never_half_a_file(tmp_path: Path, before: bytes | None) -> None:
    path = tmp_path / "s.json"
    if before is not None:
        path.write_bytes(before)

    with pytest.raises(RuntimeError):
        write(breaking(), path)

    assert [file.name for file in tmp_path.iterdir()] == ([] if before is None else ["s.json"])
    assert before is None or path.read_bytes() == before


def test_a_link_and_the_mode_of_a_file_stay(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)

    write([b"new"], link)

    assert (link.is_symlink(), target.read_text()) == (True, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert write([b"a", b"b"], pipe) == 2
        assert os.read(reader, 10) == b"ab"
    finally:
        os.close(reader)


@pytest.mark.parametrize("name", [".", "no/such/folder/s.json"])
def test_not_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(KschedxError) as caught:
        write([b""], tmp_path / name)

    assert (caught.value.code, caught.value.exit_code) == ("not-written", 3)
