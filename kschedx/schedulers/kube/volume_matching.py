"""Which existing PersistentVolume a waiting claim is bound to on a node.

Upstream: component-helpers storage/volume/pv_helpers.go (v0.35.4), FindMatchingVolume;
storage/volume/helpers.go, CheckNodeAffinity.
Differences: of volumes of one size the first by name is taken, in upstream whichever its cache
lists first. Before 1.34 volume attributes classes are passed over, as API servers dropped them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kschedx.api.quantity import STORAGE, Quantity, nano, whole
from kschedx.api.selectors import IN, NodeSelectorTerm, NodeTerm, SelectorError, parse
from kschedx.api.storage import PersistentVolume, PersistentVolumeClaim
from kschedx.schedulers.kube.claims import class_of, volume_class
from kschedx.schedulers.kube.label_index import LabelIndex, Pin, narrowest

FILESYSTEM: Final = "Filesystem"
AVAILABLE: Final = "Available"


def parse_terms(terms: tuple[NodeSelectorTerm, ...] | None) -> tuple[NodeTerm, ...] | None:
    """A volume's required node affinity, any term of which suffices; None where it has none."""
    return None if terms is None else tuple(NodeTerm(term) for term in terms)


def affinity_of(volume: PersistentVolume) -> tuple[NodeTerm, ...] | None:
    """The volume's own required node affinity; None where it can be used from every node."""
    affinity = volume.spec.node_affinity
    required = affinity.required if affinity is not None else None
    return parse_terms(None if required is None else required.node_selector_terms)


def reaches(terms: tuple[NodeTerm, ...] | None, labels: Mapping[str, str]) -> bool:
    """Whether a volume with this affinity can be used from a node with these labels.

    Only labels count: upstream does not tell the check the node's name, so that requirements on
    fields are always met.
    """
    return terms is None or any(
        term.valid and all(requirement.matches(labels) for requirement in term.labels)
        for term in terms
    )


@dataclass(frozen=True, slots=True)
class StaticVolume:
    """A volume that could be bound to a claim."""

    name: str
    storage_class: str
    capacity_bytes: int
    terms: tuple[NodeTerm, ...] | None


def _pin(terms: tuple[NodeTerm, ...] | None) -> Pin | None:
    if terms is None or len(terms) != 1 or not terms[0].valid:
        return None
    return narrowest((r.key, r.values) for r in terms[0].labels if r.operator == IN)


@dataclass(frozen=True, slots=True)
class Matches:
    """The volumes that a claim could be bound to, as far as this does not depend on the node."""

    reserved: tuple[StaticVolume, ...]
    """Bound to the claim from their side; by name."""
    free: LabelIndex[StaticVolume]
    """Smallest first."""
    of_class: int
    """How many volumes of the claim's class there are at all."""

    def on(self, labels: Mapping[str, str], taken: Collection[str]) -> StaticVolume | None:
        """The volume for a node with these labels, apart from volumes already taken by name.

        A volume that is reserved for the claim rules all others out, even where it does not
        reach the node.
        """
        for volume in self.reserved:
            if volume.name not in taken:
                return volume if reaches(volume.terms, labels) else None
        return next(
            (
                volume
                for volume in self.free.near(labels)
                if volume.name not in taken and reaches(volume.terms, labels)
            ),
            None,
        )


def storage_nano(amounts: Mapping[str, Quantity]) -> int:
    """The storage of a capacity or request in units of 10^-9 bytes, to compare exactly."""
    return nano(amounts.get(STORAGE, 0))


def storage_bytes(amounts: Mapping[str, Quantity]) -> int:
    """The storage of a capacity or request, 0 where it says nothing."""
    return whole(amounts.get(STORAGE, 0))


def _bound_to(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Upstream: IsVolumeBoundToClaim."""
    ref = volume.spec.claim_ref
    return (
        ref is not None
        and (ref.namespace, ref.name) == (claim.namespace, claim.name)
        and ref.uid in ("", claim.metadata.uid)
    )


class MatchFinder:
    """All volumes by class, for the claims of one pod."""

    def __init__(self, volumes: Iterable[PersistentVolume], minor: int) -> None:
        self._attributes_class = minor >= 34
        self._by_class: dict[str, list[PersistentVolume]] = defaultdict(list)
        for volume in volumes:
            self._by_class[volume_class(volume)].append(volume)

    def matches(self, claim: PersistentVolumeClaim) -> Matches:
        """What the claim could be bound to.

        Raises SelectorError for a claim whose selector cannot be parsed.
        """
        wanted_class = class_of(claim)
        of_class = self._by_class.get(wanted_class, [])
        try:
            selector = parse(claim.spec.selector) if claim.spec.selector is not None else None
        except SelectorError as error:
            key = f"{claim.namespace}/{claim.name}"
            text = f"error creating internal label selector for claim: {key}: {error}"
            raise SelectorError(text) from error
        reserved: list[PersistentVolume] = []
        free: list[PersistentVolume] = []
        for volume in of_class:
            if not self._suits(claim, volume):
                continue
            if volume.spec.claim_ref is not None:
                reserved.append(volume)
            elif (
                volume.status.phase == AVAILABLE
                and (selector is None or selector.matches(volume.labels))
                and set(claim.spec.access_modes) <= set(volume.spec.access_modes)
            ):
                free.append(volume)
        reserved.sort(key=lambda volume: volume.name)
        free.sort(key=lambda volume: (storage_nano(volume.spec.capacity), volume.name))
        return Matches(
            tuple(_static(volume) for volume in reserved),
            LabelIndex((volume, _pin(volume.terms)) for volume in map(_static, free)),
            len(of_class),
        )

    def _suits(self, claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
        """What even a volume that is reserved for the claim must meet."""
        want, have = claim.spec, volume.spec
        return (
            (have.claim_ref is None or _bound_to(volume, claim))
            and storage_nano(have.capacity) >= storage_nano(want.resources.requests)
            and (want.volume_mode or FILESYSTEM) == (have.volume_mode or FILESYSTEM)
            and volume.metadata.deletion_timestamp is None
            and (
                not self._attributes_class
                or (want.volume_attributes_class_name or "")
                == (have.volume_attributes_class_name or "")
            )
        )


def _static(volume: PersistentVolume) -> StaticVolume:
    return StaticVolume(
        volume.name,
        volume.spec.storage_class_name,
        storage_bytes(volume.spec.capacity),
        affinity_of(volume),
    )
