from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.workloads import Namespace
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome, Reason, SnapshotLacks
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.plugins.inter_pod_affinity import (
    AffinityLabelMissing,
    AffinityUnreadable,
    InterPodAffinity,
    NoPodToBeNear,
    PodToBeApartFrom,
    RepelledByPod,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, snapshot

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NEAR, APART = "podAffinity", "podAntiAffinity"


def term(app: str | None = "db", key: str = ZONE, **fields: Any) -> dict[str, Any]:
    selector = None if app is None else {"matchLabels": {"app": app}}
    return {"labelSelector": selector, "topologyKey": key, **fields}


def required(kind: str, *terms: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: {REQUIRED: list(terms)}}


def preferred(kind: str, weight: int, each: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: {PREFERRED: [{"weight": weight, "podAffinityTerm": each}]}}


def running(name: str, on: str, app: str = "db", affinity: Any = None, **fields: Any) -> Any:
    spec = {"affinity": affinity} if affinity else {}
    return pod(name, labels={"app": app}, node=on, spec=spec, **fields)


def target(*affinities: Mapping[str, Any], app: str = "web") -> Any:
    merged: dict[str, Any] = {}
    for each in affinities:
        for kind, lists in each.items():
            merged[kind] = {**merged.get(kind, {}), **lists}
    return pod("new", labels={"app": app}, spec={"affinity": merged})


def namespace(name: str, **labels: str) -> Namespace:
    return msgspec.convert({"metadata": {"name": name, "labels": labels}}, Namespace)


def selected(operator: str, key: str, *values: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


def plugin(minor: int = 35, **args: Any) -> InterPodAffinity:
    return InterPodAffinity.from_args(args, Release(minor))


def verdicts(
    rule: InterPodAffinity, waiting: Any, view: ClusterView
) -> dict[str, tuple[Reason, ...]]:
    """Every node's reasons; {} where the rule has nothing to say of the pod."""
    prepared = rule.prepare(view.view(waiting), view)
    if prepared.skip:
        return {}
    return {name: tuple(rule.filter(prepared.state, on)) for name, on in view.nodes.items()}


def lonely(domain: str, **facts: Any) -> NoPodToBeNear:
    whole: dict[str, Any] = {
        "topology_key": ZONE,
        "domain": domain,
        "selector": "app=db",
        "where": "namespace default",
        "terms": 1,
        "elsewhere": True,
    }
    return NoPodToBeNear(**{**whole, **facts})


def apart(domain: str, name: str, **facts: Any) -> PodToBeApartFrom:
    whole: dict[str, Any] = {
        "topology_key": ZONE,
        "domain": domain,
        "selector": "app=db",
        "pod": f"default/{name}",
        "count": 1,
    }
    return PodToBeApartFrom(**{**whole, **facts})


def repelled(domain: str, name: str, **facts: Any) -> RepelledByPod:
    whole: dict[str, Any] = {
        "topology_key": ZONE,
        "domain": domain,
        "selector": "app=web",
        "pod": f"default/{name}",
        "count": 1,
    }
    return RepelledByPod(**{**whole, **facts})


A, B = node("a1", labels={ZONE: "a"}), node("b1", labels={ZONE: "b"})
BARE = node("bare")
SHY = required(APART, term("web"))
"""What a pod has that must be apart from web."""

FILTERED: dict[str, tuple[Any, list[Object], dict[str, tuple[Reason, ...]]]] = {
    "nobody asks for anything": (pod("new"), [A, running("p", "a1")], {}),
    "only preferences": (target(preferred(NEAR, 5, term())), [A, running("p", "a1")], {}),
    "near a pod": (
        target(required(NEAR, term())),
        [A, B, BARE, running("p", "a1")],
        {"a1": (), "b1": (lonely("b"),), "bare": (AffinityLabelMissing(ZONE, "app=db"),)},
    ),
    "near a terminating pod": (
        target(required(NEAR, term())),
        [A, running("p", "a1", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})],
        {"a1": ()},
    ),
    "near a pod that nobody has seen": (
        target(required(NEAR, term())),
        [A, running("p", "a1", namespace="other")],
        {"a1": (lonely("a", elsewhere=False),)},
    ),
    "the first of its kind": (
        target(required(NEAR, term("web"))),
        [A, BARE],
        {"a1": (), "bare": (AffinityLabelMissing(ZONE, "app=web"),)},
    ),
    "not the first of its kind": (
        target(required(NEAR, term("web"))),
        [A, B, running("p", "a1", "web")],
        {"a1": (), "b1": (lonely("b", selector="app=web"),)},
    ),
    "a pod on a node without the key does not make it the second": (
        target(required(NEAR, term("web"))),
        [A, BARE, running("p", "bare", "web")],
        {"a1": (), "bare": (AffinityLabelMissing(ZONE, "app=web"),)},
    ),
    "one pod must match all terms": (
        target(required(NEAR, term("db"), term(None, labelSelector=selected("Exists", "tier")))),
        [
            A,
            running("p", "a1"),
            pod("q", labels={"tier": "x"}, node="a1"),
        ],
        {
            "a1": (
                lonely("a", terms=2, elsewhere=False),
                lonely("a", selector="tier exists", terms=2, elsewhere=False),
            )
        },
    ),
    "terms on two keys, each met in its own domain": (
        target(required(NEAR, term(), term(key=HOST))),
        [A, node("a2", labels={ZONE: "a"}), running("p", "a1")],
        {"a1": (), "a2": (lonely("a2", topology_key=HOST, terms=2),)},
    ),
    "apart from a pod": (
        target(required(APART, term())),
        [A, B, BARE, running("p", "a1"), running("q", "a1"), running("r", "bare")],
        {"a1": (apart("a", "p", count=2),), "b1": (), "bare": ()},
    ),
    "apart from its own kind": (
        target(required(APART, term("web"))),
        [A, B, running("p", "a1", "web")],
        {"a1": (apart("a", "p", selector="app=web"),), "b1": ()},
    ),
    "apart by any term": (
        target(required(APART, term(), term("cache", HOST))),
        [A, B, running("p", "b1", "cache")],
        {
            "a1": (),
            "b1": (apart("b1", "p", topology_key=HOST, selector="app=cache"),),
        },
    ),
    "repelled by a pod": (
        pod("new", labels={"app": "web"}),
        [A, B, BARE, running("p", "a1", affinity=SHY), running("q", "bare", affinity=SHY)],
        {"a1": (repelled("a", "p"),), "b1": (), "bare": ()},
    ),
    "a pod of another namespace repels in its own": (
        pod("new", labels={"app": "web"}),
        [A, running("p", "a1", affinity=SHY, namespace="other")],
        {},
    ),
    "affinity is told before anti-affinity, and that before repulsion": (
        target(required(NEAR, term()), required(APART, term("cache"))),
        [
            A,
            B,
            node("c1", labels={ZONE: "c"}),
            running("p", "a1", "cache", affinity=SHY),
            running("q", "b1", affinity=SHY),
            running("r", "b1", "cache"),
            running("s", "c1", affinity=SHY),
        ],
        {
            "a1": (lonely("a"),),
            "b1": (apart("b", "r", selector="app=cache"),),
            "c1": (repelled("c", "s"),),
        },
    ),
    "named namespaces": (
        target(required(NEAR, term(namespaces=["x", "y"]))),
        [A, B, running("p", "a1"), running("q", "b1", namespace="y")],
        {"a1": (lonely("a", where="namespaces x, y"),), "b1": ()},
    ),
    "any namespace": (
        target(required(APART, term(namespaceSelector={}))),
        [A, B, running("p", "a1", namespace="x")],
        {"a1": (apart("a", "p", pod="x/p"),), "b1": ()},
    ),
    "namespaces by label": (
        target(required(NEAR, term(namespaceSelector={"matchLabels": {"team": "x"}}))),
        [
            namespace("ours", team="x"),
            namespace("default"),
            A,
            B,
            running("p", "a1"),
            running("q", "b1", namespace="ours"),
        ],
        {"a1": (lonely("a", where="namespaces with team=x"),), "b1": ()},
    ),
    "a term without a selector matches nobody": (
        target(required(APART, term(None))),
        [A, running("p", "a1")],
        {"a1": ()},
    ),
    "a pod that repels by the labels of namespaces": (
        pod("new", labels={"app": "web"}),
        [
            namespace("default", team="x"),
            A,
            B,
            running(
                "p",
                "a1",
                affinity=required(
                    APART, term("web", namespaceSelector={"matchLabels": {"team": "x"}})
                ),
            ),
            running(
                "q",
                "b1",
                affinity=required(
                    APART, term("web", namespaceSelector=selected("NotIn", "team", "x"))
                ),
            ),
        ],
        {"a1": (repelled("a", "p"),), "b1": ()},
    ),
}


@pytest.mark.parametrize("name", FILTERED)
def test_filter(name: str) -> None:
    waiting, objects, expected = FILTERED[name]

    assert verdicts(plugin(), waiting, cluster(*objects)) == expected


@pytest.mark.parametrize(
    ("minor", "everywhere"), [(33, False), (34, True), (35, True), (36, True), (37, False)]
)
@pytest.mark.parametrize(
    "selector", [selected("NotIn", "team", "x"), selected("DoesNotExist", "team")]
)
def test_selectors_that_hold_without_labels_hold_everywhere_from_1_34_to_1_36(
    selector: Mapping[str, Any], minor: int, everywhere: bool
) -> None:
    waiting = target(required(APART, term(namespaceSelector=selector)))
    view = cluster(namespace("default", team="x"), A, running("p", "a1"))

    assert verdicts(plugin(minor), waiting, view) == {
        "a1": (apart("a", "p"),) if everywhere else ()
    }


def test_a_selector_that_wants_a_label_never_slips() -> None:
    waiting = target(required(APART, term(namespaceSelector=selected("Exists", "team"))))
    view = cluster(namespace("default"), A, running("p", "a1"))

    assert verdicts(plugin(), waiting, view) == {"a1": ()}


BY_TEAM: dict[str, Any] = {"namespaceSelector": {"matchLabels": {"team": "x"}}}
LACKS = "Namespace"

UNREAD: dict[str, tuple[Any, list[Object], dict[str, tuple[Reason, ...]]]] = {
    "near pods of unknown namespaces": (
        target(required(NEAR, term(**BY_TEAM, namespaces=["x"]))),
        [A, B, BARE, running("p", "a1", namespace="x")],
        {
            "a1": (),
            "b1": (SnapshotLacks(LACKS, "the namespaceSelector of the pod's affinity"),),
            "bare": (AffinityLabelMissing(ZONE, "app=db"),),
        },
    ),
    "apart from pods of unknown namespaces": (
        target(required(APART, term(**BY_TEAM, namespaces=["x"]))),
        [A, B, BARE, running("p", "a1", namespace="x")],
        {
            "a1": (apart("a", "p", pod="x/p"),),
            "b1": (SnapshotLacks(LACKS, "the namespaceSelector of the pod's anti-affinity"),),
            "bare": (),
        },
    ),
    "perhaps repelled": (
        pod("new", labels={"app": "web"}),
        [
            A,
            B,
            running("p", "a1", affinity=required(APART, term("web", **BY_TEAM))),
            running("q", "b1", affinity=required(APART, term("other", **BY_TEAM))),
        ],
        {
            "a1": (SnapshotLacks(LACKS, "labels that other pods' anti-affinity asks for"),),
            "b1": (),
        },
    ),
    "a certain rejection is told, whatever else is not known": (
        target(required(NEAR, term(**BY_TEAM)), required(APART, term("cache"))),
        [A, running("p", "a1", "cache")],
        {"a1": (apart("a", "p", selector="app=cache"),)},
    ),
    "any namespace needs no labels": (
        target(required(NEAR, term(namespaceSelector={}))),
        [A, B, running("p", "a1", namespace="x")],
        {"a1": (), "b1": (lonely("b", where="any namespace"),)},
    ),
}


@pytest.mark.parametrize("name", UNREAD)
def test_namespaces_that_were_not_read(name: str) -> None:
    waiting, objects, expected = UNREAD[name]
    view = ClusterView.of(snapshot(*objects, complete=False))

    assert verdicts(plugin(), waiting, view) == expected


NEEDS_VALUES = "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"
NAME_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)

BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "no values": (
        required(NEAR, term(None, labelSelector=selected("In", "app"))),
        f"requiredAffinityTerms: {NEEDS_VALUES}",
    ),
    "values too many": (
        required(APART, term(None, labelSelector=selected("Exists", "app", "a<b", "c"))),
        "requiredAntiAffinityTerms: [values: Invalid value: "
        '["a\\u003cb","c"]: values set must be empty for exists and does not exist, '
        'values[0][app]: Invalid value: "a<b": a valid label must be an empty string or consist of '
        "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
        "character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
        "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]",
    ),
    "no such operator": (
        preferred(NEAR, 1, term(None, labelSelector=selected("Gt", "app", "3"))),
        'preferredAffinityTerms: "Gt" is not a valid label selector operator',
    ),
    "several lists": (
        {
            **required(NEAR, term(None, labelSelector=selected("In", "app"))),
            **preferred(APART, 1, term(namespaceSelector=selected("NotIn", "team"))),
        },
        f"[requiredAffinityTerms: {NEEDS_VALUES}, preferredAntiAffinityTerms: {NEEDS_VALUES}]",
    ),
    "a key without a name": (
        required(NEAR, term(None, labelSelector=selected("Exists", ""))),
        f'requiredAffinityTerms: key: Invalid value: "": name part must be non-empty; name part {NAME_RULE}',
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_affinity_that_cannot_be_parsed(name: str) -> None:
    affinity, complaint = BROKEN[name]
    view = cluster(A)
    waiting = view.view(target(affinity))
    reason = AffinityUnreadable(complaint)

    assert plugin().prepare(waiting, view).rejects == (reason,)
    assert reason.upstream_text(35) == f"parsing pod: {complaint}"
    with pytest.raises(CycleError) as error:
        plugin().prepare_score(waiting, view, [])
    assert str(error.value) == (
        f'running PreScore plugin "InterPodAffinity": failed to parse pod: {complaint}'
    )


def test_older_versions_complain_in_other_words() -> None:
    terms = [
        term(None, labelSelector=selected("Exists", "a/b/c")),
        term(None, labelSelector=selected("In", "app", "x" * 64)),
    ]
    view = cluster(A)
    slashes, long = (
        plugin().prepare(view.view(target(required(NEAR, each))), view).rejects[0] for each in terms
    )
    tail = f"{NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
    start = "parsing pod: requiredAffinityTerms: "

    assert slashes.upstream_text(35) == (
        f'{start}key: Invalid value: "a/b/c": a valid label key {tail}'
    )
    assert slashes.upstream_text(34) == (
        f'{start}key: Invalid value: "a/b/c": a qualified name {tail}'
    )
    value = f'{start}values[0][app]: Invalid value: "{"x" * 64}": must be no more than 63'
    assert long.upstream_text(35) == f"{value} bytes"
    assert long.upstream_text(34) == f"{value} characters"


def test_an_existing_pod_that_cannot_be_parsed_repels_nobody_by_that_list() -> None:
    broken = required(APART, term("web"), term(None, labelSelector=selected("In", "app")))
    view = cluster(A, running("p", "a1", affinity=broken))

    assert verdicts(plugin(), pod("new", labels={"app": "web"}), view) == {}


SENTENCES: dict[str, tuple[Reason, str, str]] = {
    "no label": (
        AffinityLabelMissing(ZONE, "app=db"),
        "has no label topology.kubernetes.io/zone, by which the pod must be near app=db",
        "no label topology.kubernetes.io/zone for pod affinity",
    ),
    "nobody in the domain": (
        lonely("b"),
        "no pod in topology.kubernetes.io/zone b matches app=db in namespace default",
        "no pod to be near by topology.kubernetes.io/zone",
    ),
    "nobody anywhere": (
        lonely("b", terms=2, elsewhere=False),
        "no pod in topology.kubernetes.io/zone b matches app=db in namespace default and all 2 "
        "terms, nor in any other domain",
        "no pod to be near by topology.kubernetes.io/zone",
    ),
    "apart": (
        apart("a", "p", count=3),
        "pod/default/p and 2 more in topology.kubernetes.io/zone a, apart from which the pod must "
        "be (app=db)",
        "anti-affinity to pods by topology.kubernetes.io/zone",
    ),
    "repelled": (
        repelled("a", "p"),
        "pod/default/p in topology.kubernetes.io/zone a must be apart from pods matching app=web",
        "repelled by pods through topology.kubernetes.io/zone",
    ),
    "unreadable": (
        AffinityUnreadable("requiredAffinityTerms: bad"),
        "the pod's affinity cannot be parsed: requiredAffinityTerms: bad",
        "affinity unreadable",
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_reasons_in_words(name: str) -> None:
    reason, sentence, subject = SENTENCES[name]

    assert (reason.sentence(), reason.subject()) == (sentence, subject)


def test_outcomes_and_texts() -> None:
    found = [
        (reason.outcome, reason.upstream_text(35))
        for reason in (
            AffinityLabelMissing(ZONE, ""),
            lonely("a"),
            apart("a", "p"),
            repelled("a", "p"),
        )
    ]

    assert found == [
        (Outcome.UNRESOLVABLE, "node(s) didn't match pod affinity rules"),
        (Outcome.UNRESOLVABLE, "node(s) didn't match pod affinity rules"),
        (Outcome.UNSCHEDULABLE, "node(s) didn't match pod anti-affinity rules"),
        (Outcome.UNSCHEDULABLE, "node(s) didn't satisfy existing pods anti-affinity rules"),
    ]


# Dry runs.

AFFINITIES = st.sampled_from(
    [
        {},
        {},
        SHY,
        required(APART, term("db", HOST), term("web", ZONE)),
        required(NEAR, term("web", ZONE)),
        required(APART, term("web", ZONE, namespaceSelector={"matchLabels": {"team": "x"}})),
    ]
)
APPS = st.sampled_from(["web", "db"])


@st.composite
def terms(draw: st.DrawFn) -> dict[str, Any]:
    selector = draw(
        st.sampled_from([None, {}, {"matchLabels": {"team": "x"}}, selected("NotIn", "team", "x")])
    )
    return term(
        draw(APPS),
        draw(st.sampled_from([ZONE, HOST])),
        namespaces=draw(st.sampled_from([[], ["other"]])),
        namespaceSelector=selector,
    )


@st.composite
def neighbours(draw: st.DrawFn, name: str, on: str) -> Any:
    return running(
        name,
        on,
        draw(APPS),
        draw(AFFINITIES),
        namespace=draw(st.sampled_from(["default", "other"])),
    )


@st.composite
def worlds(draw: st.DrawFn) -> tuple[ClusterView, PodView]:
    zones = st.sampled_from(["a", "b", "", None])
    nodes = [
        node(f"n{i}", labels={} if (zone := draw(zones)) is None else {ZONE: zone})
        for i in range(draw(st.integers(1, 4)))
    ]
    pods = [
        draw(neighbours(f"p{i}", draw(st.sampled_from(nodes)).name))
        for i in range(draw(st.integers(0, 6)))
    ]
    waiting = target(
        required(NEAR, *draw(st.lists(terms(), max_size=2))),
        required(APART, *draw(st.lists(terms(), max_size=2))),
        app=draw(APPS),
    )
    spaces = [namespace("default", team="x"), namespace("other")]
    view = cluster(*spaces[draw(st.integers(0, 1)) :], *nodes, *pods)
    return view, view.view(waiting)


def facts(reasons: Sequence[Reason]) -> list[dict[str, Any]]:
    """What must not depend on the way to a state: all but the pod that stands for all."""
    return [{"code": r.code, **r.facts(), "pod": "", "selector": ""} for r in reasons]


@settings(deadline=None)
@given(worlds(), st.data(), st.sampled_from([35, 37]))
def test_the_state_after_a_change_is_that_of_the_changed_cluster(
    world: tuple[ClusterView, PodView], data: st.DataObject, minor: int
) -> None:
    view, waiting = world
    rule = plugin(minor)
    prepared = rule.prepare(waiting, view)
    if prepared.skip:
        return
    state = prepared.state
    removed: list[PodView] = []
    for step in range(4):
        name = data.draw(st.sampled_from(sorted(view.nodes)))
        here = view.nodes[name]
        gone = data.draw(st.lists(st.sampled_from(here.pods), unique=True)) if here.pods else []
        came = [each for each in removed if data.draw(st.booleans())]
        removed = [each for each in [*removed, *gone] if each not in came]
        came += [
            view.view(data.draw(neighbours(f"new-{step}-{i}", "")))
            for i in range(data.draw(st.integers(0, 1)))
        ]
        state = rule.after(state, here, came, gone)
        changed = here.without(gone)
        for each in came:
            changed = changed.with_pod(each)
        view = view.with_node(changed)
        again = rule.prepare(waiting, view)

        for on in view.nodes.values():
            fresh = () if again.skip else tuple(rule.filter(again.state, on))
            reasons = tuple(rule.filter(state, on))
            assert facts(reasons) == facts(fresh)
            named = {r.pod for r in reasons if isinstance(r, PodToBeApartFrom | RepelledByPod)}
            assert named <= {each.key for other in view.nodes.values() for each in other.pods}


def definition(waiting: PodView, view: ClusterView, on: NodeView) -> str:
    """The code of the first check that fails, straight from the words of the API; "" if none.

    Only for releases without the slip, and for namespaces that are all read.
    """

    def meets(wanted: Any, of: PodView, other: PodView) -> bool:
        labels = view.snapshot.all(Namespace).get(other.namespace)
        chosen, names = wanted.namespace_selector, wanted.namespaces
        if chosen is None:
            there = other.namespace in (names or (of.namespace,))
        else:
            team = labels.metadata.labels.get("team") if labels else None
            known = labels is not None or not (chosen.match_labels or chosen.match_expressions)
            there = other.namespace in names or (
                known
                and all(team == value for value in chosen.match_labels.values())
                and all(team not in each.values for each in chosen.match_expressions)
            )
        return there and other.labels["app"] == wanted.label_selector.match_labels["app"]

    def same_domain(key: str, other: NodeView) -> bool:
        return key in on.labels and other.labels.get(key) == on.labels[key]

    def asked(of: PodView, kind: str) -> Sequence[Any]:
        affinity = of.pod.spec.affinity
        side = getattr(affinity, kind) if affinity else None
        return side.required if side else ()

    placed = [(other, there) for there in view.nodes.values() for other in there.pods]
    near, shun = asked(waiting, "pod_affinity"), asked(waiting, "pod_anti_affinity")
    friends = [
        (other, there) for other, there in placed if all(meets(t, waiting, other) for t in near)
    ]
    if any(t.topology_key not in on.labels for t in near):
        return "missing-affinity-label"
    together = all(any(same_domain(t.topology_key, there) for _, there in friends) for t in near)
    counted = any(t.topology_key in there.labels for t in near for _, there in friends)
    alone = not counted and all(meets(t, waiting, waiting) for t in near)
    if near and not together and not alone:
        return "no-pod-to-be-near"
    if any(
        meets(t, waiting, other) and same_domain(t.topology_key, there)
        for t in shun
        for other, there in placed
    ):
        return "pod-to-be-apart-from"
    if any(
        meets(t, other, waiting) and same_domain(t.topology_key, there)
        for other, there in placed
        for t in asked(other, "pod_anti_affinity")
    ):
        return "repelled-by-pod"
    return ""


@settings(deadline=None)
@given(worlds())
def test_the_verdict_is_what_the_definition_says(world: tuple[ClusterView, PodView]) -> None:
    view, waiting = world
    rule = plugin(37)
    prepared = rule.prepare(waiting, view)
    found = {
        name: "" if prepared.skip else next((r.code for r in rule.filter(prepared.state, on)), "")
        for name, on in view.nodes.items()
    }

    assert found == {name: definition(waiting, view, on) for name, on in view.nodes.items()}


# Scores.


def scores(
    rule: InterPodAffinity, waiting: Any, view: ClusterView
) -> tuple[dict[str, int], dict[str, int]] | None:
    nodes = list(view.nodes.values())
    state = rule.prepare_score(view.view(waiting), view, nodes)
    if state is None:
        return None
    raw = {on.name: rule.score(state, on) for on in nodes}
    return raw, dict(rule.normalize(state, raw))


SCORED: dict[str, tuple[Any, list[Object], tuple[dict[str, int], dict[str, int]] | None]] = {
    "nobody wishes anything": (pod("new"), [running("p", "a1")], None),
    "nobody is met": (target(preferred(NEAR, 5, term("cache"))), [running("p", "a1")], None),
    "near": (
        target(preferred(NEAR, 5, term())),
        [running("p", "a1"), running("q", "a1"), running("r", "b1")],
        ({"a1": 10, "b1": 5, "bare": 0}, {"a1": 100, "b1": 50, "bare": 0}),
    ),
    "apart, down to below zero": (
        target(preferred(APART, 5, term())),
        [running("p", "a1"), running("q", "a1"), running("r", "b1")],
        ({"a1": -10, "b1": -5, "bare": 0}, {"a1": 0, "b1": 50, "bare": 100}),
    ),
    "a weight of nothing is still a wish": (
        target(preferred(NEAR, 0, term())),
        [running("p", "a1")],
        ({"a1": 0, "b1": 0, "bare": 0}, {"a1": 0, "b1": 0, "bare": 0}),
    ),
    "wishes of others": (
        pod("new", labels={"app": "web"}),
        [
            running("p", "a1", affinity=preferred(NEAR, 7, term("web"))),
            running("q", "b1", affinity=preferred(APART, 4, term("web"))),
            running("r", "bare", affinity=preferred(NEAR, 9, term("web"))),
        ],
        ({"a1": 7, "b1": -4, "bare": 0}, {"a1": 100, "b1": 0, "bare": 36}),
    ),
    "what others require counts by hardPodAffinityWeight": (
        pod("new", labels={"app": "web"}),
        [running("p", "b1", affinity=required(NEAR, term("web")))],
        ({"a1": 0, "b1": 1, "bare": 0}, {"a1": 0, "b1": 100, "bare": 0}),
    ),
    "two keys add up": (
        target(preferred(NEAR, 5, term()), preferred(APART, 3, term("db", HOST))),
        [running("p", "a1")],
        ({"a1": 2, "b1": 0, "bare": 0}, {"a1": 100, "b1": 0, "bare": 0}),
    ),
}


@pytest.mark.parametrize("name", SCORED)
def test_scores(name: str) -> None:
    waiting, objects, expected = SCORED[name]

    assert scores(plugin(), waiting, cluster(A, B, BARE, *objects)) == expected


def test_arguments() -> None:
    waiting = pod("new", labels={"app": "web"})
    view = cluster(
        A,
        running("p", "a1", affinity=required(NEAR, term("web"))),
        running("q", "a1", affinity=preferred(NEAR, 7, term("web"))),
    )

    assert scores(plugin(hardPodAffinityWeight=50), waiting, view) == ({"a1": 57}, {"a1": 0})
    assert scores(plugin(hardPodAffinityWeight=0), waiting, view) == ({"a1": 7}, {"a1": 0})
    ignoring = plugin(ignorePreferredTermsOfExistingPods=True)
    assert scores(ignoring, waiting, view) is None
    picky = target(preferred(NEAR, 2, term("db")))
    assert scores(ignoring, picky, view) == ({"a1": 12}, {"a1": 0})


@pytest.mark.parametrize("weight", [-1, 101])
def test_a_weight_that_upstream_refuses(weight: int) -> None:
    with pytest.raises(KschedxError) as refused:
        plugin(hardPodAffinityWeight=weight)

    assert refused.value.message == (
        "scheduler configuration: arguments of InterPodAffinity: "
        f"hardPodAffinityWeight: {weight} is not from 0 to 100"
    )
