"""Target: a workload of the manifests, as an API server would store it beside what is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from kschedx.api.change import replaced
from kschedx.api.meta import Object
from kschedx.api.pod import Pod, PodSpec, PodTemplate
from kschedx.api.workloads import (
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedx.gate.findings import ObjectName
from kschedx.rollout.live_pod import Owner
from kschedx.snapshot.defaults import defaulted
from kschedx.snapshot.manifests import CronJob, HorizontalPodAutoscaler, Manifests
from kschedx.snapshot.server import Server
from kschedx.snapshot.snapshot import Snapshot, Source

Change = Literal["new", "scaled", "changed", "same"]
NEW: Final = "new"
SCALED: Final = "scaled"
CHANGED: Final = "changed"
SAME: Final = "same"
_KINDS: tuple[type[Object], ...] = (
    Deployment,
    StatefulSet,
    DaemonSet,
    ReplicaSet,
    ReplicationController,
    Job,
    Pod,
)
_SCALABLE = (Deployment, StatefulSet, ReplicaSet, ReplicationController)


@dataclass(frozen=True, slots=True)
class Target:
    """Something that has pods, or a bare pod."""

    item: Object
    """As it is applied, with defaults."""
    before: Object | None
    """As the cluster has it."""
    shown: ObjectName
    """As the manifest names it: a CronJob is played as a Job of one run."""
    place: Source | None
    change: Change

    @property
    def owner(self) -> Owner:
        return Owner.of(self.item)

    @property
    def pod(self) -> bool:
        """A bare pod."""
        return isinstance(self.item, Pod)

    @property
    def template(self) -> PodTemplate:
        return template_of(self.item)


def template_of(item: Object) -> PodTemplate:
    """What the object's pods are made from; of a bare pod itself."""
    if isinstance(item, Pod):
        return PodTemplate(metadata=item.metadata, spec=item.spec)
    template = getattr(getattr(item, "spec", None), "template", None)
    return template if isinstance(template, PodTemplate) else PodTemplate()


def targets(manifests: Manifests, snapshot: Snapshot, server: Server) -> list[Target]:
    """All of them, in the order of the manifests' kinds and names. `snapshot`: the cluster."""
    sizes = {
        (scaler.spec.scale_target_ref.kind, scaler.namespace, scaler.spec.scale_target_ref.name): (
            scaler
        )
        for scaler in manifests.autoscalers
    }
    found = []
    for kind in _KINDS:
        for key, raw in manifests.objects.all(kind).items():
            before = snapshot.get(kind, key)
            item = defaulted(_sized(raw, before, sizes), server)
            if before is not None:
                item = replaced(item, metadata=before.metadata)
            found.append(
                Target(
                    item,
                    before,
                    ObjectName.of(raw),
                    manifests.source(raw),
                    _change(before, item),
                )
            )
    found += _runs(manifests.cron_jobs, manifests, snapshot, server)
    return sorted(found, key=lambda target: (target.place is None, _order(target.place)))


def _order(place: Source | None) -> tuple[str, int, int]:
    return ("", 0, 0) if place is None else (place.file, place.line, place.column)


def _sized(
    item: Object,
    before: Object | None,
    sizes: Mapping[tuple[str, str, str], HorizontalPodAutoscaler],
) -> Object:
    """With the replicas that it will have: as it says, as it has now, as its autoscaler wants."""
    if not isinstance(item, _SCALABLE):
        return item
    replicas = item.spec.replicas
    if isinstance(before, _SCALABLE) and replicas is None:
        replicas = before.spec.replicas
    scaler = sizes.get((type(item).__name__, item.namespace, item.name))
    if scaler is not None:
        now = before.spec.replicas if isinstance(before, _SCALABLE) else replicas
        least = 1 if scaler.spec.min_replicas is None else scaler.spec.min_replicas
        replicas = max(least, min(1 if now is None else now, scaler.spec.max_replicas or least))
    return _with_replicas(item, replicas)


def _with_replicas(item: Object, replicas: int | None) -> Object:
    spec: Any = getattr(item, "spec", None)
    return replaced(item, spec=replaced(spec, replicas=replicas))


def _change(before: Object | None, item: Object) -> Change:
    if before is None:
        return NEW
    if isinstance(item, Pod | Job):
        return SAME  # their templates cannot be changed
    if template_of(before) != template_of(item):
        return CHANGED if isinstance(item, Deployment | StatefulSet | DaemonSet) else SAME
    was, now = replicas_of(before), replicas_of(item)
    return SCALED if now > was else SAME


def replicas_of(item: Object) -> int:
    """How many pods the spec asks for; 0 for a DaemonSet, which has no number."""
    if isinstance(item, Pod):
        return 1
    if isinstance(item, Job):
        return pods_of_job(item)
    if isinstance(item, _SCALABLE):
        return 1 if item.spec.replicas is None else item.spec.replicas
    return 0


def pods_of_job(job: Job) -> int:
    """How many pods a new Job has at once."""
    spec = job.spec
    if spec.suspend:
        return 0
    parallelism = 1 if spec.parallelism is None else spec.parallelism
    return parallelism if spec.completions is None else min(parallelism, spec.completions)


def _runs(
    cron_jobs: Iterable[CronJob], manifests: Manifests, snapshot: Snapshot, server: Server
) -> Iterator[Target]:
    """The next run of every CronJob that is not suspended."""
    for cron in cron_jobs:
        if cron.spec.suspend:
            continue
        name = f"{cron.name}-next-run"
        metadata = replaced(cron.metadata, name=name)
        job = defaulted(Job(metadata=metadata, spec=cron.spec.job_template.spec), server)
        shown = ObjectName("CronJob", cron.namespace, cron.name)
        yield Target(job, None, shown, manifests.source(cron), NEW)


def needs_alike(before: PodSpec, after: PodSpec) -> bool:
    """Whether only images differ, which no rule but ImageLocality looks at."""
    if len(before.containers) != len(after.containers):
        return False
    containers = tuple(
        replaced(new, image=old.image)
        for old, new in zip(before.containers, after.containers, strict=True)
    )
    return replaced(after, containers=containers) == before
