"""TaintToleration: a node's taints keep pods off that do not tolerate them.

Upstream: plugins/tainttoleration/taint_toleration.go (v1.35.4), Filter, PreScore, Score.
Differences: all untolerated taints are named; upstream stops at the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.api.node import Taint
from kschedx.api.pod import Toleration
from kschedx.framework.plugin import FilterPlugin, Prepared, ScorePlugin, default_normalize
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.tolerations import (
    COMPARISON_GATE,
    PREFER_NO_SCHEDULE,
    tolerated,
    untolerated,
)
from kschedx.schedulers.kube.versions import Release


@dataclass(frozen=True, slots=True)
class UntoleratedTaint(Reason):
    """A taint with effect NoSchedule or NoExecute that no toleration of the pod covers."""

    code: ClassVar[str] = "untolerated-taint"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE
    key: str
    value: str
    effect: str
    reported: tuple[str, str]
    """(key, value) of the node's first such taint: all that 1.33 and older speak of."""

    def upstream_text(self, minor: int) -> str:
        if minor >= 34:
            return "node(s) had untolerated taint(s)"
        key, value = self.reported
        return f"node(s) had untolerated taint {{{key}: {value}}}"

    def sentence(self) -> str:
        return f"does not tolerate taint {Taint(self.key, self.value, self.effect)}"

    def detail(self) -> str:
        return ""

    def subject(self) -> str:
        return f"untolerated taint {Taint(self.key, self.value, self.effect)}"


@dataclass(frozen=True)
class TaintToleration(FilterPlugin, ScorePlugin):
    """The rule."""

    name: ClassVar[str] = "TaintToleration"
    has_prefilter: ClassVar[bool] = True
    prefilter_since: ClassVar[int] = 37
    has_prescore: ClassVar[bool] = True
    needs_prescore: ClassVar[bool] = True
    release: Release

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> TaintToleration:
        return cls(release)

    @property
    def _comparing(self) -> bool:
        return self.release.enabled(COMPARISON_GATE)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        return Prepared(pod.pod.spec.tolerations)

    def filter(self, state: Sequence[Toleration], node: NodeView) -> Iterator[Reason]:
        taints = node.node.spec.taints
        if not taints:
            return
        left = untolerated(taints, state, comparing=self._comparing)
        for taint in left:
            reported = (left[0].key, left[0].value)
            yield UntoleratedTaint(taint.key, taint.value, taint.effect, reported)

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> Sequence[Toleration]:
        return [t for t in pod.pod.spec.tolerations if t.effect in ("", PREFER_NO_SCHEDULE)]

    def score(self, state: Sequence[Toleration], node: NodeView) -> int:
        """How many PreferNoSchedule taints the pod does not tolerate."""
        return sum(
            taint.effect == PREFER_NO_SCHEDULE
            and not tolerated(taint, state, comparing=self._comparing)
            for taint in node.node.spec.taints
        )

    def normalize(self, state: Any, scores: Mapping[str, int]) -> Mapping[str, int]:
        return default_normalize(scores, reverse=True)
