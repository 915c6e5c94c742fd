"""A workload's pods: those that exist, those that wait, and those that were never created and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kschedx.api.meta import Object
from kschedx.api.pod import Pod, PodTemplate
from kschedx.api.policy import ResourceQuota
from kschedx.api.quantity import PODS, amount, show_each
from kschedx.api.scheduling import SYSTEM_PRIORITIES, PriorityClass
from kschedx.api.workloads import (
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
    WorkloadCondition,
)
from kschedx.framework.accounting import Accounting, in_units, pod_requests
from kschedx.snapshot.snapshot import Snapshot

Workload = Deployment | StatefulSet | DaemonSet | Job | ReplicaSet | ReplicationController
WORKLOADS: tuple[type[Workload], ...] = (
    Deployment,
    StatefulSet,
    DaemonSet,
    Job,
    ReplicaSet,
    ReplicationController,
)


@dataclass(frozen=True, slots=True)
class NotCreated:
    """Why a pod that the workload wants does not exist."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class WorkloadState:
    """How many pods the workload wants and has."""

    kind: str
    namespace: str
    name: str
    wanted: int
    existing: int
    """Living pods that are not being deleted."""
    pending: int
    """Of these, those without a node."""
    not_created: tuple[NotCreated, ...] = ()
    """The causes that the snapshot shows, where pods are missing."""

    @property
    def missing(self) -> int:
        """Pods that are wanted and do not exist."""
        return max(0, self.wanted - self.existing)


def replica_sets_of(snapshot: Snapshot, workload: Deployment) -> tuple[ReplicaSet, ...]:
    """The ReplicaSets that the Deployment controls, in the snapshot's order."""
    return tuple(
        item
        for item in snapshot.all(ReplicaSet).values()
        if item.namespace == workload.namespace and _controlled_by(item, workload)
    )


def _controlled_by(item: Object, workload: Object) -> bool:
    owner = item.metadata.controller
    return owner is not None and (owner.kind, owner.name) == (
        type(workload).__name__,
        workload.name,
    )


def pods_of(snapshot: Snapshot, workload: Workload) -> tuple[Pod, ...]:
    """The workload's pods, finished ones included, in the snapshot's order.

    A Deployment's are found through its ReplicaSets, or by the name that such a one has where it
    was not read.
    """
    pods = [pod for pod in snapshot.all(Pod).values() if pod.namespace == workload.namespace]
    if not isinstance(workload, Deployment):
        return tuple(pod for pod in pods if _controlled_by(pod, workload))
    names = {item.name for item in replica_sets_of(snapshot, workload)}
    found = []
    for pod in pods:
        owner = pod.metadata.controller
        hashed = f"{workload.name}-{pod.labels.get('pod-template-hash', '')}"
        if owner is not None and owner.kind == "ReplicaSet" and owner.name in {*names, hashed}:
            found.append(pod)
    return tuple(found)


def state_of(snapshot: Snapshot, workload: Workload, accounting: Accounting) -> WorkloadState:
    """Count the workload's pods, and look for what keeps the missing ones from being created."""
    pods = [pod for pod in pods_of(snapshot, workload) if not pod.terminal]
    living = [pod for pod in pods if not pod.terminating]
    wanted = _wanted(snapshot, workload)
    not_created: tuple[NotCreated, ...] = ()
    if wanted > len(living):
        not_created = tuple(dict.fromkeys(_obstacles(snapshot, workload, living, accounting)))
    elif isinstance(workload, Job) and workload.spec.suspend:
        not_created = (NotCreated("suspended", "the Job is suspended"),)
    return WorkloadState(
        kind=type(workload).__name__,
        namespace=workload.namespace,
        name=workload.name,
        wanted=wanted,
        existing=len(living),
        pending=sum(not pod.spec.node_name for pod in living),
        not_created=not_created,
    )


def _wanted(snapshot: Snapshot, workload: Workload) -> int:
    if isinstance(workload, DaemonSet):
        return workload.status.desired_number_scheduled
    if isinstance(workload, Job):
        return _wanted_by_job(workload)
    wanted = 1 if workload.spec.replicas is None else workload.spec.replicas
    if isinstance(workload, Deployment):
        # In a rollout old and new pods exist side by side.
        sets = replica_sets_of(snapshot, workload)
        wanted = max(wanted, sum(item.spec.replicas or 0 for item in sets))
    return wanted


def _wanted_by_job(job: Job) -> int:
    ended = any(
        c.type in ("Complete", "Failed") and c.status == "True" for c in job.status.conditions
    )
    if job.spec.suspend or ended:
        return 0
    parallelism = 1 if job.spec.parallelism is None else job.spec.parallelism
    if job.spec.completions is None:
        return parallelism
    return max(0, min(parallelism, job.spec.completions - job.status.succeeded))


def _template(workload: Workload) -> PodTemplate:
    return workload.spec.template or PodTemplate()


def _obstacles(
    snapshot: Snapshot, workload: Workload, living: Sequence[Pod], accounting: Accounting
) -> Iterator[NotCreated]:
    yield from _recorded_failures(snapshot, workload)
    name = _template(workload).spec.priority_class_name
    if (
        name
        and name not in SYSTEM_PRIORITIES
        and snapshot.read(PriorityClass)
        and snapshot.get(PriorityClass, name) is None
    ):
        message = f"the template asks for PriorityClass {name}, which does not exist"
        yield NotCreated("priority-class-missing", message)
    yield from _exceeded_quotas(snapshot, workload, accounting)
    if isinstance(workload, StatefulSet) and workload.spec.pod_management_policy != "Parallel":
        for pod in living:
            ready = pod.condition("Ready")
            if ready is None or ready.status != "True":
                message = f"the next pod waits until {pod.name} is Ready (OrderedReady)"
                yield NotCreated("ordered-ready", message)
                return
    if isinstance(workload, Deployment) and workload.spec.paused:
        yield NotCreated("paused", "the Deployment is paused")


def _recorded_failures(snapshot: Snapshot, workload: Workload) -> Iterator[NotCreated]:
    """What the controller itself has recorded, such as a refusal of the API server."""
    holders: list[Workload] = [workload]
    if isinstance(workload, Deployment):
        holders += replica_sets_of(snapshot, workload)
    for holder in holders:
        status = getattr(holder, "status", None)
        conditions: tuple[WorkloadCondition, ...] = getattr(status, "conditions", ())
        for condition in conditions:
            if condition.type == "ReplicaFailure" and condition.status == "True":
                message = f"{condition.reason}: {condition.message}".strip(": ")
                yield NotCreated("creation-refused", message)


def _exceeded_quotas(
    snapshot: Snapshot, workload: Workload, accounting: Accounting
) -> Iterator[NotCreated]:
    pod = Pod(spec=_template(workload).spec)
    needs = {f"requests.{name}": (name, value) for name, value in _needs(pod, accounting).items()}
    needs |= {name: (name, value) for name, value in _needs(pod, accounting).items()}
    needs[PODS] = needs["count/pods"] = (PODS, 1)
    for quota in snapshot.all(ResourceQuota).values():
        if quota.namespace != workload.namespace:
            continue
        if quota.spec.scopes or quota.spec.scope_selector is not None:
            message = f"ResourceQuota {quota.name} counts certain pods only, and was not compared"
            yield NotCreated("quota-not-compared", message)
            continue
        for name, limit in sorted((quota.status.hard or quota.spec.hard).items()):
            if name not in needs:
                continue
            resource, need = needs[name]
            hard = amount(resource, limit)
            used = amount(resource, quota.status.used.get(name, 0))
            if need and used + need > hard:
                taken, most, next_one = show_each(resource, used, hard, need)
                message = (
                    f"ResourceQuota {quota.name}: {name} {taken} used of {most}, the next pod "
                    f"needs {next_one}"
                )
                yield NotCreated("quota-exceeded", message)


def _needs(pod: Pod, accounting: Accounting) -> dict[str, int]:
    return in_units(pod_requests(pod, accounting, use_status=False))
