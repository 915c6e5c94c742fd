"""Attempts with a memory say what the scheduler itself says."""

from hypothesis import HealthCheck, given, settings

from kschedx.rollout.attempts import Attempts, rejecting_plugins, texts_by_cause
from kschedx.rollout.change import touched
from kschedx.rollout.played import Conditions, play
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
            nominated = found.preemption.nominated if found.preemption else ()
            assert nominated == (own.preemption.nominated if own.preemption else ())
        return found


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(clusters())
def test_the_memory_changes_no_answer(snapshot: Snapshot) -> None:
    play(
        snapshot,
        [touched(workload(snapshot, "web"))],
        Checked(scheduler()),
        Conditions(TIMING),
    )
