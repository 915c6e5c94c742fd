"""Manifests -> objects to be applied: what `helm template` or `kustomize build` prints.

As reading a cluster's files, and besides: a namespace for objects that name none, CronJobs, and
HorizontalPodAutoscalers, of which a cluster's snapshot has no use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from kschedx.api.meta import Object, Struct
from kschedx.api.workloads import JobSpec
from kschedx.snapshot.decode import collector_off, read_document
from kschedx.snapshot.gathering import DEFAULT_NAMESPACE, Gathering, Shelf
from kschedx.snapshot.kinds import Kind
from kschedx.snapshot.snapshot import Snapshot, Source
from kschedx.snapshot.sources import documents


class JobTemplate(Struct, frozen=True):
    """What a CronJob makes Jobs from."""

    spec: JobSpec = JobSpec()


class CronJobSpec(Struct, frozen=True):
    """When is of no matter: the next run is what is checked."""

    suspend: bool = False
    job_template: JobTemplate = JobTemplate()


class CronJob(Object, frozen=True, kw_only=True):
    """Upstream: api/batch/v1 (v1.35.4)."""

    spec: CronJobSpec = CronJobSpec()


class ScaleTarget(Struct, frozen=True):
    """The workload whose replicas an autoscaler sets."""

    kind: str = ""
    name: str = ""


class AutoscalerSpec(Struct, frozen=True):
    """Between which sizes."""

    scale_target_ref: ScaleTarget = ScaleTarget()
    min_replicas: int | None = None
    max_replicas: int = 0


class HorizontalPodAutoscaler(Object, frozen=True, kw_only=True):
    """Upstream: api/autoscaling/v2 (v1.35.4)."""

    spec: AutoscalerSpec = AutoscalerSpec()


@dataclass(frozen=True, slots=True)
class _Namespaced(Kind):
    """A kind that only manifests hold."""

    @property
    def namespaced(self) -> bool:
        return True


_FURTHER: Final = {
    ("batch", "CronJob"): _Namespaced(CronJob, ("batch",), "cronjobs"),
    ("autoscaling", "HorizontalPodAutoscaler"): _Namespaced(
        HorizontalPodAutoscaler, ("autoscaling",), "horizontalpodautoscalers"
    ),
}


@dataclass(frozen=True)
class Manifests:
    """What is to be applied, as it is written: no defaults, no admission."""

    objects: Snapshot = field(default_factory=Snapshot)
    """Of the kinds that a cluster's snapshot has; with notes and sources."""
    cron_jobs: tuple[CronJob, ...] = ()
    autoscalers: tuple[HorizontalPodAutoscaler, ...] = ()
    passed_over: tuple[str, ...] = ()
    """Notes on what was not read."""

    def source(self, item: Object) -> Source | None:
        """Where the object stands; None for one that is not of these manifests."""
        key = f"{item.namespace}/{item.name}"
        sources = self.objects.sources
        return sources.get((type(item), key)) or sources.get((type(item), item.name))


class _ManifestGathering(Gathering):
    """Takes more kinds than a cluster's files have a use for."""

    def __init__(self, namespace: str) -> None:
        super().__init__()
        self._namespace = namespace

    def shelf(self, api_version: str, kind: str) -> Shelf | None:
        group = api_version.partition("/")[0]
        further = _FURTHER.get((group, kind))
        if further is None:
            return super().shelf(api_version, kind)
        if further.type not in self._shelves:
            self._shelves[further.type] = Shelf(further)
        return self._shelves[further.type]

    def put(self, shelf: Shelf, item: Object, source: Source) -> None:
        if shelf.namespaced and not item.metadata.namespace:
            item = replace(item, metadata=replace(item.metadata, namespace=self._namespace))
        super().put(shelf, item, source)


def read_manifests(paths: Sequence[str], namespace: str | None = None) -> Manifests:
    """All objects of files, folders or standard input ("-"); a later one of a name wins.

    `namespace` is taken where an object names none. Files without any object that scheduling
    reads are no error. Raises KschedxError, with the place, for what cannot be read.
    """
    gathering = _ManifestGathering(namespace or DEFAULT_NAMESPACE)
    with collector_off():
        for path in paths:
            for document in documents(path):
                read_document(document, gathering)
        gathering.check_quantities()
    found = gathering.snapshot()
    kept = {k: v for k, v in found.objects.items() if k not in (CronJob, HorizontalPodAutoscaler)}
    return Manifests(
        objects=Snapshot(objects=kept, sources=found.sources),
        cron_jobs=tuple(found.all(CronJob).values()),
        autoscalers=tuple(found.all(HorizontalPodAutoscaler).values()),
        passed_over=found.notes,
    )
