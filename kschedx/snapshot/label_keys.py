"""matchLabelKeys and mismatchLabelKeys, written into the selectors when a pod is created.

Upstream: pkg/registry/core/pod/strategy.go (v1.35.4), mutatePodAffinity,
mutateTopologySpreadConstraints.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from kschedx.api.meta import LabelSelector, LabelSelectorRequirement, StringMap
from kschedx.api.pod import Affinity, Pod, PodAffinity, PodAffinityTerm
from kschedx.api.selectors import IN, NOT_IN
from kschedx.snapshot.server import Server


def with_label_keys(pod: Pod, server: Server) -> Pod:
    """The pod with selectors that ask for its own values of those labels."""
    spec = pod.spec
    if server.enabled("MatchLabelKeysInPodAffinity") and spec.affinity is not None:
        spec = replace(spec, affinity=_affinity(spec.affinity, pod.labels))
    if server.enabled("MatchLabelKeysInPodTopologySpread") and server.enabled(
        "MatchLabelKeysInPodTopologySpreadSelectorMerge"
    ):
        constraints = tuple(
            replace(
                constraint,
                label_selector=_selector(
                    constraint.label_selector, constraint.match_label_keys, (), pod.labels
                ),
            )
            for constraint in spec.topology_spread_constraints
        )
        spec = replace(spec, topology_spread_constraints=constraints)
    return pod if spec is pod.spec else replace(pod, spec=spec)


def _affinity(affinity: Affinity, labels: StringMap) -> Affinity:
    return replace(
        affinity,
        pod_affinity=_side(affinity.pod_affinity, labels),
        pod_anti_affinity=_side(affinity.pod_anti_affinity, labels),
    )


def _side(side: PodAffinity | None, labels: StringMap) -> PodAffinity | None:
    if side is None:
        return None
    return replace(
        side,
        required=tuple(_term(term, labels) for term in side.required),
        preferred=tuple(
            replace(weighted, pod_affinity_term=_term(weighted.pod_affinity_term, labels))
            for weighted in side.preferred
        ),
    )


def _term(term: PodAffinityTerm, labels: StringMap) -> PodAffinityTerm:
    selector = _selector(
        term.label_selector, term.match_label_keys, term.mismatch_label_keys, labels
    )
    return replace(term, label_selector=selector)


def _selector(
    selector: LabelSelector | None,
    match: Sequence[str],
    mismatch: Sequence[str],
    labels: StringMap,
) -> LabelSelector | None:
    """No selector stays none: it matches nothing, whatever the keys."""
    if selector is None:
        return None
    added = (*_requirements(match, IN, labels), *_requirements(mismatch, NOT_IN, labels))
    if not added:
        return selector
    return replace(selector, match_expressions=(*selector.match_expressions, *added))


def _requirements(
    keys: Sequence[str], operator: str, labels: StringMap
) -> Iterator[LabelSelectorRequirement]:
    for key in keys:
        if key in labels:
            yield LabelSelectorRequirement(key, operator, (labels[key],))
