"""Which node would win, and why."""

from __future__ import annotations

from dataclasses import replace

from kschedx.answers.replay import Replay, SchedulerChoice
from kschedx.answers.targets import find_pod_named
from kschedx.diagnose.score_report import ScoreReport, score_report
from kschedx.schedulers.kube.scoring import nodes_sought
from kschedx.snapshot.snapshot import Snapshot


def score(
    snapshot: Snapshot, target: str, namespace: str | None, choice: SchedulerChoice
) -> ScoreReport:
    """Score a pod on all nodes that can take it. A pod that is on a node is scored as if it were not.

    Raises KschedxError where there is no such pod, or several.
    """
    pod = find_pod_named(snapshot, target, namespace)
    replay = Replay(snapshot, choice)
    view, cluster = replay.unplaced(pod)
    attempt = replay.scheduler.attempt(view, cluster, every_rule=False, dry_runs=False)
    profile = replay.scheduler.profile_for(view)
    scorers = profile.score if profile is not None else ()
    report = score_report(
        attempt,
        tuple((plugin.name, weight) for plugin, weight in scorers),
        version_assumed=choice.version_assumed,
        sought=nodes_sought(len(attempt.traces), profile.percentage_of_nodes_to_score)
        if profile is not None
        else None,
    )
    return replace(report, on_node=pod.spec.node_name)
