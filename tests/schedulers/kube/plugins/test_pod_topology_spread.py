from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.api.node import Node
from kschedx.api.workloads import (
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
)
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Reason, SnapshotLacks
from kschedx.framework.views import ClusterView, PodView
from kschedx.schedulers.kube.plugins.pod_topology_spread import (
    PodTopologySpread,
    SkewTooLarge,
    Spread,
    SpreadLabelMissing,
)
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node, pod, snapshot

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
WEB = {"matchLabels": {"app": "web"}}


def constraint(key: str = ZONE, **fields: Any) -> dict[str, Any]:
    return {
        "topologyKey": key,
        "maxSkew": 1,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": WEB,
        **fields,
    }


def target(*constraints: Mapping[str, Any], labels: Any = None, **spec: Any) -> Any:
    labels = {"app": "web"} if labels is None else labels
    return pod("new", labels=labels, spec={"topologySpreadConstraints": list(constraints), **spec})


def web(name: str, on: str, **fields: Any) -> Any:
    return pod(name, labels={"app": "web"}, node=on, **fields)


def zoned(name: str, zone: str | None, **fields: Any) -> Node:
    return node(name, labels={} if zone is None else {ZONE: zone}, **fields)


def plugin(minor: int = 35, **args: Any) -> PodTopologySpread:
    return PodTopologySpread.from_args(args, Release(minor))


def verdicts(
    rule: PodTopologySpread, waiting: Any, view: ClusterView
) -> dict[str, tuple[Reason, ...]]:
    """Every node's reasons; {} where the rule has nothing to say of the pod."""
    prepared = rule.prepare(view.view(waiting), view)
    if prepared.skip:
        return {}
    return {name: tuple(rule.filter(prepared.state, on)) for name, on in view.nodes.items()}


def skew(count: int, minimum: int, domain: str, **facts: Any) -> SkewTooLarge:
    whole: dict[str, Any] = {
        "topology_key": ZONE,
        "domain": domain,
        "selector": "app=web",
        "count": count,
        "itself": 1,
        "minimum": minimum,
        "minimum_domain": "b",
        "max_skew": 1,
        "domains": 2,
        "min_domains": 1,
    }
    return SkewTooLarge(**{**whole, **facts})


A, B = zoned("a1", "a"), zoned("b1", "b")
DEDICATED = [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}]

FILTERED: dict[str, tuple[Any, list[Object], dict[str, tuple[Reason, ...]]]] = {
    "no constraints": (pod("new"), [A], {}),
    "only soft constraints": (
        target(constraint(whenUnsatisfiable="ScheduleAnyway")),
        [A, web("p", "a1")],
        {},
    ),
    "the fuller zone is too full": (
        target(constraint()),
        [A, B, web("p", "a1")],
        {"a1": (skew(1, 0, "a"),), "b1": ()},
    ),
    "a larger skew is allowed": (
        target(constraint(maxSkew=2)),
        [A, B, web("p", "a1")],
        {"a1": (), "b1": ()},
    ),
    "a pod that does not match itself": (
        target(constraint(), labels={"app": "other"}),
        [A, B, web("p", "a1"), web("q", "a1")],
        {"a1": (skew(2, 0, "a", itself=0),), "b1": ()},
    ),
    "terminating pods and other namespaces do not count": (
        target(constraint()),
        [
            A,
            B,
            web("p", "a1", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
            web("q", "a1", namespace="other"),
        ],
        {"a1": (), "b1": ()},
    ),
    "an empty selector counts nobody but the pod itself": (
        target(constraint(labelSelector={})),
        [A, B, web("p", "a1"), web("q", "a1")],
        {"a1": (), "b1": ()},
    ),
    "no selector matches nobody": (
        target(constraint(labelSelector=None)),
        [A, B, web("p", "a1"), web("q", "a1")],
        {"a1": (), "b1": ()},
    ),
    "a node without the key is out and counts for nothing": (
        target(constraint()),
        [A, zoned("bare", None), web("p", "bare")],
        {"a1": (), "bare": (SpreadLabelMissing(ZONE),)},
    ),
    "a node must have all keys to count": (
        target(constraint(), constraint("pool")),
        [
            node("a1", labels={ZONE: "a", "pool": "x"}),
            node("b1", labels={ZONE: "b"}),
            web("p", "a1"),
        ],
        {"a1": (), "b1": (SpreadLabelMissing("pool"),)},
    ),
    "fewer domains than minDomains make the minimum 0": (
        target(constraint(minDomains=3)),
        [A, B, web("p", "a1"), web("q", "b1")],
        {
            "a1": (skew(1, 0, "a", minimum_domain="", min_domains=3),),
            "b1": (skew(1, 0, "b", minimum_domain="", min_domains=3),),
        },
    ),
    "enough domains for minDomains": (
        target(constraint(minDomains=2)),
        [A, B, web("p", "a1"), web("q", "b1")],
        {"a1": (), "b1": ()},
    ),
    "nodes that nodeSelector rules out do not count": (
        target(constraint(), nodeSelector={ZONE: "a"}),
        [A, B, web("p", "a1")],
        {"a1": (), "b1": ()},
    ),
    "nodeAffinityPolicy Ignore counts them": (
        target(constraint(nodeAffinityPolicy="Ignore"), nodeSelector={ZONE: "a"}),
        [A, B, web("p", "a1")],
        {"a1": (skew(1, 0, "a"),), "b1": ()},
    ),
    "tainted nodes count": (
        target(constraint()),
        [A, zoned("b1", "b", taints=DEDICATED), web("p", "a1")],
        {"a1": (skew(1, 0, "a"),), "b1": ()},
    ),
    "nodeTaintsPolicy Honor leaves them out": (
        target(constraint(nodeTaintsPolicy="Honor")),
        [A, zoned("b1", "b", taints=DEDICATED), web("p", "a1")],
        {"a1": (), "b1": ()},
    ),
    "matchLabelKeys count only pods of the same revision": (
        target(constraint(matchLabelKeys=["rev", "absent"]), labels={"app": "web", "rev": "2"}),
        [A, B, web("p", "a1"), pod("q", labels={"app": "web", "rev": "2"}, node="b1")],
        {
            "a1": (),
            "b1": (skew(1, 0, "b", selector="app=web, rev=2", minimum_domain="a"),),
        },
    ),
    "what follows the first violation only counts if it is of its kind": (
        target(constraint(), constraint("pool"), constraint(HOST)),
        [
            node("a1", labels={ZONE: "a", "pool": "x"}),
            node("a2", labels={ZONE: "a"}),
            node("b1", labels={ZONE: "b", "pool": "x"}),
            web("p", "a1"),
        ],
        {
            "a1": (
                skew(1, 0, "a"),
                skew(1, 0, "a1", topology_key=HOST, minimum_domain="b1"),
            ),
            "a2": (skew(1, 0, "a"),),
            "b1": (),
        },
    ),
}


@pytest.mark.parametrize("name", FILTERED)
def test_filter(name: str) -> None:
    waiting, objects, expected = FILTERED[name]

    assert verdicts(plugin(), waiting, cluster(*objects)) == expected


def test_before_1_33_constraints_on_one_key_share_their_counts() -> None:
    waiting = target(
        constraint(), constraint(labelSelector={"matchLabels": {"app": "db"}}, maxSkew=3)
    )
    view = cluster(A, B, *(pod(f"p{i}", labels={"app": "db"}, node="a1") for i in range(2)))

    assert verdicts(plugin(33), waiting, view) == {"a1": (), "b1": ()}
    assert verdicts(plugin(32), waiting, view) == {"a1": (skew(2, 0, "a"),), "b1": ()}


def test_reasons_in_words() -> None:
    missing, uneven = SpreadLabelMissing(ZONE), skew(3, 1, "a")
    few = skew(1, 0, "a", minimum_domain="", min_domains=3)

    assert missing.upstream_text(35) == (
        "node(s) didn't match pod topology spread constraints (missing required label)"
    )
    assert missing.sentence() == (
        "has no label topology.kubernetes.io/zone, over which the pod must be spread"
    )
    assert uneven.upstream_text(35) == "node(s) didn't match pod topology spread constraints"
    assert uneven.sentence() == (
        "would hold 4 pods matching app=web in topology.kubernetes.io/zone a against 1 in b: "
        "skew 3 of at most 1"
    )
    assert few.sentence() == (
        "would hold 2 pods matching app=web in topology.kubernetes.io/zone a against 0 as there "
        "are 2 of at least 3 domains: skew 2 of at most 1"
    )
    assert (missing.subject(), uneven.subject()) == (
        "no label topology.kubernetes.io/zone to spread over",
        "too uneven over topology.kubernetes.io/zone",
    )


BROKEN = {"matchExpressions": [{"key": "app", "operator": "In"}]}
REFUSED = "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty"


def test_a_broken_selector_ends_the_cycle() -> None:
    view = cluster(A)

    with pytest.raises(CycleError) as hard:
        plugin().prepare(view.view(target(constraint(labelSelector=BROKEN))), view)
    soft_one = constraint(labelSelector=BROKEN, whenUnsatisfiable="ScheduleAnyway")
    with pytest.raises(CycleError) as soft:
        plugin().prepare_score(view.view(target(soft_one)), view, [])

    assert str(hard.value) == (
        'running PreFilter plugin "PodTopologySpread": get constraints from pod: '
        f"obtaining pod's hard topology spread constraints: {REFUSED}"
    )
    assert str(soft.value) == (
        'running PreScore plugin "PodTopologySpread": calculating preScoreState: '
        f"obtaining pod's soft topology spread constraints: {REFUSED}"
    )


# Defaults of a profile, over the pods of the same Services and controller.


def service(name: str, namespace: str = "default", **selector: str) -> Service:
    raw = {"metadata": {"name": name, "namespace": namespace}, "spec": {"selector": selector}}
    return msgspec.convert(raw, Service)


def controller(kind: type[Object], selector: Any) -> Object:
    raw = {"metadata": {"name": "own", "namespace": "default"}, "spec": {"selector": selector}}
    return msgspec.convert(raw, kind)


def owned(api_version: str, kind: str) -> Any:
    owner = {"apiVersion": api_version, "kind": kind, "name": "own", "uid": "u", "controller": True}
    return pod("new", labels={"app": "web"}, metadata={"ownerReferences": [owner]})


LISTED: dict[str, Any] = {
    "defaultingType": "List",
    "defaultConstraints": [
        {"topologyKey": ZONE, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}
    ],
}
PLAIN = pod("new", labels={"app": "web"})

SELECTED: dict[str, tuple[Any, list[Object], str]] = {
    "neither Service nor controller": (PLAIN, [], ""),
    "a Service": (PLAIN, [service("s", app="web")], "app=web"),
    "a Service of another namespace": (PLAIN, [service("s", "other", app="web")], ""),
    "a Service for other pods": (PLAIN, [service("s", app="db")], ""),
    "two Services": (
        pod("new", labels={"app": "web", "tier": "front"}),
        [service("s", app="web"), service("t", tier="front")],
        "app=web, tier=front",
    ),
    "a Service without a selector": (PLAIN, [service("s")], ""),
    "a ReplicaSet": (
        owned("apps/v1", "ReplicaSet"),
        [
            controller(
                ReplicaSet,
                {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]},
            )
        ],
        "app in (web)",
    ),
    "a StatefulSet beside a Service": (
        owned("apps/v1", "StatefulSet"),
        [service("s", app="web"), controller(StatefulSet, {"matchLabels": {"own": "x"}})],
        "app=web, own=x",
    ),
    "a ReplicationController": (
        owned("v1", "ReplicationController"),
        [controller(ReplicationController, {"app": "web"})],
        "app=web",
    ),
    "a ReplicaSet of another API": (
        owned("extensions/v1beta1", "ReplicaSet"),
        [controller(ReplicaSet, WEB)],
        "",
    ),
    "a controller that is gone": (owned("apps/v1", "ReplicaSet"), [], ""),
    "a controller without a selector": (
        owned("apps/v1", "ReplicaSet"),
        [controller(ReplicaSet, None)],
        "",
    ),
    "a controller with a broken selector": (
        owned("apps/v1", "ReplicaSet"),
        [controller(ReplicaSet, BROKEN)],
        "",
    ),
}


@pytest.mark.parametrize("name", SELECTED)
def test_default_selector(name: str) -> None:
    waiting, objects, expected = SELECTED[name]
    view = cluster(A, *objects)

    state = plugin(**LISTED).prepare(view.view(waiting), view).state
    constraints = state.constraints if state is not None else ()

    assert [str(each.selector) for each in constraints] == ([expected] if expected else [])


def test_default_constraints_reject() -> None:
    view = cluster(A, B, web("p", "a1"), service("s", app="web"))

    assert verdicts(plugin(**LISTED), PLAIN, view) == {"a1": (skew(1, 0, "a"),), "b1": ()}


def test_a_pod_with_any_constraint_of_its_own_takes_no_defaults() -> None:
    view = cluster(A, B, web("p", "a1"), service("s", app="web"))
    waiting = target(constraint(whenUnsatisfiable="ScheduleAnyway"))

    assert verdicts(plugin(**LISTED), waiting, view) == {}


UNREAD: dict[str, tuple[Any, list[Object], str]] = {
    "Services": (PLAIN, [], "Service"),
    "the controller's kind": (
        owned("apps/v1", "ReplicaSet"),
        [service("s", app="web")],
        "ReplicaSet",
    ),
}


@pytest.mark.parametrize("name", UNREAD)
def test_hard_defaults_need_to_know_the_siblings(name: str) -> None:
    waiting, objects, kind = UNREAD[name]
    view = ClusterView.of(snapshot(A, *objects, complete=False))
    lacks = SnapshotLacks(kind, "the selector of the default spread constraints")

    assert verdicts(plugin(**LISTED), waiting, view) == {"a1": (lacks,)}
    assert verdicts(plugin(), waiting, view) == {}


ARGS_REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown type": (
        {"defaultingType": "None"},
        "defaultingType: 'None' is neither System nor List",
    ),
    "System with a list": (
        {**LISTED, "defaultingType": "System"},
        "defaultingType: System goes with no defaultConstraints",
    ),
    "a list without the type": (
        {"defaultConstraints": LISTED["defaultConstraints"]},
        "defaultingType: System goes with no defaultConstraints",
    ),
    "no skew": ({"maxSkew": 0}, "defaultConstraints[0]: maxSkew: 0 is not positive"),
    "no key": ({"topologyKey": ""}, "defaultConstraints[0]: topologyKey: '' is not a label key"),
    "no action": (
        {"whenUnsatisfiable": ""},
        "defaultConstraints[0]: whenUnsatisfiable: neither DoNotSchedule nor ScheduleAnyway",
    ),
    "a selector": (
        {"labelSelector": WEB},
        "defaultConstraints[0]: labelSelector: a default constraint takes none",
    ),
    "a repetition": (
        {"defaultingType": "List", "defaultConstraints": LISTED["defaultConstraints"] * 2},
        f"defaultConstraints[1]: repeats {ZONE} with DoNotSchedule",
    ),
}


@pytest.mark.parametrize("name", ARGS_REFUSED)
def test_arguments_that_upstream_refuses(name: str) -> None:
    args, problem = ARGS_REFUSED[name]
    if not {"defaultingType", "defaultConstraints"} & set(args):
        whole = [{**LISTED["defaultConstraints"][0], **args}]
        args = {"defaultingType": "List", "defaultConstraints": whole}

    with pytest.raises(KschedxError) as refused:
        plugin(**args)

    assert refused.value.message == (
        f"scheduler configuration: arguments of PodTopologySpread: {problem}"
    )


# Dry runs.


def test_terminating_pods_count_when_they_go() -> None:
    """Upstream's RemovePod asks neither for termination nor whether the selector is empty."""
    going = web("q", "b1", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"})
    view = cluster(A, B, web("p", "a1"), web("r", "b1"), going)
    waiting = view.view(target(constraint()))
    rule = plugin()
    b1 = view.nodes["b1"]
    state = rule.after(rule.prepare(waiting, view).state, b1, [], b1.pods)

    assert tuple(rule.filter(state, view.nodes["a1"])) == (skew(1, -1, "a"),)


def test_pods_under_an_empty_selector_count_when_they_come() -> None:
    view = cluster(A, B)
    waiting = view.view(target(constraint(labelSelector={})))
    rule = plugin()
    came = [view.view(web("p", "a1"))]
    state = rule.after(rule.prepare(waiting, view).state, view.nodes["a1"], came, [])

    assert tuple(rule.filter(state, view.nodes["a1"])) == (skew(1, 0, "a", selector="everything"),)


APPS = st.sampled_from(["web", "db"])
ZONES = st.sampled_from(["a", "b", "c", "", None])


@st.composite
def worlds(draw: st.DrawFn) -> tuple[ClusterView, PodView]:
    nodes = [
        zoned(f"n{i}", draw(ZONES), taints=draw(st.sampled_from([[], [], DEDICATED])))
        for i in range(draw(st.integers(1, 5)))
    ]
    pods = [
        pod(
            f"p{i}",
            namespace=draw(st.sampled_from(["default", "default", "other"])),
            labels={"app": draw(APPS)},
            node=draw(st.sampled_from(nodes)).name,
        )
        for i in range(draw(st.integers(0, 10)))
    ]
    constraints = [
        constraint(
            draw(st.sampled_from([ZONE, HOST])),
            maxSkew=draw(st.integers(1, 2)),
            labelSelector={"matchLabels": {"app": draw(APPS)}},
            minDomains=draw(st.sampled_from([None, 1, 2, 4])),
            nodeTaintsPolicy=draw(st.sampled_from([None, "Honor"])),
            nodeAffinityPolicy=draw(st.sampled_from([None, "Ignore"])),
        )
        for _ in range(draw(st.integers(1, 2)))
    ]
    selector = draw(st.sampled_from([{}, {}, {ZONE: "a"}]))
    waiting = target(*constraints, labels={"app": draw(APPS)}, nodeSelector=selector)
    view = cluster(*nodes, *pods)
    return view, view.view(waiting)


def rejected(rule: PodTopologySpread, state: Spread, view: ClusterView) -> list[tuple[Reason, ...]]:
    return [tuple(rule.filter(state, on)) for on in view.nodes.values()]


@settings(deadline=None)
@given(worlds(), st.data(), st.sampled_from([32, 35]))
def test_the_state_after_a_change_is_that_of_the_changed_cluster(
    world: tuple[ClusterView, PodView], data: st.DataObject, minor: int
) -> None:
    view, waiting = world
    rule = plugin(minor)
    keys = {each.topology_key for each in waiting.pod.spec.topology_spread_constraints}
    if minor < 33 and len(keys) < len(waiting.pod.spec.topology_spread_constraints):
        return  # shared counts are kept up by sums, but built by the last constraint
    state = rule.prepare(waiting, view).state
    for step in range(3):
        name = data.draw(st.sampled_from(sorted(view.nodes)))
        here = view.nodes[name]
        gone = data.draw(st.lists(st.sampled_from(here.pods), unique=True)) if here.pods else []
        came = [
            view.view(pod(f"new-{step}-{i}", labels={"app": data.draw(APPS)}))
            for i in range(data.draw(st.integers(0, 2)))
        ]
        state = rule.after(state, here, came, gone)
        changed = here.without(gone)
        for each in came:
            changed = changed.with_pod(each)
        view = view.with_node(changed)

        assert rejected(rule, state, view) == rejected(
            rule, rule.prepare(waiting, view).state, view
        )


@settings(deadline=None)
@given(worlds())
def test_the_skew_is_what_the_definition_says(world: tuple[ClusterView, PodView]) -> None:
    """One domain at a time, over the raw objects, for a single constraint without policies."""
    view, waiting = world
    wanted = waiting.pod.spec.topology_spread_constraints[0]
    selector = wanted.label_selector
    assert selector is not None
    key, app = wanted.topology_key, selector.match_labels["app"]
    only = target(
        constraint(key, maxSkew=wanted.max_skew, labelSelector={"matchLabels": {"app": app}}),
        labels=waiting.labels,
    )
    counts: dict[str, int] = {}
    for on in view.nodes.values():
        if key in on.labels:
            matching = [
                each
                for each in on.pods
                if each.namespace == "default" and each.labels["app"] == app
            ]
            counts[on.labels[key]] = counts.get(on.labels[key], 0) + len(matching)
    itself = int(waiting.labels["app"] == app)
    fits = {
        name
        for name, on in view.nodes.items()
        if key in on.labels
        and counts[on.labels[key]] + itself - min(counts.values()) <= wanted.max_skew
    }

    found = verdicts(plugin(), only, view)

    assert {name for name, reasons in found.items() if not reasons} == fits


# Scores.


def scores(
    rule: PodTopologySpread, waiting: Any, view: ClusterView, names: Sequence[str]
) -> tuple[dict[str, int], dict[str, int]] | None:
    nodes = [view.nodes[name] for name in names]
    state = rule.prepare_score(view.view(waiting), view, nodes)
    if state is None:
        return None
    raw = {on.name: rule.score(state, on) for on in nodes}
    return raw, dict(rule.normalize(state, raw))


SOFT = constraint(whenUnsatisfiable="ScheduleAnyway")
WEBS = [web("p", "a1"), web("q", "a1"), web("r", "a2"), web("s", "b1")]
FLEET = [A, zoned("a2", "a"), B, zoned("bare", None)]
ALL = ["a1", "a2", "b1", "bare"]

SCORED: dict[str, tuple[Any, list[Object], tuple[dict[str, int], dict[str, int]] | None]] = {
    "only hard constraints": (target(constraint()), [], None),
    # ln(2 + 2) = 1.386: three pods in zone a, one in b.
    "by zone, nodes without one last": (
        target(SOFT),
        [],
        ({"a1": 4, "a2": 4, "b1": 1, "bare": 0}, {"a1": 25, "a2": 25, "b1": 100, "bare": 0}),
    ),
    # ln(4 + 2) = 1.792 and two for the allowed skew.
    "by host, each its own count": (
        target(constraint(HOST, maxSkew=3, whenUnsatisfiable="ScheduleAnyway")),
        [],
        (
            {"a1": 6, "a2": 4, "b1": 4, "bare": 2},
            {"a1": 33, "a2": 66, "b1": 66, "bare": 100},
        ),
    ),
    "nobody there yet": (
        target(constraint(whenUnsatisfiable="ScheduleAnyway", labelSelector={})),
        [],
        ({"a1": 0, "a2": 0, "b1": 0, "bare": 0}, {"a1": 100, "a2": 100, "b1": 100, "bare": 0}),
    ),
    "no siblings, no defaults": (PLAIN, [], None),
    # Host: ln(4 + 2) and 2 of skew; zone, with "" as a third: ln(3 + 2) and 4 of skew.
    "the system's defaults": (
        PLAIN,
        [service("s", app="web")],
        (
            {"a1": 14, "a2": 13, "b1": 9, "bare": 2},
            {"a1": 14, "a2": 21, "b1": 50, "bare": 100},
        ),
    ),
}


@pytest.mark.parametrize("name", SCORED)
def test_scores(name: str) -> None:
    waiting, objects, expected = SCORED[name]
    view = cluster(*FLEET, *WEBS, *objects)

    assert scores(plugin(), waiting, view, ALL) == expected


def test_listed_defaults_want_all_keys() -> None:
    soft = [{**LISTED["defaultConstraints"][0], "whenUnsatisfiable": "ScheduleAnyway"}]
    rule = plugin(defaultingType="List", defaultConstraints=soft)
    view = cluster(*FLEET, *WEBS, service("s", app="web"))

    assert scores(rule, PLAIN, view, ALL) == scores(plugin(), target(SOFT), view, ALL)


def test_before_1_33_soft_constraints_on_one_key_share_their_counts() -> None:
    """Two constraints, 4 pods in zone a and 1 in b; the second knows of no domain: ln 2."""
    both = target(
        SOFT,
        {**SOFT, "labelSelector": {"matchExpressions": [{"key": "app", "operator": "Exists"}]}},
    )
    view = cluster(A, B, *(web(f"p{i}", "a1") for i in range(2)), web("q", "b1"))

    assert scores(plugin(33), both, view, ["a1", "b1"]) == (
        {"a1": 6, "b1": 3},
        {"a1": 50, "b1": 100},
    )
    assert scores(plugin(32), both, view, ["a1", "b1"]) == (
        {"a1": 8, "b1": 4},
        {"a1": 50, "b1": 100},
    )
