"""KubeScheduler: one scheduling cycle for one pod.

Upstream: pkg/scheduler/schedule_one.go (v1.35.4), schedulePod, findNodesThatFitPod.
Differences: all nodes are looked at; equals are named instead of drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from kschedx.framework.attempt import Attempt, Preemption
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import NodeTrace, Outcome, Reason, Verdict
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.configuration import Configuration
from kschedx.schedulers.kube.filtering import Filters, NodesNotSatisfying, prepare
from kschedx.schedulers.kube.message import NO_NODES, fit_error
from kschedx.schedulers.kube.preemption import ineligible, preempt, tail
from kschedx.schedulers.kube.profile import PREEMPTION, Profile, build_profile
from kschedx.schedulers.kube.scoring import score_nodes, top_scorers
from kschedx.schedulers.kube.supposition import Supposition, suppose_mended
from kschedx.schedulers.kube.versions import Release


@dataclass(frozen=True, slots=True)
class SchedulerNotServed(Reason):
    """No profile answers to the pod's schedulerName: nobody ever tries this pod."""

    code: ClassVar[str] = "scheduler-not-served"
    scheduler_name: str
    served: tuple[str, ...]

    def upstream_text(self, minor: int) -> str:
        return f"no profile for schedulerName {self.scheduler_name}"

    def sentence(self) -> str:
        names = ", ".join(self.served)
        return f"asks for scheduler {self.scheduler_name}; this one serves {names}"


class KubeScheduler:
    """kube-scheduler of one release and configuration. Keeps nothing between attempts."""

    def __init__(self, release: Release, configuration: Configuration | None = None) -> None:
        """Raises KschedxError for plugin arguments that cannot be read."""
        configuration = configuration or Configuration()
        self.release = release
        self.profiles: Mapping[str, Profile] = {
            spec.scheduler_name: build_profile(spec, release, configuration.extenders)
            for spec in configuration.profiles
        }
        self._served = frozenset(self.profiles)

    @property
    def name(self) -> str:
        return self.release.name

    def profile_for(self, pod: PodView) -> Profile | None:
        """The profile that answers to the pod's schedulerName."""
        return self.profiles.get(pod.pod.spec.scheduler_name)

    def held(self, pod: PodView) -> Verdict | None:
        """Why the pod is not even tried. Upstream: PreEnqueue."""
        profile = self.profile_for(pod)
        if profile is None:
            served = tuple(sorted(self.profiles))
            return Verdict("", (SchedulerNotServed(pod.pod.spec.scheduler_name, served),))
        for plugin in profile.pre_enqueue:
            reasons = tuple(plugin.hold(pod))
            if reasons:
                return Verdict(plugin.name, reasons)
        return None

    def filters(self, pod: PodView, cluster: ClusterView) -> Filters:
        """The pod's rules, prepared against the cluster.

        Raises CycleError where the real scheduler would end the cycle with an error, and
        KeyError where no profile serves the pod.
        """
        profile = self.profiles[pod.pod.spec.scheduler_name]
        return Filters(profile, pod, cluster, prepare(profile, pod, cluster), self._served)

    def supposing_mended(self, pod: PodView, cluster: ClusterView) -> Supposition:
        """The rules as `filters`, as if what rules out every node at once were mended.

        Raises KeyError where no profile serves the pod.
        """
        return suppose_mended(
            self.profiles[pod.pod.spec.scheduler_name], pod, cluster, self._served
        )

    def attempt(
        self,
        pod: PodView,
        cluster: ClusterView,
        *,
        every_rule: bool = True,
        dry_runs: bool = True,
    ) -> Attempt:
        """Try the pod as the scheduler would now.

        `every_rule` asks all plugins on every node, to explain; otherwise a node's first rejection
        ends it. `dry_runs` plays preemption where the pod fits no node.
        """
        attempt = Attempt(
            pod=pod,
            scheduler=self.name,
            minor=self.release.minor,
            node_count=len(cluster.nodes),
        )
        held = self.held(pod)
        if held is not None:
            text = ", ".join(held.texts(self.release.minor))
            return replace(attempt, held=held, message=text)
        profile = self.profiles[pod.pod.spec.scheduler_name]
        if profile.unknown:
            attempt = replace(
                attempt, not_modelled=profile.not_modelled, may_refuse=profile.may_refuse
            )
        if not cluster.nodes:
            return replace(attempt, message=NO_NODES)
        try:
            return self._cycle(attempt, profile, cluster, every_rule=every_rule, dry_runs=dry_runs)
        except CycleError as error:
            return replace(attempt, error=str(error), message=str(error))

    def _cycle(
        self,
        attempt: Attempt,
        profile: Profile,
        cluster: ClusterView,
        *,
        every_rule: bool,
        dry_runs: bool,
    ) -> Attempt:
        pod = attempt.pod
        filters = self.filters(pod, cluster)
        attempt = replace(
            attempt,
            prefilter=filters.preparation.rejection,
            narrowed_to=filters.preparation.narrowed_to,
            narrowed_by=filters.preparation.narrowed_by,
        )
        if attempt.prefilter is not None:
            return self._rejected_at_once(attempt, attempt.prefilter, filters, cluster)
        traces = filters.traces(cluster, every=every_rule)
        attempt = replace(attempt, traces=traces)
        # The node that is held for the pod is tried first, even outside the narrowed set.
        own = cluster.nodes.get(pod.pod.status.nominated_node_name)
        own_trace = filters.trace(own, every=False) if own is not None else None
        if own_trace is not None and own_trace.outcome is Outcome.FITS:
            return self._scored(replace(attempt, winners=(own_trace.node,)), profile, cluster)
        if attempt.feasible:
            return self._scored(attempt, profile, cluster)
        if any(trace.outcome is Outcome.NOT_CHECKED for trace in traces.values()):
            return attempt
        if own_trace is not None:
            traces = {own_trace.node: own_trace, **traces}
        result: Preemption | None = None
        if dry_runs:
            outcomes = {name: trace.outcome for name, trace in traces.items()}
            result = preempt(filters, cluster, outcomes)
        return self._refused(attempt, filters, result, cluster, _texts(traces, attempt.minor))

    def _scored(self, attempt: Attempt, profile: Profile, cluster: ClusterView) -> Attempt:
        """Winners among the feasible nodes, unless the nominated node is taken unscored."""
        nodes = [cluster.nodes[name] for name in attempt.feasible]
        if len(nodes) < 2:
            return replace(attempt, winners=attempt.winners or attempt.feasible)
        scores = score_nodes(profile, attempt.pod, cluster, nodes)
        top = top_scorers(scores) if profile.scores_known else tuple(sorted(scores))
        return replace(attempt, scores=scores, winners=attempt.winners or top)

    def _rejected_at_once(
        self, attempt: Attempt, rejection: Verdict, filters: Filters, cluster: ClusterView
    ) -> Attempt:
        reason = ineligible(attempt.pod, cluster, rejection.outcome)
        result = Preemption(
            eligible=not reason, ineligible_reason=reason, not_helpful=tuple(cluster.nodes)
        )
        return self._refused(attempt, filters, result, cluster, ())

    def _refused(
        self,
        attempt: Attempt,
        filters: Filters,
        result: Preemption | None,
        cluster: ClusterView,
        per_node: Iterable[Sequence[str]],
    ) -> Attempt:
        """The scheduler's sentence on a pod that no node takes, and what preemption adds."""
        minor = attempt.minor
        count = len(cluster.nodes)
        if result is not None:
            text = tail(filters, result, count)
            enabled = PREEMPTION in filters.profile.post_filter
            result = replace(result, message=text, enabled=enabled)
        rejection = attempt.prefilter
        absent = NodesNotSatisfying(attempt.narrowed_by).upstream_text(minor)
        message = fit_error(
            count,
            prefilter=", ".join(rejection.texts(minor)) if rejection is not None else "",
            per_node=per_node,
            absent=[absent] if attempt.narrowed_to is not None else [],
            tail=result.message if result is not None else "",
        )
        return replace(attempt, message=message, preemption=result)


def _texts(traces: Mapping[str, NodeTrace], minor: int) -> Iterable[Sequence[str]]:
    for trace in traces.values():
        first = trace.first
        yield first.texts(minor) if first is not None else ()
