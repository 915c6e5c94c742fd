"""SchedulingGates: a pod with gates is not tried until the last of them is removed.

Upstream: plugins/schedulinggates/scheduling_gates.go (v1.35.4), PreEnqueue.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.framework.plugin import PreEnqueuePlugin
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.versions import Release


@dataclass(frozen=True, slots=True)
class SchedulingGated(Reason):
    """The pod waits for its gates to be removed."""

    code: ClassVar[str] = "scheduling-gated"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE
    gates: tuple[str, ...]

    def upstream_text(self, minor: int) -> str:
        return f"waiting for scheduling gates: [{' '.join(self.gates)}]"

    def sentence(self) -> str:
        gates = "gate" if len(self.gates) == 1 else "gates"
        return f"waits for scheduling {gates} {', '.join(self.gates)}"


@dataclass(frozen=True)
class SchedulingGates(PreEnqueuePlugin):
    """The rule."""

    name: ClassVar[str] = "SchedulingGates"
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> SchedulingGates:
        return cls(release)

    def hold(self, pod: PodView) -> Iterator[Reason]:
        gates = pod.pod.spec.scheduling_gates
        if gates:
            yield SchedulingGated(tuple(gate.name for gate in gates))
