"""What a case is drawn from: one seeded source, and the words that all families share."""

import random
from collections.abc import Sequence
from typing import Any, Final, TypeVar

Object = dict[str, Any]
T = TypeVar("T")

HOSTNAME: Final = "kubernetes.io/hostname"
ZONE: Final = "topology.kubernetes.io/zone"
ZONES: Final = ["z1", "z2", "z3"]
APPS: Final = ["web", "db", "cache", "etl"]
NAMESPACES: Final = ["default", "prod", "batch"]
IMAGES: Final = [
    "registry.example/web:1",
    "registry.example/db:2",
    "nginx",
    "registry.example/big:v3",
    "busybox:latest",
]


class Draw:
    """A seeded source of choices: the order of draws is part of a case."""

    def __init__(self, seed: str) -> None:
        """Start the sequence that belongs to the seed."""
        self.random = random.Random(seed)
        self.started = 0

    def chance(self, probability: float) -> bool:
        """Say yes with this probability."""
        return self.random.random() < probability

    def branch(self, *bounds: float) -> int:
        """Draw once: the index of the first bound above the draw, or how many bounds there are."""
        drawn = self.random.random()
        return next((i for i, bound in enumerate(bounds) if drawn < bound), len(bounds))

    def whole(self, low: int, high: int) -> int:
        """Draw a whole number, both ends included."""
        return self.random.randint(low, high)

    def pick(self, choices: Sequence[T]) -> T:
        """Draw one."""
        return self.random.choice(choices)

    def sample(self, choices: Sequence[T], count: int) -> list[T]:
        """Draw that many different ones, in any order."""
        return self.random.sample(choices, count)

    def some(self, choices: Sequence[T], probability: float = 0.5) -> list[T]:
        """Keep each with this probability."""
        return [choice for choice in choices if self.chance(probability)]


def name_of(thing: Object) -> str:
    """Name an object."""
    name: str = thing["metadata"]["name"]
    return name


def names_of(things: Sequence[Object]) -> list[str]:
    """Name several."""
    return [name_of(thing) for thing in things]
