"""WhyReport: the answer to `kschedx why`, for one pod, a workload's pods or all Pending pods."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.node_report import NodeReport
from kschedx.diagnose.references import PodReference
from kschedx.diagnose.workload import WorkloadState


@dataclass(frozen=True, slots=True)
class ExplainedPods:
    """Pods with the same causes, explained for the first of them."""

    pods: tuple[PodReference, ...]
    explanation: Explanation
    agreements: Mapping[AgreementStatus, int] = field(default_factory=dict)
    """How many of the pods' recorded messages agree."""


@dataclass(frozen=True, slots=True)
class WhyReport:
    """All that was asked, worst first."""

    scheduler: str
    """Such as "kube-scheduler 1.35"."""
    version_assumed: bool
    """Neither the user nor the snapshot named a version."""
    explained: tuple[ExplainedPods, ...]
    asked: str = ""
    """What was asked for where it was not one pod, such as "StatefulSet prod/api"."""
    workload: WorkloadState | None = None
    node: NodeReport | None = None
    """The one node that was asked about."""
    notes: tuple[str, ...] = ()

    @property
    def pod_count(self) -> int:
        return sum(len(group.pods) for group in self.explained)

    @property
    def one_pod(self) -> bool:
        """The question was about one pod."""
        return not self.asked

    @property
    def agreements(self) -> Mapping[AgreementStatus, int]:
        """Over all pods."""
        total: Counter[AgreementStatus] = Counter()
        for group in self.explained:
            total.update(group.agreements)
        return total

    @property
    def finding(self) -> bool:
        """Something stands in the way of some pod, or keeps one from being created."""
        drifted = any(
            group.explanation.placement is not None and group.explanation.placement.drift
            for group in self.explained
        )
        missing = self.workload is not None and self.workload.missing > 0
        waiting = any(group.explanation.situation.finding for group in self.explained)
        return waiting or missing or drifted
