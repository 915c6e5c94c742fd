"""What all documents for machines share."""

from __future__ import annotations

from typing import Final

import msgspec

API_VERSION: Final = "kschedx.io/v1"


class Document(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """Base of all parts: camelCase, every field always present."""
