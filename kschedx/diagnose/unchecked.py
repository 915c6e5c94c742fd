"""What could not be checked: the nodes that nobody judged, and by which causes."""

from __future__ import annotations

from kschedx.diagnose.blockers import Cause, causes_of
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import Outcome


def unjudged_nodes(attempt: Attempt) -> tuple[str, ...]:
    """Nodes of which it is not known whether they can take the pod, in the cluster's order."""
    return tuple(n for n, t in attempt.traces.items() if t.outcome is Outcome.NOT_CHECKED)


def unchecked_causes(attempt: Attempt) -> tuple[Cause, ...]:
    """What leaves those nodes undecided, each cause once, in the order met."""
    found: dict[tuple[str, str], Cause] = {}
    for name in unjudged_nodes(attempt):
        for cause in causes_of(attempt.traces[name].verdicts):
            if cause.outcome is Outcome.NOT_CHECKED:
                found.setdefault((cause.code, cause.subject), cause)
    return tuple(found.values())
