"""The changes that hints propose, made to stored objects as kubectl, the API server and controllers
make them: what follows from a change of a template or from a deletion is made as well.
"""

import copy
import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from kschedx.diagnose.remedies import Step
from kschedx.framework.claim_edits import LATE, ProvideClaim, RecreateClaim
from kschedx.framework.cluster_edits import KUBELET, AddNode
from kschedx.framework.edit import Edit

Object = dict[str, Any]
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
TEMPLATE = "/spec/template"
PIPE = (
    shlex.split("kubectl patch --local -f - --type=json -p"),
    shlex.split("-o json | kubectl replace --force -f -"),
)
"""What stands before and behind the patch."""


class Objects:
    """What a cluster holds; changes are made in place."""

    def __init__(self, objects: list[Object], pod: str) -> None:
        self.objects = copy.deepcopy(objects)
        self.namespace, _, self.name = pod.partition("/")
        self.deleted: list[Object] = []
        """Pods whose controllers make them again in a while."""
        self.made_again: list[Object] = []
        """Pods that have lost their nodes and are to be scheduled anew."""
        spec = self.target["spec"]
        for container in (*spec["containers"], *spec.get("initContainers", [])):
            resources = container.setdefault("resources", {})
            limits = resources.get("limits", {})  # the API server takes them for requests
            resources["requests"] = {**limits, **resources.get("requests", {})}

    @property
    def target(self) -> Object:
        """The pod that the hints are for."""
        return self.find("Pod", self.name, self.namespace)

    def find(self, kind: str, name: str, namespace: str | None = None) -> Object:
        """Raises KeyError where there is no such object."""
        for item in self.objects:
            metadata = item["metadata"]
            where = metadata.get("namespace", "default")
            if item["kind"] == kind and metadata["name"] == name and namespace in (None, where):
                return item
        raise KeyError(f"{kind}/{name}")

    def follow(self, step: Step, edit: Edit) -> None:
        """One step of a hint."""
        if isinstance(edit, AddNode):
            self._add_node(edit)
        elif isinstance(edit, ProvideClaim):
            self._provide(edit)
        elif isinstance(edit, RecreateClaim):
            self._recreate(edit)
        elif step.command:
            self._run_all(step.command)
        elif step.target is not None and step.target.kind == KUBELET:
            self._configure(step.target.name, step.patch)
        else:
            self._run_all(step.prerequisite)
            _patch_spec(self.target, step.patch)
            if any(each["path"].endswith("/priorityClassName") for each in step.patch):
                self.target["spec"].pop("priority", None)  # no manifest has it
            self._admit(self.target)

    def make_deleted_again(self) -> None:
        """Controllers replace the pods that were deleted, StatefulSets also their claims."""
        for pod in self.deleted:
            if not any(owner.get("controller") for owner in _owners(pod)):
                continue
            for claim in self._own_claims(pod):
                self.objects.append(claim)
            self._make_again(pod)
        self.deleted.clear()

    def place(self, pod: Object, node: str) -> None:
        """The pod gets its node."""
        pod["spec"]["nodeName"] = node
        pod["status"] = {"phase": "Running"}

    def _own_claims(self, pod: Object) -> Iterable[Object]:
        kept = {each["metadata"]["name"] for each in self._all("PersistentVolumeClaim")}
        for owner in _owners(pod):
            if owner["kind"] != "StatefulSet":
                continue
            namespace = pod["metadata"]["namespace"]
            made = self.find("StatefulSet", owner["name"], namespace)
            for template in made["spec"].get("volumeClaimTemplates", []):
                name = f"{template['metadata']['name']}-{pod['metadata']['name']}"
                if name not in kept:
                    yield {
                        "apiVersion": "v1",
                        "kind": "PersistentVolumeClaim",
                        "metadata": {"name": name, "namespace": namespace, "uid": f"new-{name}"},
                        "spec": copy.deepcopy(template["spec"]),
                        "status": {"phase": "Pending"},
                    }

    def _all(self, kind: str) -> list[Object]:
        return [item for item in self.objects if item["kind"] == kind]

    def _add_node(self, edit: AddNode) -> None:
        node = copy.deepcopy(self.find("Node", edit.like))
        node["metadata"]["name"] = edit.name
        labels = node["metadata"].setdefault("labels", {})
        if "kubernetes.io/hostname" in labels:
            labels["kubernetes.io/hostname"] = edit.name
        labels |= dict(edit.labels)
        for resource, room in edit.larger:
            for own in ("capacity", "allocatable"):
                node["status"].setdefault(own, {})[resource] = (
                    f"{room}m" if resource == "cpu" else str(room)
                )
        if edit.untainted:
            node["spec"].pop("taints", None)
        self.objects.append(node)

    def _provide(self, edit: ProvideClaim) -> None:
        """By its command where there is one, else by hand: the claim is made, or made again."""
        namespace, _, name = edit.claim.partition("/")
        if edit.former is None:
            meta = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
            resources = {"requests": {"storage": "1Gi"}}
            spec = {"accessModes": ["ReadWriteOnce"], "resources": resources}
            place = {"name": name, "namespace": namespace, "uid": f"new-{name}"}
            self.objects.append(
                {**meta, "metadata": place, "spec": spec, "status": {"phase": "Pending"}}
            )
        claim = self.find("PersistentVolumeClaim", name, namespace)
        claim["spec"]["storageClassName"] = edit.storage_class

    def _recreate(self, edit: RecreateClaim) -> None:
        """The claim and, if it has to, its class, deleted and made again."""
        namespace, _, name = edit.claim.partition("/")
        self.find("StorageClass", edit.storage_class)["volumeBindingMode"] = LATE
        claim = self.find("PersistentVolumeClaim", name, namespace)
        self._delete_claim(claim)
        spec = {**claim["spec"], "storageClassName": edit.storage_class}
        spec.pop("volumeName")
        place = {"name": name, "namespace": namespace, "uid": f"again-{name}"}
        self.objects.append(
            {**claim, "metadata": place, "spec": spec, "status": {"phase": "Pending"}}
        )

    def _configure(self, node: str, operations: Iterable[Mapping[str, Any]]) -> None:
        """The kubelet reports what its configuration says."""
        configuration: Object = {}
        for operation in operations:
            _patch(configuration, operation)
        status = self.find("Node", node)["status"]
        for own in ("capacity", "allocatable"):
            status.setdefault(own, {})["pods"] = str(configuration["maxPods"])

    def _run_all(self, commands: str) -> None:
        for command in filter(None, commands.split(" && ")):
            self._run(shlex.split(command))

    def _run(self, words: list[str]) -> None:
        for made in (self._change_node, self._delete, self._create_or_change):
            if made(words):
                return
        raise AssertionError(f"no such command is known here: {shlex.join(words)}")

    def _change_node(self, words: list[str]) -> bool:
        match words:
            case ["kubectl", "uncordon", name]:
                spec = self.find("Node", name)["spec"]
                spec.pop("unschedulable", None)
                taints = [t for t in spec.get("taints", []) if t["key"] != UNSCHEDULABLE]
                spec["taints"] = taints
            case ["kubectl", "taint", "nodes", name, taint]:
                spec = self.find("Node", name)["spec"]
                kept = [t for t in spec["taints"] if _shown(t) != taint.removesuffix("-")]
                spec["taints"] = kept
            case ["kubectl", "label", "nodes", name, label, "--overwrite"]:
                _label(self.find("Node", name), label)
            case ["kubectl", "label", "nodes", "-l", selector, label]:
                for node in self._all("Node"):
                    if _selected(node, selector):
                        _label(node, label, overwrite=False)
            case ["kubectl", "label", "nodes", *names, label]:
                for name in names:
                    _label(self.find("Node", name), label, overwrite=False)
            case _:
                return False
        return True

    def _delete(self, words: list[str]) -> bool:
        match words:
            case ["kubectl", "delete", "pod", "-n", namespace, name]:
                pod = self.find("Pod", name, namespace)
                self.objects.remove(pod)
                self.deleted.append(pod)
            case ["kubectl", "delete", "pod", "-n", namespace, name, "--grace-period=0", "--force"]:
                self.objects.remove(self.find("Pod", name, namespace))
            case ["kubectl", "patch", "pod", "-n", namespace, name, "--type=merge", "-p", body]:
                pod = self.find("Pod", name, namespace)  # it has been deleted and is only held
                assert json.loads(body) == {"metadata": {"finalizers": None}}
                self.objects.remove(pod)
            case ["kubectl", "delete", "pvc", "-n", namespace, name, "--wait=false"]:
                self._delete_claim(self.find("PersistentVolumeClaim", name, namespace))
            case _:
                return False
        return True

    def _create_or_change(self, words: list[str]) -> bool:
        match words:
            case ["kubectl", "create", "priorityclass", name, value]:
                number = int(value.removeprefix("--value="))
                item = {"metadata": {"name": name, "uid": name}, "value": number}
                meta = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
                self.objects.append({**meta, **item})
            case ["kubectl", "patch", "runtimeclass", _, "--type=merge", "-p", body]:
                self.target["spec"]["overhead"].update(json.loads(body)["overhead"]["podFixed"])
            case ["kubectl", "set", "resources", _, "-n", _, "-c", name, *amounts]:
                self._set_resources(name, amounts)
            case ["kubectl", "patch", workload, "-n", namespace, "--type=json", "-p", body]:
                kind, _, name = workload.partition("/")
                self._patch_template(kind, name, namespace, json.loads(body))
            case ["kubectl", "get", "pod", name, "-n", namespace, "-o", "json", "|", *rest]:
                self._replace(self.find("Pod", name, namespace), rest)
            case _:
                return False
        return True

    def _set_resources(self, container: str, amounts: list[str]) -> None:
        """For the pending pod alone: it is the one that the template is changed for."""
        (own,) = [c for c in self.target["spec"]["containers"] if c["name"] == container]
        for each in amounts:
            field, _, pairs = each.removeprefix("--").partition("=")
            values = dict(pair.split("=") for pair in pairs.split(","))
            own["resources"].setdefault(field, {}).update(values)

    def _delete_claim(self, claim: Object) -> None:
        self.objects.remove(claim)
        name = claim["spec"].get("volumeName")
        if name:
            volume = self.find("PersistentVolume", name)
            volume["status"] = {"phase": "Released"}
            if volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete":
                self.objects.remove(volume)

    def _patch_template(
        self, kind: str, name: str, namespace: str, operations: list[Mapping[str, Any]]
    ) -> None:
        """Pods of the template are made again; the pending one takes the change with it."""
        (workload,) = [
            item
            for item in self.objects
            if item["kind"].lower() == kind
            and (item["metadata"]["name"], item["metadata"]["namespace"]) == (name, namespace)
        ]
        for operation in operations:
            _patch(workload, operation)
        pods = [
            pod
            for pod in self._all("Pod")
            if any((o["kind"], o["name"]) == (workload["kind"], name) for o in _owners(pod))
        ]
        if any(pod is self.target for pod in pods):
            pods = [self.target]
        for pod in pods:
            _patch_spec(pod, operations)
            pod["spec"].pop("priority", None)
            pod["spec"].pop("preemptionPolicy", None)
            self._admit(pod)
            if pod is not self.target:
                self.objects.remove(pod)
                self._make_again(pod)

    def _replace(self, pod: Object, pipe: list[str]) -> None:
        """`... | kubectl patch --local ... | kubectl replace --force -f -`."""
        before, after = PIPE
        body = pipe[len(before)]
        assert pipe == [*before, body, *after], f"no such command: {shlex.join(pipe)}"
        for operation in json.loads(body):
            _patch(pod, operation)
        assert "nodeName" not in pod["spec"], "it would not be scheduled"
        self._admit(pod)
        if pod is not self.target:
            self.objects.remove(pod)
            self._make_again(pod)

    def _make_again(self, pod: Object) -> None:
        made = copy.deepcopy(pod)
        made["metadata"].pop("deletionTimestamp", None)
        made["spec"].pop("nodeName", None)
        made["status"] = {"phase": "Pending"}
        self.objects.append(made)
        self.made_again.append(made)

    def _admit(self, pod: Object) -> None:
        """The API server computes the priority from the class, and refuses another number."""
        name = pod["spec"].get("priorityClassName")
        if not name:
            return
        value = self.find("PriorityClass", name)["value"]
        assert pod["spec"].get("priority", value) == value, "the API server refuses it"
        pod["spec"]["priority"] = value


def _owners(pod: Object) -> list[Object]:
    owners: list[Object] = pod["metadata"].get("ownerReferences", [])
    return owners


def _label(node: Object, label: str, *, overwrite: bool = True) -> None:
    key, _, value = label.partition("=")
    labels = node["metadata"].setdefault("labels", {})
    assert overwrite or labels.get(key, value) == value, "kubectl overwrites nothing unasked"
    labels[key] = value


def _selected(node: Object, selector: str) -> bool:
    """The two forms that are used here: key=value and !key."""
    labels = node["metadata"].get("labels", {})
    for part in selector.split(","):
        key, _, value = part.partition("=")
        if part.startswith("!"):
            if part[1:] in labels:
                return False
        elif labels.get(key) != value:
            return False
    return True


def _shown(taint: Mapping[str, str]) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint['key']}{value}:{taint['effect']}"


def _patch_spec(pod: Object, operations: Iterable[Mapping[str, Any]]) -> None:
    """The operations on a template or on a pod, made to a pod."""
    for operation in operations:
        moved = {
            key: operation[key].removeprefix(TEMPLATE)
            for key in ("from", "path")
            if key in operation
        }
        _patch(pod, {**operation, **moved})


def _patch(item: Object, operation: Mapping[str, Any]) -> None:
    """One operation of RFC 6902; a path that does not exist is an error, as it is for kubectl."""
    if operation["op"] == "move":
        place, key = _place(item, operation["from"])
        value = place.pop(key)
        place, key = _place(item, operation["path"])
        place.insert(key, value)
        return
    place, key = _place(item, operation["path"])
    match operation["op"]:
        case "remove":
            del place[key]
        case "add" if isinstance(place, list):
            place.insert(len(place) if key == "-" else key, operation["value"])
        case "replace":
            assert key in place if isinstance(place, dict) else key < len(place)
            place[key] = operation["value"]
        case _:
            place[key] = operation["value"]


def _place(item: Any, path: str) -> tuple[Any, Any]:
    *parents, last = [
        part.replace("~1", "/").replace("~0", "~") for part in path.removeprefix("/").split("/")
    ]
    for part in parents:
        item = item[int(part) if isinstance(item, list) else part]
    if isinstance(item, list) and last != "-":
        return item, int(last)
    return item, last
