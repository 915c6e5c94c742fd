"""Laws that hold for every rollout, whatever the cluster."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kschedx.answers.upgrade import simulate_upgrade
from kschedx.render.upgrade_json import render_upgrade_json
from kschedx.rollout.change import touched
from kschedx.rollout.played import Played
from kschedx.rollout.policies import POLICIES, Policy
from kschedx.snapshot.snapshot import Snapshot
from tests.rollout.clusters import (
    choice,
    cluster,
    daemon_set,
    deployment,
    node,
    options,
    pod,
    rolled,
    stateful_set,
    workload,
)

LAWS = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
CPUS = st.sampled_from(["1", "1500m", "2", "3", "4"])


@st.composite
def clusters(draw: Any) -> Snapshot:
    """A few nodes, a workload that fits them, pods beside it and pods that wait."""
    names = [f"n{i}" for i in range(1, draw(st.integers(1, 4)) + 1)]
    size = draw(st.integers(1, 4))
    cpu = draw(CPUS)
    homes = [draw(st.sampled_from(names)) for _ in range(size)]
    kind = draw(st.sampled_from(["sts", "parallel", "dep", "ds"]))
    priority = draw(st.sampled_from([0, 0, 10]))
    if kind == "dep":
        web = deployment("web", cpu, *homes, priority=priority)
    elif kind == "ds":
        homes = names
        web = daemon_set("web", cpu, *names)
    else:
        own = {"podManagementPolicy": "Parallel"} if kind == "parallel" else {}
        web = stateful_set("web", cpu, *homes, own=own, priority=priority)
    beside = [
        pod(f"beside-{i}", draw(CPUS), on=draw(st.sampled_from(names)))
        for i in range(draw(st.integers(0, 3)))
    ]
    waiting = [
        pod(f"waiting-{i}", draw(CPUS), priority=draw(st.sampled_from([0, 5, 20])))
        for i in range(draw(st.integers(0, 4)))
    ]
    used: Counter[str] = Counter()
    for home in homes:
        used[home] += _milli(cpu)
    for item in beside:
        used[item["spec"]["nodeName"]] += _milli(_cpu_of(item))
    spare = draw(st.sampled_from([0, 0, 1000, 2000]))
    nodes = [node(name, f"{max(used[name], 1000) + spare}m") for name in names]
    return cluster(*nodes, web, *beside, *waiting)


def _milli(cpu: str) -> int:
    return int(cpu[:-1]) if cpu.endswith("m") else int(cpu) * 1000


def _cpu_of(item: Any) -> str:
    return str(item["spec"]["containers"][0]["resources"]["requests"]["cpu"])


def _overcommitted(played: Played) -> list[str]:
    return [
        name
        for name, view in played.world.cluster.nodes.items()
        if view.requested.get("cpu", 0) > view.allocatable["cpu"]
    ]


@LAWS
@given(clusters(), st.sampled_from(POLICIES))
def test_no_node_is_ever_overcommitted(snapshot: Snapshot, policy: Policy) -> None:
    assert _overcommitted(rolled(snapshot, policy=policy)) == []


@LAWS
@given(clusters(), st.sampled_from(POLICIES))
def test_a_run_comes_to_its_end(snapshot: Snapshot, policy: Policy) -> None:
    assert not rolled(snapshot, policy=policy).given_up


@LAWS
@given(clusters())
def test_no_pod_is_lost_or_duplicated(snapshot: Snapshot) -> None:
    played = rolled(snapshot)
    bare = {pod.pod for pod in played.pods if pod.owner is None}
    evicted = {m.subject for m in played.moments if m.code == "deleted"}
    made = Counter(
        (m.subject, m.facts["incarnation"]) for m in played.moments if m.code == "created"
    )
    on_nodes = Counter(
        view.key for node in played.world.cluster.nodes.values() for view in node.pods
    )

    assert {f"default/{n.name}" for n in _bare(snapshot)} - evicted == bare
    assert max(made.values(), default=1) == 1
    assert max(on_nodes.values(), default=1) == 1
    assert {pod.pod for pod in played.pods if pod.node} == set(on_nodes)
    assert {pod.pod for pod in played.pods if not pod.node} == set(played.world.cluster.waiting) - {
        f"{key} (reserved)" for key in played.world.reserved
    }


def _bare(snapshot: Snapshot) -> list[Any]:
    from kschedx.api.pod import Pod

    return [p for p in snapshot.all(Pod).values() if p.metadata.controller is None]


@LAWS
@given(clusters())
def test_the_same_input_gives_the_same_bytes(snapshot: Snapshot) -> None:
    steps = [touched(workload(snapshot, "web"))]
    texts = {
        render_upgrade_json(simulate_upgrade(snapshot, steps, choice(), options()))
        for _ in range(2)
    }

    assert len(texts) == 1


@pytest.mark.parametrize("kind", ["sts", "dep", "ds"])
@settings(max_examples=12, deadline=None)
@given(st.integers(1, 5), st.integers(1, 4), CPUS)
def test_alone_on_a_cluster_with_room_for_one_more_it_completes(
    kind: str, size: int, count: int, cpu: str
) -> None:
    names = [f"n{i}" for i in range(count)]
    homes = [names[i % count] for i in range(size)]
    used = Counter(homes)
    if kind == "sts":
        web = stateful_set("web", cpu, *homes)
    elif kind == "dep":
        web = deployment("web", cpu, *homes)
    else:
        used = Counter(names)
        web = daemon_set("web", cpu, *names)
    nodes = [node(name, f"{(used[name] + 1) * _milli(cpu)}m") for name in names]

    assert rolled(cluster(*nodes, web)).done
