"""The plugin protocol: what a scheduler's rule offers, and what it gets to see.

Upstream: k8s.io/kube-scheduler/framework interface.go (v0.35.4).
Differences: a plugin yields reasons instead of a status, and never stops another plugin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kschedx.framework.verdict import Reason
from kschedx.framework.views import ClusterView, NodeView, PodView


class CycleError(Exception):
    """The real scheduler ends this cycle with an error instead of a verdict; the text is its own."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a filter plugin knows of a pod before it looks at any node. Upstream: PreFilter."""

    state: Any = None
    """The plugin's own; handed back to `filter` and `after`."""
    skip: bool = False
    """The rule has nothing to say of this pod: `filter` is not called."""
    rejects: tuple[Reason, ...] = ()
    """Reasons that rule out every node at once."""
    nodes: frozenset[str] | None = None
    """Only these nodes need be looked at; None for all."""


SKIP: Final = Prepared(skip=True)


class PreEnqueuePlugin:
    """A rule that keeps a pod out of the queue: it is not even tried. Upstream: PreEnqueue."""

    name: ClassVar[str]

    def hold(self, pod: PodView) -> Iterable[Reason]:
        """Why the pod is held back; nothing yielded means that it may be tried."""
        raise NotImplementedError


class FilterPlugin:
    """A rule that can rule out nodes. Subclasses are values: they keep nothing between calls."""

    name: ClassVar[str]
    """Upstream's name, as a scheduler configuration writes it."""
    has_prefilter: ClassVar[bool] = False
    """Upstream registers it for PreFilter: a profile can leave that half out."""
    prefilter_since: ClassVar[int] = 0
    """The first minor version in which it is."""
    needs_prefilter: ClassVar[bool] = False
    """Upstream's Filter fails with an error where its PreFilter has not run."""

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        """Once per pod: everything that does not depend on the node looked at."""
        return Prepared()

    def filter(self, state: Any, node: NodeView) -> Iterable[Reason]:
        """Why this node is ruled out; nothing yielded means that it fits. Changes nothing."""
        raise NotImplementedError

    def after(
        self, state: Any, node: NodeView, added: Sequence[PodView], removed: Sequence[PodView]
    ) -> Any:
        """The state as if these pods had come to or gone from this node (dry runs).

        Upstream: PreFilterExtensions AddPod and RemovePod. The given state stays as it is.
        """
        return state


class ScorePlugin:
    """A rule that prefers nodes over others."""

    name: ClassVar[str]
    has_prescore: ClassVar[bool] = False
    """Upstream registers it for PreScore: a profile can leave that half out."""
    needs_prescore: ClassVar[bool] = False
    """Upstream's Score fails with an error where its PreScore has not run."""
    score_since: ClassVar[int] = 0
    """The first minor version in which it scores."""

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> Any | None:
        """Once per pod, with the feasible nodes. None: the rule adds nothing on any node.

        Upstream: PreScore, where None is Skip.
        """
        return ()

    def score(self, state: Any, node: NodeView) -> int:
        """The raw score of one feasible node."""
        raise NotImplementedError

    def normalize(self, state: Any, scores: Mapping[str, int]) -> Mapping[str, int]:
        """Raw scores by node name -> 0..100. Upstream: NormalizeScore."""
        return scores


MAX_NODE_SCORE: Final = 100


def default_normalize(scores: Mapping[str, int], *, reverse: bool) -> dict[str, int]:
    """Upstream: helper.DefaultNormalizeScore with 100 as the highest score."""
    highest = max(scores.values(), default=0)
    if highest == 0:
        return dict.fromkeys(scores, MAX_NODE_SCORE if reverse else 0)
    normalized = {name: MAX_NODE_SCORE * score // highest for name, score in scores.items()}
    if reverse:
        return {name: MAX_NODE_SCORE - score for name, score in normalized.items()}
    return normalized
