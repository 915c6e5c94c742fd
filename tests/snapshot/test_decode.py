"""Documents of every kind into objects, and every mistake into one sentence."""

import gc
import json
from typing import Any

import msgspec
import pytest

from kschedx.api.errors import KschedxError
from kschedx.api.node import Node
from kschedx.api.pod import Pod
from kschedx.api.workloads import Namespace
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.decode import (
    collector_off,
    objects_from_json,
    read_document,
    snapshot_from_objects,
)
from kschedx.snapshot.gathering import Gathering
from kschedx.snapshot.snapshot import Snapshot, Source
from kschedx.snapshot.sources import Document


def read(content: str | bytes, name: str = "f.json", *, found: bool = False) -> Snapshot:
    gathering = Gathering()
    raw = content.encode() if isinstance(content, str) else content
    read_document(Document(name, raw, found), gathering)
    gathering.check_quantities()
    return gathering.snapshot()


def names(snapshot: Snapshot) -> dict[str, list[str]]:
    return {kind.__name__: list(items) for kind, items in snapshot.objects.items() if items}


def pod(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, **metadata}}


def bare(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "prod"}}


DOCUMENTS: dict[str, tuple[str, Any, dict[str, list[str]]]] = {
    "one object": ("f.json", pod("a"), {"Pod": ["default/a"]}),
    "kubectl's list": (
        "f.json",
        {
            "apiVersion": "v1",
            "kind": "List",
            "items": [pod("a"), {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}}],
        },
        {"Pod": ["default/a"], "Node": ["n"]},
    ),
    "a list of one kind, whose items leave the kind out": (
        "f.json",
        {"kind": "PodList", "apiVersion": "v1", "items": [bare("a"), bare("b")]},
        {"Pod": ["prod/a", "prod/b"]},
    ),
    "a list of a kind in a group": (
        "f.json",
        {"kind": "StatefulSetList", "apiVersion": "apps/v1", "items": [bare("db")]},
        {"StatefulSet": ["prod/db"]},
    ),
    "a list without a kind": ("f.json", {"items": [pod("a")]}, {"Pod": ["default/a"]}),
    "an array": ("f.json", [pod("a"), pod("b")], {"Pod": ["default/a", "default/b"]}),
    "a list in a list": (
        "f.json",
        {"kind": "List", "apiVersion": "v1", "items": [{"kind": "List", "items": [pod("a")]}]},
        {"Pod": ["default/a"]},
    ),
    "an empty list": ("f.json", {"kind": "PodList", "apiVersion": "v1", "items": None}, {}),
    "the kind after the metadata": (
        "f.json",
        [{"metadata": {"name": "a"}, "kind": "Pod", "apiVersion": "v1"}],
        {"Pod": ["default/a"]},
    ),
    "a name that an API server makes": (
        "f.json",
        [
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "a-"}},
            {"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "a-"}},
        ],
        {"Pod": ["default/a-1", "default/a-2"]},
    ),
    "kinds of other groups and kinds that say nothing": (
        "f.json",
        [
            {"apiVersion": "serving.knative.dev/v1", "kind": "Service", "metadata": {"name": "a"}},
            {"apiVersion": "v1", "kind": "Secret", "data": {"a": "b"}},
            {"apiVersion": "v1", "kind": "ConfigMap", "items": 3},
            pod("a"),
        ],
        {"Pod": ["default/a"]},
    ),
}


@pytest.mark.parametrize(("name", "value", "expected"), DOCUMENTS.values(), ids=DOCUMENTS.keys())
@pytest.mark.parametrize("form", ["compact JSON", "indented JSON", "YAML"])
def test_documents(name: str, value: Any, expected: dict[str, list[str]], form: str) -> None:
    text = json.dumps(value, indent=2 if form == "indented JSON" else None)
    if form == "YAML":
        name, text = "f.yaml", f"# JSON is YAML\n---\n{text}\n"

    assert names(read(text, name)) == expected


def test_json_and_yaml_give_equal_objects() -> None:
    text = json.dumps({**pod("a", labels={"x": "y"}), "spec": {"containers": [{"name": "c"}]}})

    assert read(text).objects == read(f"---\n{text}", "f.yaml").objects


def test_yaml_in_braces_only_where_the_name_says_yaml() -> None:
    text = "{kind: Pod, metadata: {name: a}}"

    assert names(read(text, "f.yaml")) == {"Pod": ["default/a"]}
    with pytest.raises(KschedxError, match="line 1, column 2: not JSON"):
        read(text, "f.json")


def test_null_is_absent_and_in_maps_zero_as_in_go() -> None:
    text = """{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"x": null},
      "ownerReferences": null, "uid": null}, "spec": {"containers": [{"name": "c", "ports": null,
      "resources": {"requests": {"cpu": null}, "limits": null}}], "affinity": null,
      "priority": null, "hostNetwork": null, "nodeSelector": null}, "status": null}"""

    for snapshot in (read(text), read(f"---\n{text}", "f.yaml")):
        (item,) = snapshot.all(Pod).values()

        assert item.metadata.labels == {"x": ""}
        assert item.spec.containers[0].resources.requests == {"cpu": 0}
        assert item.spec.containers[0].ports == ()
        assert item.spec.priority is None


def test_words_are_booleans_where_booleans_belong() -> None:
    text = (
        "kind: Pod\nmetadata: {name: a, labels: {debug: on}}\n"
        "spec: {hostNetwork: yes, nodeSelector: {ssd: yes}}\n"
    )
    (item,) = read(text, "f.yaml").all(Pod).values()

    assert item.spec.host_network is True
    assert item.spec.node_selector == {"ssd": "yes"}
    assert item.labels == {"debug": "on"}


def test_unknown_fields_are_passed_over() -> None:
    text = json.dumps({**pod("a"), "spec": {"invented": [1, {"x": None}]}, "more": 1})

    assert names(read(text)) == {"Pod": ["default/a"]}


def test_objects_know_their_lines() -> None:
    json_text = '{"items": [\n' + json.dumps(pod("a")) + ",\n\n" + json.dumps(pod("b")) + "]}"
    yaml_text = "kind: Pod\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: b}\n"

    assert read(json_text).sources == {
        (Pod, "default/a"): Source("f.json", 2, 1),
        (Pod, "default/b"): Source("f.json", 4, 1),
    }
    assert read(yaml_text, "f.yaml").sources == {
        (Pod, "default/a"): Source("f.yaml", 1, 1),
        (Pod, "default/b"): Source("f.yaml", 4, 1),
    }


def test_later_duplicates_win_and_are_said() -> None:
    snapshot = read(json.dumps([pod("a"), pod("b"), pod("a", labels={"x": "y"}), pod("b")]))

    assert snapshot.all(Pod)["default/a"].labels == {"x": "y"}
    assert snapshot.notes == (
        "1 object read twice with different content, the later one counts: "
        "Pod default/a (f.json, line 1; f.json, line 1)",
    )


def test_what_is_passed_over_is_counted() -> None:
    ingress = {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "i"}}
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role"}
    secret = {"apiVersion": "v1", "kind": "Secret"}

    assert read(json.dumps([ingress, pod("a"), role, ingress, secret, {"x": 1}])).notes == (
        "1 document without a kind passed over",
        "3 objects passed over that scheduling does not read: 2 Ingress, 1 Role",
    )


MISTAKES: dict[str, tuple[str, str | bytes, str, str]] = {
    "an empty file": ("f.json", " \n", "empty-file", "f.json: empty"),
    "JSON that ends too early": (
        "f.json",
        '{"kind": "Pod",\n  "metadata": {',
        "not-json",
        "f.json, line 2, column 16: not JSON: the text ends too early",
    ),
    "JSON with a typing error": (
        "f.json",
        '{\n  "kind": "Pod",\n  "x": tru\n}',
        "not-json",
        "f.json, line 3, column 9: not JSON: invalid character",
    ),
    "two JSON documents": (
        "f.json",
        "{}\n{}",
        "not-json",
        "f.json, line 2, column 2: not JSON: trailing characters",
    ),
    "JSON in another encoding": (
        "f.json",
        b'{"kind": "Pod",\n "metadata": {"name": "\xe9"}}',
        "not-json",
        "f.json, line 2, column 24: not JSON: invalid UTF-8 encoded string",
    ),
    "an item in another encoding": (
        "f.json",
        b'{"items": [\n{"kind": "Secret"},\n{"kind": "\xe9"}]}',
        "not-json",
        "f.json, line 3, column 11: not JSON: invalid UTF-8 encoded string",
    ),
    "a number beyond all bounds": (
        "f.json",
        json.dumps(pod("a"))[:-1] + ', "spec": {"overhead": {"cpu": 1e999}}}',
        "not-json",
        "f.json, line 1, column 1: not JSON: number out of range",
    ),
    "nesting without end": (
        "f.json",
        '{"a":' * 100_000,
        "nested-too-deep",
        "f.json: nested too deep to be read",
    ),
    "text": (
        "notes.txt",
        "remember the milk",
        "not-an-object",
        "notes.txt, line 1: no Kubernetes object but a text",
    ),
    "an object without a kind": (
        "values.yaml",
        "# values\nreplicas: 3\n",
        "no-kind",
        "values.yaml, line 2: no Kubernetes object: it names no kind",
    ),
    "JSON without a kind": (
        "package.json",
        '{"name": "x"}',
        "no-kind",
        "package.json, line 1: no Kubernetes object: it names no kind",
    ),
    "an object without a name": (
        "f.yaml",
        "---\nkind: Pod\nspec: {}\n",
        "no-name",
        "f.yaml, line 2: a Pod without metadata.name",
    ),
    "a template": (
        "f.yaml",
        "{{- if .Values.on }}\nkind: Pod\n{{- end }}\n",
        "template-not-rendered",
        "f.yaml, line 1: a template, not yet YAML",
    ),
    "YAML in another encoding": (
        "f.yaml",
        b"kind: Pod\nmetadata: {name: \xe9}",
        "not-utf-8",
        "f.yaml, line 2: neither JSON nor YAML: not UTF-8 text",
    ),
    "kubectl's table": (
        "f",
        "NAMESPACE   NAME   READY   STATUS    RESTARTS      AGE\nx   y   1/1   Running   0   1d\n",
        "kubectl-table",
        "f: kubectl's table, which leaves out most",
    ),
    "kubectl's table of nodes": (
        "f",
        "NAME   STATUS   ROLES           AGE   VERSION\nn   Ready   <none>   1d   v1.35.4\n",
        "kubectl-table",
        "f: kubectl's table, which leaves out most",
    ),
    "kubectl describe": (
        "f",
        "Name:         web-0\nNamespace:    prod\n",
        "kubectl-describe",
        "f: the output of kubectl describe",
    ),
    "kubectl's nothing": (
        "f",
        "No resources found in default namespace.\n",
        "no-resources",
        "f: kubectl found nothing to write",
    ),
    "kubectl's error": (
        "f",
        'Error from server (NotFound): pods "x" not found\n',
        "kubectl-failed",
        "f: kubectl's error message",
    ),
    "a refusal of the API server": (
        "f.json",
        '{"kind": "Status", "apiVersion": "v1", "status": "Failure",\n'
        ' "message": "pods \\"x\\" not found", "reason": "NotFound", "code": 404}',
        "refused-by-server",
        'f.json, line 1: an API server\'s refusal and no objects: pods "x" not found',
    ),
    "a refusal in YAML": (
        "f.yaml",
        "apiVersion: v1\nkind: Status\nreason: Forbidden\n",
        "refused-by-server",
        "f.yaml, line 1: an API server's refusal and no objects: Forbidden",
    ),
    "a quantity that is none": (
        "f.json",
        json.dumps(
            {**pod("a"), "spec": {"containers": [{"resources": {"requests": {"cpu": "1x"}}}]}}
        ),
        "not-a-quantity",
        "f.json, line 1: Pod default/a: spec.containers[0].resources.requests.cpu: "
        "'1x' is not a quantity",
    ),
    "a quantity of a resource with dots": (
        "f.yaml",
        "kind: Node\nmetadata: {name: n}\nstatus: {capacity: {nvidia.com/gpu: 1 each}}\n",
        "not-a-quantity",
        "f.yaml, line 1: Node n: status.capacity[nvidia.com/gpu]: '1 each' is not a quantity",
    ),
    "an unquoted number": (
        "f.yaml",
        "---\nkind: Pod\nmetadata: {name: a, namespace: prod, labels: {ok: 'x', gen: 3}}\n",
        "wrong-type",
        "f.yaml, line 2: Pod prod/a: metadata.labels.gen: expected a text, found a number",
    ),
    "an unquoted boolean": (
        "f.yaml",
        "kind: Pod\nmetadata: {name: a, annotations: {x.y/z: true}}\n",
        "wrong-type",
        "f.yaml, line 1: Pod a: metadata.annotations[x.y/z]: expected a text, found a boolean",
    ),
    "an object for a list": (
        "f.json",
        json.dumps({**pod("a"), "spec": {"containers": {"name": "c"}}}),
        "wrong-type",
        "f.json, line 1: Pod a: spec.containers: expected a list, found an object",
    ),
    "a text for a number": (
        "f.json",
        json.dumps({**pod("a"), "spec": {"priority": "high", "affinity": None}}),
        "wrong-type",
        "f.json, line 1: Pod a: spec.priority: expected a whole number, found a text",
    ),
    "a list for an object": (
        "f.json",
        json.dumps([{"apiVersion": "v1", "kind": "Pod", "metadata": []}]),
        "wrong-type",
        "f.json, line 1: Pod: metadata: expected an object, found a list",
    ),
}


@pytest.mark.parametrize(
    ("name", "content", "code", "message"), MISTAKES.values(), ids=MISTAKES.keys()
)
def test_mistakes(name: str, content: str | bytes, code: str, message: str) -> None:
    with pytest.raises(KschedxError) as refused:
        read(content, name)

    assert (refused.value.code, refused.value.message) == (code, message)
    assert refused.value.exit_code == 3


def test_json_that_ends_too_early_hints_at_who_wrote_it() -> None:
    with pytest.raises(KschedxError) as refused:
        read('{"kind": "Pod",', "f.json")

    assert refused.value.hint == "was the command that wrote it interrupted?"


@pytest.mark.parametrize("content", ["", "# nothing\n", "replicas: 3\n", "text", '{"name": "x"}'])
def test_files_in_a_folder_may_hold_other_things(content: str) -> None:
    assert names(read(content, "values.yaml", found=True)) == {}


def test_negative_and_huge_quantities_are_no_errors() -> None:
    text = json.dumps({**pod("a"), "spec": {"overhead": {"cpu": "-1", "memory": "123456789E"}}})

    assert names(read(text)) == {"Pod": ["default/a"]}


VERSIONS: dict[str, tuple[list[str], str | None]] = {
    "no nodes": ([], None),
    "nodes that do not say": (["", "unknown"], None),
    "the newest kubelet": (["v1.9.11", "v1.35.4-gke.1", "v1.34.7", "v1.35.10"], "v1.35.10"),
}


@pytest.mark.parametrize(("kubelets", "version"), VERSIONS.values(), ids=VERSIONS.keys())
def test_version_is_that_of_the_newest_kubelet(kubelets: list[str], version: str | None) -> None:
    nodes = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"n{index}"},
            "status": {"nodeInfo": {"kubeletVersion": kubelet}},
        }
        for index, kubelet in enumerate(kubelets)
    ]

    assert read(json.dumps([pod("a"), *nodes])).version == version


@pytest.mark.parametrize("form", ["JSON", "YAML"])
def test_list_says_what_it_is(form: str) -> None:
    text = json.dumps(
        {
            "apiVersion": "v1",
            "kind": "List",
            "metadata": {
                "annotations": {
                    "kschedx.io/kubernetes-version": "v1.36.1",
                    "kschedx.io/taken-at": "2026-03-09T11:02:10Z",
                    "kschedx.io/complete": "true",
                    "kschedx.io/unread": "CSINode, StorageClass",
                    "kschedx.io/other": 3,
                }
            },
            "items": [pod("a")],
        }
    )
    snapshot = read(text) if form == "JSON" else read(f"---\n{text}", "f.yaml")

    assert snapshot.version == "v1.36.1"
    assert snapshot.taken_at == "2026-03-09T11:02:10Z"
    assert snapshot.complete
    assert snapshot.unread == {"CSINode", "StorageClass"}
    assert not snapshot.read(Node) or snapshot.complete


def test_complete_snapshot_of_stored_objects() -> None:
    objects = [
        {**pod("a", uid="1"), "spec": {"containers": [{"resources": {"limits": {"cpu": "1"}}}]}},
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}},
    ]
    snapshot = objects_from_json(json.dumps(objects).encode(), Release())
    (item,) = snapshot.all(Pod).values()

    assert snapshot.complete
    assert item.spec.containers[0].resources.requests == {"cpu": "1"}
    assert item.spec.tolerations == ()
    assert snapshot.all(Namespace)["default"].metadata.labels == {
        "kubernetes.io/metadata.name": "default"
    }
    again = snapshot_from_objects(
        [msgspec.Raw(json.dumps(value).encode()) for value in objects], Release()
    )
    assert (snapshot.objects, snapshot.complete) == (again.objects, again.complete)


def refuse_with_collector_off() -> None:
    with collector_off():
        assert not gc.isenabled()
        read("")


def test_collector_comes_back_on() -> None:
    with pytest.raises(KschedxError):
        refuse_with_collector_off()

    assert gc.isenabled()


def test_collector_stays_off_where_it_was() -> None:
    gc.disable()
    try:
        with collector_off():
            pass

        assert not gc.isenabled()
    finally:
        gc.enable()
