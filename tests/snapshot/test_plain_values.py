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
