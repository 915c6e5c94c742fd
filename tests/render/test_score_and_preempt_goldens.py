"""`score` and `preempt` on small clusters, as text and JSON."""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import jsonschema
import pytest

from kschedx.answers.preempt import preempt
from kschedx.answers.replay import SchedulerChoice, choose_scheduler
from kschedx.answers.score import score
from kschedx.api.meta import Object
from kschedx.render.json import json_of, json_schema
from kschedx.render.preempt_document import PreemptDocument, preempt_document
from kschedx.render.preempt_text import render_preempt
from kschedx.render.score_document import ScoreDocument, score_document
from kschedx.render.score_text import render_score
from kschedx.render.text import Style
from kschedx.schedulers.kube.configuration import parse_configuration
from kschedx.snapshot.snapshot import Snapshot
from tests.builders import budget, node, pod, snapshot

Golden = Callable[[str, str], None]
OWNED = {
    "ownerReferences": [{"kind": "ReplicaSet", "name": "batch", "uid": "rs", "controller": True}]
}


def full(name: str, *, priority: int, started: str, **room: str) -> Object:
    """A pod of the batch application on node n-NUMBER, with a controller."""
    return pod(
        name,
        labels={"app": "batch"},
        requests=room,
        node=name.rpartition(".")[0],
        priority=priority,
        started=started,
        metadata=OWNED,
    )


CLUSTERS: dict[str, tuple[Object, ...]] = {
    "fits-several": (
        node("a", allocatable={"cpu": "8"}),
        node("b", allocatable={"cpu": "4"}),
        node("c", allocatable={"cpu": "4"}, taints=[{"key": "slow", "effect": "PreferNoSchedule"}]),
        pod("busy", requests={"cpu": "2", "memory": "1Gi"}, node="b"),
        pod("wanted", requests={"cpu": "1", "memory": "1Gi"}, priority=10),
    ),
    "fits-one": (
        node("a", allocatable={"cpu": "8"}),
        node("b", unschedulable=True),
        pod("wanted", requests={"cpu": "6"}),
    ),
    "equals": (node("a"), node("b"), pod("wanted", requests={"cpu": "1"})),
    "evicts": (
        node("a"),
        node("b"),
        node("c"),
        node("d", allocatable={"cpu": "1"}),
        node("e"),
        full("a.1", priority=5, started="2026-03-01T00:00:00Z", cpu="3"),
        full("a.2", priority=1, started="2026-03-01T00:00:01Z", cpu="500m"),
        full("b.1", priority=5, started="2026-03-01T00:00:02Z", cpu="2"),
        full("b.2", priority=5, started="2026-03-01T00:00:03Z", cpu="2"),
        full("c.1", priority=100, started="2026-03-01T00:00:04Z", cpu="4"),
        full("e.1", priority=100, started="2026-03-01T00:00:05Z", cpu="2"),
        full("e.2", priority=2, started="2026-03-01T00:00:06Z", cpu="2"),
        budget("batch", labels={"app": "batch"}, allowed=1),
        pod("wanted", requests={"cpu": "3"}, priority=50),
    ),
    "on-a-node": (
        node("a"),
        node("b"),
        full("a.1", priority=5, started="2026-03-01T00:00:00Z", cpu="3"),
        full("b.1", priority=5, started="2026-03-01T00:00:01Z", cpu="2"),
        pod("wanted", requests={"cpu": "2"}, node="b", priority=50),
    ),
    "never-preempts": (
        node("a"),
        full("a.1", priority=5, started="2026-03-01T00:00:00Z", cpu="3"),
        pod("wanted", requests={"cpu": "3"}, priority=50, spec={"preemptionPolicy": "Never"}),
    ),
    "gated": (
        node("a"),
        pod("wanted", spec={"schedulingGates": [{"name": "example.com/quota"}]}),
    ),
    "devices": (
        node("a"),
        pod("wanted", spec={"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]}),
    ),
    "helpless": (
        node("a", unschedulable=True),
        node("b", unschedulable=True),
        pod("wanted", priority=50),
    ),
    "no-nodes": (pod("wanted"),),
    "more-than-are-looked-at": (
        *(node(f"n-{number:03}") for number in range(130)),
        pod("wanted", requests={"cpu": "1"}),
    ),
}


@lru_cache
def cluster(name: str) -> Snapshot:
    return snapshot(*CLUSTERS[name])


@pytest.mark.parametrize("name", CLUSTERS)
def test_score(golden: Golden, name: str) -> None:
    report = score(cluster(name), "wanted", None, choose_scheduler(cluster(name), "1.35"))
    text = json_of(score_document(report, top=2))

    golden(f"score/{name}.txt", render_score(report, Style(), top=2))
    golden(f"score/{name}.json", text)
    jsonschema.validate(
        json.loads(text), json_schema(ScoreDocument, "score"), jsonschema.Draft202012Validator
    )


@pytest.mark.parametrize("name", CLUSTERS)
def test_preempt(golden: Golden, name: str) -> None:
    report = preempt(cluster(name), "wanted", None, choose_scheduler(cluster(name), "1.35"))
    text = json_of(preempt_document(report))

    golden(f"preempt/{name}.txt", render_preempt(report, Style()))
    golden(f"preempt/{name}.json", text)
    jsonschema.validate(
        json.loads(text), json_schema(PreemptDocument, "preempt"), jsonschema.Draft202012Validator
    )


@pytest.mark.parametrize("width", [60, 80, 200])
def test_no_line_is_too_long(width: int) -> None:
    for name in CLUSTERS:
        choice = choose_scheduler(cluster(name), "1.35")
        scores = render_score(score(cluster(name), "wanted", None, choice), Style(width), top=5)
        victims = render_preempt(preempt(cluster(name), "wanted", None, choice), Style(width))

        assert [line for line in (scores + victims).splitlines() if len(line) > width] == []


def enabled_at(point: str) -> dict[str, Any]:
    return {"profiles": [{"plugins": {point: {"enabled": [{"name": "Own"}]}}}]}


def headline_and_footnotes(text: str) -> list[str]:
    return [line for n, line in enumerate(text.splitlines()) if not n or "Not replayed" in line]


OWN_FILTER = {"extenders": [{"urlPrefix": "http://x", "filterVerb": "filter"}]}
UNCHECKED = "default/wanted: not decided, since some rules could not be checked"
DEPENDS = "Not replayed  Own"
FITS = "default/wanted needs no preemption: a takes it as things are"
WOULD_FIT = "default/wanted: not decided: a would take it as things are, but for Own, not replayed"
EVICTS = "default/wanted would evict 1 pod on a and be nominated there"
WOULD_EVICT = "default/wanted: not decided: it would evict 1 pod on a, but for Own, not replayed"
IN_NO_CASE = "Not replayed  Own: nothing that is said here depends on it"
AFTERWARDS = "Not replayed  Own: who is evicted does not depend on it; what comes after may"
HELPLESS = "default/wanted: preemption cannot help on any of 2 nodes"
DRY_RUNS: dict[str, tuple[str, str, list[str]]] = {
    "fits, queueSort": ("fits-one", "queueSort", [FITS, IN_NO_CASE]),
    "fits, preEnqueue": ("fits-one", "preEnqueue", [WOULD_FIT, DEPENDS]),
    "fits, filter": ("fits-one", "filter", [UNCHECKED, DEPENDS]),
    "fits, postFilter": ("fits-one", "postFilter", [FITS, IN_NO_CASE]),
    "fits, score": ("fits-one", "score", [FITS, IN_NO_CASE]),
    "fits several, score": (
        "equals",
        "score",
        [
            "default/wanted needs no preemption: a or b takes it as things are",
            "Not replayed  Own: which of these nodes takes it may depend on it",
        ],
    ),
    "fits, reserve": ("fits-one", "reserve", [WOULD_FIT, DEPENDS]),
    "fits, permit": ("fits-one", "permit", [WOULD_FIT, DEPENDS]),
    "fits, bind": ("fits-one", "bind", [FITS]),
    "evicts, queueSort": ("evicts", "queueSort", [EVICTS, AFTERWARDS]),
    "evicts, preEnqueue": ("evicts", "preEnqueue", [WOULD_EVICT, DEPENDS]),
    "evicts, filter": ("evicts", "filter", [WOULD_EVICT, DEPENDS]),
    "evicts, postFilter": ("evicts", "postFilter", [WOULD_EVICT, DEPENDS]),
    "evicts, score": ("evicts", "score", [EVICTS, AFTERWARDS]),
    "evicts, permit": ("evicts", "permit", [EVICTS, AFTERWARDS]),
    "evicts, everywhere": ("evicts", "multiPoint", [WOULD_EVICT, DEPENDS]),
    "no help, filter": ("helpless", "filter", [HELPLESS, IN_NO_CASE]),
    "no help, postFilter": (
        "helpless",
        "postFilter",
        [
            "default/wanted: not decided: preemption cannot help on any of 2 nodes, but for Own, "
            "not replayed",
            DEPENDS,
        ],
    ),
    "no help, score": ("helpless", "score", [HELPLESS, IN_NO_CASE]),
}


def configured(name: str, setting: dict[str, Any]) -> SchedulerChoice:
    kind = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
    }
    return choose_scheduler(
        cluster(name), "1.35", configuration=parse_configuration(kind | setting)
    )


@pytest.mark.parametrize(("name", "point", "expected"), DRY_RUNS.values(), ids=DRY_RUNS)
def test_a_dry_run_says_what_depends_on_a_plugin_that_is_not_replayed(
    name: str, point: str, expected: list[str]
) -> None:
    report = preempt(cluster(name), "wanted", None, configured(name, enabled_at(point)))

    assert headline_and_footnotes(render_preempt(report, Style(200))) == expected


@pytest.mark.parametrize(
    ("name", "setting", "scored", "dry_run"),
    [
        ("fits-one", OWN_FILTER, UNCHECKED, UNCHECKED),
        (
            "fits-one",
            enabled_at("score"),
            "default/wanted: not decided: a would win, but for Own, not replayed",
            FITS,
        ),
        (
            "evicts",
            OWN_FILTER,
            "default/wanted fits no node of 5, so there is nothing to score",
            "default/wanted: not decided: it would evict 1 pod on a, but for extender http://x, "
            "not replayed",
        ),
        (
            "evicts",
            {"extenders": [{"urlPrefix": "http://x", "prioritizeVerb": "score"}]},
            "default/wanted fits no node of 5, so there is nothing to score",
            EVICTS,
        ),
    ],
    ids=["own-filter", "own-score", "own-filter-and-no-room", "own-extender-and-no-room"],
)
def test_nothing_is_decided_past_what_is_not_replayed(
    name: str, setting: dict[str, Any], scored: str, dry_run: str
) -> None:
    choice = configured(name, setting)
    scores = render_score(score(cluster(name), "wanted", None, choice), Style(200), top=2)
    victims = render_preempt(preempt(cluster(name), "wanted", None, choice), Style(200))

    assert [text.splitlines()[0] for text in (scores, victims)] == [scored, dry_run]


@pytest.mark.parametrize(
    ("alike", "said"),
    [
        (130, "; wherever it starts, the best that it finds is one of these equals"),
        (10, ", so it may nominate n-010, n-011, n-012 or 27 more instead"),
    ],
    ids=["all tie", "some tie"],
)
def test_what_stopping_early_changes(alike: int, said: str) -> None:
    """The real scheduler tries 100 nodes of 130; `alike` many of them have victims as unimportant."""
    names = [f"n-{number:03}" for number in range(130)]
    victims = [
        full(f"{name}.1", priority=number // alike, started="2026-03-01T00:00:00Z", cpu="3")
        for number, name in enumerate(names)
    ]
    wanted = pod("wanted", requests={"cpu": "2"}, priority=50)
    held = snapshot(*map(node, names), *victims, wanted)
    text = render_preempt(preempt(held, "wanted", None, choose_scheduler(held, "1.35")), Style(200))

    assert text.startswith("default/wanted would evict 1 pod on n-000, n-001, n-002 or ")
    assert f"the real scheduler stops after 100 candidates, from a random start{said}\n" in text
