"""What is counted by topology pair, with the pods that are behind each count.

Upstream: framework/plugins/interpodaffinity/filtering.go (v1.35.4), topologyToMatchedTermCount.
Differences: the pods are remembered, so that one can be named.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kschedx.framework.affinity import AffinityTerm

Pair = tuple[str, str]
"""(topology key, value)."""


@dataclass(frozen=True, slots=True)
class Match:
    """A pod that counts in a pair, and the term through which it does."""

    pod: str
    """ "namespace/name"."""
    term: AffinityTerm


class PairCounts:
    """Matches by pair. A value: a change makes a new one and costs only what changed."""

    __slots__ = ("_away", "_base", "_came", "_changes", "keys", "pairs")

    def __init__(self, base: Mapping[Pair, Sequence[Match]]) -> None:
        """`base` holds no pair without a match."""
        self._base = base
        self._changes: Mapping[Pair, int] = {}
        self._away: frozenset[str] = frozenset()
        self._came: Mapping[Pair, tuple[Match, ...]] = {}
        self.pairs = len(base)
        """How many pairs have a count other than 0."""
        self.keys: tuple[str, ...] = tuple(sorted({key for key, _ in base}))
        """The topology keys of all pairs, sorted."""

    @classmethod
    def of(cls, matches: Iterable[tuple[Pair, Match]]) -> PairCounts:
        """The counts of these matches."""
        found: dict[Pair, list[Match]] = {}
        for pair, match in matches:
            found.setdefault(pair, []).append(match)
        return cls(found)

    def count(self, pair: Pair) -> int:
        """How many matches there are; a pod that matches through two terms counts twice."""
        found = self._base.get(pair)
        count = len(found) if found is not None else 0
        return count + self._changes.get(pair, 0) if self._changes else count

    def example(self, pair: Pair) -> Match | None:
        """One of the matches, always the same of the same ones."""
        for match in self._base.get(pair, ()):
            if match.pod not in self._away:
                return match
        return next(iter(self._came.get(pair, ())), None)

    def changed(
        self, came: Sequence[tuple[Pair, Match]], gone: Sequence[tuple[Pair, Match]]
    ) -> PairCounts:
        """The counts after these matches came and went."""
        if not came and not gone:
            return self
        new = PairCounts.__new__(PairCounts)
        new._base = self._base
        changes = dict(self._changes)
        pairs = self.pairs
        for sign, some in ((1, came), (-1, gone)):
            for pair, _ in some:
                before = self._base_count(pair) + changes.get(pair, 0)
                changes[pair] = changes.get(pair, 0) + sign
                pairs += (before + sign != 0) - (before != 0)
        new._changes = changes
        new.pairs = pairs
        back = {match.pod for _, match in came}
        new._away = (self._away | {match.pod for _, match in gone}) - back
        arrived = dict(self._came)
        for pair, match in came:
            arrived[pair] = (*arrived.get(pair, ()), match)
        for pair, match in gone:
            arrived[pair] = tuple(m for m in arrived.get(pair, ()) if m.pod != match.pod)
        new._came = arrived
        more = {key for (key, _), _ in came}.difference(self.keys)
        new.keys = tuple(sorted({*self.keys, *more})) if more else self.keys
        return new

    def _base_count(self, pair: Pair) -> int:
        return len(self._base.get(pair, ()))


NO_PAIRS: Final = PairCounts({})
