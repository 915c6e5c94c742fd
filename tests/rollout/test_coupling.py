"""Law: the memory of attempts changes nothing where pods keep apart or spread over zones."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kschedx.answers.upgrade import simulate_upgrade
from kschedx.framework.accounting import Accounting
from kschedx.framework.views import ClusterView, PodView
from kschedx.rollout.attempts import Attempts, Found, found_in
from kschedx.rollout.change import touched
from kschedx.rollout.played import Conditions, play
from kschedx.rollout.policies import POLICIES, TODAY, Policy
from kschedx.rollout.report import Outcome
from kschedx.rollout.room_to_spare import RoomToSpare
from kschedx.schedulers.kube.configuration import API_VERSION, KIND, parse_configuration
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    TIMING,
    Raw,
    choice,
    cluster,
    deployment,
    node,
    options,
    pod,
    scheduler,
    stateful_set,
    workload,
)

LAW = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
APPS = ["web", "a"]
TOPOLOGIES = ["kubernetes.io/hostname", "zone"]


def apart(app: str, topology: str, namespaces: Raw) -> Raw:
    term = {
        "topologyKey": topology,
        "labelSelector": {"matchLabels": {"app": app}},
        **namespaces,
    }
    return {
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    }


def spread(app: str, topology: str, _: Raw) -> Raw:
    constraint = {
        "maxSkew": 1,
        "topologyKey": topology,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}},
    }
    return {"topologySpreadConstraints": [constraint]}


def nothing(*_: Any) -> Raw:
    return {}


def shapes(*makers: Any) -> st.SearchStrategy[Raw]:
    return st.builds(
        lambda make, *about: make(*about),
        st.sampled_from(makers),
        st.sampled_from(APPS),
        st.sampled_from(TOPOLOGIES),
        st.sampled_from([{}, {}, {}, {"namespaces": ["other"]}, {"namespaceSelector": {}}]),
    )


CPUS = st.sampled_from(["1", "2"])


@st.composite
def entangled(draw: Any) -> Snapshot:
    """Two zones; pods of few shapes and sizes, so that equal ones differ in their labels alone."""
    names = [f"n{number}" for number in range(draw(st.integers(2, 4)))]
    nodes = [
        node(name, draw(st.sampled_from(["2", "3", "4"])), labels={"zone": f"z{number % 2}"})
        for number, name in enumerate(names)
    ]
    make = draw(st.sampled_from([stateful_set, deployment]))
    homes = [draw(st.sampled_from(names)) for _ in range(draw(st.integers(1, 3)))]
    web = make("web", "1", *homes, **draw(shapes(nothing, apart, spread)))
    beside = [
        pod(
            f"beside-{number}",
            draw(CPUS),
            on=draw(st.sampled_from(names)),
            labels={"app": draw(st.sampled_from(APPS))},
            **draw(shapes(apart, apart, spread)),
        )
        for number in range(draw(st.integers(0, 3)))
    ]
    waiting = [
        pod(
            f"waiting-{number}",
            draw(CPUS),
            labels={"app": draw(st.sampled_from(APPS))},
            priority=draw(st.sampled_from([0, 0, 20])),
            **draw(shapes(nothing, nothing, nothing, apart, spread)),
        )
        for number in range(draw(st.integers(1, 5)))
    ]
    return cluster(*nodes, web, *beside, *waiting)


class Forgetful(Attempts):
    """Asks the scheduler about the whole cluster every time."""

    def attempt(self, pod: PodView, cluster: ClusterView) -> Found:
        return found_in(self.scheduler.attempt(pod, cluster, every_rule=False))


def run(snapshot: Snapshot, attempts: Attempts, policy: Policy) -> list[str]:
    """All that happens, and where the pods are in the end."""
    steps = [touched(workload(snapshot, "web"))]
    played = play(snapshot, steps, attempts, Conditions(TIMING, policy))
    happens = [f"{m.at}s {m.code} {m.subject} {m.facts}" for m in played.moments]
    return [*happens, *(f"{end.pod} {end.node}" for end in played.pods)]


@LAW
@given(entangled(), st.sampled_from(POLICIES))
def test_the_memory_changes_no_run(snapshot: Snapshot, policy: Policy) -> None:
    remembered = run(snapshot, Attempts(scheduler()), policy)
    forgotten = run(snapshot, Forgetful(scheduler()), policy)

    assert remembered == forgotten


@LAW
@given(entangled(), entangled())
def test_the_memory_outlives_a_run(one: Snapshot, other: Snapshot) -> None:
    attempts = Attempts(scheduler())

    for snapshot in (one, other, one):
        forgotten = run(snapshot, Forgetful(scheduler()), TODAY)
        assert run(snapshot, attempts, TODAY) == forgotten


def test_spreading_by_default_is_coupling() -> None:
    """The profile's constraints reject pods that have none of their own."""
    constraint = {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "DoNotSchedule",
    }
    args = {"defaultingType": "List", "defaultConstraints": [constraint]}
    profile = {"pluginConfig": [{"name": "PodTopologySpread", "args": args}]}
    by_default = KubeScheduler(
        choice().release,
        parse_configuration({"apiVersion": API_VERSION, "kind": KIND, "profiles": [profile]}),
    )
    snapshot = cluster(
        *(node(f"n{number}", "8") for number in range(3)),
        stateful_set("web", "1", "n0", "n1", "n2"),
        stateful_set("waiting", "1", *[""] * 6),
        pod("beside", "1", on="n0"),
    )

    remembered = run(snapshot, Attempts(by_default), TODAY)
    assert remembered == run(snapshot, Forgetful(by_default), TODAY)


@LAW
@given(entangled())
def test_what_is_proved_completes(snapshot: Snapshot) -> None:
    spare = RoomToSpare(scheduler(), ClusterView.of(snapshot, Accounting()))
    if spare.proves(workload(snapshot, "web")):
        report = simulate_upgrade(
            snapshot, [touched(workload(snapshot, "web"))], choice(), options()
        )
        assert report.outcome is Outcome.COMPLETES
