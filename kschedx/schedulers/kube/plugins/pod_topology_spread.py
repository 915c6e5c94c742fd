"""PodTopologySpread: matching pods are spread evenly over the domains of a topology key.

Upstream: plugins/podtopologyspread/filtering.go, scoring.go, plugin.go (v1.35.4), PreFilter,
Filter, AddPod, RemovePod, PreScore, Score, NormalizeScore.
Differences: all constraints that are violated as the first one is are told, not only that one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from kschedx.api.label_syntax import wording
from kschedx.api.plugin_args import PodTopologySpreadArgs, read_args, unusable_args
from kschedx.api.pod import TopologySpreadConstraint
from kschedx.api.selectors import SelectorError
from kschedx.framework.plugin import (
    MAX_NODE_SCORE,
    SKIP,
    CycleError,
    FilterPlugin,
    Prepared,
    ScorePlugin,
)
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.default_selector import unread_kind
from kschedx.schedulers.kube.domain_counts import DomainCounts
from kschedx.schedulers.kube.required_node_affinity import RequiredNodeAffinity
from kschedx.schedulers.kube.spread_constraints import (
    DO_NOT_SCHEDULE,
    SCHEDULE_ANYWAY,
    SYSTEM,
    SYSTEM_DEFAULTS,
    SpreadConstraint,
    default_constraints,
    on_node,
    own_constraints,
    refusal,
)
from kschedx.schedulers.kube.topology_labels import HOSTNAME
from kschedx.schedulers.kube.versions import Release

_TEXT: Final = "node(s) didn't match pod topology spread constraints"


@dataclass(frozen=True, slots=True)
class SpreadLabelMissing(Reason):
    """The node is in no domain of a constraint: it lacks the topology key."""

    code: ClassVar[str] = "missing-spread-label"
    topology_key: str

    def upstream_text(self, minor: int) -> str:
        return f"{_TEXT} (missing required label)"

    def sentence(self) -> str:
        return f"has no label {self.topology_key}, over which the pod must be spread"

    def detail(self) -> str:
        return ""

    def subject(self) -> str:
        return f"no label {self.topology_key} to spread over"


@dataclass(frozen=True, slots=True)
class SkewTooLarge(Reason):
    """With the pod, the node's domain would hold too many matching pods."""

    code: ClassVar[str] = "spread-skew"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    topology_key: str
    domain: str
    """The node's own."""
    selector: str
    """Which pods count, as kubectl's -l writes it."""
    count: int
    """Matching pods in the node's domain now."""
    itself: int
    """1 if the pod matches as well, else 0."""
    minimum: int
    """Matching pods in the domain that holds the fewest, as the rule counts it."""
    minimum_domain: str
    max_skew: int
    domains: int
    """Domains in all."""
    min_domains: int
    """With fewer domains than these the minimum is 0."""

    @property
    def skew(self) -> int:
        """How far the node's domain would be ahead of the least loaded one."""
        return self.count + self.itself - self.minimum

    def upstream_text(self, minor: int) -> str:
        return _TEXT

    def sentence(self) -> str:
        if self.domains < self.min_domains:
            least = f"0 as there are {self.domains} of at least {self.min_domains} domains"
        else:
            least = f"{self.minimum} in {self.minimum_domain or 'the domain without a name'}"
        return (
            f"would hold {self.count + self.itself} pods matching {self.selector} in "
            f"{self.topology_key} {self.domain} against {least}: skew {self.skew} of at most "
            f"{self.max_skew}"
        )

    def short_by(self) -> int:
        return self.skew - self.max_skew

    def subject(self) -> str:
        return f"too uneven over {self.topology_key}"


@dataclass(frozen=True, slots=True)
class Spread:
    """A pod's hard constraints with the counts that they are held against."""

    pod: PodView
    required: RequiredNodeAffinity
    constraints: tuple[SpreadConstraint, ...] = ()
    itself: tuple[int, ...] = ()
    """By constraint: 1 if the pod counts in it."""
    slots: tuple[int, ...] = ()
    """By constraint: which of the counts are its own."""
    counts: tuple[DomainCounts, ...] = ()
    lacks: str = ""
    """The kind that was not read, without which the constraints are not known."""


@dataclass(frozen=True, slots=True)
class SpreadScores:
    """A pod's soft constraints with what is counted for them."""

    constraints: tuple[SpreadConstraint, ...]
    slots: tuple[int, ...]
    counts: tuple[Mapping[str, int], ...]
    """By slot: matching pods by domain."""
    weights: tuple[float, ...]
    """By constraint: small topologies are not drowned by large ones."""
    ignored: frozenset[str]
    """Nodes that are not scored."""
    pods: Mapping[str, Sequence[PodView]]
    """The namespace's pods by node."""


def _slots(constraints: Sequence[SpreadConstraint], release: Release) -> tuple[int, ...]:
    """Which counts a constraint uses: its own, until 1.32 those of its topology key."""
    if release.minor >= 33:
        return tuple(range(len(constraints)))
    keys = list(dict.fromkeys(constraint.topology_key for constraint in constraints))
    return tuple(keys.index(constraint.topology_key) for constraint in constraints)


@dataclass(frozen=True)
class PodTopologySpread(FilterPlugin, ScorePlugin):
    """Keeps the pods of a workload apart, evenly."""

    name: ClassVar[str] = "PodTopologySpread"
    has_prefilter: ClassVar[bool] = True
    needs_prefilter: ClassVar[bool] = True
    has_prescore: ClassVar[bool] = True
    needs_prescore: ClassVar[bool] = True
    release: Release
    defaulting_type: str = SYSTEM
    """System: upstream's soft defaults for pods without constraints; List: those that follow."""
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> Self:
        read = read_args(PodTopologySpreadArgs, cls.name, args)
        kind = read.defaulting_type or SYSTEM
        problem = refusal(kind, read.default_constraints)
        if problem:
            raise unusable_args(cls.name, problem)
        return cls(release, kind, read.default_constraints)

    @property
    def _defaults(self) -> tuple[TopologySpreadConstraint, ...]:
        return SYSTEM_DEFAULTS if self.defaulting_type == SYSTEM else self.default_constraints

    @property
    def rejects_by_default(self) -> bool:
        """Pods without constraints of their own may be rejected."""
        return any(hard.when_unsatisfiable == DO_NOT_SCHEDULE for hard in self._defaults)

    def _constraints(
        self, pod: PodView, cluster: ClusterView, action: str
    ) -> tuple[SpreadConstraint, ...]:
        """Raises SelectorError for a broken selector."""
        if pod.pod.spec.topology_spread_constraints:
            return own_constraints(pod, action, self.release)
        snapshot = cluster.snapshot
        return default_constraints(self._defaults, pod, snapshot, action, self.release)

    def _words(self, refused: SelectorError) -> str:
        return wording(str(refused), self.release.minor)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        own = bool(pod.pod.spec.topology_spread_constraints)
        required = RequiredNodeAffinity.of(pod.pod)
        if not own and self.rejects_by_default:
            unread = unread_kind(pod, cluster.snapshot)
            if unread is not None:
                return Prepared(Spread(pod, required, lacks=unread))
        try:
            constraints = self._constraints(pod, cluster, DO_NOT_SCHEDULE)
        except SelectorError as refused:
            raise CycleError(
                f'running PreFilter plugin "{self.name}": get constraints from pod: '
                f"obtaining pod's hard topology spread constraints: {self._words(refused)}"
            ) from None
        if not constraints:
            return SKIP
        itself = tuple(int(constraint.selector.matches(pod.labels)) for constraint in constraints)
        slots = _slots(constraints, self.release)
        state = Spread(pod, required, constraints, itself, slots)
        return Prepared(replace(state, counts=tuple(map(DomainCounts, _counted(state, cluster)))))

    def filter(self, state: Spread, node: NodeView) -> Iterator[Reason]:
        if state.lacks:
            yield SnapshotLacks(state.lacks, "the selector of the default spread constraints")
            return
        first: Outcome | None = None
        labels = node.labels
        for index, constraint in enumerate(state.constraints):
            domain = labels.get(constraint.topology_key)
            reason: Reason
            if domain is None:
                reason = SpreadLabelMissing(constraint.topology_key)
            else:
                counts = state.counts[state.slots[index]]
                enough = counts.domains >= constraint.min_domains
                minimum = counts.minimum if enough else 0
                count, itself = counts.count(domain), state.itself[index]
                if count + itself - minimum <= constraint.max_skew:
                    continue
                reason = SkewTooLarge(
                    topology_key=constraint.topology_key,
                    domain=domain,
                    selector=str(constraint.selector),
                    count=count,
                    itself=itself,
                    minimum=minimum,
                    minimum_domain=counts.minimum_domain if enough else "",
                    max_skew=constraint.max_skew,
                    domains=counts.domains,
                    min_domains=constraint.min_domains,
                )
            # Upstream stops here: what follows must not change its outcome and text.
            first = reason.outcome if first is None else first
            if reason.outcome is first:
                yield reason

    def after(
        self,
        state: Spread,
        node: NodeView,
        added: Sequence[PodView],
        removed: Sequence[PodView],
    ) -> Spread:
        # As upstream, terminating pods and pods under an empty selector, which are not counted
        # at first, do count when they come or go.
        changed = [(1, pod) for pod in added] + [(-1, pod) for pod in removed]
        changed = [(sign, pod) for sign, pod in changed if pod.namespace == state.pod.namespace]
        if not changed or not on_node(node, state.constraints):
            return state
        counts = list(state.counts)
        for constraint, slot in zip(state.constraints, state.slots, strict=True):
            matches = constraint.selector.matches
            difference = sum(sign for sign, pod in changed if matches(pod.labels))
            if difference and constraint.counts(node, state.pod, state.required):
                domain = node.labels[constraint.topology_key]
                counts[slot] = counts[slot].changed(domain, difference)
        return replace(state, counts=tuple(counts))

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> SpreadScores | None:
        try:
            constraints = self._constraints(pod, cluster, SCHEDULE_ANYWAY)
        except SelectorError as refused:
            raise CycleError(
                f'running PreScore plugin "{self.name}": calculating preScoreState: '
                f"obtaining pod's soft topology spread constraints: {self._words(refused)}"
            ) from None
        if not constraints:
            return None
        own = bool(pod.pod.spec.topology_spread_constraints)
        # With the system's defaults, a node without a zone is still spread by its host name.
        all_keys = own or self.defaulting_type != SYSTEM
        slots = _slots(constraints, self.release)
        counts: list[dict[str, int]] = [{} for _ in set(slots)]
        scored = [node for node in nodes if not all_keys or on_node(node, constraints)]
        sizes = _first_sight(constraints, slots, scored, counts)
        required = RequiredNodeAffinity.of(pod.pod)
        pods = cluster.pods_in_namespace(pod.namespace)
        for name, on_it in pods.items():
            node = cluster.nodes[name]
            if all_keys and not on_node(node, constraints):
                continue
            for constraint, slot in zip(constraints, slots, strict=True):
                domain = node.labels.get(constraint.topology_key, "")
                if domain in counts[slot] and constraint.counts(node, pod, required):
                    counts[slot][domain] += constraint.matching(on_it)
        return SpreadScores(
            constraints,
            slots,
            tuple(counts),
            tuple(math.log(size + 2) for size in sizes),
            frozenset(node.name for node in nodes) - {node.name for node in scored},
            pods,
        )

    def score(self, state: SpreadScores, node: NodeView) -> int:
        if node.name in state.ignored:
            return 0
        score = 0.0
        for index, constraint in enumerate(state.constraints):
            domain = node.labels.get(constraint.topology_key)
            if domain is None:
                continue
            if constraint.topology_key == HOSTNAME:
                count = constraint.matching(state.pods.get(node.name, ()))
            else:
                count = state.counts[state.slots[index]][domain]
            score += count * state.weights[index] + float(constraint.max_skew - 1)
        return _rounded(score)

    def normalize(self, state: SpreadScores, scores: Mapping[str, int]) -> Mapping[str, int]:
        counted = [score for name, score in scores.items() if name not in state.ignored]
        lowest, highest = min(counted, default=0), max([0, *counted])
        if highest == 0:
            return {name: 0 if name in state.ignored else MAX_NODE_SCORE for name in scores}
        turned = {
            name: MAX_NODE_SCORE * (highest + lowest - score) // highest
            for name, score in scores.items()
        }
        return {name: 0 if name in state.ignored else score for name, score in turned.items()}


def _counted(state: Spread, cluster: ClusterView) -> list[dict[str, int]]:
    """By slot: matching pods by domain, over all nodes that count and have all topology keys."""
    counts: list[dict[str, int]] = [{} for _ in set(state.slots)]
    slotted = tuple(zip(state.constraints, state.slots, strict=True))
    pods = cluster.pods_in_namespace(state.pod.namespace)
    for node in cluster.nodes.values():
        if not on_node(node, state.constraints):
            continue
        here: dict[int, tuple[str, int]] = {}
        for constraint, slot in slotted:
            if constraint.counts(node, state.pod, state.required):
                matching = constraint.matching(pods.get(node.name, ()))
                here[slot] = (node.labels[constraint.topology_key], matching)
        for slot, (domain, matching) in here.items():
            counts[slot][domain] = counts[slot].get(domain, 0) + matching
    return counts


def _first_sight(
    constraints: Sequence[SpreadConstraint],
    slots: Sequence[int],
    scored: Iterable[NodeView],
    counts: Sequence[dict[str, int]],
) -> list[int]:
    """Enter the domains of the nodes to be scored; by constraint, how many it entered first."""
    sizes = [0] * len(constraints)
    for node in scored:
        for index, constraint in enumerate(constraints):
            if constraint.topology_key == HOSTNAME:
                sizes[index] += 1
                continue
            domain = node.labels.get(constraint.topology_key, "")
            if domain not in counts[slots[index]]:
                counts[slots[index]][domain] = 0
                sizes[index] += 1
    return sizes


def _rounded(score: float) -> int:
    """To the nearest whole number, halves away from zero, as Go's math.Round does."""
    whole = int(score)
    if abs(score - whole) < 0.5:
        return whole
    return whole + (1 if score > 0 else -1)
