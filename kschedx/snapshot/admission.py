"""What an API server adds to an object when it is created: for objects that never passed one.

Upstream: plugin/pkg/admission/{limitranger,priority,defaulttolerationseconds,runtimeclass},
plugin/pkg/admission/storage/storageclass/setdefault, pkg/registry/core/pod/strategy.go (v1.35.4).
Differences: nothing is refused; what a server would refuse is said, and the object is kept as far
as it goes. A pod keeps the status, the node and the priority that it states.

An object with a metadata.uid has passed an API server, and is left alone.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from msgspec.structs import replace

from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.pod import Pod, Toleration
from kschedx.api.policy import LimitRange
from kschedx.api.quantity import Quantity, nano
from kschedx.api.scheduling import SYSTEM_PRIORITIES, PriorityClass, RuntimeClass
from kschedx.api.storage import PersistentVolumeClaim, StorageClass
from kschedx.snapshot.defaults import pod_defaults
from kschedx.snapshot.label_keys import with_label_keys
from kschedx.snapshot.node_taints import with_condition_taints
from kschedx.snapshot.pod_level import with_pod_level_requests
from kschedx.snapshot.server import Server
from kschedx.snapshot.snapshot import Snapshot
from kschedx.snapshot.toleration_merge import merged

TOLERATED_SECONDS: Final = 300
_PREEMPT: Final = "PreemptLowerPriority"
_NOT_READY: Final = "node.kubernetes.io/not-ready"
_UNREACHABLE: Final = "node.kubernetes.io/unreachable"
_NO_EXECUTE: Final = "NoExecute"
_DEFAULT_CLASS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"

Say = Callable[[str], None]


def with_admission(snapshot: Snapshot, server: Server) -> Snapshot:
    """The snapshot with its raw objects as an API server would have stored them.

    Defaults must have been applied. What a server would refuse, and what cannot be told for want
    of a kind, is added to the notes.
    """
    admission = Admission(snapshot, server)
    said: dict[str, None] = {}
    objects: dict[type[Object], Mapping[str, Object]] = dict(snapshot.objects)
    for kind in (Pod, Node, PersistentVolumeClaim):
        raw = {key: item for key, item in snapshot.all(kind).items() if not item.metadata.uid}
        if raw:
            admitted = {key: _admit(admission, item, said) for key, item in raw.items()}
            objects[kind] = {**snapshot.all(kind), **admitted}
    notes = (*snapshot.notes, *said)
    return dataclasses.replace(snapshot, objects=objects, notes=notes)


def _admit(admission: Admission, item: Object, said: dict[str, None]) -> Object:
    if isinstance(item, Pod):
        pod, remarks = admission.pod(item)
        said.update(dict.fromkeys(remarks))
        return pod
    if isinstance(item, Node):
        return with_condition_taints(item)
    return admission.claim(item) if isinstance(item, PersistentVolumeClaim) else item


@dataclass(frozen=True)
class Admission:
    """The admission plugins of an API server that holds these objects."""

    snapshot: Snapshot
    server: Server

    def pod(self, pod: Pod) -> tuple[Pod, tuple[str, ...]]:
        """A new pod as it would be stored, and what there is to say of it."""
        remarks: list[str] = []
        say = remarks.append
        pod = self._with_limits(pod)
        pod = self._with_priority(pod, say)
        pod = replace(pod, spec=replace(pod.spec, tolerations=_with_waits(pod)))
        pod = self._with_runtime(pod, say)
        pod = with_label_keys(pod, self.server)
        if self.server.enabled("PodLevelResources") and self.server.enabled(
            "PodLevelResourcesFixDefaulting"
        ):
            pod = with_pod_level_requests(pod, from_requests_alone=True)
        if not pod.status.phase:
            pod = replace(pod, status=replace(pod.status, phase="Pending"))
        pod = pod_defaults(pod, self.server)  # once more, as whenever a stored pod is read
        return pod, tuple(f"Pod {pod.key}: {remark}" for remark in remarks)

    def claim(self, claim: PersistentVolumeClaim) -> PersistentVolumeClaim:
        """A new claim with the default storage class, if it names none and there is one."""
        if claim.spec.storage_class_name is not None:
            return claim
        if _CLASS_ANNOTATION in claim.metadata.annotations or self._default_class is None:
            return claim
        return replace(claim, spec=replace(claim.spec, storage_class_name=self._default_class))

    @cached_property
    def _default_class(self) -> str | None:
        """The newest of the default classes, of equally old ones the first by name."""
        marked = [
            item
            for item in self.snapshot.all(StorageClass).values()
            if any(item.metadata.annotations.get(key) == "true" for key in _DEFAULT_CLASS)
        ]
        marked.sort(key=lambda item: item.name)
        marked.sort(key=lambda item: item.metadata.creation_timestamp or "", reverse=True)
        return marked[0].name if marked else None

    @cached_property
    def _limits(self) -> Mapping[str, tuple[LimitRange, ...]]:
        """LimitRanges by namespace; upstream takes them in no particular order, here by name."""
        found: dict[str, list[LimitRange]] = {}
        for item in sorted(self.snapshot.all(LimitRange).values(), key=lambda item: item.name):
            found.setdefault(item.namespace, []).append(item)
        return {namespace: tuple(items) for namespace, items in found.items()}

    def _with_limits(self, pod: Pod) -> Pod:
        """Upstream: limitranger, mergePodResourceRequirements."""
        for limit_range in self._limits.get(pod.namespace, ()):
            requests: dict[str, Quantity] = {}
            limits: dict[str, Quantity] = {}
            for limit in limit_range.spec.limits:
                if limit.type == "Container":
                    requests |= limit.default_request
                    limits |= limit.default
            pod = _with_missing(pod, requests, limits)
        return pod

    @cached_property
    def _default_priority(self) -> PriorityClass | None:
        """The global default; of several the one with the lowest value."""
        marked = [c for c in self.snapshot.all(PriorityClass).values() if c.global_default]
        return min(marked, key=lambda item: (item.value, item.name)) if marked else None

    def _with_priority(self, pod: Pod, say: Say) -> Pod:
        """Upstream: priority, admitPod."""
        name = pod.spec.priority_class_name
        found = self.snapshot.get(PriorityClass, name) if name else self._default_priority
        if found is not None:
            value, policy, name = found.value, found.preemption_policy, found.name
        elif not name or name in SYSTEM_PRIORITIES:
            value, policy = SYSTEM_PRIORITIES.get(name, 0), _PREEMPT
        elif self.snapshot.read(PriorityClass):
            say(f"an API server would refuse it: there is no PriorityClass {name}")
            return pod
        else:
            say(f"its priority is not known: the files hold no PriorityClass {name}")
            return pod
        stated = pod.spec.priority
        if stated is not None and stated != value:
            say(
                f"an API server would refuse its priority {stated}: "
                f"{f'PriorityClass {name}' if name else 'a pod without a class'} has {value}"
            )
            value = stated
        return replace(
            pod,
            spec=replace(
                pod.spec,
                priority=value,
                priority_class_name=name,
                preemption_policy=pod.spec.preemption_policy or policy,
            ),
        )

    def _with_runtime(self, pod: Pod, say: Say) -> Pod:
        """Upstream: runtimeclass, setOverhead and setScheduling."""
        name = pod.spec.runtime_class_name
        if name is None:
            return pod
        found = self.snapshot.get(RuntimeClass, name)
        if found is None:
            known = self.snapshot.read(RuntimeClass)
            say(
                f"an API server would refuse it: there is no RuntimeClass {name}"
                if known
                else f"what RuntimeClass {name} adds to it is not known: the files do not hold it"
            )
            return pod
        changes: dict[str, Any] = {}
        if found.overhead is not None:
            stated, fixed = pod.spec.overhead, found.overhead.pod_fixed
            if stated and _amounts(stated) != _amounts(fixed):
                say(f"an API server would refuse its overhead: RuntimeClass {name} has another")
            else:
                changes["overhead"] = fixed
        if found.scheduling is not None:
            wanted, own = found.scheduling.node_selector, pod.spec.node_selector
            for key in sorted(wanted.keys() & own.keys()):
                if wanted[key] != own[key]:
                    say(
                        f"an API server would refuse it: RuntimeClass {name} selects nodes "
                        f"with {key}={wanted[key]}, the pod {key}={own[key]}"
                    )
            changes["node_selector"] = {**wanted, **own}
            changes["tolerations"] = merged(pod.spec.tolerations, found.scheduling.tolerations)
        return replace(pod, spec=replace(pod.spec, **changes)) if changes else pod


def _amounts(resources: Mapping[str, Quantity]) -> dict[str, int]:
    return {name: nano(quantity) for name, quantity in resources.items()}


def _with_missing(
    pod: Pod, requests: Mapping[str, Quantity], limits: Mapping[str, Quantity]
) -> Pod:
    """The pod with these in every container that states nothing itself."""
    changes: dict[str, Any] = {}
    for field in ("containers", "init_containers"):
        changes[field] = tuple(
            replace(
                container,
                resources=replace(
                    container.resources,
                    requests={**requests, **container.resources.requests},
                    limits={**limits, **container.resources.limits},
                ),
            )
            for container in getattr(pod.spec, field)
        )
    return replace(pod, spec=replace(pod.spec, **changes))


def _with_waits(pod: Pod) -> tuple[Toleration, ...]:
    """Five minutes on a node that is not ready or unreachable. Upstream: DefaultTolerationSeconds."""
    return (*pod.spec.tolerations, *_waits(pod))


def _waits(pod: Pod) -> Iterator[Toleration]:
    for key in (_NOT_READY, _UNREACHABLE):
        if not any(
            toleration.key in (key, "") and toleration.effect in (_NO_EXECUTE, "")
            for toleration in pod.spec.tolerations
        ):
            yield Toleration(
                key=key,
                operator="Exists",
                effect=_NO_EXECUTE,
                toleration_seconds=TOLERATED_SECONDS,
            )
