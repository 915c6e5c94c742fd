"""Where bytes come from: files, folders, standard input, the examples that ship with kschedx."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import string
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Final

from kschedx.api.errors import KschedxError
from kschedx.snapshot import bundles

STDIN: Final = "-"
EXAMPLE: Final = "example:"
MAX_UNPACKED_BYTES: Final = 4 << 30
"""What a gzip file may unpack to: ten times a cluster of 5,000 nodes, and no bomb."""

_SUFFIXES: Final = (".json", ".yaml", ".yml")
_GZIP_MAGIC: Final = b"\x1f\x8b"
_TAR_MAGIC_AT: Final = 257
_BEGINNINGS: Final = frozenset(
    bytes((code,)) for code in b"{[#-% \n" + string.ascii_letters.encode()
)
"""What JSON or YAML of Kubernetes begins with."""
_READ_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Document:
    """One file's text, as UTF-8 without a byte order mark."""

    name: str
    """As the user would name it."""
    content: bytes
    found: bool = False
    """Found in a folder, not named by the user: it may hold something else."""

    @property
    def says_yaml(self) -> bool:
        return _plain_name(self.name).endswith((".yaml", ".yml"))


def documents(source: str) -> Iterator[Document]:
    """The files that a source stands for, in a fixed order, each read when it is reached.

    `source` is a path, a folder (read recursively), "-" or "example:NAME". Raises KschedxError for
    what cannot be read.
    """
    if source == STDIN:
        yield from _of(_standard_input(), "standard input")
    elif source.startswith(EXAMPLE):
        yield _example(source.removeprefix(EXAMPLE))
    elif (path := Path(source)).is_dir():
        yield from _of_folder(path)
    else:
        yield from _of(_read(path), source)


def _of(content: bytes, name: str) -> Iterator[Document]:
    """A file's text, or the texts in an archive."""
    if not bundles.is_archive(content, name):
        yield Document(name, _text(content, name))
        return
    tree, files = bundles.files_in_archive(content, name)
    for path in tree.wanted():
        shown = f"{name}/{path}"
        yield Document(shown, tree.content(path, _text(files[path], shown)), found=True)


def _of_folder(folder: Path) -> Iterator[Document]:
    """The files of a folder; of a bundle only those that matter."""
    files = {file.relative_to(folder).as_posix(): file for file in _in_folder(folder)}
    tree = bundles.Tree(files)
    for path in tree.wanted():
        file = files[path]
        content = tree.content(path, _text(_read(file), str(file)))
        yield Document(str(file), content, found=True)


def example_names() -> list[str]:
    """The examples that ship with kschedx, sorted."""
    return sorted(name for name in map(_example_name, _examples()) if name)


def _examples() -> list[str]:
    folder = resources.files("kschedx") / "examples"
    return [item.name for item in folder.iterdir()] if folder.is_dir() else []


def _example_name(file: str) -> str:
    plain = _plain_name(file)
    return plain.rpartition(".")[0] if plain.endswith(_SUFFIXES) else ""


def _example(name: str) -> Document:
    for file in sorted(_examples()):
        if name and _example_name(file) == name:
            content = (resources.files("kschedx") / "examples" / file).read_bytes()
            shown = f"{EXAMPLE}{name}"
            return Document(shown, _text(content, shown))
    raise KschedxError(
        "no-such-example",
        f"there is no example {name!r}",
        hint="examples: " + ", ".join(example_names()),
    )


def _plain_name(name: str) -> str:
    return name.lower().removesuffix(".gz")


def _in_folder(folder: Path) -> list[Path]:
    """Every file in it with a name that says JSON or YAML; hidden folders are left out."""
    found: list[Path] = []
    for directory, folders, files in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(directory) / f for f in sorted(files) if _plain_name(f).endswith(_SUFFIXES)]
    if not found:
        raise KschedxError(
            "empty-folder",
            f"{folder}: the folder holds no .json, .yaml or .yml file",
            hint="kubectl get pods,nodes -A -o json > FILE writes one",
        )
    return found


def _refuse(error: OSError) -> None:
    raise _unreadable(error, str(error.filename)) from error


def _unreadable(error: OSError, name: str) -> KschedxError:
    if isinstance(error, FileNotFoundError):
        return KschedxError(
            "no-such-file", f"{name}: no such file", hint="name a file, a folder or -"
        )
    reason = (error.strerror or str(error)).lower()
    return KschedxError("unreadable-file", f"{name}: cannot be read: {reason}")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise _unreadable(error, str(path)) from error
    except ValueError as error:  # a path with a NUL in it
        raise KschedxError("no-such-file", f"{str(path)!r}: no such file") from error


def _standard_input() -> bytes:
    try:
        return sys.stdin.buffer.read()
    except OSError as error:
        raise _unreadable(error, "standard input") from error


def _text(content: bytes, name: str) -> bytes:
    """The content unpacked and as UTF-8. Raises KschedxError for an archive or broken text."""
    if content.startswith(_GZIP_MAGIC):
        content = _unpacked(content, name)
    if content[_TAR_MAGIC_AT : _TAR_MAGIC_AT + 5] == b"ustar":
        raise KschedxError(
            "archive-in-archive",
            f"{name}: an archive that is itself packed",
            hint="unpack it once and give the result",
        )
    if content.startswith(codecs.BOM_UTF8):
        return content[len(codecs.BOM_UTF8) :]
    encoding = _utf_16(content[:4])
    if encoding is None:
        return content
    try:
        return content.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeError as error:
        raise KschedxError(
            "not-utf-8", f"{name}: broken UTF-16", hint="save the file as UTF-8"
        ) from error


def _utf_16(start: bytes) -> str | None:
    """UTF-16 is what PowerShell writes; without a mark its first character gives it away."""
    first, second = start[:1], start[1:2]
    if start.startswith(codecs.BOM_UTF16_LE) or (second == b"\0" and first in _BEGINNINGS):
        return "utf-16-le"
    if start.startswith(codecs.BOM_UTF16_BE) or (first == b"\0" and second in _BEGINNINGS):
        return "utf-16-be"
    return None


def _unpacked(content: bytes, name: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            while part := stream.read(_READ_BYTES):
                parts.append(part)
                size += len(part)
                if size > MAX_UNPACKED_BYTES:
                    raise KschedxError(
                        "too-large",
                        f"{name}: unpacks to more than {MAX_UNPACKED_BYTES >> 30} GiB",
                    )
    except EOFError as error:
        raise KschedxError(
            "broken-gzip", f"{name}: the gzip file ends too early", hint="copy it again"
        ) from error
    except (OSError, zlib.error) as error:
        raise KschedxError("broken-gzip", f"{name}: broken gzip file: {error}") from error
    return b"".join(parts)
