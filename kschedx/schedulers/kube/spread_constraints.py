"""Topology spread constraints, parsed: a pod's own, or those that a profile sets for all pods.

Upstream: framework/plugins/podtopologyspread/common.go (v1.35.4), filterTopologySpreadConstraints,
buildDefaultConstraints, matchNodeInclusionPolicies; plugin.go, systemDefaultConstraints.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kschedx.api.label_syntax import key_complaint
from kschedx.api.pod import TopologySpreadConstraint
from kschedx.api.selectors import Selector, from_labels, parse
from kschedx.framework.views import NodeView, PodView
from kschedx.schedulers.kube.default_selector import default_selector
from kschedx.schedulers.kube.required_node_affinity import RequiredNodeAffinity
from kschedx.schedulers.kube.tolerations import untolerated
from kschedx.schedulers.kube.topology_labels import HOSTNAME, ZONE
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.snapshot import Snapshot

DO_NOT_SCHEDULE: Final = "DoNotSchedule"
SCHEDULE_ANYWAY: Final = "ScheduleAnyway"
SYSTEM: Final = "System"
LIST: Final = "List"
SYSTEM_DEFAULTS: Final = (
    TopologySpreadConstraint(max_skew=3, topology_key=HOSTNAME, when_unsatisfiable=SCHEDULE_ANYWAY),
    TopologySpreadConstraint(max_skew=5, topology_key=ZONE, when_unsatisfiable=SCHEDULE_ANYWAY),
)
_HONOR: Final = "Honor"


@dataclass(frozen=True, slots=True)
class SpreadConstraint:
    """One constraint, ready to be counted by."""

    topology_key: str
    max_skew: int
    selector: Selector
    """Which pods of the namespace count."""
    min_domains: int = 1
    """With fewer domains than these, the least loaded one counts as empty."""
    honors_affinity: bool = True
    """Only nodes that the pod's node affinity and nodeSelector allow count."""
    honors_taints: bool = False
    """Only nodes whose taints the pod tolerates count."""

    def counts(self, node: NodeView, pod: PodView, required: RequiredNodeAffinity) -> bool:
        """Whether the pods of this node count, as the inclusion policies say."""
        if self.honors_affinity and not required.matches(node):
            return False
        return not (
            self.honors_taints
            and node.node.spec.taints
            and untolerated(node.node.spec.taints, pod.pod.spec.tolerations)
        )

    def matching(self, pods: Iterable[PodView]) -> int:
        """How many of these pods of the namespace count. Upstream: countPodsMatchSelector."""
        if self.selector.empty:
            return 0
        matches = self.selector.matches
        return sum(1 for pod in pods if not pod.terminating and matches(pod.labels))


def on_node(node: NodeView, constraints: Iterable[SpreadConstraint]) -> bool:
    """Whether the node has all topology keys."""
    labels = node.labels
    return all(constraint.topology_key in labels for constraint in constraints)


def own_constraints(pod: PodView, action: str, release: Release) -> tuple[SpreadConstraint, ...]:
    """The pod's own constraints of this kind. Raises SelectorError for a broken selector."""
    return tuple(
        _parsed(constraint, pod.labels, release)
        for constraint in pod.pod.spec.topology_spread_constraints
        if constraint.when_unsatisfiable == action
    )


def default_constraints(
    constraints: Iterable[TopologySpreadConstraint],
    pod: PodView,
    snapshot: Snapshot,
    action: str,
    release: Release,
) -> tuple[SpreadConstraint, ...]:
    """A profile's constraints of this kind, over the pod's siblings; none if it has none."""
    found = [
        _parsed(constraint, pod.labels, release)
        for constraint in constraints
        if constraint.when_unsatisfiable == action
    ]
    if not found:
        return ()
    selector = default_selector(pod, snapshot)
    if selector.empty:
        return ()
    return tuple(replace(constraint, selector=selector) for constraint in found)


def _parsed(
    constraint: TopologySpreadConstraint, labels: Mapping[str, str], release: Release
) -> SpreadConstraint:
    selector = parse(constraint.label_selector)
    if release.enabled("MatchLabelKeysInPodTopologySpread"):
        pairs = {key: labels[key] for key in constraint.match_label_keys if key in labels}
        if pairs:
            selector = from_labels(pairs).also(selector)
    parsed = SpreadConstraint(
        constraint.topology_key,
        constraint.max_skew,
        selector,
        1 if constraint.min_domains is None else constraint.min_domains,
    )
    if not release.enabled("NodeInclusionPolicyInPodTopologySpread"):
        return parsed
    affinity, taints = constraint.node_affinity_policy, constraint.node_taints_policy
    return replace(
        parsed, honors_affinity=affinity in (None, _HONOR), honors_taints=taints == _HONOR
    )


def refusal(kind: str, constraints: Sequence[TopologySpreadConstraint]) -> str:
    """Why upstream would not start with this defaultingType and these defaultConstraints.

    Empty where it would. Upstream: ValidatePodTopologySpreadArgs.
    """
    if kind not in (SYSTEM, LIST):
        return f"defaultingType: {kind!r} is neither {SYSTEM} nor {LIST}"
    if kind == SYSTEM and constraints:
        return f"defaultingType: {SYSTEM} goes with no defaultConstraints"
    pairs = [(each.topology_key, each.when_unsatisfiable) for each in constraints]
    for index, each in enumerate(constraints):
        problem = _problem(each)
        if not problem and pairs[index] in pairs[:index]:
            problem = f"repeats {each.topology_key} with {each.when_unsatisfiable}"
        if problem:
            return f"defaultConstraints[{index}]: {problem}"
    return ""


def _problem(constraint: TopologySpreadConstraint) -> str:
    if constraint.max_skew <= 0:
        return f"maxSkew: {constraint.max_skew} is not positive"
    if key_complaint(constraint.topology_key):
        return f"topologyKey: {constraint.topology_key!r} is not a label key"
    if constraint.when_unsatisfiable not in (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY):
        return f"whenUnsatisfiable: neither {DO_NOT_SCHEDULE} nor {SCHEDULE_ANYWAY}"
    if constraint.label_selector is not None:
        return "labelSelector: a default constraint takes none"
    return ""
