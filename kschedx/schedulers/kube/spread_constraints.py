"""Topology spread constraints, parsed: a pod's own, or those that a profile sets for all pods.

Upstream: framework/plugins/podtopologyspread/common.go (v1.35.4), filterTopologySpreadConstraints,
buildDefaultConstraints, matchNodeInclusionPolicies; plugin.go, systemDefaultConstraints.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from kschedx.api.errors import KschedxError
from kschedx.api.label_syntax import key_complaint
from kschedx.api.pod import TopologySpreadConstraint
from kschedx.api.selectors import Selector, from_labels, parse
from kschedx.framework.views import NodeView, PodView
from kschedx.schedulers.kube.default_selector import default_selector
from kschedx.schedulers.kube.required_node_affinity import RequiredNodeAffinity
from kschedx.schedulers.kube.tolerations import untolerated
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.snapshot import Snapshot

HOSTNAME: Final = "kubernetes.io/hostname"
ZONE: Final = "topology.kubernetes.io/zone"
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


def read_defaults(args: Mapping[str, Any]) -> tuple[str, tuple[TopologySpreadConstraint, ...]]:
    """The two fields of PodTopologySpreadArgs.

    Raises KschedxError for what upstream refuses.
    """
    kind = args.get("defaultingType") or SYSTEM
    listed = args.get("defaultConstraints") or []
    if kind not in (SYSTEM, LIST):
        raise _refused("defaultingType", f"{kind!r} is neither {SYSTEM} nor {LIST}")
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise _refused("defaultConstraints", "expected a list")
    if kind == SYSTEM and listed:
        raise _refused("defaultingType", f"{SYSTEM} goes with no defaultConstraints")
    constraints = tuple(
        _default(item, f"defaultConstraints[{index}]") for index, item in enumerate(listed)
    )
    pairs = [(each.topology_key, each.when_unsatisfiable) for each in constraints]
    for index, pair in enumerate(pairs):
        if pair in pairs[:index]:
            raise _refused(f"defaultConstraints[{index}]", f"repeats {' '.join(pair)}")
    return kind, constraints


def _default(item: object, place: str) -> TopologySpreadConstraint:
    if not isinstance(item, Mapping):
        raise _refused(place, "expected a mapping")
    max_skew, key, action = (
        item.get(name) for name in ("maxSkew", "topologyKey", "whenUnsatisfiable")
    )
    if not isinstance(max_skew, int) or max_skew <= 0:
        raise _refused(f"{place}.maxSkew", "expected a positive whole number")
    if not isinstance(key, str) or key_complaint(key):
        raise _refused(f"{place}.topologyKey", "expected a label key")
    if action not in (DO_NOT_SCHEDULE, SCHEDULE_ANYWAY):
        raise _refused(
            f"{place}.whenUnsatisfiable", f"expected {DO_NOT_SCHEDULE} or {SCHEDULE_ANYWAY}"
        )
    if item.get("labelSelector") is not None:
        raise _refused(f"{place}.labelSelector", "a default constraint takes none")
    return TopologySpreadConstraint(
        max_skew=max_skew,
        topology_key=key,
        when_unsatisfiable=action,
        min_domains=item.get("minDomains"),
        node_affinity_policy=item.get("nodeAffinityPolicy"),
        node_taints_policy=item.get("nodeTaintsPolicy"),
    )


def _refused(place: str, what: str) -> KschedxError:
    return KschedxError(
        "scheduler-config-unreadable",
        f"scheduler configuration: PodTopologySpread: {place}: {what}",
    )
