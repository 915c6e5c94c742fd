"""Whatever is thrown at the loader, it gives a snapshot or one sentence: never a traceback."""

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kschedx.api.errors import KschedxError
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.files import load
from kschedx.snapshot.kinds import ALL

ROOT = Path(__file__).parents[2]
RECORDED = json.loads((ROOT / "tests/fixtures/admission/kube-1.35.json").read_text())
OBJECTS = [pair[side] for phase in RECORDED for pair in phase["created"] for side in pair]
EXAMPLES = [path.read_bytes() for path in sorted((ROOT / "kschedx/examples").iterdir())]
NAMES = ("f.json", "f.yaml", "f", "f.json.gz")

fuzzed = settings(
    deadline=None,
    max_examples=150,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["1x", "{{ .x }}", "yes", "500m", "1e9999", "-1", "", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def loads_or_refuses(folder: Path, content: bytes, name: str) -> None:
    path = folder / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    release = Release(35)
    said = ""
    try:
        snapshot = load([str(path)], complete=True, release=release)
    except KschedxError as refused:
        said = refused.message
        snapshot = None
    if snapshot is None:
        assert said.isprintable()
        assert said
    else:
        cluster = ClusterView.of(snapshot, release.accounting())
        assert all(view.allocatable is not None for view in cluster.nodes.values())
        assert all(view.requested is not None for view in cluster.nodes.values())


def text_of(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", errors="surrogatepass")


@fuzzed
@given(content=st.binary(max_size=200), name=st.sampled_from(NAMES))
def test_random_bytes(tmp_path: Path, content: bytes, name: str) -> None:
    loads_or_refuses(tmp_path, content, name)


@fuzzed
@given(content=st.text(max_size=200), name=st.sampled_from(NAMES))
def test_random_text(tmp_path: Path, content: str, name: str) -> None:
    loads_or_refuses(tmp_path, content.encode(errors="surrogatepass"), name)


@fuzzed
@given(value=json_values, name=st.sampled_from(NAMES))
def test_random_json(tmp_path: Path, value: Any, name: str) -> None:
    loads_or_refuses(tmp_path, text_of(value), name)


@fuzzed
@given(
    kind=st.sampled_from([kind.name for kind in ALL] + ["List", "PodList", "Status", "Secret"]),
    api_version=st.sampled_from(["v1", "apps/v1", "", "x/y/z", "storage.k8s.io/v1"]),
    fields=st.dictionaries(
        st.sampled_from(["metadata", "spec", "status", "items", "value", "kind"]), json_values
    ),
    name=st.sampled_from(NAMES),
)
def test_random_objects_of_known_kinds(
    tmp_path: Path, kind: str, api_version: str, fields: dict[str, Any], name: str
) -> None:
    loads_or_refuses(tmp_path, text_of({"apiVersion": api_version, "kind": kind, **fields}), name)


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in items:
            found += paths_of(part, (*path, key))
    return found


def mutated(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    holder = copy
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = new
    return copy


@fuzzed
@given(data=st.data(), name=st.sampled_from(NAMES))
def test_objects_with_one_field_changed(tmp_path: Path, data: st.DataObject, name: str) -> None:
    original = data.draw(st.sampled_from(OBJECTS))
    path = data.draw(st.sampled_from(paths_of(original)))
    changed = mutated(original, path, data.draw(json_values))

    loads_or_refuses(tmp_path, text_of([changed, OBJECTS[0]]), name)


@fuzzed
@given(
    content=st.sampled_from(EXAMPLES),
    share=st.floats(0, 1),
    name=st.sampled_from(NAMES),
)
def test_truncated_files(tmp_path: Path, content: bytes, share: float, name: str) -> None:
    start = content[: 1 + int(min(len(content), 6000) * share)]

    loads_or_refuses(tmp_path, start, name)


@fuzzed
@given(
    original=st.sampled_from(OBJECTS),
    seed=st.integers(0, 2**32),
    changes=st.integers(1, 5),
    name=st.sampled_from(NAMES),
)
def test_files_with_damaged_bytes(
    tmp_path: Path, original: Any, seed: int, changes: int, name: str
) -> None:
    chance = random.Random(seed)
    content = bytearray(text_of(original))
    for _ in range(changes):
        content[chance.randrange(len(content))] = chance.choice(b'\x00\xff{}[]":,-0\\u \n\t&*')

    loads_or_refuses(tmp_path, bytes(content), name)


@pytest.mark.parametrize("cut", range(1, 60, 4))
def test_gzip_cut_anywhere(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "f.json.gz"
    path.write_bytes(gzip.compress(text_of(OBJECTS[0]))[:-cut])

    with pytest.raises(KschedxError, match="gzip"):
        load([str(path)], release=Release())
