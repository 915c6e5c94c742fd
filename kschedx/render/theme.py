"""Colours by meaning. They carry nothing that the words do not say."""

from __future__ import annotations

from typing import Final

from rich.theme import Theme

THEME: Final = Theme(
    {
        "headline": "bold",
        "wrong": "bold red",
        "right": "bold green",
        "waits": "bold yellow",
        "name": "cyan",
        "heading": "bold",
        "quiet": "dim",
    },
    inherit=False,
)
"""From the terminal's own 16 colours, so that light and dark backgrounds both work."""
