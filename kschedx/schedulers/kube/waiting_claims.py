"""Claims that wait for their pod to get a node: what they would be given on one.

Upstream: plugins/volumebinding/binder.go (v1.35.4), FindPodVolumes, findMatchingVolumes,
checkVolumeProvisions.
Differences: of claims that fail alike all are told, upstream stops at the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

from kschedx.api.quantity import STORAGE, show_bytes, show_each
from kschedx.api.selectors import SelectorError
from kschedx.api.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks
from kschedx.framework.views import NodeView
from kschedx.schedulers.kube.claims import class_of
from kschedx.schedulers.kube.provisioning import Provisioners, Provisioning, Room
from kschedx.schedulers.kube.volume_matching import (
    Matches,
    MatchFinder,
    StaticVolume,
    storage_bytes,
    storage_nano,
)
from kschedx.snapshot.snapshot import Snapshot

_SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"


class _NothingToBind(Reason):
    """Causes that upstream does not tell apart."""

    __slots__ = ()

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't find available persistent volumes to bind"


@dataclass(frozen=True, slots=True)
class ProvisionedElsewhere(_NothingToBind):
    """A volume for the claim is being made for another node."""

    code: ClassVar[str] = "provisioned-elsewhere"
    claim: str
    """ "namespace/name"."""
    node: str

    def sentence(self) -> str:
        return (
            f"the volume of PersistentVolumeClaim {self.claim} is being made for node {self.node}"
        )

    def detail(self) -> str:
        return f"for node {self.node}"

    def subject(self) -> str:
        return f"volume of claim {self.claim} is being made for another node"


@dataclass(frozen=True, slots=True)
class NoVolumeToBind(_NothingToBind):
    """No existing volume suits the claim here, and its class makes none."""

    code: ClassVar[str] = "no-volume-to-bind"
    claim: str
    """ "namespace/name"."""
    storage_class: str
    size_bytes: int
    volumes: int
    """How many volumes of the class there are."""
    suitable: int
    """Of those, the free ones that suit the claim, wherever they are."""
    reserved: str = ""
    """The volume that is kept for the claim, if there is one."""

    def sentence(self) -> str:
        wanted = (
            f"PersistentVolumeClaim {self.claim} needs a volume of class {self.storage_class} "
            f"with {show_bytes(self.size_bytes)}"
        )
        if self.reserved:
            return f"{wanted}, its PersistentVolume {self.reserved} cannot be used from the node"
        if self.suitable:
            return f"{wanted}, none of {self.suitable} that suit is left for it on the node"
        return f"{wanted}, none of {self.volumes} of the class is free and suits"

    def subject(self) -> str:
        return f"no volume for claim {self.claim}"


@dataclass(frozen=True, slots=True)
class TopologyNotAllowed(_NothingToBind):
    """The claim's class makes no volumes for nodes like this."""

    code: ClassVar[str] = "storage-topology-not-allowed"
    claim: str
    """ "namespace/name"."""
    storage_class: str
    wanted: tuple[str, ...]
    """The class's allowed topologies; any one suffices."""
    has: tuple[str, ...]
    """The node's labels of those, as "key=value"."""

    def sentence(self) -> str:
        return (
            f"StorageClass {self.storage_class} of claim {self.claim} makes volumes for "
            f"{self._for}, {self._has}"
        )

    @property
    def _for(self) -> str:
        return " or ".join(self.wanted) or "no node"

    @property
    def _has(self) -> str:
        return f"the node has {', '.join(self.has) or 'none of these labels'}"

    def detail(self) -> str:
        return f"claim {self.claim}, {self._has}"

    def subject(self) -> str:
        return f"class {self.storage_class} makes volumes only for {self._for}"


@dataclass(frozen=True, slots=True)
class StorageExhausted(Reason):
    """The class's driver has not enough storage left where the node can use it."""

    code: ClassVar[str] = "storage-exhausted"
    claim: str
    """ "namespace/name"."""
    storage_class: str
    size_bytes: int
    largest_bytes: int
    """The largest volume that could still be made for the node."""
    capacities: int
    """How many CSIStorageCapacity objects apply to the node."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) did not have enough free storage"

    def sentence(self) -> str:
        need, largest = show_each(STORAGE, self.size_bytes, self.largest_bytes)
        have = f"at most {largest} can be made for the node"
        if not self.capacities:
            have = "no CSIStorageCapacity applies to the node"
        return (
            f"PersistentVolumeClaim {self.claim} needs {need} of class {self.storage_class}, {have}"
        )

    def short_by(self) -> int | None:
        return self.size_bytes - self.largest_bytes

    def subject(self) -> str:
        return f"not enough storage of class {self.storage_class}"


@dataclass(frozen=True, slots=True)
class WaitingClaim:
    """A claim that gets its volume once the pod has a node."""

    key: str
    """ "namespace/name"."""
    storage_class: str
    size_nano: int
    """In units of 10^-9 bytes, for comparisons."""
    size_bytes: int
    sized: bool
    """Whether the claim asks for a size at all."""
    selected_node: str | None
    """The node that a volume is being made for already."""
    matches: Matches | None
    """Existing volumes; None where they were not read."""
    provisioning: Provisioning
    error: str = ""
    """Upstream's, where it cannot match the claim against volumes."""


@dataclass
class ChosenVolumes:
    """What waiting claims would get on one node."""

    static: list[tuple[WaitingClaim, StaticVolume]] = field(default_factory=list)
    provisioned: list[tuple[WaitingClaim, Room | None]] = field(default_factory=list)


def waiting_claims(
    claims: list[tuple[PersistentVolumeClaim, StorageClass]], snapshot: Snapshot, minor: int
) -> Iterator[WaitingClaim]:
    """Claims of classes that bind once the pod has a node, with what they could be given."""
    if not claims:
        return
    read = snapshot.read(PersistentVolume)
    finder = MatchFinder(snapshot.all(PersistentVolume).values(), minor) if read else None
    provisioners = Provisioners(snapshot)
    for claim, storage_class in claims:
        matches: Matches | None = None
        error = ""
        try:
            matches = finder.matches(claim) if finder is not None else None
        except SelectorError as refused:
            error = str(refused)
        requests = claim.spec.resources.requests
        yield WaitingClaim(
            key=f"{claim.namespace}/{claim.name}",
            storage_class=class_of(claim),
            size_nano=storage_nano(requests),
            size_bytes=storage_bytes(requests),
            sized=STORAGE in requests,
            selected_node=claim.metadata.annotations.get(_SELECTED_NODE),
            matches=matches,
            provisioning=provisioners.provisioning(storage_class),
            error=error,
        )


def choose_volumes(
    claims: Sequence[WaitingClaim], node: NodeView
) -> tuple[list[Reason], ChosenVolumes]:
    """Why claims can be given no volume on this node, and otherwise what they would get.

    Raises SelectorError where upstream fails on a claim's selector.
    """
    chosen = ChosenVolumes()
    elsewhere: list[Reason] = [
        ProvisionedElsewhere(claim.key, claim.selected_node)
        for claim in claims
        if claim.selected_node is not None and claim.selected_node != node.name
    ]
    if elsewhere:
        return elsewhere, chosen
    to_provision = [claim for claim in claims if claim.selected_node is not None]
    to_match = [claim for claim in claims if claim.selected_node is None]
    taken: set[str] = set()
    for claim in sorted(to_match, key=lambda claim: claim.size_nano):
        if claim.error:
            raise SelectorError(claim.error)
        match = claim.matches.on(node.labels, taken) if claim.matches is not None else None
        if match is None:
            to_provision.append(claim)
        else:
            taken.add(match.name)
            chosen.static.append((claim, match))
    return list(_unprovisioned(to_provision, node, chosen)), chosen


def _unprovisioned(
    claims: Iterable[WaitingClaim], node: NodeView, chosen: ChosenVolumes
) -> Iterator[Reason]:
    """Claims for which no volume can be made here: those that fail like the first of them.

    Upstream: checkVolumeProvisions, which stops at the first.
    """
    exhausted: bool | None = None
    for claim in claims:
        reason = _provisioning_problem(claim, node, chosen)
        if reason is None:
            continue
        if reason.outcome is not Outcome.NOT_CHECKED:
            kind = isinstance(reason, StorageExhausted)
            exhausted = kind if exhausted is None else exhausted
            if kind is not exhausted:
                continue
        yield reason


def _provisioning_problem(
    claim: WaitingClaim, node: NodeView, chosen: ChosenVolumes
) -> Reason | None:
    offer = claim.provisioning
    unread_volumes = claim.matches is None and claim.selected_node is None
    if not offer.possible or not offer.allows(node.labels):
        if unread_volumes:
            what = f"volumes of class {claim.storage_class}"
            return SnapshotLacks("PersistentVolume", what)
        return _no_match(claim) if not offer.possible else _not_allowed(claim, node)
    if not claim.sized or offer.tracks_capacity is False:
        chosen.provisioned.append((claim, None))
        return None
    near = list(offer.rooms_near(node.labels))
    room = next((r for r in near if r.largest_bytes >= claim.size_bytes), None)
    if room is not None:
        chosen.provisioned.append((claim, room))
        return None
    if offer.tracks_capacity is None:
        what = f"whether {offer.storage_class.provisioner} tracks its capacity"
        return SnapshotLacks("CSIDriver", what)
    if offer.rooms is None:
        return SnapshotLacks("CSIStorageCapacity", f"capacity of class {claim.storage_class}")
    if unread_volumes:
        return SnapshotLacks("PersistentVolume", f"volumes of class {claim.storage_class}")
    largest = max((r.largest_bytes for r in near), default=0)
    return StorageExhausted(claim.key, claim.storage_class, claim.size_bytes, largest, len(near))


def _no_match(claim: WaitingClaim) -> NoVolumeToBind:
    matches = claim.matches
    return NoVolumeToBind(
        claim.key,
        claim.storage_class,
        claim.size_bytes,
        matches.of_class if matches is not None else 0,
        len(matches.free) if matches is not None else 0,
        matches.reserved[0].name if matches is not None and matches.reserved else "",
    )


def _not_allowed(claim: WaitingClaim, node: NodeView) -> TopologyNotAllowed:
    offer = claim.provisioning
    terms = offer.topologies or ()
    keys = sorted({requirement.key for term in terms for requirement in term})
    return TopologyNotAllowed(
        claim.key,
        claim.storage_class,
        tuple(" and ".join(str(requirement) for requirement in term) for term in terms),
        tuple(f"{key}={node.labels[key]}" for key in keys if key in node.labels),
    )
