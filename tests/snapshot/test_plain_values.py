"""A file that holds one value."""

from pathlib import Path

import pytest

from kschedx.api.errors import KschedxError
from kschedx.snapshot.plain_values import read_value


def test_the_first_value_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("---\n# nothing\n---\na: [1, x]\n---\nb: 2\n")

    assert read_value(str(tmp_path / "config.yaml")) == {"a": [1, "x"]}


def test_json(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"a": {"b": null}}')

    assert read_value(str(tmp_path / "config.json")) == {"a": {"b": None}}


@pytest.mark.parametrize(("content", "code"), [(b"a: [", "not-yaml"), (b"a: \x80b", "not-utf-8")])
def test_refused(tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "config.yaml").write_bytes(content)

    with pytest.raises(KschedxError) as raised:
        read_value(str(tmp_path / "config.yaml"))
    assert raised.value.code == code


TWICE = {
    "written twice": ("a: 1\nb: 2\na: 3\n", 3, "a"),
    "quoted and plain": ('"a": 1\na: 2\n', 2, "a"),
    "further in": ("a:\n- b: 1\n  b: 2\n", 3, "b"),
    "JSON": ('{"a": 1, "a": 2}', 1, "a"),
    "merged over": ("a:\n  b: 1\n  <<: {b: 2}\n", 3, "b"),
    "written over a merged one": ("a:\n  <<: {b: 2}\n  b: 1\n", 3, "b"),
    "merged twice": ("a:\n  <<: [{b: 2}, {b: 1}]\n", 2, "b"),
}


@pytest.mark.parametrize(("content", "line", "key"), TWICE.values(), ids=TWICE)
def test_a_key_twice(tmp_path: Path, content: str, line: int, key: str) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(content)

    assert read_value(str(path)) is not None
    with pytest.raises(KschedxError) as raised:
        read_value(str(path), unique_keys=True)
    assert raised.value.code == "duplicate-key"
    assert raised.value.message == f"{path}, line {line}: {key!r} is there twice"


def test_a_key_once_in_each_of_several_places(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("a: &x {b: 1}\nc:\n- b: 2\n- <<: *x\n  d: 3\n")

    value = read_value(str(tmp_path / "config.yaml"), unique_keys=True)
    assert value == {"a": {"b": 1}, "c": [{"b": 2}, {"b": 1, "d": 3}]}
