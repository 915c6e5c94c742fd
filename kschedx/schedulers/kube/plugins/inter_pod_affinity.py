"""InterPodAffinity: pods that want to be near some pods and apart from others.

Upstream: plugins/interpodaffinity/filtering.go, scoring.go (v1.35.4), PreFilter, Filter, AddPod,
RemovePod, PreScore, Score, NormalizeScore.
Differences: all terms that fail a check are told; where Namespaces were not read, their labels
count as unknown in the filter and as absent in the scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Self

from kschedx.api.label_syntax import wording
from kschedx.api.plugin_args import InterPodAffinityArgs, read_args, unusable_args
from kschedx.api.workloads import Namespace
from kschedx.framework.affinity import AffinityTerm
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
from kschedx.schedulers.kube.affinity_scores import AffinityScores, affinity_scores
from kschedx.schedulers.kube.incoming_terms import (
    IncomingTerm,
    incoming_term,
    namespace_labels,
    where_words,
)
from kschedx.schedulers.kube.neighbourhood import Found, Neighbourhood, counted, met_by
from kschedx.schedulers.kube.pair_counts import Match, Pair, PairCounts
from kschedx.schedulers.kube.versions import Release

_MAX_HARD_WEIGHT: Final = 100


@dataclass(frozen=True, slots=True)
class AffinityUnreadable(Reason):
    """The pod's own affinity cannot be parsed: no node is even looked at."""

    code: ClassVar[str] = "affinity-unreadable"
    complaint: str
    """The API machinery's own words."""

    def upstream_text(self, minor: int) -> str:
        return f"parsing pod: {wording(self.complaint, minor)}"

    def sentence(self) -> str:
        return f"the pod's affinity cannot be parsed: {self.complaint}"


@dataclass(frozen=True, slots=True)
class AffinityLabelMissing(Reason):
    """The node is in no domain of an affinity term: it lacks the topology key."""

    code: ClassVar[str] = "missing-affinity-label"
    topology_key: str
    selector: str

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't match pod affinity rules"

    def sentence(self) -> str:
        return f"has no label {self.topology_key}, by which the pod must be near {self.selector}"

    def detail(self) -> str:
        return ""

    def subject(self) -> str:
        return f"no label {self.topology_key} for pod affinity"


@dataclass(frozen=True, slots=True)
class NoPodToBeNear(Reason):
    """No pod in the node's domain matches the affinity terms."""

    code: ClassVar[str] = "no-pod-to-be-near"
    topology_key: str
    domain: str
    """The node's own."""
    selector: str
    """Which pods are meant, as kubectl's -l writes it."""
    where: str
    """In which namespaces."""
    terms: int
    """How many terms one pod has to match at once."""
    elsewhere: bool
    """Such a pod runs in another domain."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't match pod affinity rules"

    def sentence(self) -> str:
        whole = f" and all {self.terms} terms" if self.terms > 1 else ""
        elsewhere = "" if self.elsewhere else ", nor in any other domain"
        return (
            f"no pod in {self.topology_key} {self.domain} matches {self.selector} in "
            f"{self.where}{whole}{elsewhere}"
        )

    def subject(self) -> str:
        return f"no pod to be near by {self.topology_key}"


@dataclass(frozen=True, slots=True)
class PodToBeApartFrom(Reason):
    """The node's domain holds pods that the pod must not be with."""

    code: ClassVar[str] = "pod-to-be-apart-from"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    topology_key: str
    domain: str
    """The node's own."""
    selector: str
    """Which pods are meant, as kubectl's -l writes it."""
    pod: str
    """One of those pods, "namespace/name"."""
    count: int
    """How many there are, a pod that several terms match counted once for each."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't match pod anti-affinity rules"

    def sentence(self) -> str:
        more = f" and {self.count - 1} more" if self.count > 1 else ""
        return (
            f"pod/{self.pod}{more} in {self.topology_key} {self.domain}, apart from which the pod "
            f"must be ({self.selector})"
        )

    def subject(self) -> str:
        return f"anti-affinity to pods by {self.topology_key}"


@dataclass(frozen=True, slots=True)
class RepelledByPod(Reason):
    """A pod that runs already must not be with this one."""

    code: ClassVar[str] = "repelled-by-pod"
    default_outcome: ClassVar[Outcome] = Outcome.UNSCHEDULABLE
    topology_key: str
    domain: str
    """The node's own."""
    selector: str
    """Which pods it repels, as kubectl's -l writes it."""
    pod: str
    """One of the repelling pods, "namespace/name"."""
    count: int
    """How many terms of such pods there are."""

    def upstream_text(self, minor: int) -> str:
        return "node(s) didn't satisfy existing pods anti-affinity rules"

    def sentence(self) -> str:
        more = f" and {self.count - 1} more" if self.count > 1 else ""
        return (
            f"pod/{self.pod}{more} in {self.topology_key} {self.domain} must be apart from pods "
            f"matching {self.selector}"
        )

    def subject(self) -> str:
        return f"repelled by pods through {self.topology_key}"


@dataclass(frozen=True)
class InterPodAffinity(FilterPlugin, ScorePlugin):
    """Places pods by the pods that run already."""

    name: ClassVar[str] = "InterPodAffinity"
    has_prefilter: ClassVar[bool] = True
    needs_prefilter: ClassVar[bool] = True
    has_prescore: ClassVar[bool] = True
    needs_prescore: ClassVar[bool] = True
    release: Release
    hard_pod_affinity_weight: int = 1
    """What a required affinity term of an existing pod counts in the scores; 0 to 100."""
    ignore_preferred_terms_of_existing_pods: bool = False
    """Pods without preferences of their own are not scored."""

    @classmethod
    def from_args(cls, args: Mapping[str, Any], release: Release) -> Self:
        read = read_args(InterPodAffinityArgs, cls.name, args)
        weight = read.hard_pod_affinity_weight
        if not 0 <= weight <= _MAX_HARD_WEIGHT:
            problem = f"hardPodAffinityWeight: {weight} is not from 0 to {_MAX_HARD_WEIGHT}"
            raise unusable_args(cls.name, problem)
        return cls(release, weight, read.ignore_preferred_terms_of_existing_pods)

    def _incoming(
        self, terms: Iterable[AffinityTerm], cluster: ClusterView
    ) -> tuple[IncomingTerm, ...]:
        return tuple(incoming_term(term, cluster, self.release) for term in terms)

    def prepare(self, pod: PodView, cluster: ClusterView) -> Prepared:
        if pod.affinity.error:
            return Prepared(rejects=(AffinityUnreadable(pod.affinity.error),))
        read = cluster.snapshot.read(Namespace)
        near = self._incoming(pod.affinity.required, cluster)
        apart = self._incoming(pod.affinity.required_anti, cluster)
        state = Neighbourhood(
            pod,
            namespace_labels(pod, cluster) if read else None,
            near,
            apart,
            itself=all(term.matches(pod) for term in near),
        )
        repelling: list[Found] = []
        perhaps: set[Pair] = set()
        for node in cluster.required_anti_affinity_nodes:
            shy = node.pods_with_required_anti_affinity
            repelling += state.repelling_matches(shy, node)
            if not read:
                perhaps.update(state.perhaps(shy, node))
        if not (repelling or perhaps or near or apart):
            return SKIP
        friends = [
            found
            for other, node in (met_by(near[0], cluster) if near else ())
            for found in state.near_matches((other,), node)
        ]
        others = [
            found
            for term in apart
            for other, node in met_by(term, cluster)
            for found in counted(term.term, other, node)
        ]
        return Prepared(
            replace(
                state,
                near_counts=PairCounts.of(friends),
                apart_counts=PairCounts.of(others),
                repelling=PairCounts.of(repelling),
                perhaps_repelling=frozenset(perhaps),
            )
        )

    def filter(self, state: Neighbourhood, node: NodeView) -> Iterator[Reason]:
        labels = node.labels
        unsure: list[Reason] = []
        # Upstream answers with the first of the three checks that fails.
        for check, needed in (
            (_not_near, state.near),
            (_not_apart, state.apart),
            (_repelled, state.repelling.keys or state.perhaps_repelling),
        ):
            reasons = list(check(state, labels)) if needed else []
            if reasons and reasons[0].outcome > Outcome.NOT_CHECKED:
                yield from reasons
                return
            unsure = unsure or reasons
        yield from unsure

    def after(
        self,
        state: Neighbourhood,
        node: NodeView,
        added: Sequence[PodView],
        removed: Sequence[PodView],
    ) -> Neighbourhood:
        return state.changed(node, added, removed)

    def prepare_score(
        self, pod: PodView, cluster: ClusterView, nodes: Sequence[NodeView]
    ) -> AffinityScores | None:
        affinity = pod.pod.spec.affinity
        sides = (affinity.pod_affinity, affinity.pod_anti_affinity) if affinity else ()
        prefers = any(side.preferred for side in sides if side is not None)
        if self.ignore_preferred_terms_of_existing_pods and not prefers:
            return None
        if pod.affinity.error:
            complaint = wording(pod.affinity.error, self.release.minor)
            raise CycleError(
                f'running PreScore plugin "{self.name}": failed to parse pod: {complaint}'
            )
        return affinity_scores(
            pod,
            cluster,
            self._incoming(pod.affinity.preferred, cluster),
            self._incoming(pod.affinity.preferred_anti, cluster),
            self.hard_pod_affinity_weight,
        )

    def score(self, state: AffinityScores, node: NodeView) -> int:
        return sum(
            values.get(node.labels[key], 0) for key, values in state.items() if key in node.labels
        )

    def normalize(self, state: AffinityScores, scores: Mapping[str, int]) -> Mapping[str, int]:
        lowest, highest = min(scores.values(), default=0), max(scores.values(), default=0)
        spread = highest - lowest
        if spread == 0:
            return dict.fromkeys(scores, 0)
        # In floating point and cut off, as upstream does it.
        return {
            name: int(float(MAX_NODE_SCORE) * ((score - lowest) / spread))
            for name, score in scores.items()
        }


def _not_near(state: Neighbourhood, labels: Mapping[str, str]) -> Iterator[Reason]:
    missing = [term for term in state.near if term.topology_key not in labels]
    for term in missing:
        yield AffinityLabelMissing(term.topology_key, str(term.selector))
    lonely = [
        term
        for term in state.near
        if term.topology_key in labels
        and state.near_counts.count((term.topology_key, labels[term.topology_key])) <= 0
    ]
    if not lonely:
        return
    if any(term.lacks_namespaces for term in state.near):
        if not missing:
            yield SnapshotLacks("Namespace", "the namespaceSelector of the pod's affinity")
        return
    if state.first_of_its_kind:
        return
    for term in lonely:
        yield NoPodToBeNear(
            topology_key=term.topology_key,
            domain=labels[term.topology_key],
            selector=str(term.selector),
            where=where_words(term.term),
            terms=len(state.near),
            elsewhere=state.near_counts.pairs > 0,
        )


def _not_apart(state: Neighbourhood, labels: Mapping[str, str]) -> Iterator[Reason]:
    violated = False
    for key in dict.fromkeys(term.topology_key for term in state.apart):
        pair = (key, labels.get(key, ""))
        count = state.apart_counts.count(pair) if key in labels else 0
        if count > 0:
            violated = True
            found = state.apart_counts.example(pair)
            yield PodToBeApartFrom(*pair, *_named(found), count)
    if not violated and any(t.lacks_namespaces and t.topology_key in labels for t in state.apart):
        yield SnapshotLacks("Namespace", "the namespaceSelector of the pod's anti-affinity")


def _repelled(state: Neighbourhood, labels: Mapping[str, str]) -> Iterator[Reason]:
    violated = False
    for key in state.repelling.keys:
        pair = (key, labels.get(key, ""))
        count = state.repelling.count(pair) if key in labels else 0
        if count > 0:
            violated = True
            yield RepelledByPod(*pair, *_named(state.repelling.example(pair)), count)
    if not violated and any(labels.get(key) == value for key, value in state.perhaps_repelling):
        yield SnapshotLacks("Namespace", "labels that other pods' anti-affinity asks for")


def _named(match: Match | None) -> tuple[str, str]:
    """(selector, pod) of the match that stands for all."""
    return (str(match.term.selector), match.pod) if match is not None else ("", "")
