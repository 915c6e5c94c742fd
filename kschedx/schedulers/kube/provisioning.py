"""Whether a class can make a new volume that a node can use.

Upstream: plugins/volumebinding/binder.go (v1.35.4), checkVolumeProvisions, hasEnoughCapacity;
pkg/apis/core/v1/helper/helpers.go, MatchTopologySelectorTerms.
Differences: of several capacities that suffice the first by name is taken, in upstream whichever
its cache lists first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from kschedx.api.quantity import whole
from kschedx.api.selectors import IN, Requirement, Selector, SelectorError, parse
from kschedx.api.storage import CSIDriver, CSIStorageCapacity, StorageClass, TopologySelectorTerm
from kschedx.schedulers.kube.label_index import LabelIndex, narrowest
from kschedx.snapshot.snapshot import Snapshot

NO_PROVISIONER: Final = "kubernetes.io/no-provisioner"


@dataclass(frozen=True, slots=True)
class Room:
    """How much can still be provisioned where its topology matches."""

    name: str
    """ "namespace/name" of the CSIStorageCapacity."""
    selector: Selector
    largest_bytes: int
    """The largest single volume."""
    capacity_bytes: int
    """All that is left; 0 where it is not said."""


def _terms(terms: tuple[TopologySelectorTerm, ...]) -> Iterator[tuple[Requirement, ...]]:
    for term in terms:
        try:
            parsed = tuple(Requirement(e.key, IN, e.values) for e in term.match_label_expressions)
        except SelectorError:
            continue
        if parsed:
            yield parsed


@dataclass(frozen=True, slots=True)
class Provisioning:
    """What one class offers."""

    storage_class: StorageClass
    topologies: tuple[tuple[Requirement, ...], ...] | None
    """Any one must match the node; None where volumes can be made for every node."""
    tracks_capacity: bool | None
    """Whether the driver wants its capacity checked; None where that is not known."""
    rooms: LabelIndex[Room] | None
    """None where capacities were not read."""

    @property
    def possible(self) -> bool:
        """Whether the class makes volumes at all."""
        return self.storage_class.provisioner not in ("", NO_PROVISIONER)

    def allows(self, labels: Mapping[str, str]) -> bool:
        """Whether volumes can be made for a node with these labels."""
        return self.topologies is None or any(
            all(requirement.matches(labels) for requirement in term) for term in self.topologies
        )

    def rooms_near(self, labels: Mapping[str, str]) -> Iterator[Room]:
        """The capacities that a node with these labels can use, by name."""
        if self.rooms is not None:
            yield from (r for r in self.rooms.near(labels) if r.selector.matches(labels))


def _room(capacity: CSIStorageCapacity) -> Room | None:
    """None for a capacity that no node can use."""
    largest = capacity.maximum_volume_size
    if largest is None:
        largest = capacity.capacity
    if largest is None or capacity.node_topology is None:
        return None
    try:
        selector = parse(capacity.node_topology)
    except SelectorError:
        return None
    return Room(
        f"{capacity.namespace}/{capacity.name}",
        selector,
        whole(largest),
        whole(capacity.capacity) if capacity.capacity is not None else 0,
    )


def _index(capacities: Iterable[CSIStorageCapacity]) -> LabelIndex[Room]:
    rooms = [room for room in map(_room, capacities) if room is not None]
    rooms.sort(key=lambda room: room.name)

    def pinned(room: Room) -> list[tuple[str, frozenset[str]]]:
        exact = [(key, frozenset((value,))) for key, value in room.selector.exact]
        return exact + [
            (r.key, r.values) for r in room.selector.requirements or () if r.operator == IN
        ]

    return LabelIndex((room, narrowest(pinned(room))) for room in rooms)


class Provisioners:
    """All classes of one snapshot, for the claims of one pod."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._capacities: dict[str, list[CSIStorageCapacity]] = defaultdict(list)
        for capacity in snapshot.all(CSIStorageCapacity).values():
            self._capacities[capacity.storage_class_name].append(capacity)

    def provisioning(self, storage_class: StorageClass) -> Provisioning:
        """What this class offers."""
        terms = storage_class.allowed_topologies
        read = self._snapshot.read(CSIStorageCapacity)
        return Provisioning(
            storage_class,
            tuple(_terms(terms)) if terms else None,
            self._tracks_capacity(storage_class.provisioner),
            _index(self._capacities.get(storage_class.name, ())) if read else None,
        )

    def _tracks_capacity(self, provisioner: str) -> bool | None:
        # A CSIDriver is named like a host: what has a slash is another kind of provisioner.
        if not self._snapshot.read(CSIDriver) and "/" not in provisioner:
            return None
        driver = self._snapshot.get(CSIDriver, provisioner)
        return driver is not None and bool(driver.spec.storage_capacity)
