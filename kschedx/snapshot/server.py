"""What reading must know of the API server: its version and its feature gates."""

from __future__ import annotations

from typing import Protocol


class Server(Protocol):
    """The API server's version and feature gates, as far as they alter what it writes."""

    @property
    def minor(self) -> int: ...

    def enabled(self, gate: str) -> bool:
        """Whether a feature gate is on."""
        ...
