"""Scores of the feasible nodes and their winners.

Upstream: pkg/scheduler/schedule_one.go prioritizeNodes, numFeasibleNodesToFind,
framework/runtime/framework.go (v1.35.4) RunPreScorePlugins, RunScorePlugins.
Differences: all top scorers win; upstream takes one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from kschedx.framework.attempt import NodeScore
from kschedx.framework.plugin import MAX_NODE_SCORE, CycleError
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.profile import Profile

_ALWAYS_SOUGHT: Final = 100
_LEAST_PERCENTAGE: Final = 5


def nodes_sought(nodes: int, percentage: int | None) -> int:
    """After how many feasible nodes of `nodes` the real scheduler stops looking for more.

    percentage: percentageOfNodesToScore; None or 0 for upstream's own choice by the cluster's size.
    """
    if not percentage:
        percentage = max(50 - nodes // 125, _LEAST_PERCENTAGE)
    return min(max(nodes * percentage // 100, _ALWAYS_SOUGHT), nodes)


def score_nodes(
    profile: Profile, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
) -> dict[str, NodeScore]:
    """Every feasible node's scores, by name.

    Raises CycleError where the real scheduler would end the cycle with an error.
    """
    prescored = {plugin.name for plugin in profile.pre_score}
    raw: dict[str, Mapping[str, int]] = {}
    weighted: dict[str, dict[str, int]] = {}
    for plugin, weight in profile.score:
        if plugin.needs_prescore and plugin.name not in prescored:
            raise CycleError(f"score plugin {plugin.name} runs without its PreScore")
        state = plugin.prepare_score(pod, cluster, nodes)
        if state is None:
            continue
        scores = {node.name: plugin.score(state, node) for node in nodes}
        normalized = plugin.normalize(state, scores)
        for score in (min(normalized.values()), max(normalized.values())) if normalized else ():
            if not 0 <= score <= MAX_NODE_SCORE:
                raise CycleError(
                    f'plugin "{plugin.name}" returns an invalid score {score}, it should in the '
                    f"range of [0, {MAX_NODE_SCORE}] after normalizing"
                )
        raw[plugin.name] = scores
        weighted[plugin.name] = {name: score * weight for name, score in normalized.items()}
    names = [node.name for node in nodes]
    if not weighted:
        return {name: NodeScore(name, {}, {}) for name in names}
    points = zip(*([scores[name] for name in names] for scores in weighted.values()), strict=True)
    own = zip(*([scores[name] for name in names] for scores in raw.values()), strict=True)
    return {
        name: NodeScore(name, dict(zip(weighted, w, strict=True)), dict(zip(raw, r, strict=True)))
        for name, w, r in zip(names, points, own, strict=True)
    }


def top_scorers(scores: Mapping[str, NodeScore]) -> tuple[str, ...]:
    """The names with the highest total, sorted."""
    best = max((score.total for score in scores.values()), default=0)
    return tuple(sorted(name for name, score in scores.items() if score.total == best))
