"""Claims that have their volume: whether it can be used from a node.

Upstream: plugins/volumebinding/binder.go (v1.35.4), checkBoundClaims, tryTranslatePVToCSI.
Differences: of claims that fail alike all are told, upstream stops at the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from kschedx.api.selectors import NodeTerm, show_node_term
from kschedx.api.storage import CSINode, PersistentVolume, PersistentVolumeClaim
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks
from kschedx.framework.views import NodeView
from kschedx.schedulers.kube.csi_migration import (
    InTreePlugin,
    TranslationError,
    driver_affinity,
    handle_of,
    moved_on,
    plugin_of,
)
from kschedx.schedulers.kube.versions import Release
from kschedx.schedulers.kube.volume_matching import affinity_of, parse_terms, reaches
from kschedx.snapshot.snapshot import Snapshot

_BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"


@dataclass(frozen=True, slots=True)
class VolumeOutOfReach(Reason):
    """A claim's volume cannot be used from the node."""

    code: ClassVar[str] = "volume-out-of-reach"
    claim: str
    """ "namespace/name"."""
    volume: str
    wanted: tuple[str, ...]
    """What the volume's node affinity asks for; any one suffices."""
    has: tuple[str, ...]
    """The node's labels of those, as "key=value"."""

    def upstream_text(self, minor: int) -> str:
        if minor >= 33:
            return "node(s) didn't match PersistentVolume's node affinity"
        return "node(s) had volume node affinity conflict"

    def sentence(self) -> str:
        wanted = " or ".join(self.wanted) or "no node"
        has = ", ".join(self.has) or "none of these labels"
        return (
            f"PersistentVolume {self.volume} of claim {self.claim} can be used from {wanted}, "
            f"the node has {has}"
        )

    def detail(self) -> str:
        has = ", ".join(self.has) or "none of these labels"
        return f"PersistentVolume {self.volume}, the node has {has}"

    def subject(self) -> str:
        return f"volume of claim {self.claim} is only usable from {' or '.join(self.wanted)}"


@dataclass(frozen=True, slots=True)
class BoundVolumeMissing(Reason):
    """A claim is bound to a volume that does not exist."""

    code: ClassVar[str] = "bound-volume-missing"
    claim: str
    """ "namespace/name"."""
    volume: str

    def upstream_text(self, minor: int) -> str:
        return "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"

    def sentence(self) -> str:
        return f"PersistentVolume {self.volume} of claim {self.claim} does not exist"

    def detail(self) -> str:
        return f"PersistentVolume {self.volume}"

    def subject(self) -> str:
        return f"volume of claim {self.claim} does not exist"


@dataclass(frozen=True, slots=True)
class Reach:
    """From which nodes a volume can be used."""

    terms: tuple[NodeTerm, ...] | None
    """Any term suffices; None: from every node."""

    def shown(self) -> tuple[str, ...]:
        """The terms as people write them."""
        return tuple(show_node_term(term.term) for term in self.terms or ())

    def of_node(self, labels: Mapping[str, str]) -> tuple[str, ...]:
        """What a node has of the labels that the terms ask for, as "key=value", sorted."""
        keys = {e.key for term in self.terms or () for e in term.term.match_expressions}
        return tuple(f"{key}={labels[key]}" for key in sorted(keys) if key in labels)


@dataclass(frozen=True, slots=True)
class BoundVolume:
    """An existing volume that a claim is bound to."""

    reach: Reach
    plugin: InTreePlugin | None = None
    driver_reach: Reach = Reach(None)
    """Where the in-tree plugin was taken over by a driver."""
    error: str = ""
    """Upstream's, where it cannot translate the volume for the driver."""


@dataclass(frozen=True, slots=True)
class BoundClaim:
    """A claim that has its volume."""

    key: str
    """ "namespace/name"."""
    volume_name: str
    volume: BoundVolume | SnapshotLacks | None
    """None where it does not exist."""


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """Upstream: isPVCFullyBound."""
    return bool(claim.spec.volume_name) and _BIND_COMPLETED in claim.metadata.annotations


def _bound_volume(volume: PersistentVolume) -> BoundVolume:
    own = Reach(affinity_of(volume))
    plugin = plugin_of(volume)
    if plugin is None:
        return BoundVolume(own)
    try:
        handle_of(volume)
    except TranslationError as error:
        return BoundVolume(own, plugin, error=f"could not translate pv: {error}")
    return BoundVolume(own, plugin, Reach(parse_terms(driver_affinity(volume, plugin))))


def bound_claim(claim: PersistentVolumeClaim, snapshot: Snapshot) -> BoundClaim:
    """A claim for which is_bound holds, with its volume."""
    key = f"{claim.namespace}/{claim.name}"
    name = claim.spec.volume_name
    if not snapshot.read(PersistentVolume):
        lacks = SnapshotLacks("PersistentVolume", f"PersistentVolume {name}")
        return BoundClaim(key, name, lacks)
    volume = snapshot.get(PersistentVolume, name)
    return BoundClaim(key, name, None if volume is None else _bound_volume(volume))


@dataclass(frozen=True, slots=True)
class BoundClaims:
    """A pod's bound claims, and what decides between an in-tree volume and its driver's."""

    claims: Sequence[BoundClaim]
    nodes: Mapping[str, CSINode] | None
    """None where CSINodes were not read."""
    release: Release

    def problems(self, node: NodeView) -> Iterator[Reason]:
        """Claims that rule the node out: those that do so like the first of them.

        Raises TranslationError where upstream fails on an in-tree volume.
        """
        first: type[Reason] | None = None
        for claim in self.claims:
            reason = self._problem(claim, node, may_fail=first is None)
            if reason is None:
                continue
            if reason.outcome is not Outcome.NOT_CHECKED:
                first = first or type(reason)
                if type(reason) is not first:
                    continue
            yield reason

    def _problem(self, claim: BoundClaim, node: NodeView, *, may_fail: bool) -> Reason | None:
        volume = claim.volume
        if volume is None:
            return BoundVolumeMissing(claim.key, claim.volume_name)
        if isinstance(volume, SnapshotLacks):
            return volume
        reach = self._reach(volume, node)
        if reach is None:
            what = f"whether node {node.name} leaves {claim.volume_name} to a driver"
            return SnapshotLacks("CSINode", what)
        if reach is volume.driver_reach and volume.error:
            if may_fail:
                raise TranslationError(volume.error)
            return None
        if reaches(reach.terms, node.labels):
            return None
        has = reach.of_node(node.labels)
        return VolumeOutOfReach(claim.key, claim.volume_name, reach.shown(), has)

    def _reach(self, volume: BoundVolume, node: NodeView) -> Reach | None:
        """Whether the volume's own affinity counts or its driver's; None if that is unknown."""
        if volume.plugin is None:
            return volume.reach
        if self.nodes is not None:
            moved = moved_on(volume.plugin, self.nodes.get(node.name), self.release)
            return volume.driver_reach if moved else volume.reach
        own = reaches(volume.reach.terms, node.labels)
        if volume.error or own is not reaches(volume.driver_reach.terms, node.labels):
            return None
        return volume.reach
