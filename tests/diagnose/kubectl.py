"""The changes that hints propose, made to stored objects as kubectl and the API server make them."""

import copy
import shlex
from collections.abc import Mapping
from typing import Any

from kschedx.diagnose.remedies import Step
from kschedx.framework.cluster_edits import AddNode
from kschedx.framework.edit import Edit
from kschedx.framework.pod_edits import RaisePriority

Object = dict[str, Any]
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


class Objects:
    """What a cluster holds; changes are made in place."""

    def __init__(self, objects: list[Object], pod: str) -> None:
        self.objects = copy.deepcopy(objects)
        self.namespace, _, self.name = pod.partition("/")
        spec = self.find("Pod", self.name, self.namespace)["spec"]
        for container in (*spec["containers"], *spec.get("initContainers", [])):
            resources = container.setdefault("resources", {})
            limits = resources.get("limits", {})  # the API server takes them for requests
            resources["requests"] = {**limits, **resources.get("requests", {})}

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
        elif step.command:
            for command in step.command.split(" && "):
                self._run(shlex.split(command))
        else:
            pod = self.find("Pod", self.name, self.namespace)
            for operation in step.patch:
                _patch(pod, operation)
            if isinstance(edit, RaisePriority):  # the API server looks the class up
                pod["spec"]["priority"] = edit.priority

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

    def _run(self, words: list[str]) -> None:
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
                key, _, value = label.partition("=")
                self.find("Node", name)["metadata"].setdefault("labels", {})[key] = value
            case ["kubectl", "delete", "pod", "-n", namespace, name]:
                self.objects.remove(self.find("Pod", name, namespace))
            case _:
                raise AssertionError(f"no such command is known here: {shlex.join(words)}")


def _shown(taint: Mapping[str, str]) -> str:
    value = f"={taint['value']}" if taint.get("value") else ""
    return f"{taint['key']}{value}:{taint['effect']}"


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
