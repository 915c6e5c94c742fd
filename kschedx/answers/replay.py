"""Replay: one snapshot with one scheduler, asked about pods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from kschedx.api.pod import Pod
from kschedx.diagnose.agreement import Replayed
from kschedx.diagnose.also_blocked import AlsoBlocked, also_blocked
from kschedx.diagnose.blockers import Cause, causes_of
from kschedx.diagnose.explanation import Explanation, FurtherReplays, explain
from kschedx.diagnose.hints import Hints
from kschedx.diagnose.node_report import NodeReport, evictions_on, node_report
from kschedx.diagnose.placement import (
    Nomination,
    Placement,
    kubelet_waits,
    terminating_victims,
)
from kschedx.diagnose.references import TerminatingPod
from kschedx.diagnose.remedies import Remedies, remedies
from kschedx.diagnose.smallest_fixes import Replays, smallest_fixes
from kschedx.diagnose.what_if import Outdated, WhatIf, by_hand, what_if
from kschedx.framework.attempt import Attempt
from kschedx.framework.plugin import CycleError
from kschedx.framework.pod_edits import PodEdit
from kschedx.framework.verdict import NodeTrace, Verdict
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.claims import ClaimNotBound, ClaimNotFound
from kschedx.schedulers.kube.configuration import DEFAULT_SCHEDULER, Configuration
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.filtering import Filters, NodesNotSatisfying
from kschedx.schedulers.kube.versions import DEFAULT, Release, parse_release
from kschedx.snapshot.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class SchedulerChoice:
    """Which scheduler is replayed."""

    release: Release
    version_assumed: bool = False
    """Neither the user nor the snapshot named a version."""
    configuration: Configuration = field(default_factory=Configuration)


def release_for(version: str | None, gates: Mapping[str, bool] | None = None) -> Release:
    """The release of a version, or the default where none is known.

    Raises KschedxError for a version or a gate that is not known.
    """
    return parse_release(version or f"1.{DEFAULT}", gates)


def choose_scheduler(
    snapshot: Snapshot,
    version: str | None = None,
    gates: Mapping[str, bool] | None = None,
    configuration: Configuration | None = None,
) -> SchedulerChoice:
    """The version that the user names, else the snapshot's, else the default.

    Raises KschedxError for a version or a gate that is not known.
    """
    named = version or snapshot.version
    return SchedulerChoice(
        release_for(named, gates), named is None, configuration or Configuration()
    )


@dataclass(frozen=True, slots=True)
class Explained:
    """One pod's attempt, explained; the attempt itself would keep every node's trace alive."""

    replayed: Replayed
    explanation: Explanation


class Replay:
    """Asks one scheduler about the pods of one snapshot."""

    def __init__(self, snapshot: Snapshot, choice: SchedulerChoice) -> None:
        """Raises KschedxError for a scheduler configuration that cannot be read."""
        self.snapshot = snapshot
        self.choice = choice
        self.scheduler = KubeScheduler(choice.release, choice.configuration)
        self.cluster = ClusterView.of(snapshot, choice.release.accounting())

    def unplaced(self, pod: Pod) -> tuple[PodView, ClusterView]:
        """The pod as if it were not on its node yet, and the cluster without it there."""
        if not pod.spec.node_name:
            return self.cluster.view(pod), self.cluster
        return self.cluster.view(pod.with_spec(node_name="")), self.cluster.without_pods([pod.key])

    def explain(self, pod: Pod, *, with_rows: bool = False, with_hints: bool = False) -> Explained:
        """Everything about one pod; `with_hints` replays what could help it."""
        view = self.cluster.view(pod)
        if pod.terminal or pod.spec.node_name:
            return self._explain_placed(view)
        attempt = self.scheduler.attempt(view, self.cluster)
        otherwise = self._otherwise(attempt, with_rows=with_rows)
        hints = self._hints(attempt) if with_hints else None
        found = what_if(attempt, self.cluster, self._winners)
        found = replace(
            found,
            by_hand=by_hand(attempt, self.cluster, hints),
            outdated=self._outdated(attempt),
        )
        explanation = explain(
            attempt,
            self.cluster,
            FurtherReplays(
                nomination=self._nomination(view),
                otherwise=otherwise,
                also_blocked=self._also_blocked(attempt, with_rows=with_rows),
                remedies=self._remedies(hints, found, pod) if hints is not None else None,
                what_if=found,
            ),
            with_rows=with_rows,
        )
        return Explained(Replayed.of(attempt, supposed=self.snapshot.supposed), explanation)

    def _place(self, pod: PodView, cluster: ClusterView) -> Attempt:
        return self.scheduler.attempt(pod, cluster, every_rule=False, dry_runs=False)

    def _winners(self, pod: PodView, cluster: ClusterView) -> tuple[str, ...]:
        return self._place(pod, cluster).winners

    def _hints(self, attempt: Attempt) -> Hints | None:
        """What would help a pod that every node rejects."""
        looked = bool(attempt.traces) or attempt.narrowed_to is not None
        of_claims = attempt.prefilter is not None and any(
            isinstance(reason, ClaimNotBound | ClaimNotFound)
            for reason in attempt.prefilter.reasons
        )
        if attempt.winners or not (of_claims or (attempt.prefilter is None and looked)):
            return None

        def preempt(pod: PodView, cluster: ClusterView) -> Attempt:
            return self.scheduler.attempt(pod, cluster, every_rule=False)

        return smallest_fixes(attempt, self.cluster, Replays(self._place, preempt))

    def _outdated(self, attempt: Attempt) -> Outdated | None:
        """Whether a pod that no node takes would be another one if it were made again."""
        pod = attempt.pod.pod
        owner = pod.metadata.controller
        if attempt.winners or attempt.held is not None or owner is None:
            return None
        if owner.kind != "StatefulSet" or pod.terminating:
            return None
        from kschedx.answers.stopped_rollout import outdated

        return outdated(pod, self.snapshot, self.scheduler)

    def _remedies(self, hints: Hints, found: WhatIf, pod: Pod) -> Remedies:
        """What helps the pod, first what helps its whole rollout."""
        from kschedx.answers.stopped_rollout import another_strategy, deletion

        if found.outdated is not None:
            # Changes of the template are for the revision that it is not of.
            kept = [h for h in hints.hints if not any(isinstance(e, PodEdit) for e in h.edits)]
            said = remedies(replace(hints, hints=tuple(kept)), pod, self.snapshot)
            return replace(said, remedies=(deletion(found.outdated, pod), *said.remedies))
        said = remedies(hints, pod, self.snapshot)
        if found.after_terminating is not None or found.deadlock is None:
            return said
        first = another_strategy(found.deadlock, pod, self.snapshot, self.scheduler)
        return replace(said, remedies=(first, *said.remedies)) if first is not None else said

    def _explain_placed(self, view: PodView) -> Explained:
        pod = view.pod
        attempt = Attempt(
            view,
            self.scheduler.name,
            self.choice.release.minor,
            node_count=len(self.cluster.nodes),
        )
        name = pod.spec.node_name
        placement = Placement(name, name in self.cluster.nodes, waits=kubelet_waits(pod))
        if not pod.terminal and placement.node_known:
            placement = self._with_drift(placement, view)
        explanation = explain(attempt, self.cluster, FurtherReplays(placement=placement))
        return Explained(Replayed.of(attempt, supposed=self.snapshot.supposed), explanation)

    def _with_drift(self, placement: Placement, view: PodView) -> Placement:
        """Whether the pod would get its node again: replayed as if it were not there yet."""
        without = self.cluster.without_pods([view.key])
        fresh = without.view(view.pod.with_spec(node_name=""))
        if self.scheduler.profile_for(fresh) is None:
            return replace(placement, drift_unknown="another scheduler placed it")
        try:
            causes = _causes_on(self.scheduler.filters(fresh, without), placement.node, without)
        except CycleError as error:
            return replace(placement, drift_unknown=str(error))
        return replace(placement, drift=causes)

    def _nomination(self, view: PodView) -> Nomination | None:
        """The node that is held for the pod, and whether it fits once its victims are gone."""
        name = view.pod.status.nominated_node_name
        if not name:
            return None
        if name not in self.cluster.nodes:
            return Nomination(name, node_known=False)
        victims = terminating_victims(view, self.cluster)
        nomination = Nomination(
            name,
            node_known=True,
            victims=tuple(TerminatingPod.of(v.pod, self.snapshot.taken_at) for v in victims),
        )
        if not victims or self.scheduler.held(view) is not None:
            return nomination
        after = self.cluster.without_pods(victim.key for victim in victims)
        try:
            causes = _causes_on(self.scheduler.filters(view, after), name, after)
        except CycleError:
            return nomination
        return replace(nomination, fits_after=not causes, then=causes)

    def _otherwise(self, attempt: Attempt, *, with_rows: bool) -> Explanation | None:
        """What a pod that is never tried would meet: without its gates, by the first profile."""
        pod = attempt.pod.pod
        if attempt.held is None or pod.terminating:
            return None
        again = self.scheduler.attempt(self.cluster.view(self._tried(pod)), self.cluster)
        further = FurtherReplays(also_blocked=self._also_blocked(again, with_rows=with_rows))
        explanation = explain(again, self.cluster, further, with_rows=with_rows)
        return replace(explanation, state="if it were tried", agreement=None)

    def _tried(self, pod: Pod) -> Pod:
        """The pod without its gates, asking for a scheduler that is there."""
        name, served = pod.spec.scheduler_name, self.scheduler.profiles
        if name not in served:
            name = DEFAULT_SCHEDULER if DEFAULT_SCHEDULER in served else next(iter(served))
        return pod.with_spec(scheduling_gates=(), scheduler_name=name)

    def _also_blocked(self, attempt: Attempt, *, with_rows: bool) -> AlsoBlocked | None:
        """What the nodes would say of a pod that is rejected before any is looked at."""
        if attempt.prefilter is None or attempt.pod.pod.terminating:
            return None
        supposition = self.scheduler.supposing_mended(attempt.pod, self.cluster)
        return also_blocked(supposition, self.cluster, with_rows=with_rows)

    def node_report(self, pod: Pod, node: NodeView) -> NodeReport:
        """One pod on one node, rule by rule. A pod that is on a node is judged as if it were not."""
        view, cluster = self.unplaced(self._tried(pod))
        profile = self.scheduler.profiles[view.pod.spec.scheduler_name]
        report = node_report(
            view,
            cluster.nodes[node.name],
            self.scheduler.supposing_mended(view, cluster),
            [plugin.name for plugin in profile.filter],
        )
        if self.scheduler.held(self.cluster.view(pod)) is not None:
            report = replace(report, supposes=("it is tried all the same", *report.supposes))
        if report.error:
            return report
        eviction, victims = evictions_on(
            node.name, self.scheduler.attempt(view, cluster).preemption
        )
        return replace(report, eviction=eviction, victims=victims)


def _trace(filters: Filters, node: NodeView) -> NodeTrace:
    """All that rejects the pod on the node, a rejection of every node included."""
    trace = filters.trace(node, every=True)
    rejection = filters.preparation.rejection
    return trace if rejection is None else replace(trace, verdicts=(rejection, *trace.verdicts))


def _causes_on(filters: Filters, node: str, cluster: ClusterView) -> tuple[Cause, ...]:
    narrowed_to = filters.preparation.narrowed_to
    trace = _trace(filters, cluster.nodes[node])
    causes = causes_of(trace.verdicts)
    if narrowed_to is not None and node not in narrowed_to and not causes:
        left_out = Verdict("", (NodesNotSatisfying(filters.preparation.narrowed_by),))
        return causes_of([left_out])
    return causes
