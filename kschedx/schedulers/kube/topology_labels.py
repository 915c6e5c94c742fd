"""The well-known labels that say where a node or a volume is."""

from __future__ import annotations

from typing import Final

HOSTNAME: Final = "kubernetes.io/hostname"
ZONE: Final = "topology.kubernetes.io/zone"
REGION: Final = "topology.kubernetes.io/region"
BETA_ZONE: Final = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION: Final = "failure-domain.beta.kubernetes.io/region"

SEVERAL: Final = "__"
"""Separates the zones of a regional volume in one label value."""

CURRENT: Final = {BETA_ZONE: ZONE, BETA_REGION: REGION}
"""Old label -> the label that replaced it."""
