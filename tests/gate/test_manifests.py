"""Manifests as charts print them: what is read, from which line and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from kschedx.answers.replay import release_for
from kschedx.api.errors import KschedxError
from kschedx.api.pod import Pod
from kschedx.gate.settings import Settings
from kschedx.snapshot.files import load
from kschedx.snapshot.manifests import Manifests, read_manifests
from tests.gate.sets import cluster, manifests, node, report, workload

FIXTURES = Path(__file__).parents[1] / "fixtures" / "manifests"
POD = "spec: {containers: [{name: c, image: app}]}"
Places = dict[str, tuple[int, int]]


def read(tmp_path: Path, content: bytes, name: str = "m.yaml") -> Manifests:
    path = tmp_path / name
    path.write_bytes(content)
    return read_manifests([str(path)])


def places(found: Manifests) -> Places:
    return {key: (source.line, source.column) for (_, key), source in found.objects.sources.items()}


def pod(name: str) -> str:
    return f"apiVersion: v1\nkind: Pod\nmetadata: {{name: {name}}}\n{POD}\n"


LINES: dict[str, tuple[str, str, Places]] = {
    "documents with comments": (
        "m.yaml",
        f"# first\n\n---\n# Source: a.yaml\n{pod('a')}---\n\n{pod('b')}...\n",
        {"default/a": (5, 1), "default/b": (11, 1)},
    ),
    "a list": (
        "m.yaml",
        "apiVersion: v1\nkind: List\nitems:\n"
        f"- apiVersion: v1\n  kind: Pod\n  metadata: {{name: a}}\n  {POD}\n"
        f"-   apiVersion: v1\n    kind: Pod\n    metadata: {{name: b}}\n    {POD}\n",
        {"default/a": (4, 3), "default/b": (8, 5)},
    ),
    "JSON": (
        "m.json",
        '\n{"apiVersion": "v1", "kind": "List", "items": [\n'
        '  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}},\n'
        '  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}}, '
        '{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "c"}}]}',
        {"default/a": (3, 3), "default/b": (4, 3), "default/c": (4, 67)},
    ),
    "one JSON object": (
        "m.json",
        '\n\n  {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}\n',
        {"default/a": (3, 3)},
    ),
    "anchors": (
        "m.yaml",
        "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n"
        "  metadata: {name: a, labels: &labels {app: x}}\n  spec: &spec\n"
        "    containers: [{name: c}]\n"
        "- apiVersion: v1\n  kind: Pod\n  metadata: {name: b, labels: *labels}\n  spec: *spec\n",
        {"default/a": (4, 3), "default/b": (9, 3)},
    ),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_lines_and_columns(name: str, ends: str, mark: bytes, tmp_path: Path) -> None:
    file, text, expected = LINES[name]
    content = mark + text.replace("\n", ends).encode()

    assert places(read(tmp_path, content, file)) == expected


def test_an_anchored_object_shares_its_content(tmp_path: Path) -> None:
    _, text, _ = LINES["anchors"]
    first, second = read(tmp_path, text.encode()).objects.all(Pod).values()

    assert first.metadata.labels == second.metadata.labels == {"app": "x"}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{{- if .Values.enabled }}\napiVersion: v1\n", 1),
        ("apiVersion: v1\nkind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n", 4),
        ("apiVersion: v1\nkind: Pod\n{{- with .Values.x }}\nmetadata: {name: a}\n{{- end }}\n", 3),
    ],
)
def test_a_template_is_told_in_one_sentence(text: str, line: int, tmp_path: Path) -> None:
    with pytest.raises(KschedxError) as raised:
        read(tmp_path, text.encode())

    assert raised.value.code == "template-not-rendered"
    assert raised.value.message.endswith(f"m.yaml, line {line}: a template, not yet YAML")
    assert raised.value.hint == "render it first, such as with helm template"


def test_objects_without_a_namespace_get_the_one_that_is_named() -> None:
    found = manifests(pod("a"), "---\n", pod("b").replace("b}", "b, namespace: y}"), namespace="x")

    assert list(places(found)) == ["x/a", "y/b"]


SHAPES = {
    "postgres": ([("StatefulSet data/pg", 34)], ["1 ServiceAccount"]),
    "web": ([("Deployment shop/web", 11)], ["1 Ingress"]),
    "node-exporter": ([("DaemonSet monitoring/node-exporter", 2)], []),
    "migrate": ([("Job shop/migrate", 2), ("CronJob shop/backup", 21)], []),
    "operator": (
        [("Deployment operators/operator", 24)],
        ["1 ClusterRole, 1 CustomResourceDefinition, 1 Widget"],
    ),
    "queue": ([("StatefulSet data/queue", 9)], []),
}


@pytest.mark.parametrize("name", SHAPES)
def test_what_well_known_applications_print_is_checked(name: str) -> None:
    snapshot = load([str(FIXTURES / "cluster.yaml")], release=release_for(None))
    expected, passed_over = SHAPES[name]
    told = report(snapshot, read_manifests([str(FIXTURES / f"{name}.yaml")]))

    assert told.findings == ()
    assert [(str(c.subject), c.place.line if c.place else 0) for c in told.checked] == expected
    assert [note.partition(": ")[2] for note in told.notes] == passed_over


def test_all_of_them_together() -> None:
    """The room of three workers is shared: what comes last in the queue waits."""
    snapshot = load([str(FIXTURES / "cluster.yaml")], release=release_for(None))
    names = [str(FIXTURES / f"{name}.yaml") for name in SHAPES]
    told = report(snapshot, read_manifests(names), Settings(node_loss=True))

    assert [(f.rule, str(f.subject)) for f in told.findings] == [
        ("cannot-lose-a-node", "StatefulSet data/pg")
    ]


def test_the_size_that_an_autoscaler_wants_is_checked() -> None:
    snapshot = cluster(node("a", "2"))
    scaler = (
        "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n"
        "metadata: {name: x, namespace: prod}\nspec: {minReplicas: 3, maxReplicas: 9, "
        "scaleTargetRef: {kind: Deployment, name: x}}\n"
    )
    (finding,) = report(
        snapshot, manifests(workload("Deployment", "x", None, "1"), scaler)
    ).findings

    assert finding.sentence.startswith("1 of 3 replicas gets no node")


def test_nothing_that_has_pods_is_no_error() -> None:
    told = report(
        cluster(node("a")),
        manifests("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"),
    )

    assert (told.findings, told.checked) == ((), ())


def test_a_snapshot_of_nothing_but_nodes_decides_what_it_can() -> None:
    snapshot = cluster(node("a"), complete=False)

    assert report(snapshot, manifests(workload("Deployment", "x", 1, "1"))).findings == ()
