"""Attempts with a memory say what the scheduler itself says."""

from hypothesis import HealthCheck, given, settings

from kschedx.api.node import Node
from kschedx.framework.attempt import Preemption
from kschedx.rollout.attempts import Attempts, rejecting_plugins, texts_by_cause
from kschedx.rollout.change import touched
from kschedx.rollout.played import Conditions, play
from kschedx.rollout.policies import POLICIES
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import TIMING, scheduler, workload
from tests.rollout.test_laws import clusters


class Checked(Attempts):
    """Compares every answer with the scheduler's own."""

    def attempt(self, pod, cluster):  # type: ignore[no-untyped-def]
        found = super().attempt(pod, cluster)
        own = self.scheduler.attempt(pod, cluster, every_rule=False)
        assert found.winners == own.winners
        if not found.winners:
            assert found.rejected_by == rejecting_plugins(own)
            assert found.causes == texts_by_cause(own)
            assert _evicted(found.preemption) == _evicted(own.preemption)
        return found


def _evicted(preemption: Preemption | None) -> dict[str, list[str]]:
    """The nodes that a pod may preempt on, and whom it would evict there."""
    if preemption is None:
        return {}
    victims = {node: preemption.candidates[node].victims for node in preemption.nominated}
    return {node: [pod.key for pod in pods] for node, pods in victims.items()}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(clusters())
def test_the_memory_changes_no_answer(snapshot: Snapshot) -> None:
    play(
        snapshot,
        [touched(workload(snapshot, "web"))],
        Checked(scheduler()),
        Conditions(TIMING),
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(clusters(), clusters())
def test_the_memory_outlives_a_run_and_a_snapshot(one: Snapshot, other: Snapshot) -> None:
    attempts = Checked(scheduler())
    less = one.without_object(Node, min(one.all(Node))) if len(one.all(Node)) > 1 else one

    for policy in POLICIES:
        for snapshot in (one, less, other, one):
            steps = [touched(workload(snapshot, "web"))]
            play(snapshot, steps, attempts, Conditions(TIMING, policy))
