"""NodeVolumeLimits: a CSI driver attaches only so many volumes to a node.

Upstream: plugins/nodevolumelimits/csi.go, utils.go (v1.35.4), PreFilter, Filter.
Differences: every driver over its limit is told. Of several drivers that are not installed the
first by name is named, upstream names any. Where VolumeAttachments were not read, volumes
that no pod places on a node may be attached to any, and a limit that this could pass is
NOT_CHECKED. Before 1.32 limits in a node's own status count only for short driver names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Self

from kschedx.api.storage import CSIDriver, CSINode, PersistentVolume, VolumeAttachment
from kschedx.framework.plugin import SKIP, CycleError, FilterPlugin, Prepared
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.attachable_volumes import (
    Attachable,
    AttachableVolumes,
    ClaimMissing,
    Failing,
    Found,
    Handle,
    attachable_anywhere,
    attachments,
)
from kschedx.schedulers.kube.csi_migration import InTreePlugin, counts_as_csi
from kschedx.schedulers.kube.versions import Release

_IN_NODE_STATUS: Final = "attachable-volumes-csi-"
"""Prefix of the resources in which nodes once stated their limits."""


@dataclass(frozen=True, slots=True)
class VolumeLimitReached(Reason):
    """The driver cannot attach the pod's volumes in addition to those that are there."""

    code: ClassVar[str] = "volume-limit-reached"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    driver: str
    attached: int
    """Volumes of the driver that are on the node."""
    lingering: int
    """Of those, the ones that are attached though no pod on the node uses them."""
    adding: int
    """Volumes that the pod brings."""
    limit: int

    def upstream_text(self, minor: int) -> str:
        return "node(s) exceed max volume count"

    def sentence(self) -> str:
        lingering = f", {self.lingering} of them by no pod here" if self.lingering else ""
        volumes = "volume" if self.adding == 1 else "volumes"
        return (
            f"needs {self.adding} more {volumes} of {self.driver}, "
            f"{self.attached} of at most {self.limit} are attached{lingering}"
        )

    def short_by(self) -> int | None:
        return self.attached + self.adding - self.limit

    def subject(self) -> str:
        return f"limit of {self.driver} volumes reached"


@dataclass(frozen=True, slots=True)
class DriverNotInstalled(Reason):
    """A driver that wants no pods on nodes without it is not installed on the node."""

    code: ClassVar[str] = "csi-driver-not-installed"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    drivers: tuple[str, ...]
    """Sorted; upstream names any one of them."""

    def upstream_text(self, minor: int) -> str:
        return f"{self.drivers[0]} CSI driver is not installed on the node"

    def sentence(self) -> str:
        return f"CSI driver {', '.join(self.drivers)} is not installed on the node"

    def detail(self) -> str:
        return ""

    def subject(self) -> str:
        return f"CSI driver {', '.join(self.drivers)} not installed"


@dataclass(frozen=True, slots=True)
class UncountableClaim(Reason):
    """The volumes cannot be counted, for a claim of the pod does not exist."""

    code: ClassVar[str] = "uncountable-claim"
    claim: str
    """ "namespace/name"."""

    def upstream_text(self, minor: int) -> str:
        name = self.claim.partition("/")[2]
        return f'looking up PVC {self.claim}: persistentvolumeclaim "{name}" not found'

    def sentence(self) -> str:
        return f"PersistentVolumeClaim {self.claim} does not exist, its volume cannot be counted"


@dataclass(frozen=True)
class Limits:
    """What the pod attaches, and what else can be attached."""

    wanted: tuple[Found, ...]
    volumes: AttachableVolumes
    nodes: Mapping[str, CSINode] | None
    """None where CSINodes were not read."""
    drivers: Mapping[str, CSIDriver] | None
    """None where CSIDrivers were not read."""
    attached: Mapping[str, frozenset[Handle]] | None
    """By node, as VolumeAttachments say; None where they were not read."""
    anywhere: frozenset[Handle] | None
    """Volumes that may be attached to any node; None where that can be any number."""


@dataclass
class Tally:
    """Volumes on one node."""

    known: set[Handle]
    unknown: list[SnapshotLacks]


@dataclass(frozen=True)
class NodeVolumeLimits(FilterPlugin):
    """The rule."""

    name: ClassVar[str] = "NodeVolumeLimits"
    has_prefilter: ClassVar[bool] = True
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> Self:
        return cls(release)

    @property
    def _counts_attachments(self) -> bool:
        return self.release.minor >= 32

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        snapshot = cluster.snapshot
        volumes = AttachableVolumes(snapshot, self.release.minor)
        wanted = volumes.of(pod).found
        if not wanted:
            return SKIP
        attached: Mapping[str, frozenset[Handle]] | None = {}
        anywhere: frozenset[Handle] | None = frozenset()
        if self._counts_attachments:
            if snapshot.read(VolumeAttachment):
                attached = attachments(snapshot)
            else:
                attached = None
                read = snapshot.read(PersistentVolume)
                anywhere = attachable_anywhere(cluster, volumes) if read else None
        return Prepared(
            Limits(
                wanted,
                volumes,
                snapshot.all(CSINode) if snapshot.read(CSINode) else None,
                snapshot.all(CSIDriver) if snapshot.read(CSIDriver) else None,
                attached,
                anywhere,
            )
        )

    def filter(self, state: Limits, node: NodeView) -> Iterator[Reason]:
        missing = next((f.claim for f in state.wanted if isinstance(f, ClaimMissing)), None)
        if state.nodes is None:
            if missing is not None:
                yield UncountableClaim(missing)
            else:
                yield SnapshotLacks("CSINode", f"volume limits of node {node.name}")
            return
        csi_node = state.nodes.get(node.name)
        wanted = Tally(set(), [])
        for found in state.wanted:
            if isinstance(found, ClaimMissing):
                yield UncountableClaim(found.claim)
                return
            self._add(wanted, found, csi_node)
        if not wanted.known and not wanted.unknown:
            return
        absent = list(self._absent_drivers(state, wanted, csi_node))
        yield from absent
        limits = self._limits(node, csi_node)
        if limits and not any(reason.outcome > Outcome.NOT_CHECKED for reason in absent):
            yield from self._over_limit(state, wanted, node, csi_node, limits)

    def _counts(self, plugin: InTreePlugin | None, csi_node: CSINode | None) -> bool:
        return plugin is None or counts_as_csi(plugin, csi_node, self.release)

    def _add(self, tally: Tally, found: Found, csi_node: CSINode | None) -> None:
        if isinstance(found, SnapshotLacks):
            tally.unknown.append(found)
        elif isinstance(found, Failing):
            if self._counts(found.plugin, csi_node):
                raise CycleError(f'running "{self.name}" filter plugin: {found.error}')
        elif isinstance(found, Attachable) and self._counts(found.plugin, csi_node):
            tally.known.add(found.handle)

    def _absent_drivers(
        self, state: Limits, wanted: Tally, csi_node: CSINode | None
    ) -> Iterator[Reason]:
        """Upstream: checkCSIDriverOnNode."""
        if not self.release.enabled("VolumeLimitScaling"):
            return
        installed = {d.name for d in csi_node.spec.drivers} if csi_node is not None else set()
        needed = sorted({driver for driver, _ in wanted.known} - installed)
        if state.drivers is None:
            for driver in needed:
                if "/" not in driver:
                    yield SnapshotLacks("CSIDriver", f"whether pods may go where {driver} is not")
            return
        absent = tuple(name for name in needed if self._insists(state.drivers.get(name)))
        if absent:
            yield DriverNotInstalled(absent)

    def _insists(self, driver: CSIDriver | None) -> bool:
        if driver is None:
            return False
        return self.release.minor <= 35 or bool(driver.spec.prevent_pod_scheduling_if_missing)

    def _limits(self, node: NodeView, csi_node: CSINode | None) -> dict[str, int]:
        limits: dict[str, int] = {}
        if self.release.minor <= 31:
            for resource, amount in node.allocatable.items():
                if resource.startswith(_IN_NODE_STATUS):
                    limits[resource.removeprefix(_IN_NODE_STATUS)] = amount
        for driver in csi_node.spec.drivers if csi_node is not None else ():
            if driver.allocatable is not None and driver.allocatable.count is not None:
                limits[driver.name] = driver.allocatable.count
        return limits

    def _over_limit(
        self,
        state: Limits,
        wanted: Tally,
        node: NodeView,
        csi_node: CSINode | None,
        limits: Mapping[str, int],
    ) -> Iterable[Reason]:
        used = Tally(set(), [])
        for pod in node.pods:
            volumes = state.volumes.of(pod)
            used.known |= volumes.handles
            for found in volumes.others:
                self._add(used, found, csi_node)
        attached = state.attached.get(node.name, frozenset()) if state.attached else frozenset()
        reasons: list[Reason] = []
        lacks: list[Reason] = list(wanted.unknown)
        new = wanted.known - used.known
        for driver in sorted({driver for driver, _ in new if driver in limits}):
            adding, lingering = _count(new, driver), _count(attached - used.known, driver)
            present = _count(used.known, driver) + lingering
            room = limits[driver] - present - adding
            if room < 0:
                reasons.append(
                    VolumeLimitReached(driver, present, lingering, adding, limits[driver])
                )
            else:
                lacks += _could_pass(room, driver, state, used)
        return reasons or list(dict.fromkeys(lacks))


def _count(handles: Collection[Handle], driver: str) -> int:
    return sum(name == driver for name, _ in handles)


def _could_pass(room: int, driver: str, state: Limits, used: Tally) -> list[SnapshotLacks]:
    """What was not read, where it could take more than the room that is left."""
    lacks: list[SnapshotLacks] = []
    if len(used.unknown) > room:
        lacks += used.unknown
    elif state.anywhere is None:
        lacks.append(SnapshotLacks("VolumeAttachment", f"volumes of {driver} left attached"))
    else:
        more = _count(state.anywhere - used.known, driver)
        if more + len(used.unknown) > room:
            what = f"up to {more} volumes of {driver} that no pod uses may be attached"
            lacks.append(SnapshotLacks("VolumeAttachment", what))
    return lacks
