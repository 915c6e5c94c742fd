"""Laws of --base and of baselines, on invented sets."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kschedx.gate import baseline
from kschedx.gate.settings import Settings
from tests.gate.sets import (
    budget,
    cluster,
    existing_set,
    manifests,
    node,
    report,
    running,
    workload,
)

CLUSTER = cluster(
    node("a"), node("b"), existing_set("s0", "2", "a", "b"), running("waits", "2", "")
)
KINDS = ["Deployment", "StatefulSet", "DaemonSet", "Job"]


@st.composite
def sets(draw: st.DrawFn) -> list[str]:
    """A few workloads, too large now and then, with budgets and missing classes."""
    parts = []
    for number in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(KINDS))
        replicas = draw(st.integers(0, 3)) if kind not in ("DaemonSet", "Job") else None
        more = draw(st.sampled_from([{}, {"priorityClassName": "none"}, {"image": "app:2"}]))
        cpu = draw(st.sampled_from(["1", "2", "5"]))
        parts.append(workload(kind, f"s{number}", replicas, cpu, **more))
        least = draw(st.sampled_from([None, 1, "100%"]))
        if least is not None:
            parts.append(budget(f"b{number}", f"s{number}", minAvailable=least))
    return parts


LAW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@LAW
@given(sets())
def test_a_set_checked_with_itself_as_base_finds_nothing(parts: list[str]) -> None:
    new = manifests(*parts)
    told = report(CLUSTER, new, Settings(node_loss=True), base=manifests(*parts))

    assert told.findings == ()
    assert told.in_base == len(report(CLUSTER, new, Settings(node_loss=True)).findings)


@LAW
@given(sets())
def test_what_a_baseline_accepts_is_not_told_again(parts: list[str]) -> None:
    new = manifests(*parts)
    first = report(CLUSTER, new)
    kept = json.loads(json.dumps(baseline.written(first.findings)))
    told = report(CLUSTER, new, accepted=baseline.read(kept, "b.json"))

    assert (told.findings, told.accepted) == ((), len(first.findings))


@LAW
@given(sets())
def test_the_same_set_gives_the_same_report(parts: list[str]) -> None:
    first, second = manifests(*parts), manifests(*parts)
    keys = [[f.key for f in report(CLUSTER, one).findings] for one in (first, second)]

    assert keys[0] == keys[1]


def test_what_gets_worse_is_told() -> None:
    old = manifests(workload("Deployment", "x", 3, "2"))
    new = manifests(workload("Deployment", "x", 4, "2"))
    (told,) = report(CLUSTER, new, base=old).findings

    assert (told.amount, report(CLUSTER, old).findings[0].amount) == (3, 2)
    assert report(CLUSTER, old, base=new).findings == ()
