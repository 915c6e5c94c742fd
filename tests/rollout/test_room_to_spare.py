"""A workload that is proved safe without being played completes when it is played."""

from hypothesis import HealthCheck, given, settings

from kschedx.answers.upgrade import simulate_upgrade
from kschedx.framework.accounting import Accounting
from kschedx.framework.views import ClusterView
from kschedx.rollout.arrivals import Newcomers
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import touched
from kschedx.rollout.report import Outcome
from kschedx.rollout.room_to_spare import RoomToSpare
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    choice,
    cluster,
    daemon_set,
    deployment,
    node,
    options,
    pod,
    scheduler,
    stateful_set,
    workload,
)
from tests.rollout.test_arrivals import crowded
from tests.rollout.test_laws import clusters


def _proved(snapshot: Snapshot, name: str = "web") -> bool:
    newcomers = Newcomers(Attempts(scheduler())).of(snapshot)
    spare = RoomToSpare(scheduler(), ClusterView.of(snapshot, Accounting()), newcomers)
    return spare.proves(workload(snapshot, name))


def _outcome(snapshot: Snapshot) -> Outcome:
    steps = [touched(workload(snapshot, "web"))]
    return simulate_upgrade(snapshot, steps, choice(), options()).outcome


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(clusters())
def test_what_is_proved_completes_in_every_order(snapshot: Snapshot) -> None:
    if _proved(snapshot):
        report = simulate_upgrade(
            snapshot, [touched(workload(snapshot, "web"))], choice(), options()
        )
        assert report.outcome is Outcome.COMPLETES


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(crowded())
def test_what_is_proved_completes_whoever_arrives(snapshot: Snapshot) -> None:
    item = workload(snapshot, "db")
    if _proved(snapshot, "db"):
        report = simulate_upgrade(snapshot, [touched(item)], choice(), options())
        assert report.outcome is Outcome.COMPLETES


TWO = (node("n1"), node("n2"))


def test_a_set_whose_room_nobody_wants_is_proved() -> None:
    assert _proved(cluster(*TWO, stateful_set("web", "3", "n1", "n2")))
    assert _proved(cluster(*TWO, daemon_set("web", "3", "n1", "n2")))
    assert _proved(cluster(*TWO, stateful_set("web", "3", "n1"), pod("giant", "8")))


def test_a_waiting_pod_that_would_fit_refutes_it() -> None:
    assert not _proved(cluster(*TWO, stateful_set("web", "3", "n1", "n2"), pod("hungry", "3")))


def test_room_that_several_leave_together_counts() -> None:
    """Successors go elsewhere one by one, until what is left on n1 is enough for the other pod."""
    spacious = (node("n1"), node("n2", "2500m"), node("n3", "2"))
    snapshot = cluster(
        *spacious, stateful_set("web", "1500m", "n1", "n1", "n2"), pod("hungry", "3")
    )

    assert not _proved(snapshot)


def test_a_surge_needs_room_for_one_more_now() -> None:
    own = {
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    }

    assert not _proved(cluster(*TWO, deployment("web", "3", "n1", "n2", own=own)))
    assert _proved(cluster(*TWO, deployment("web", "3", "n1", own=own)))


def test_a_newcomer_that_would_fit_refutes_it() -> None:
    full = pod("full", "1", on="n2")
    parts = (*TWO, stateful_set("web", "3", "n1", "n2"), full)

    assert _proved(cluster(*parts, pod("beside", "1", on="n1")))
    assert not _proved(cluster(*parts, deployment("other", "1", "n1")))


def test_a_waiting_pod_with_affinity_counts_where_the_node_itself_refuses_it() -> None:
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_TERM]}}
    parts = (*TWO, stateful_set("web", "3", "n1", "n2"))

    assert _proved(cluster(*parts, pod("giant", "8", affinity=apart)))
    assert not _proved(cluster(*parts, pod("hungry", "3", affinity=apart)))


_TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}


def test_a_waiting_pod_that_would_keep_the_successor_out_of_its_zone_refutes_it() -> None:
    """It is too large for n1, but gets n2 while web-0 is away, and then repels its successor."""
    zone = {"zone": "z"}
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    snapshot = cluster(
        node("n1", "2500m", labels=zone),
        node("n2", labels=zone),
        stateful_set("web", "2500m", "n1"),
        pod("beside", "500m", on="n2"),
        pod("shy", "3", affinity=apart),
    )

    assert not _proved(snapshot)
    assert _outcome(snapshot) is Outcome.DEADLOCK


def test_a_pod_that_is_evicted_elsewhere_refutes_it_where_the_successor_evicts_nobody() -> None:
    """The important pod takes n2, and whom it evicts there takes the room of web-0."""
    web = stateful_set("web", "2500m", "n1", priority=10, preemptionPolicy="Never")
    snapshot = cluster(
        node("n1", "2500m"),
        node("n2"),
        web,
        deployment("small", "2", "n2"),
        pod("important", "4", priority=10),
    )

    assert not _proved(snapshot)
    assert _outcome(snapshot) is Outcome.DEADLOCK
