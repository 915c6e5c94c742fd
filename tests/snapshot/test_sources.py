import gzip
import io
import sys
import tarfile
from pathlib import Path

import pytest

from kschedx.api.errors import KschedxError
from kschedx.snapshot import sources
from kschedx.snapshot.sources import Document, documents, example_names

TEXT = b'{"kind": "Pod"}'


def written(path: Path, content: bytes = TEXT) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return str(path)


def refusal(source: str) -> KschedxError:
    with pytest.raises(KschedxError) as refused:
        list(documents(source))
    return refused.value


ENCODED = {
    "UTF-8": TEXT,
    "UTF-8 with a mark": b"\xef\xbb\xbf" + TEXT,
    "UTF-16 with a mark": TEXT.decode().encode("utf-16"),
    "UTF-16, little end first": TEXT.decode().encode("utf-16-le"),
    "UTF-16, big end first": TEXT.decode().encode("utf-16-be"),
    "gzip": gzip.compress(TEXT),
    "gzip of UTF-16": gzip.compress(TEXT.decode().encode("utf-16")),
    "gzip in two members": gzip.compress(TEXT[:5]) + gzip.compress(TEXT[5:]),
}


@pytest.mark.parametrize("content", ENCODED.values(), ids=ENCODED.keys())
def test_file_comes_as_utf_8(tmp_path: Path, content: bytes) -> None:
    name = written(tmp_path / "f.json", content)

    assert list(documents(name)) == [Document(name, TEXT)]


def test_folder_is_read_in_order_and_hidden_files_are_not(tmp_path: Path) -> None:
    for name in ("b/x.yaml", "b/.git/y.yaml", "a.json", "notes.txt", "c/z.YML.gz", "b.tar.gz"):
        written(tmp_path / name)

    found = list(documents(str(tmp_path)))

    assert [Path(d.name).relative_to(tmp_path).as_posix() for d in found] == [
        "a.json",
        "b/x.yaml",
        "c/z.YML.gz",
    ]
    assert all(document.found for document in found)


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT)))

    assert list(documents("-")) == [Document("standard input", TEXT)]


@pytest.mark.parametrize("name", example_names())
def test_examples_ship(name: str) -> None:
    (document,) = documents(f"example:{name}")

    assert document.name == f"example:{name}"
    assert document.content


def test_unknown_example_names_those_that_there_are() -> None:
    refused = refusal("example:nope")

    assert refused.code == "no-such-example"
    assert refused.hint == "examples: " + ", ".join(example_names())


def test_missing_file(tmp_path: Path) -> None:
    assert refusal(f"{tmp_path}/nope.json").message == f"{tmp_path}/nope.json: no such file"


def test_name_that_no_file_can_have() -> None:
    assert refusal("a\0b").code == "no-such-file"


def test_folder_without_manifests(tmp_path: Path) -> None:
    written(tmp_path / "notes.txt")

    assert refusal(str(tmp_path)).code == "empty-folder"


def test_broken_link_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")

    assert refusal(str(tmp_path)).code == "no-such-file"


def test_archive_is_read_file_by_file(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("f.json")
        member.size = len(TEXT)
        archive.addfile(member, io.BytesIO(TEXT))
    name = written(tmp_path / "bundle.tar.gz", packed.getvalue())

    assert list(documents(name)) == [Document(f"{name}/f.json", TEXT, found=True)]


BROKEN = {
    "cut off": (gzip.compress(TEXT * 1000)[:-12], "the gzip file ends too early"),
    "only the magic": (b"\x1f\x8b", "the gzip file ends too early"),
    "wrong checksum": (
        gzip.compress(TEXT)[:-8] + bytes(8),
        "broken gzip file: CRC check failed",
    ),
    "wrong method": (b"\x1f\x8b\x07" + bytes(20), "broken gzip file: Unknown compression method"),
}


@pytest.mark.parametrize(("content", "said"), BROKEN.values(), ids=BROKEN.keys())
def test_broken_gzip(tmp_path: Path, content: bytes, said: str) -> None:
    name = written(tmp_path / "f.json.gz", content)

    refused = refusal(name)

    assert refused.code == "broken-gzip"
    assert refused.message.startswith(f"{name}: {said}")


def test_gzip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_UNPACKED_BYTES", 1 << 20)
    name = written(tmp_path / "f.json.gz", gzip.compress(bytes(3 << 20)))

    assert refusal(name).code == "too-large"


def test_broken_utf_16(tmp_path: Path) -> None:
    assert refusal(written(tmp_path / "f.json", b"\xff\xfe{\x00\x00\xd8")).code == "not-utf-8"
