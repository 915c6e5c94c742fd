"""LabelIndex: things that apply to some nodes, found by a node's labels.

With one local volume or one capacity per node, a node looks at its own and not at all the others'.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from typing import Generic, TypeVar

T = TypeVar("T")

Pin = tuple[str, frozenset[str]]
"""A label and its values, one of which a node must have."""


def narrowest(pins: Iterable[Pin]) -> Pin | None:
    """The pin with the fewest values; None where there is none."""
    return min(pins, key=lambda pin: (len(pin[1]), pin[0]), default=None)


class LabelIndex(Generic[T]):
    """Items in a fixed order, each with a pin that a node must meet, or None for any node."""

    def __init__(self, items: Iterable[tuple[T, Pin | None]]) -> None:
        self._items: list[T] = []
        self._anywhere: list[int] = []
        self._by_label: dict[str, dict[str, list[int]]] = {}
        for index, (item, pin) in enumerate(items):
            self._items.append(item)
            if pin is None:
                self._anywhere.append(index)
                continue
            key, values = pin
            places = self._by_label.setdefault(key, {})
            for value in values:
                places.setdefault(value, []).append(index)

    def __len__(self) -> int:
        return len(self._items)

    def near(self, labels: Mapping[str, str]) -> Iterator[T]:
        """In their order, all items whose pin these labels meet."""
        met = [self._anywhere] if self._anywhere else []
        for key, places in self._by_label.items():
            value = labels.get(key)
            if value is not None and value in places:
                met.append(places[value])
        if not met:
            return iter(())
        indexes = met[0] if len(met) == 1 else heapq.merge(*met)
        return map(self._items.__getitem__, indexes)
