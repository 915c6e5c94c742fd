"""Release: which version of kube-scheduler is replayed, with its feature gates.

Upstream: pkg/features/kube_features.go of 1.30.14 to 1.37.2.
Differences: only the gates that alter a verdict, a score or a text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Final

from kschedx.api.errors import KschedxError
from kschedx.framework.accounting import Accounting
from kschedx.schedulers.kube.feature_gates import NOT_REPLAYED, ON_FROM, WITHOUT_EFFECT

OLDEST: Final = 30
NEWEST: Final = 37
DEFAULT: Final = 35
COMPARED: Final = range(34, 38)
"""Minor versions whose verdicts are compared with the real scheduler's."""

_EXIT_USAGE: Final = 2
_VERSION: Final = re.compile(r"v?1\.(\d+)")


@dataclass(frozen=True, slots=True)
class Release:
    """kube-scheduler 1.<minor> with these gates set away from their defaults."""

    minor: int = DEFAULT
    overrides: Mapping[str, bool] = field(default_factory=dict)

    def enabled(self, gate: str) -> bool:
        """Whether a feature gate is on. Raises KeyError for a gate that alters nothing here."""
        return self.overrides.get(gate, self.minor >= ON_FROM[gate])

    @property
    def name(self) -> str:
        """As reports show it: says so where nothing vouches for the verdicts."""
        name = f"kube-scheduler 1.{self.minor}"
        return name if self.compared else f"{name}, not compared with the real scheduler"

    @property
    def compared(self) -> bool:
        """Whether this version's verdicts are compared with the real scheduler's in the tests."""
        return self.minor in COMPARED

    def accounting(self) -> Accounting:
        """How this version counts what a pod takes."""
        return Accounting(
            pod_level=self.enabled("PodLevelResources"),
            resize_status=self.enabled("InPlacePodVerticalScaling"),
            pod_level_resize_status=self.enabled("InPlacePodLevelResourcesVerticalScaling"),
            resize_by_pod_sums=self.minor >= 37,
            nonzero_counts_sidecars=self.minor >= 32,
        )


def parse_release(version: str, gates: Mapping[str, bool] | None = None) -> Release:
    """ "1.35", "v1.35.4" or "v1.35.4-gke.1" as a release.

    Raises KschedxError for a version outside 1.30-1.37 or a gate that is not known.
    """
    match = _VERSION.match(version.strip())
    minor = int(match.group(1)) if match else -1
    if not OLDEST <= minor <= NEWEST:
        raise KschedxError(
            "unknown-version",
            f"Kubernetes version {version!r} is not one of 1.{OLDEST} to 1.{NEWEST}",
            hint=f"--k8s-version 1.{DEFAULT} replays that version's scheduler",
        )
    given = gates or {}
    for gate, on in given.items():
        if NOT_REPLAYED.get(gate) is on:
            setting = "true" if on else "false"
            raise KschedxError(
                "feature-gate-not-replayed",
                f"{gate}={setting} is not replayed",
                hint="without it the verdicts are those of a scheduler that does not have it set",
                exit_code=_EXIT_USAGE,
            )
        if gate not in ON_FROM and gate not in WITHOUT_EFFECT and gate not in NOT_REPLAYED:
            known = sorted({*ON_FROM, *WITHOUT_EFFECT, *NOT_REPLAYED})
            near = get_close_matches(gate, known, n=3, cutoff=0.7)
            raise KschedxError(
                "unknown-feature-gate",
                f"feature gate {gate!r} is not known",
                hint=f"near it: {', '.join(near)}"
                if near
                else f"those that alter a verdict: {', '.join(sorted(ON_FROM))}",
                exit_code=_EXIT_USAGE,
            )
    return Release(minor, {gate: on for gate, on in given.items() if gate in ON_FROM})
