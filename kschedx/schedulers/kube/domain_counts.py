"""How many matching pods each topology domain holds, and which holds the fewest.

Upstream: framework/plugins/podtopologyspread/filtering.go (v1.35.4), criticalPaths,
TpValueToMatchNum.
Differences: the minimum is exact for any change; upstream's is for changes on one node, which is
all that its dry runs make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

NO_DOMAIN: Final = 2**31 - 1
"""The minimum where there is no domain at all: upstream starts from the largest int32."""


class DomainCounts:
    """Matching pods by domain. A value: a change makes a new one and costs only what changed."""

    __slots__ = ("_base", "_changes", "_ranking", "domains", "minimum", "minimum_domain")

    def __init__(
        self,
        base: Mapping[str, int],
        changes: Mapping[str, int] | None = None,
        ranking: Sequence[tuple[int, str]] | None = None,
    ) -> None:
        """`ranking` is the base sorted by count; `changes` is what comes to it or goes."""
        self._base = base
        self._changes: Mapping[str, int] = changes or {}
        if ranking is None:
            ranking = sorted((count, domain) for domain, count in base.items())
        self._ranking = ranking
        self.domains = len(base) + sum(1 for domain in self._changes if domain not in base)
        """How many domains there are, empty ones included."""
        least = [(self.count(domain), domain) for domain in self._changes]
        for count, domain in ranking:
            if domain not in self._changes:
                least.append((count, domain))
                break
        self.minimum, self.minimum_domain = min(least, default=(NO_DOMAIN, ""))

    def count(self, domain: str) -> int:
        """Matching pods in this domain; 0 where there is no such domain."""
        return self._base.get(domain, 0) + self._changes.get(domain, 0)

    def changed(self, domain: str, difference: int) -> DomainCounts:
        """The counts after so many matching pods more, or fewer, in this domain."""
        changes = {**self._changes, domain: self._changes.get(domain, 0) + difference}
        return DomainCounts(self._base, changes, self._ranking)
