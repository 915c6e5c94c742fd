"""Bundles: what support tools dump of a cluster, as a folder or a tar archive.

Recognised by the paths inside: OpenShift's must-gather, Troubleshoot's support bundle; the folders of
`kubectl cluster-info dump` hold plain lists that need no help. Of a bundle only the files are
read whose path names a kind that scheduling reads; logs and the rest are passed over.

Nothing is ever written to disk. Links and devices in an archive are never followed, archives in
it are not opened, and a path that leaves the archive makes it unusable.
"""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Final

from kschedx.api.errors import KschedxError
from kschedx.snapshot import kinds
from kschedx.snapshot.gathering import VERSION

MAX_FILE_BYTES: Final = 1 << 30
"""One file of a bundle: 250,000 pods."""
MAX_KEPT_BYTES: Final = 4 << 30
"""All files of an archive that are read."""
MAX_ARCHIVE_BYTES: Final = 32 << 30
"""An archive unpacked, logs and all."""
MAX_MEMBERS: Final = 1_000_000

_SUFFIXES: Final = (".json", ".yaml", ".yml", ".json.gz", ".yaml.gz", ".yml.gz")
_GZIP_MAGIC: Final = b"\x1f\x8b"
_TAR_SUFFIXES: Final = (".tar", ".tar.gz", ".tgz")
_MAGIC_AT: Final = 257
_MAGIC: Final = b"ustar"
_BLOCK: Final = 512

_GATHERED: Final = "cluster-scoped-resources"
_COLLECTED: Final = "cluster-resources"
_CLUSTER_VERSION: Final = ("cluster-info", "cluster_version.json")
_GROUP_FOLDERS: Final = frozenset(group or "core" for kind in kinds.ALL for group in kind.groups)
"""A must-gather has a folder for each API group."""
_OWN_NAMES: Final[Mapping[str, str]] = {
    "pod-disruption-budgets": "poddisruptionbudgets",
    "pvcs": "persistentvolumeclaims",
    "pvs": "persistentvolumes",
    "resource-quota": "resourcequotas",
    "storage-classes": "storageclasses",
}
"""A support bundle's own words for kinds."""


class Tree:
    """The paths of a folder or an archive, and which of them matter."""

    def __init__(self, paths: Iterable[str]) -> None:
        """`paths` as POSIX writes them, relative to the root."""
        self._parts = {path: PurePosixPath(path).parts for path in paths}
        inside = {part for parts in self._parts.values() for part in parts[:-1]}
        self.must_gather = _GATHERED in inside
        self.support_bundle = _COLLECTED in inside

    def wanted(self) -> list[str]:
        """The paths to read, in the order given."""
        if self.support_bundle:
            return [p for p, parts in self._parts.items() if _collected_kind(parts) is not None]
        if self.must_gather:
            return [path for path, parts in self._parts.items() if _is_gathered(parts)]
        return list(self._parts)

    def content(self, path: str, content: bytes) -> bytes:
        """A file's content with the kind that its path tells, where the file may not tell it."""
        return _with_kind(self._parts[path], content) if self.support_bundle else content


def wants(path: str) -> bool:
    """Whether a file may hold objects at all."""
    return path.lower().endswith(_SUFFIXES)


def _is_gathered(parts: tuple[str, ...]) -> bool:
    """ "cluster-scoped-resources/GROUP/..." or "namespaces/NAME/GROUP/...", but no pod's own files."""
    for place, part in enumerate(parts):
        if part == _GATHERED:
            return place + 1 < len(parts) and parts[place + 1] in _GROUP_FOLDERS
        if part == "namespaces" and _GROUP_FOLDERS.intersection(parts[place + 2 : place + 3]):
            return "pods" not in parts[place:]
    return False


def _collected_kind(parts: tuple[str, ...]) -> kinds.Kind | str | None:
    """The kind of "cluster-resources/KINDS.json" or "cluster-resources/KINDS/NAMESPACE.json".

    "" for the file that holds the version, None for any other file.
    """
    if parts[-2:] == _CLUSTER_VERSION:
        return ""
    if _COLLECTED not in parts[:-1]:
        return None
    inner = parts[parts.index(_COLLECTED) + 1 :]
    word = inner[0] if len(inner) > 1 else inner[0].partition(".")[0]
    if len(inner) > 2 or inner[-1].endswith("-errors.json"):  # noqa: PLR2004 - kind and namespace
        return None
    return kinds.named(_OWN_NAMES.get(word, word))


def _with_kind(parts: tuple[str, ...], content: bytes) -> bytes:
    kind = _collected_kind(parts)
    stripped = content.strip()
    if kind == "" or stripped in (b"", b"null"):
        return _version_list(stripped) if kind == "" else b""
    if not isinstance(kind, kinds.Kind):
        return content
    group = kind.groups[0]
    api_version = f"{group}/v1" if group else "v1"
    # Whatever the list says of itself comes later and counts.
    head = f'{{"apiVersion":"{api_version}","kind":"{kind.name}List",'.encode()
    if stripped.startswith(b"["):
        return head + b'"items":' + stripped + b"}"
    if stripped.startswith(b"{") and stripped[1:].lstrip()[:1] != b"}":
        return head + stripped[1:]
    return content


def _version_list(content: bytes) -> bytes:
    """An empty List that says which version the cluster has; nothing if that is not known."""
    try:
        said = json.loads(content)
        version = said["string"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return b""
    if not isinstance(version, str):
        return b""
    annotations = {"metadata": {"annotations": {VERSION: version}}}
    return json.dumps({"apiVersion": "v1", "kind": "List", **annotations, "items": []}).encode()


def is_archive(content: bytes, name: str) -> bool:
    """Whether this is a tar archive, gzipped or not."""
    start = content[: _MAGIC_AT + len(_MAGIC)]
    if start.startswith(_GZIP_MAGIC):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
                start = stream.read(_BLOCK)
        except (OSError, EOFError, zlib.error):
            return name.lower().endswith(_TAR_SUFFIXES)
    return start[_MAGIC_AT : _MAGIC_AT + 5] == _MAGIC or name.lower().endswith(_TAR_SUFFIXES)


def files_in_archive(content: bytes, name: str) -> tuple[Tree, dict[str, bytes]]:
    """The paths that may hold objects, and their contents as they stand in the archive.

    Raises KschedxError for an archive that is broken, too large, or tries to leave its folder.
    """
    try:
        with _opened(content, name) as archive:
            kept = _kept(archive, name)
    except (tarfile.TarError, EOFError, OSError, zlib.error, ValueError) as error:
        raise KschedxError(
            "broken-archive", f"{name}: a broken archive: {_said(error)}", hint="copy it again"
        ) from error
    tree = Tree(kept)
    if not tree.wanted():
        raise KschedxError(
            "empty-archive",
            f"{name}: the archive holds no file that could hold objects",
            hint="archives inside it are not opened: unpack them first",
        )
    return tree, kept


def _kept(archive: tarfile.TarFile, name: str) -> dict[str, bytes]:
    kept: dict[str, bytes] = {}
    size = 0
    for number, member in enumerate(archive):
        if number >= MAX_MEMBERS:
            raise _too_large(name, f"holds more than {MAX_MEMBERS:,} files")
        _refuse_leaving(member.name, name)
        if not (member.isreg() and wants(member.name)):
            continue
        size += member.size
        if member.size > MAX_FILE_BYTES:
            raise _too_large(name, f"{member.name} has more than {MAX_FILE_BYTES >> 30} GiB")
        if size > MAX_KEPT_BYTES:
            raise _too_large(name, f"holds more than {MAX_KEPT_BYTES >> 30} GiB to read")
        stream = archive.extractfile(member)
        kept[member.name] = stream.read() if stream is not None else b""
    return kept


def _opened(content: bytes, name: str) -> tarfile.TarFile:
    raw: io.BytesIO | gzip.GzipFile = io.BytesIO(content)
    if content.startswith(_GZIP_MAGIC):
        raw = gzip.GzipFile(fileobj=raw)
    return tarfile.open(fileobj=_Counted(raw, name), mode="r|")


class _Counted(io.RawIOBase):
    """Refuses to unpack more than any bundle holds."""

    def __init__(self, stream: io.BytesIO | gzip.GzipFile, name: str) -> None:
        self._stream = stream
        self._name = name
        self._count = 0

    def read(self, size: int = -1) -> bytes:
        part = self._stream.read(size)
        self._count += len(part)
        if self._count > MAX_ARCHIVE_BYTES:
            raise _too_large(self._name, f"unpacks to more than {MAX_ARCHIVE_BYTES >> 30} GiB")
        return part


def _refuse_leaving(path: str, name: str) -> None:
    parts = PurePosixPath(path.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts:
        raise KschedxError(
            "unsafe-archive",
            f"{name}: the archive holds a path that leaves it: {path[:80]!r}",
            hint="unpack it yourself if you trust it, and give the folder",
        )


def _too_large(name: str, what: str) -> KschedxError:
    return KschedxError(
        "too-large", f"{name}: {what}", hint="unpack what is needed, and give the folder"
    )


def _said(error: Exception) -> str:
    said = " ".join(str(error).split()) or type(error).__name__
    return said[:120]
