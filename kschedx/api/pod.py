"""Pod and its parts, as far as scheduling reads them. Upstream: api/core/v1/types.go (v1.35.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec.structs import replace

from kschedx.api.meta import LabelSelector, Object, ObjectMeta, StringMap, Struct
from kschedx.api.quantity import Quantity
from kschedx.api.selectors import (
    NodeSelector,
    PreferredSchedulingTerm,
)
from kschedx.api.storage import PersistentVolumeClaimTemplate

ResourceList = dict[str, Quantity]

SUCCEEDED = "Succeeded"
FAILED = "Failed"


class ResourceClaimUse(Struct, frozen=True):
    name: str = ""
    request: str = ""


class ResourceRequirements(Struct, frozen=True):
    requests: ResourceList = {}
    limits: ResourceList = {}
    claims: tuple[ResourceClaimUse, ...] = ()


class ContainerPort(Struct, frozen=True):
    container_port: int = 0
    host_port: int = 0
    host_ip: str = msgspec.field(name="hostIP", default="")
    protocol: str = ""
    name: str = ""


class ContainerRestartRule(Struct, frozen=True):
    action: str = ""


class VolumeMount(Struct, frozen=True):
    bind_mount_options: tuple[str, ...] = ()


class Container(Struct, frozen=True):
    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restart_policy: str = ""
    restart_policy_rules: tuple[ContainerRestartRule, ...] = ()
    volume_mounts: tuple[VolumeMount, ...] = ()

    def with_request(self, resource: str, quantity: Quantity) -> Container:
        """The same container asking for this much of a resource."""
        requests = {**self.resources.requests, resource: quantity}
        return replace(self, resources=replace(self.resources, requests=requests))

    def without_host_port(self, port: int, protocol: str) -> Container:
        """The same container without this port on the host."""
        kept = tuple(
            replace(own, host_port=0)
            if own.host_port == port and (own.protocol or "TCP") == protocol
            else own
            for own in self.ports
        )
        return replace(self, ports=kept)

    @property
    def restartable(self) -> bool:
        """An init container with restartPolicy Always: a sidecar."""
        return self.restart_policy == "Always"


class Toleration(Struct, frozen=True):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


class PodAffinityTerm(Struct, frozen=True):
    topology_key: str = ""
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None
    match_label_keys: tuple[str, ...] = ()
    mismatch_label_keys: tuple[str, ...] = ()


class WeightedPodAffinityTerm(Struct, frozen=True):
    weight: int = 0
    pod_affinity_term: PodAffinityTerm = PodAffinityTerm()


class PodAffinity(Struct, frozen=True):
    """Both podAffinity and podAntiAffinity have this shape."""

    required: tuple[PodAffinityTerm, ...] = msgspec.field(
        name="requiredDuringSchedulingIgnoredDuringExecution", default=()
    )
    preferred: tuple[WeightedPodAffinityTerm, ...] = msgspec.field(
        name="preferredDuringSchedulingIgnoredDuringExecution", default=()
    )


class NodeAffinity(Struct, frozen=True):
    required: NodeSelector | None = msgspec.field(
        name="requiredDuringSchedulingIgnoredDuringExecution", default=None
    )
    preferred: tuple[PreferredSchedulingTerm, ...] = msgspec.field(
        name="preferredDuringSchedulingIgnoredDuringExecution", default=()
    )


class Affinity(Struct, frozen=True):
    node_affinity: NodeAffinity | None = None
    pod_affinity: PodAffinity | None = None
    pod_anti_affinity: PodAffinity | None = None

    def without_required_nodes(self) -> Affinity:
        """Without what is required of nodes; what is preferred stays."""
        return replace(self, node_affinity=_only_preferred(self.node_affinity))

    def accepting(self, key: str, value: str) -> Affinity:
        """What is required of nodes, met by one more value of a label as well."""
        own = self.node_affinity
        if own is None or own.required is None:
            return self
        return replace(self, node_affinity=replace(own, required=own.required.widened(key, value)))

    def without_required_pods(self, topology_key: str, *, anti: bool) -> Affinity:
        """Without the required terms of one side over this topology key."""
        side = self.pod_anti_affinity if anti else self.pod_affinity
        if side is None:
            return self
        kept = tuple(term for term in side.required if term.topology_key != topology_key)
        changed = replace(side, required=kept)
        return replace(self, **{"pod_anti_affinity" if anti else "pod_affinity": changed})

    def near_within(self, topology_key: str, wider: str) -> Affinity:
        """The required terms of podAffinity over this topology key taken over a wider one."""
        side = self.pod_affinity
        if side is None:
            return self
        terms = tuple(
            replace(term, topology_key=wider) if term.topology_key == topology_key else term
            for term in side.required
        )
        return replace(self, pod_affinity=replace(side, required=terms))


def _only_preferred(affinity: NodeAffinity | None) -> NodeAffinity | None:
    return None if affinity is None else replace(affinity, required=None)


class TopologySpreadConstraint(Struct, frozen=True):
    max_skew: int = 0
    topology_key: str = ""
    when_unsatisfiable: str = ""
    label_selector: LabelSelector | None = None
    min_domains: int | None = None
    node_affinity_policy: str | None = None
    node_taints_policy: str | None = None
    match_label_keys: tuple[str, ...] = ()

    def changed(self, **changes: Any) -> TopologySpreadConstraint:
        """The same constraint with these fields changed."""
        return replace(self, **changes)


class ClaimVolume(Struct, frozen=True):
    claim_name: str = ""
    read_only: bool = False


class EphemeralVolume(Struct, frozen=True):
    volume_claim_template: PersistentVolumeClaimTemplate | None = None


class CSIVolume(Struct, frozen=True):
    driver: str = ""


class GCEPersistentDisk(Struct, frozen=True):
    pd_name: str = ""
    read_only: bool = False


class AWSElasticBlockStore(Struct, frozen=True):
    volume_id: str = msgspec.field(name="volumeID", default="")
    read_only: bool = False


class ISCSIVolume(Struct, frozen=True):
    iqn: str = ""
    read_only: bool = False


class RBDVolume(Struct, frozen=True):
    monitors: tuple[str, ...] = ()
    image: str = ""
    pool: str = ""
    read_only: bool = False


class ImageVolume(Struct, frozen=True):
    reference: str = ""


class AzureDiskVolume(Struct, frozen=True):
    disk_name: str = ""
    disk_uri: str = msgspec.field(name="diskURI", default="")
    kind: str | None = None


class CinderVolume(Struct, frozen=True):
    volume_id: str = msgspec.field(name="volumeID", default="")


class PortworxVolume(Struct, frozen=True):
    volume_id: str = msgspec.field(name="volumeID", default="")


class VsphereVolume(Struct, frozen=True):
    volume_path: str = ""


class Volume(Struct, frozen=True):
    name: str = ""
    persistent_volume_claim: ClaimVolume | None = None
    ephemeral: EphemeralVolume | None = None
    csi: CSIVolume | None = None
    gce_persistent_disk: GCEPersistentDisk | None = None
    aws_elastic_block_store: AWSElasticBlockStore | None = None
    iscsi: ISCSIVolume | None = None
    rbd: RBDVolume | None = None
    azure_disk: AzureDiskVolume | None = None
    cinder: CinderVolume | None = None
    portworx_volume: PortworxVolume | None = None
    vsphere_volume: VsphereVolume | None = None
    image: ImageVolume | None = None
    empty_dir: Struct | None = None
    host_path: Struct | None = None


class PodSchedulingGate(Struct, frozen=True):
    name: str = ""


class PodResourceClaim(Struct, frozen=True):
    name: str = ""
    resource_claim_name: str | None = None
    resource_claim_template_name: str | None = None


class PodSpec(Struct, frozen=True):
    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_name: str = ""
    node_selector: StringMap = {}
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topology_spread_constraints: tuple[TopologySpreadConstraint, ...] = ()
    overhead: ResourceList = {}
    resources: ResourceRequirements | None = None
    priority: int | None = None
    priority_class_name: str = ""
    preemption_policy: str | None = None
    scheduler_name: str = ""
    scheduling_gates: tuple[PodSchedulingGate, ...] = ()
    volumes: tuple[Volume, ...] = ()
    host_network: bool = False
    host_users: bool | None = None
    resource_claims: tuple[PodResourceClaim, ...] = ()
    runtime_class_name: str | None = None
    termination_grace_period_seconds: int | None = None
    restart_policy: str = ""
    workload_ref: Struct | None = None
    scheduling_group: Struct | None = None


class PodCondition(Struct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    last_transition_time: str | None = None


class ContainerState(Struct, frozen=True):
    waiting: Waiting | None = None


class Waiting(Struct, frozen=True):
    reason: str = ""
    message: str = ""


class ContainerStatus(Struct, frozen=True):
    name: str = ""
    allocated_resources: ResourceList = {}
    resources: ResourceRequirements | None = None
    state: ContainerState = ContainerState()
    restart_count: int = 0
    ready: bool = False


class PodStatus(Struct, frozen=True):
    phase: str = ""
    conditions: tuple[PodCondition, ...] = ()
    nominated_node_name: str = ""
    start_time: str | None = None
    reason: str = ""
    message: str = ""
    resize: str = ""
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    allocated_resources: ResourceList = {}
    resources: ResourceRequirements | None = None


class Pod(Object, frozen=True, kw_only=True):
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def key(self) -> str:
        """ "namespace/name", unique among living pods."""
        return f"{self.metadata.namespace}/{self.metadata.name}"

    @property
    def labels(self) -> StringMap:
        return self.metadata.labels

    @property
    def priority(self) -> int:
        """Upstream: corev1helpers.PodPriority: an absent priority counts as 0."""
        return self.spec.priority or 0

    @property
    def terminal(self) -> bool:
        """Succeeded or Failed: the scheduler no longer sees it."""
        return self.status.phase in (SUCCEEDED, FAILED)

    @property
    def terminating(self) -> bool:
        return self.metadata.deletion_timestamp is not None

    def with_spec(self, **changes: Any) -> Pod:
        """The same pod with these fields of its spec changed."""
        return replace(self, spec=replace(self.spec, **changes))

    def with_containers(self, change: Callable[[Container], Container]) -> Pod:
        """The same pod with every container and init container changed."""
        return self.with_spec(
            containers=tuple(map(change, self.spec.containers)),
            init_containers=tuple(map(change, self.spec.init_containers)),
        )

    def recreated(self) -> Pod:
        """The pod that its controller makes in its place: the same spec, on no node yet."""
        return replace(
            self,
            metadata=replace(self.metadata, uid="", deletion_timestamp=None, finalizers=()),
            spec=replace(self.spec, node_name=""),
            status=PodStatus(phase="Pending"),
        )

    def condition(self, kind: str) -> PodCondition | None:
        for condition in self.status.conditions:
            if condition.type == kind:
                return condition
        return None


class PodTemplate(Struct, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
