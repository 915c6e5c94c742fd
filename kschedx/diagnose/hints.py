"""Hint: changes that have been replayed and get the pod a node."""

from __future__ import annotations

from dataclasses import dataclass

from kschedx.diagnose.siblings import Together
from kschedx.framework.edit import Cost, Edit


@dataclass(frozen=True, slots=True)
class Hint:
    """A smallest set of changes after which the pod gets a node, proven by a replay."""

    edits: tuple[Edit, ...]
    nodes: tuple[str, ...]
    """The node that it then gets; several if any of them may be taken."""
    evicts: tuple[str, ...] = ()
    """Pods that it would evict there first ("namespace/name"): the node is only nominated."""
    together: Together | None = None
    """What becomes of pods that wait like it; None where none do, or too many."""

    @property
    def cost(self) -> Cost:
        """That of its most expensive change."""
        return max((edit.cost for edit in self.edits), default=Cost.NOTHING_RESTARTED)

    @property
    def sentence(self) -> str:
        return " and ".join(edit.sentence() for edit in self.edits)


@dataclass(frozen=True, slots=True)
class Hints:
    """What would help."""

    hints: tuple[Hint, ...] = ()
    """Cheapest first."""
    replays: int = 0
    """How many changes were tried."""
    limit_hit: bool = False
    """More could have been tried: a fix may be missing."""
