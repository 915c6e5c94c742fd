"""What can happen later in a run, and who says which of several legal things does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

STOPPED: Final = "stopped"
GONE: Final = "gone"
STARTED: Final = "started"
RESYNC: Final = "resync"
ARRIVES: Final = "arrives"

Choose = Callable[[str, Sequence[str]], int]
"""(question, options) -> the index of the one that happens; the first is the least favourable."""


def first_option(question: str, options: Sequence[str]) -> int:
    """The least favourable of legal orders."""
    return 0
