"""Controllers of pods and Service. Upstream: api/apps/v1, api/batch/v1, api/core/v1 (v1.35.4)."""

from __future__ import annotations

from kschedx.api.meta import LabelSelector, Object, StringMap, Struct
from kschedx.api.pod import PodTemplate
from kschedx.api.storage import PersistentVolumeClaimTemplate

IntOrString = int | str


class Namespace(Object, frozen=True, kw_only=True):
    pass


class ServiceSpec(Struct, frozen=True):
    selector: StringMap = {}


class Service(Object, frozen=True, kw_only=True):
    spec: ServiceSpec = ServiceSpec()


class ReplicationControllerSpec(Struct, frozen=True):
    replicas: int | None = None
    selector: StringMap = {}
    template: PodTemplate | None = None


class ReplicationController(Object, frozen=True, kw_only=True):
    spec: ReplicationControllerSpec = ReplicationControllerSpec()


class ReplicaSetSpec(Struct, frozen=True):
    replicas: int | None = None
    min_ready_seconds: int = 0
    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()


class WorkloadCondition(Struct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None


class ReplicaSetStatus(Struct, frozen=True):
    replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    conditions: tuple[WorkloadCondition, ...] = ()


class ReplicaSet(Object, frozen=True, kw_only=True):
    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaSetStatus = ReplicaSetStatus()


class RollingUpdateStatefulSet(Struct, frozen=True):
    partition: int | None = None
    max_unavailable: IntOrString | None = None


class StatefulSetUpdateStrategy(Struct, frozen=True):
    type: str = ""
    rolling_update: RollingUpdateStatefulSet | None = None


class StatefulSetOrdinals(Struct, frozen=True):
    start: int = 0


class ClaimRetentionPolicy(Struct, frozen=True):
    when_deleted: str = ""
    when_scaled: str = ""


class StatefulSetSpec(Struct, frozen=True):
    replicas: int | None = None
    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()
    volume_claim_templates: tuple[PersistentVolumeClaimTemplate, ...] = ()
    service_name: str = ""
    pod_management_policy: str = ""
    update_strategy: StatefulSetUpdateStrategy = StatefulSetUpdateStrategy()
    revision_history_limit: int | None = None
    min_ready_seconds: int = 0
    ordinals: StatefulSetOrdinals | None = None
    persistent_volume_claim_retention_policy: ClaimRetentionPolicy | None = None


class StatefulSetStatus(Struct, frozen=True):
    replicas: int = 0
    ready_replicas: int = 0
    current_replicas: int = 0
    updated_replicas: int = 0
    available_replicas: int = 0
    current_revision: str = ""
    update_revision: str = ""
    observed_generation: int = 0
    conditions: tuple[WorkloadCondition, ...] = ()


class StatefulSet(Object, frozen=True, kw_only=True):
    spec: StatefulSetSpec = StatefulSetSpec()
    status: StatefulSetStatus = StatefulSetStatus()


class RollingUpdateDeployment(Struct, frozen=True):
    max_unavailable: IntOrString | None = None
    max_surge: IntOrString | None = None


class DeploymentStrategy(Struct, frozen=True):
    type: str = ""
    rolling_update: RollingUpdateDeployment | None = None


class DeploymentSpec(Struct, frozen=True):
    replicas: int | None = None
    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()
    strategy: DeploymentStrategy = DeploymentStrategy()
    min_ready_seconds: int = 0
    revision_history_limit: int | None = None
    paused: bool = False
    progress_deadline_seconds: int | None = None


class DeploymentStatus(Struct, frozen=True):
    replicas: int = 0
    updated_replicas: int = 0
    ready_replicas: int = 0
    available_replicas: int = 0
    observed_generation: int = 0
    conditions: tuple[WorkloadCondition, ...] = ()


class Deployment(Object, frozen=True, kw_only=True):
    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()


class RollingUpdateDaemonSet(Struct, frozen=True):
    max_unavailable: IntOrString | None = None
    max_surge: IntOrString | None = None


class DaemonSetUpdateStrategy(Struct, frozen=True):
    type: str = ""
    rolling_update: RollingUpdateDaemonSet | None = None


class DaemonSetSpec(Struct, frozen=True):
    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()
    update_strategy: DaemonSetUpdateStrategy = DaemonSetUpdateStrategy()
    min_ready_seconds: int = 0


class DaemonSetStatus(Struct, frozen=True):
    desired_number_scheduled: int = 0
    current_number_scheduled: int = 0
    number_ready: int = 0
    updated_number_scheduled: int = 0
    number_available: int = 0


class DaemonSet(Object, frozen=True, kw_only=True):
    spec: DaemonSetSpec = DaemonSetSpec()
    status: DaemonSetStatus = DaemonSetStatus()


class JobSpec(Struct, frozen=True):
    parallelism: int | None = None
    completions: int | None = None
    suspend: bool = False
    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()


class JobStatus(Struct, frozen=True):
    active: int = 0
    succeeded: int = 0
    failed: int = 0
    conditions: tuple[WorkloadCondition, ...] = ()


class Job(Object, frozen=True, kw_only=True):
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class RevisionSpec(Struct, frozen=True):
    template: PodTemplate | None = None


class RevisionData(Struct, frozen=True):
    spec: RevisionSpec = RevisionSpec()


class ControllerRevision(Object, frozen=True, kw_only=True):
    revision: int = 0
    data: RevisionData = RevisionData()
