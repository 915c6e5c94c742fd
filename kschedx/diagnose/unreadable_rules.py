"""Rules of a pod's node affinity that no node can meet, as they compare what is no integer."""

from __future__ import annotations

from collections.abc import Iterator

from kschedx.api.pod import Pod
from kschedx.api.selectors import parse_integer


def unreadable_rules(pod: Pod) -> Iterator[tuple[str, str, str]]:
    """Key, operator and value of each Gt and Lt whose value is not an integer."""
    affinity = pod.spec.affinity
    node_affinity = affinity.node_affinity if affinity is not None else None
    required = node_affinity.required if node_affinity is not None else None
    for term in required.node_selector_terms if required is not None else ():
        for expression in term.match_expressions:
            for value in expression.values:
                if expression.operator in ("Gt", "Lt") and parse_integer(value) is None:
                    yield expression.key, expression.operator, value
