"""NodeAffinity: the node must match the pod's nodeSelector and required node affinity.

Upstream: plugins/nodeaffinity/node_affinity.go (v1.35.4), PreFilter, Filter, PreScore, Score.
Differences: none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from kschedx.api.plugin_args import NodeAffinityArgs, read_args, unusable_args
from kschedx.api.pod import NodeAffinity as NodeAffinityRules
from kschedx.api.selectors import (
    IN,
    NodeSelectorRequirement,
    NodeTerm,
    PreferredSchedulingTerm,
    any_term,
    node_terms,
    show_requirement,
)
from kschedx.framework.plugin import (
    CycleError,
    FilterPlugin,
    Prepared,
    ScorePlugin,
    default_normalize,
)
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.required_node_affinity import RequiredNodeAffinity
from kschedx.schedulers.kube.versions import Release

_NODE_NAME = "metadata.name"


class FailedRequirement(NamedTuple):
    """One requirement that a node does not meet."""

    key: str
    operator: str
    values: tuple[str, ...]
    found: str | None
    """The node's value; None where it has none."""

    def wanted(self) -> str:
        return show_requirement(NodeSelectorRequirement(self.key, self.operator, self.values))

    def had(self) -> str:
        return f"no {self.key}" if self.found is None else f"{self.key}={self.found}"


def _sentence(failed: tuple[FailedRequirement, ...], alternatives: int) -> str:
    if not failed:
        return "wants what no node can have: node affinity without a usable term"
    wanted = " and ".join(requirement.wanted() for requirement in failed)
    nearest = f" (nearest of {alternatives} terms)" if alternatives > 1 else ""
    return f"wants {wanted}{nearest}, {_had(failed)}"


def _subject(failed: tuple[FailedRequirement, ...]) -> str:
    wanted = " and ".join(requirement.wanted() for requirement in failed)
    return f"wants {wanted}" if wanted else "node affinity without a usable term"


def _had(failed: tuple[FailedRequirement, ...]) -> str:
    had = ", ".join(dict.fromkeys(requirement.had() for requirement in failed))
    return f"node has {had}" if had else ""


@dataclass(frozen=True, slots=True)
class NodeAffinityMismatch(Reason):
    """The node does not match the pod's nodeSelector or required node affinity."""

    code: ClassVar[str] = "node-affinity-mismatch"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE
    failed: tuple[FailedRequirement, ...]
    """Of the nodeSelector, and of the affinity term that lacks the least."""
    alternatives: int = 0
    """How many affinity terms there are, any one of which would do."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't match Pod's node affinity/selector"

    def sentence(self) -> str:
        return _sentence(self.failed, self.alternatives)

    def detail(self) -> str:
        return _had(self.failed)

    def subject(self) -> str:
        return _subject(self.failed)


@dataclass(frozen=True, slots=True)
class EnforcedAffinityMismatch(Reason):
    """The node does not match the affinity that the scheduler's configuration adds to all pods."""

    code: ClassVar[str] = "enforced-affinity-mismatch"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE
    failed: tuple[FailedRequirement, ...]
    alternatives: int = 0

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't match scheduler-enforced node affinity"

    def sentence(self) -> str:
        return f"the scheduler's addedAffinity {_sentence(self.failed, self.alternatives)}"

    def detail(self) -> str:
        return _had(self.failed)

    def subject(self) -> str:
        return f"scheduler-enforced: {_subject(self.failed)}"


@dataclass(frozen=True, slots=True)
class AffinityTermsConflict(Reason):
    """Every affinity term asks for several nodes by name at once."""

    code: ClassVar[str] = "affinity-terms-conflict"
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE

    def upstream_text(self, minor: int) -> str:
        return "pod affinity terms conflict"

    def sentence(self) -> str:
        return "wants to be on differently named nodes at once"


def _failed_of(term: NodeTerm, node: NodeView) -> tuple[FailedRequirement, ...]:
    """What the node lacks of one term."""
    failed = []
    for wanted, parsed in zip(term.term.match_expressions, term.labels, strict=False):
        if not parsed.matches(node.labels):
            found = node.labels.get(wanted.key)
            failed.append(FailedRequirement(wanted.key, wanted.operator, wanted.values, found))
    for wanted, (field, equal, value) in zip(term.term.match_fields, term.fields, strict=False):
        found = node.name if field == _NODE_NAME else None
        if ((found or "") == value) is not equal:
            failed.append(FailedRequirement(wanted.key, wanted.operator, wanted.values, found))
    return tuple(failed)


def _nearest(terms: Sequence[NodeTerm], node: NodeView) -> tuple[FailedRequirement, ...]:
    """What the node lacks of the usable term that it comes nearest to."""
    return min((_failed_of(term, node) for term in terms if term.valid), key=len, default=())


def _named_nodes(required: NodeAffinityRules) -> frozenset[str] | None:
    """The only nodes that the terms name; None where some term names none."""
    terms = required.required.node_selector_terms if required.required is not None else ()
    union: frozenset[str] | None = None
    for term in terms:
        names: frozenset[str] | None = None
        for requirement in term.match_fields:
            if requirement.key == _NODE_NAME and requirement.operator == IN:
                values = frozenset(requirement.values)
                names = values if names is None else names & values
        if names is None:
            return None
        union = names if union is None else union | names
    return union


class WeightedTerm(NamedTuple):
    """A preferred term that can be matched."""

    weight: int
    term: NodeTerm


def _weighted(terms: Sequence[PreferredSchedulingTerm]) -> tuple[WeightedTerm, ...]:
    """Raises ValueError for a term that cannot be parsed; those without weight are not looked at."""
    weighted = []
    for preferred in terms:
        preference = preferred.preference
        if preferred.weight and (preference.match_expressions or preference.match_fields):
            term = NodeTerm(preference)
            if not term.valid:
                raise ValueError("a preferred node affinity term cannot be parsed")
            weighted.append(WeightedTerm(preferred.weight, term))
    return tuple(weighted)


@dataclass(frozen=True)
class NodeAffinity(FilterPlugin, ScorePlugin):
    """The rule."""

    name: ClassVar[str] = "NodeAffinity"
    has_prefilter: ClassVar[bool] = True
    has_prescore: ClassVar[bool] = True
    release: Release
    added_required: tuple[NodeTerm, ...] | None = None
    """addedAffinity: one of these must match, whatever the pod says."""
    added_preferred: tuple[WeightedTerm, ...] = ()

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> NodeAffinity:
        """Raises KschedxError for arguments that the scheduler would refuse."""
        added = read_args(NodeAffinityArgs, cls.name, args).added_affinity or NodeAffinityRules()
        required = node_terms(added.required) if added.required is not None else None
        for term in required or ():
            if not term.valid and (term.term.match_expressions or term.term.match_fields):
                raise unusable_args(cls.name, "addedAffinity: a term cannot be parsed")
        try:
            return cls(release, required, _weighted(added.preferred))
        except ValueError:
            raise unusable_args(cls.name, "addedAffinity: a term cannot be parsed") from None

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        required = RequiredNodeAffinity.of(pod.pod)
        if required.terms is None and not required.labels and self.added_required is None:
            return Prepared(required, skip=True)
        affinity = pod.pod.spec.affinity
        rules = affinity.node_affinity if affinity is not None else None
        nodes = _named_nodes(rules) if rules is not None else None
        if nodes is not None and not nodes:
            return Prepared(required, rejects=(AffinityTermsConflict(),))
        return Prepared(required, nodes=nodes)

    def filter(self, state: RequiredNodeAffinity, node: NodeView) -> Iterator[Reason]:
        added = self.added_required
        if added is not None and not any_term(added, node.name, node.labels):
            yield EnforcedAffinityMismatch(_nearest(added, node), len(added))
        elif not state.matches(node):
            failed = tuple(
                FailedRequirement(key, IN, (value,), node.labels.get(key))
                for key, value in state.labels
                if node.labels.get(key) != value
            )
            terms = state.terms or ()
            if state.terms is not None and not any_term(state.terms, node.name, node.labels):
                failed += _nearest(terms, node)
            yield NodeAffinityMismatch(failed, len(terms))

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> Sequence[WeightedTerm] | None:
        """Raises CycleError where a preferred term cannot be parsed."""
        affinity = pod.pod.spec.affinity
        rules = affinity.node_affinity if affinity is not None else None
        try:
            own = _weighted(rules.preferred) if rules is not None else ()
        except ValueError as problem:
            raise CycleError(f'running PreScore plugin "{self.name}": {problem}') from None
        return (*self.added_preferred, *own) or None

    def score(self, state: Sequence[WeightedTerm], node: NodeView) -> int:
        """The weights of all preferred terms that match, added up."""
        return sum(weight for weight, term in state if term.matches(node.name, node.labels))

    def normalize(self, state: Any, scores: Mapping[str, int]) -> Mapping[str, int]:
        return default_normalize(scores, reverse=False)
