"""VerifyReport: the answer to `kschedx verify`, how far replay and cluster agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.blockers import Cause
from kschedx.diagnose.references import PodReference


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A Pending pod of which the cluster's scheduler says something else."""

    pod: PodReference
    difference: str
    """The first thing that differs."""
    recorded: str
    """The message in the pod's condition."""
    recorded_at: str
    """When the condition last changed its status; the message may be younger."""
    replayed: str
    """The message that the replay gives; empty where it finds a node."""


@dataclass(frozen=True, slots=True)
class Drift:
    """A pod that would not get its node again."""

    pod: PodReference
    node: str
    causes: tuple[Cause, ...]


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A pod that could not be compared, and why."""

    pod: PodReference
    why: str


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """How far the replay and the cluster agree."""

    scheduler: str
    version_assumed: bool
    pending: Mapping[AgreementStatus, int] = field(default_factory=dict)
    """Pending pods by how their recorded message compares."""
    disagreements: tuple[Disagreement, ...] = ()
    not_compared: tuple[Unchecked, ...] = ()
    """Pending pods with a message that cannot be compared."""
    placed: int = 0
    """Pods on nodes that were replayed there."""
    drifted: tuple[Drift, ...] = ()
    not_checked: tuple[Unchecked, ...] = ()
    """Pods on nodes of which it could not be found out."""
    not_modelled: tuple[str, ...] = ()
    """Plugins and features in play that are not replayed."""
    notes: tuple[str, ...] = ()

    @property
    def compared(self) -> int:
        """Pending pods whose message was compared."""
        statuses = (AgreementStatus.AGREES, AgreementStatus.DIFFERS)
        return sum(self.pending.get(status, 0) for status in statuses)

    @property
    def agreeing(self) -> int:
        return self.pending.get(AgreementStatus.AGREES, 0)

    @property
    def finding(self) -> bool:
        """Some Pending pod's message differs. Drift is the cluster's doing, not the replay's."""
        return bool(self.disagreements)
