"""Can preemption help this pod: who would go, what still rejects it then, who would come next."""

from __future__ import annotations

from kschedx.answers.replay import Replay, SchedulerChoice
from kschedx.answers.targets import find_pod_named
from kschedx.api.policy import PodDisruptionBudget
from kschedx.diagnose.blockers import causes_of
from kschedx.diagnose.preempt_report import (
    Fate,
    PreemptReport,
    RankedCandidate,
    Shortlist,
    may_nominate,
    not_helpful,
    ranked,
    shortlist_size,
    still_rejected,
)
from kschedx.diagnose.references import PodReference
from kschedx.diagnose.unchecked import unchecked_causes
from kschedx.framework.attempt import Candidate, Preemption
from kschedx.framework.verdict import Outcome
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.profile import Profile
from kschedx.snapshot.snapshot import Snapshot


def preempt(
    snapshot: Snapshot, target: str, namespace: str | None, choice: SchedulerChoice
) -> PreemptReport:
    """Play the dry run for one pod. A pod that is on a node is tried as if it were not.

    Raises KschedxError where there is no such pod, or several.
    """
    pod = find_pod_named(snapshot, target, namespace)
    replay = Replay(snapshot, choice)
    view, cluster = replay.unplaced(pod)
    attempt = replay.scheduler.attempt(view, cluster)
    profile = replay.scheduler.profile_for(view)
    found = attempt.preemption
    if found is None:
        return PreemptReport(
            pod=PodReference.of(pod),
            scheduler=attempt.scheduler,
            version_assumed=choice.version_assumed,
            message=attempt.message,
            node_count=attempt.node_count,
            winners=attempt.winners,
            held=causes_of([attempt.held]) if attempt.held is not None else (),
            not_checked=attempt.outcome is Outcome.NOT_CHECKED,
            unchecked=unchecked_causes(attempt),
            not_modelled=profile.not_modelled_in_play if profile is not None else (),
            undecided_by=attempt.may_refuse,
            on_node=pod.spec.node_name,
        )
    assert profile is not None  # else the pod would not have been tried
    ranking = ranked(found)
    return PreemptReport(
        pod=PodReference.of(pod),
        scheduler=attempt.scheduler,
        version_assumed=choice.version_assumed,
        message=attempt.message,
        node_count=attempt.node_count,
        held=causes_of([attempt.prefilter]) if attempt.prefilter is not None else (),
        enabled=found.enabled,
        eligible=found.eligible,
        ineligible_reason=found.ineligible_reason,
        tried=found.potential,
        not_helpful=not_helpful(attempt),
        no_victims=found.no_victims,
        still_rejected=still_rejected(found),
        ranking=ranking,
        nominated=found.nominated,
        decided_by=found.decided_by,
        fates=_fates_of_nominated(view, found, cluster, replay.scheduler),
        shortlist=_shortlist(found, ranking, profile),
        budgets_read=snapshot.read(PodDisruptionBudget),
        not_modelled=profile.not_modelled_in_play,
        undecided_by=profile.may_evict_otherwise if ranking else profile.may_evict_at_all,
        on_node=pod.spec.node_name,
    )


def _shortlist(
    found: Preemption, ranking: tuple[RankedCandidate, ...], profile: Profile
) -> Shortlist | None:
    """None where the real scheduler ranks all candidates as well."""
    potential = len(found.potential)
    size = shortlist_size(potential, profile.candidates_percentage, profile.candidates_absolute)
    if size >= len(ranking):
        return None
    return Shortlist(size, potential, may_nominate(found.potential, ranking, size))


def _fates_of_nominated(
    preemptor: PodView, found: Preemption, cluster: ClusterView, scheduler: KubeScheduler
) -> tuple[Fate, ...]:
    if not found.nominated:
        return ()
    return _fates(preemptor, found.candidates[found.nominated[0]], cluster, scheduler)


def _fates(
    preemptor: PodView, chosen: Candidate, cluster: ClusterView, scheduler: KubeScheduler
) -> tuple[Fate, ...]:
    """Place the victims' successors one after the other, the most important first."""
    world = cluster.without_pods(victim.key for victim in chosen.victims)
    world = world.with_pod_on(preemptor, chosen.node)
    fates: list[Fate] = []
    for victim in chosen.victims:
        reference = PodReference.of(victim.pod)
        if victim.pod.metadata.controller is None:
            fates.append(Fate(reference, recreated=False))
            continue
        successor = world.view(victim.pod.recreated())
        attempt = scheduler.attempt(successor, world, every_rule=False)
        if attempt.winners:
            world = world.with_pod_on(successor, attempt.winners[0])
        fates.append(
            Fate(reference, recreated=True, places=attempt.winners, message=attempt.message)
        )
    return tuple(fates)
