"""The scheduler's own sentence, from typed reasons.

Upstream: pkg/scheduler/framework/types.go (v1.35.4), FitError.Error.
Differences: none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

NO_NODES: Final = "no nodes available to schedule pods"


def fit_error(
    node_count: int,
    *,
    prefilter: str = "",
    per_node: Iterable[Sequence[str]] = (),
    absent: Sequence[str] = (),
    tail: str = "",
) -> str:
    """ "0/3 nodes are available: ..." as the event and the pod's condition show it.

    `per_node` has the reason texts of every node with a status of its own, `absent` those that all
    other nodes share, `prefilter` the text that rules out all nodes at once; `tail` is what
    preemption adds.
    """
    text = f"0/{node_count} nodes are available:"
    if prefilter:
        text += f" {prefilter}."
    else:
        histogram: Counter[str] = Counter()
        explicit = 0
        for reasons in per_node:
            explicit += 1
            histogram.update(reasons)
        if explicit < node_count:
            for reason in absent:
                histogram[reason] += node_count - explicit
        counted = sorted(f"{count} {reason}" for reason, count in histogram.items())
        if counted:
            text += f" {', '.join(counted)}."
    return f"{text} {tail}" if tail else text
