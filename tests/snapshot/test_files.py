import gzip
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from kschedx.api.errors import KschedxError
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.scheduling import PriorityClass
from kschedx.schedulers.kube.versions import Release, parse_release
from kschedx.snapshot.files import changed, load, parse_without, read_files
from kschedx.snapshot.snapshot import Source
from kschedx.snapshot.sources import example_names

RELEASE = Release(35)


def pod(name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def node(name: str, version: str = "v1.34.2") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"nodeInfo": {"kubeletVersion": version}},
    }


def priority_class(value: int) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": "high"},
        "value": value,
    }


def written(path: Path, *objects: dict[str, Any]) -> str:
    path.write_text(json.dumps(list(objects)))
    return str(path)


def test_several_sources_become_one_snapshot(tmp_path: Path) -> None:
    first = written(tmp_path / "a.json", pod("a"), pod("b"), node("n"))
    second = written(tmp_path / "b.json", pod("b", nodeName="n"), pod("c"))
    snapshot = load([first, second], release=RELEASE)

    assert list(snapshot.all(Pod)) == ["default/a", "default/b", "default/c"]
    assert snapshot.all(Pod)["default/b"].spec.node_name == "n"
    assert snapshot.notes == (
        "1 object read twice with different content, the later one counts: "
        f"Pod default/b ({first}, line 1; {second}, line 1)",
    )
    assert snapshot.sources[Pod, "default/b"] == Source(second, 1, 2)


def test_folder(tmp_path: Path) -> None:
    (tmp_path / "nested").mkdir()
    written(tmp_path / "a.json", pod("a"))
    (tmp_path / "nested" / "b.yaml.gz").write_bytes(gzip.compress(json.dumps(pod("b")).encode()))
    (tmp_path / "values.yaml").write_text("replicas: 3\n")
    snapshot = load([str(tmp_path)], release=RELEASE)

    assert list(snapshot.all(Pod)) == ["default/a", "default/b"]
    assert snapshot.notes == ("1 document without a kind passed over",)


@pytest.mark.parametrize("name", example_names())
def test_examples_load_without_a_note(name: str) -> None:
    snapshot = load([f"example:{name}"], release=RELEASE)

    assert snapshot.all(Pod)
    assert snapshot.all(Node)
    assert snapshot.notes == ()


def test_what_if_is_on_top_and_says_nothing_of_what_it_replaces(tmp_path: Path) -> None:
    base = written(tmp_path / "a.json", pod("a"), pod("b"), node("n"))
    more = written(tmp_path / "b.json", pod("a", nodeName="n"), node("n2"))
    snapshot = load([base], with_sources=[more], release=RELEASE)

    assert list(snapshot.all(Pod)) == ["default/a", "default/b"]
    assert snapshot.all(Pod)["default/a"].spec.node_name == "n"
    assert list(snapshot.all(Node)) == ["n", "n2"]
    assert snapshot.notes == ()


def test_what_is_added_passes_admission_too(tmp_path: Path) -> None:
    base = written(tmp_path / "a.json", priority_class(7), node("n"))
    more = written(tmp_path / "b.json", pod("a", priorityClassName="high"))
    (added,) = load([base], with_sources=[more], release=RELEASE).all(Pod).values()

    assert added.spec.priority == 7


def test_what_is_taken_away_is_gone_before_admission(tmp_path: Path) -> None:
    base = written(tmp_path / "a.json", priority_class(7), pod("a", priorityClassName="high"))
    snapshot = load([base], without=[(PriorityClass, "high")], release=RELEASE)

    assert snapshot.all(Pod)["default/a"].spec.priority is None
    assert not snapshot.all(PriorityClass)


def test_what_is_not_there_cannot_be_taken_away(tmp_path: Path) -> None:
    snapshot = read_files([written(tmp_path / "a.json", pod("api-7"))])

    with pytest.raises(KschedxError) as refused:
        changed(snapshot, without=[(Pod, "default/api-6")])

    assert refused.value.code == "no-such-object"
    assert refused.value.message == "Pod default/api-6: no such object to leave out"
    assert refused.value.hint == "did you mean default/api-7?"


def test_without_is_parsed_before_anything_is_read() -> None:
    assert parse_without("po/prod/api-7") == (Pod, "prod/api-7")
    assert parse_without("po/api-7", "team") == (Pod, "team/api-7")
    assert parse_without("node/worker-1", "team") == (Node, "worker-1")


def test_release_may_depend_on_the_files(tmp_path: Path) -> None:
    source = written(tmp_path / "a.json", pod("a", resources={"limits": {"cpu": "1"}}), node("n"))
    asked: list[str | None] = []

    def release(version: str | None) -> Release:
        asked.append(version)
        return parse_release("1.30")

    snapshot = load([source], release=release)
    resources = snapshot.all(Pod)["default/a"].spec.resources

    assert asked == ["v1.34.2"]
    assert resources is not None
    assert resources.requests == {}


@pytest.mark.parametrize("complete", [False, True])
def test_what_counts_as_read(tmp_path: Path, complete: bool) -> None:
    snapshot = load([written(tmp_path / "a.json", pod("a"))], complete=complete, release=RELEASE)

    assert snapshot.read(Pod)
    assert snapshot.read(Node) is complete


def test_list_that_is_complete_stays_so_with_another_file(tmp_path: Path) -> None:
    whole = tmp_path / "whole.json"
    whole.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "List",
                "metadata": {"annotations": {"kschedx.io/complete": "true"}},
                "items": [pod("a")],
            }
        )
    )
    snapshot = load([str(whole), written(tmp_path / "a.json", pod("b"))], release=RELEASE)

    assert snapshot.read(Node)


def test_nothing_that_scheduling_reads(tmp_path: Path) -> None:
    source = written(
        tmp_path / "a.json",
        {"apiVersion": "v1", "kind": "ConfigMap"},
        {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress"},
    )

    with pytest.raises(KschedxError) as refused:
        load([source], release=RELEASE)

    assert refused.value.code == "empty-snapshot"
    assert refused.value.message == (
        f"{source}: no object that scheduling reads "
        "(1 object passed over that scheduling does not read: 1 Ingress)"
    )


def test_no_sources() -> None:
    with pytest.raises(KschedxError, match="no file: no object that scheduling reads"):
        load([], release=RELEASE)


def test_standard_input_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(pod("a")).encode())))

    assert list(load(["-"], release=RELEASE).all(Pod)) == ["default/a"]
    with pytest.raises(KschedxError) as refused:
        load(["-"], with_sources=["-"], release=RELEASE)
    assert refused.value.exit_code == 2


def test_notes_are_cut_to_a_few(tmp_path: Path) -> None:
    pods = [pod(f"p{index}", priorityClassName="x") for index in range(25)]
    notes = load([written(tmp_path / "a.json", *pods)], release=RELEASE).notes

    assert len(notes) == 11
    assert notes[-1] == "and 15 more such notes"
