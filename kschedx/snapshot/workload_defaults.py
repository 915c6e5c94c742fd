"""The defaults of what makes pods: controllers and the templates in them.

Upstream: pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go (v1.35.4).
Differences: only what scheduling and rollouts read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from kschedx.api.meta import Object
from kschedx.api.pod import Container, PodTemplate
from kschedx.api.workloads import (
    ClaimRetentionPolicy,
    DaemonSet,
    Deployment,
    Job,
    ReplicaSet,
    ReplicationController,
    RollingUpdateDaemonSet,
    RollingUpdateDeployment,
    RollingUpdateStatefulSet,
    StatefulSet,
)
from kschedx.snapshot.server import Server
from kschedx.snapshot.spec_defaults import (
    claim_spec,
    spec_changes,
    with_ports,
    with_volume_defaults,
)

ROLLING_UPDATE: Final = "RollingUpdate"
REVISIONS_KEPT: Final = 10
DEADLINE_SECONDS: Final = 600


def _template(template: PodTemplate) -> PodTemplate:
    """A template gets less than a pod: requests from limits come when the pod is made."""
    spec = template.spec
    changes = spec_changes(spec)
    for field in ("containers", "init_containers"):
        containers: tuple[Container, ...] = getattr(spec, field)
        complete = tuple(with_ports(container, host_network=False) for container in containers)
        if complete != containers:
            changes[field] = complete
    volumes = with_volume_defaults(spec.volumes)
    if volumes is not spec.volumes:
        changes["volumes"] = volumes
    return replace(template, spec=replace(spec, **changes)) if changes else template


def _replication_controller(item: ReplicationController, server: Server) -> ReplicationController:
    spec = item.spec
    template = None if spec.template is None else _template(spec.template)
    labels = {} if template is None else template.metadata.labels
    return replace(
        item,
        metadata=replace(item.metadata, labels=item.metadata.labels or labels),
        spec=replace(
            spec,
            replicas=1 if spec.replicas is None else spec.replicas,
            selector=spec.selector or labels,
            template=template,
        ),
    )


def _replica_set(item: ReplicaSet, server: Server) -> ReplicaSet:
    spec = item.spec
    replicas = 1 if spec.replicas is None else spec.replicas
    return replace(item, spec=replace(spec, replicas=replicas, template=_template(spec.template)))


def _deployment(item: Deployment, server: Server) -> Deployment:
    spec, strategy = item.spec, item.spec.strategy
    if not strategy.type:
        strategy = replace(strategy, type=ROLLING_UPDATE)
    if strategy.type == ROLLING_UPDATE:
        rolling = strategy.rolling_update or RollingUpdateDeployment()
        rolling = RollingUpdateDeployment(
            max_unavailable="25%" if rolling.max_unavailable is None else rolling.max_unavailable,
            max_surge="25%" if rolling.max_surge is None else rolling.max_surge,
        )
        strategy = replace(strategy, rolling_update=rolling)
    return replace(
        item,
        spec=replace(
            spec,
            replicas=1 if spec.replicas is None else spec.replicas,
            strategy=strategy,
            revision_history_limit=_or(spec.revision_history_limit, REVISIONS_KEPT),
            progress_deadline_seconds=_or(spec.progress_deadline_seconds, DEADLINE_SECONDS),
            template=_template(spec.template),
        ),
    )


def _or(stated: int | None, default: int) -> int:
    return default if stated is None else stated


def _daemon_set(item: DaemonSet, server: Server) -> DaemonSet:
    strategy = item.spec.update_strategy
    if not strategy.type:
        strategy = replace(strategy, type=ROLLING_UPDATE)
    if strategy.type == ROLLING_UPDATE:
        rolling = strategy.rolling_update or RollingUpdateDaemonSet()
        rolling = RollingUpdateDaemonSet(
            max_unavailable=1 if rolling.max_unavailable is None else rolling.max_unavailable,
            max_surge=0 if rolling.max_surge is None else rolling.max_surge,
        )
        strategy = replace(strategy, rolling_update=rolling)
    template = _template(item.spec.template)
    return replace(item, spec=replace(item.spec, update_strategy=strategy, template=template))


def _stateful_set(item: StatefulSet, server: Server) -> StatefulSet:
    """`type: RollingUpdate` written out without `rollingUpdate` stays without, as upstream."""
    spec, strategy = item.spec, item.spec.update_strategy
    rolling = strategy.rolling_update
    if not strategy.type:
        strategy = replace(strategy, type=ROLLING_UPDATE)
        rolling = rolling or RollingUpdateStatefulSet()
    if strategy.type == ROLLING_UPDATE and rolling is not None:
        most = rolling.max_unavailable
        if most is None and server.enabled("MaxUnavailableStatefulSet"):
            most = 1
        rolling = RollingUpdateStatefulSet(_or(rolling.partition, 0), most)
    retention = spec.persistent_volume_claim_retention_policy or ClaimRetentionPolicy()
    return replace(
        item,
        spec=replace(
            spec,
            replicas=_or(spec.replicas, 1),
            pod_management_policy=spec.pod_management_policy or "OrderedReady",
            update_strategy=replace(strategy, rolling_update=rolling),
            revision_history_limit=_or(spec.revision_history_limit, REVISIONS_KEPT),
            persistent_volume_claim_retention_policy=ClaimRetentionPolicy(
                retention.when_deleted or "Retain", retention.when_scaled or "Retain"
            ),
            template=_template(spec.template),
            volume_claim_templates=tuple(
                replace(claim, spec=claim_spec(claim.spec)) for claim in spec.volume_claim_templates
            ),
        ),
    )


def _job(job: Job, server: Server) -> Job:
    spec = job.spec
    both = spec.completions is None and spec.parallelism is None
    return replace(
        job,
        spec=replace(
            spec,
            completions=1 if both else spec.completions,
            parallelism=_or(spec.parallelism, 1),
            template=_template(spec.template),
        ),
    )


RULES: Final[Mapping[type[Object], Callable[[Any, Server], Any]]] = {
    ReplicationController: _replication_controller,
    ReplicaSet: _replica_set,
    Deployment: _deployment,
    DaemonSet: _daemon_set,
    StatefulSet: _stateful_set,
    Job: _job,
}
