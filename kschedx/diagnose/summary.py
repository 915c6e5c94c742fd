"""The summary: right below the headline, the causes that matter most in one sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kschedx.api.pod import Pod
from kschedx.api.quantity import show, show_each, show_miss
from kschedx.diagnose.also_blocked import AlsoBlocked
from kschedx.diagnose.blockers import Blocker, Cause
from kschedx.diagnose.headline import counted, listed
from kschedx.diagnose.node_trouble import trouble_of
from kschedx.diagnose.placement import Nomination, Placement
from kschedx.diagnose.preemption_summary import PreemptionSummary
from kschedx.diagnose.request_parts import request_apart
from kschedx.diagnose.situation import Situation
from kschedx.diagnose.unreadable_rules import unreadable_rules
from kschedx.diagnose.verdict_class import ROOM_CODES, VerdictClass
from kschedx.diagnose.volume_remarks import nearest_volumes
from kschedx.diagnose.what_if import WhatIf
from kschedx.framework.attempt import Attempt
from kschedx.framework.priority_edits import NEVER
from kschedx.framework.verdict import Reason
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.filtering import NodesNotSatisfying
from kschedx.schedulers.kube.plugins.inter_pod_affinity import AffinityLabelMissing
from kschedx.schedulers.kube.plugins.node_affinity import NodeAffinityMismatch
from kschedx.schedulers.kube.plugins.pod_topology_spread import SpreadLabelMissing
from kschedx.schedulers.kube.plugins.taint_toleration import UntoleratedTaint
from kschedx.schedulers.kube.waiting_claims import NoVolumeToBind

_CAUSES: Final = 3
"""So many causes are said before the rest is counted."""
_NO_LABEL: Final = (SpreadLabelMissing.code, AffinityLabelMissing.code)
_CONTROL_PLANE: Final = "node-role.kubernetes.io/control-plane"


@dataclass(frozen=True, slots=True)
class Seen:
    """What a summary is made from."""

    attempt: Attempt
    cluster: ClusterView
    blockers: Sequence[Blocker]
    preemption: PreemptionSummary | None
    what_if: WhatIf
    nomination: Nomination | None = None
    also_blocked: AlsoBlocked | None = None


def summary(kind: VerdictClass, seen: Seen) -> str:
    """One sentence; empty where the headline says it all."""
    held = seen.nomination
    if held is not None and held.then:
        causes = "; ".join(_with_miss(cause) for cause in held.then)
        said = f"its nomination to {held.node} no longer helps, even once pods there are gone: {causes}"
        return "; ".join([said, *_evicts(seen)])
    if kind is VerdictClass.REJECTED_BEFORE_NODES:
        next_up = seen.also_blocked
        return f"no node is looked at{f'; {next_up.sentence}' if next_up is not None else ''}"
    first = _FIRST.get(kind)
    if first is None or (held is not None and held.victims):
        return ""
    return (
        "; ".join([*first(seen), *_causes(kind, seen)]) if kind in _LED else _led(first, kind, seen)
    )


def _with_miss(cause: Cause) -> str:
    """The cause, and by how much it fails where it is a matter of room."""
    facts = cause.facts
    if cause.code != "insufficient-resource":
        return cause.message
    missing = facts["requested"] - (facts["allocatable"] - facts["used"])
    short = show_miss(facts["resource"], missing, facts["allocatable"])
    return f"{cause.message}: short by {short}"


def placed_summary(situation: Situation, pod: Pod, placement: Placement | None) -> str:
    """A pod that is past scheduling and does not run."""
    waits = placement.waits if placement is not None else ()
    if not waits or pod.status.phase not in ("Pending", "Failed"):
        return ""
    refused = situation is Situation.FINISHED and pod.status.reason
    if refused and not pod.status.container_statuses:
        return f"not a matter of scheduling: {pod.spec.node_name} refused it, {waits[0]}"
    return f"not a matter of scheduling: {waits[0]}"


def _led(first: Callable[[Seen], Iterator[str]], kind: VerdictClass, seen: Seen) -> str:
    """The class's own words as the beginning of the causes; empty where there are none."""
    causes = "; ".join(_causes(kind, seen)) or _nowhere(seen)
    return ": ".join([*first(seen), causes]) if causes else ""


def _nowhere(seen: Seen) -> str:
    """The pod is tied to nodes that do not exist."""
    allowed = sorted(seen.attempt.narrowed_to or ())
    if allowed and not any(name in seen.cluster.nodes for name in allowed):
        return f"it may only go to {listed(allowed, 'or')}, which is not there"
    return ""


def _causes(kind: VerdictClass, seen: Seen) -> Iterator[str]:
    told = [b for b in seen.blockers if b.cause.code != NodesNotSatisfying.code]
    if kind in (VerdictClass.FULL_NOW, VerdictClass.TOO_SMALL):
        told.sort(key=lambda blocker: blocker.cause.code not in ROOM_CODES)
    if kind in _LED:
        del told[1:]
    for blocker in told[:_CAUSES]:
        say = _SAID.get(blocker.cause.code)
        yield _plainly(blocker, seen) if say is None else say(blocker, seen)
    if len(told) > _CAUSES:
        yield f"and {counted(len(told) - _CAUSES, 'more cause')}"


def _terminating(seen: Seen) -> Iterator[str]:
    found = seen.what_if.after_terminating
    if found is not None:
        gone = listed([pod.pod.key for pod in found.pods])
        verb = "is" if len(found.pods) == 1 else "are"
        yield f"fits {listed(found.nodes, 'or')} once {gone} {verb} gone, being deleted already"


def _rollout(seen: Seen) -> Iterator[str]:
    stops = seen.what_if.outdated or seen.what_if.deadlock
    if stops is not None:
        yield f"its rollout stops here: {stops.sentence}"


def _evicts(seen: Seen) -> Iterator[str]:
    found = seen.preemption
    if found is not None and found.nodes:
        victims = listed([victim.pod.key for victim in found.victims])
        yield f"full, but evicting {victims} on {found.nodes[0]} makes room"


def _by_hand(seen: Seen) -> Iterator[str]:
    found = seen.what_if.by_hand
    if found is not None:
        alone = " alone" if len(found.pods) == 1 else ""
        yield (
            f"removing {listed(found.pods)}{alone} would suffice to fit "
            f"{listed(found.nodes, 'or')}, but the scheduler evicts nobody: {_why_not(seen)}"
        )


def _why_not(seen: Seen) -> str:
    """Why preemption does not do what works by hand."""
    found, by_hand = seen.preemption, seen.what_if.by_hand
    if found is not None and found.why_not:
        spec = seen.attempt.pod.pod.spec
        named = spec.priority_class_name if spec.preemption_policy == NEVER else ""
        return f"{found.why_not} (PriorityClass {named})" if named else found.why_not
    if by_hand is not None and by_hand.anchors:
        return (
            "it first takes away all pods of lower priority there, with them "
            f"{listed(by_hand.anchors)}, near which the pod must be"
        )
    if found is not None and found.still_rejected:
        subjects = listed([subject for subject, _ in found.still_rejected])
        return f"without all pods of lower priority there is {subjects}"
    return "it looks for victims on the node itself only"


def _excluded(seen: Seen) -> Iterator[str]:
    """Nothing where the first cause says of itself that it holds on every node."""
    first = next(iter(seen.blockers), None)
    every = first is not None and len(first.nodes) == seen.attempt.node_count
    if first is None or not every or first.cause.code not in _NO_LABEL:
        yield "no node admits it"


_FIRST: Final[dict[VerdictClass, Callable[[Seen], Iterator[str]]]] = {
    VerdictClass.PLACEMENT_EXCLUDES_ALL: _excluded,
    VerdictClass.FULL_NOW: lambda _: iter(["full now"]),
    VerdictClass.TOO_SMALL: lambda _: iter(["too small even if empty"]),
    VerdictClass.PREEMPTION_WILL_HELP: _evicts,
    VerdictClass.PREEMPTION_BY_HAND: _by_hand,
    VerdictClass.WAITING_FOR_TERMINATING: _terminating,
    VerdictClass.ROLLOUT_DEADLOCK: _rollout,
}
_LED: Final = (
    VerdictClass.PREEMPTION_WILL_HELP,
    VerdictClass.PREEMPTION_BY_HAND,
    VerdictClass.WAITING_FOR_TERMINATING,
    VerdictClass.ROLLOUT_DEADLOCK,
)
"""Classes with a sentence of their own, the causes after it."""


def _nodes(blocker: Blocker) -> str:
    return listed(blocker.nodes)


def _verb(blocker: Blocker, one: str, several: str) -> str:
    return one if len(blocker.nodes) == 1 else several


def _facts(blocker: Blocker) -> Mapping[str, Any]:
    return blocker.cause.facts


def _reasons(blocker: Blocker, seen: Seen) -> Iterator[tuple[str, Reason]]:
    """The blocker's reasons, node by node."""
    for name in blocker.nodes:
        trace = seen.attempt.traces.get(name)
        for verdict in trace.verdicts if trace is not None else ():
            for reason in verdict.reasons:
                if (reason.code, reason.subject()) == (blocker.cause.code, blocker.subject):
                    yield name, reason


def _plainly(blocker: Blocker, seen: Seen) -> str:
    """For causes without words of their own."""
    return f"{_nodes(blocker)}: {blocker.cause.message}"


def _resource(blocker: Blocker, seen: Seen) -> str:
    facts = _facts(blocker)
    resource, need = facts["resource"], facts["requested"]
    nodes = [seen.cluster.nodes[name] for name in blocker.nodes]
    silent = [node.name for node in nodes if resource not in node.node.status.allocatable]
    if len(silent) == len(nodes):
        verb = _verb(blocker, "does", "do")
        needs = _needs(resource, show(resource, need), seen)
        return f"{needs}, which {listed(silent)} {verb} not report at all (counts as 0)"
    largest = max(
        nodes, key=lambda node: (node.allocatable.get(resource, 0), node.name in blocker.alone)
    )
    most = largest.allocatable.get(resource, 0)
    if most < need:
        which = f"the largest node, {largest.name}," if len(nodes) > 1 else largest.name
        if 1 < len(nodes) < seen.attempt.node_count:
            which = f"the largest of {len(nodes)} nodes, {largest.name},"
        wanted, there = show_each(resource, need, most)
        missing = show_miss(resource, need - most, most)
        return f"{_needs(resource, wanted, seen)}, {which} has {there} in all: short by {missing}"
    total = facts["allocatable"]
    free = total - facts["used"]
    nearest = f"{'closest ' if len(nodes) > 1 else ''}{blocker.nearest}"
    wanted, left, in_all = show_each(resource, need, free, total)
    missing = show_miss(resource, need - free, total)
    return (
        f"{_needs(resource, wanted, seen)}, {nearest} has {left} free of {in_all}: "
        f"short by {missing}"
    )


def _needs(resource: str, amount: str, seen: Seen) -> str:
    apart = request_apart(seen.attempt.pod, resource)
    return f"needs {amount} {resource}{'' if apart.plain else f' ({apart.sum()})'}"


def _slots(blocker: Blocker, seen: Seen) -> str:
    facts = _facts(blocker)
    where = f" on {blocker.nearest}" if len(blocker.nodes) > 1 else ""
    return (
        f"{_nodes(blocker)} {_verb(blocker, 'is', 'are')} out of pod slots "
        f"({facts['pods']} of {facts['allocatable']} used{where})"
    )


def _cordoned(blocker: Blocker, seen: Seen) -> str:
    return f"{_nodes(blocker)} {_verb(blocker, 'is', 'are')} cordoned"


def _taint(blocker: Blocker, seen: Seen) -> str:
    (_, first), *_ = _reasons(blocker, seen)
    assert isinstance(first, UntoleratedTaint)
    taint = blocker.subject.removeprefix("untolerated ")
    trouble = trouble_of(first.key, seen.cluster.nodes[blocker.nearest].node)
    if trouble:
        return f"{_nodes(blocker)} {_verb(blocker, 'is', 'are')} {trouble} ({taint})"
    if first.key == _CONTROL_PLANE and len(blocker.nodes) == seen.attempt.node_count:
        return f"every node is a control plane with {taint}, none is a worker"
    return f"{_nodes(blocker)} {_verb(blocker, 'has', 'have')} {taint}, not tolerated"


def _affinity(blocker: Blocker, seen: Seen) -> str:
    reasons = [r for _, r in _reasons(blocker, seen) if isinstance(r, NodeAffinityMismatch)]
    failed = reasons[0].failed if reasons else ()
    keys = {requirement.key for requirement in failed}
    every = seen.cluster.nodes.values()
    missing = sorted(key for key in keys if not any(key in node.labels for node in every))
    if missing:
        return f"no node has label {listed(missing)}, {blocker.subject}"
    if not failed:
        for key, operator, value in unreadable_rules(seen.attempt.pod.pod):
            return f"its rule {key} {operator} {value} matches no node: {value} is no integer"
        return blocker.cause.message
    return f"{blocker.subject}, unlike {_nodes(blocker)}"


def _no_label(blocker: Blocker, seen: Seen) -> str:
    key = _facts(blocker)["topology_key"]
    spreads = blocker.cause.code == SpreadLabelMissing.code
    if len(blocker.nodes) == seen.attempt.node_count:
        rule = "constraint" if spreads else "affinity"
        return f"no node has label {key}: the {rule} can never be met"
    what = "to spread over" if spreads else "for pod affinity"
    return f"{_nodes(blocker)} {_verb(blocker, 'has', 'have')} no label {key} {what}"


def _skew(blocker: Blocker, seen: Seen) -> str:
    return f"{_nodes(blocker)} too full for even spread: {blocker.cause.message}"


def _near(blocker: Blocker, seen: Seen) -> str:
    facts = _facts(blocker)
    return (
        f"no pod matching {facts['selector']} on {_nodes(blocker)}, near which the pod must be "
        f"(affinity by {facts['topology_key']})"
    )


def _holders(blocker: Blocker, seen: Seen, name: str) -> str:
    found = dict.fromkeys(
        f"{getattr(reason, name)} on {node}" for node, reason in _reasons(blocker, seen)
    )
    return listed(list(found))


def _apart(blocker: Blocker, seen: Seen) -> str:
    facts = _facts(blocker)
    return (
        f"anti-affinity to {facts['selector']} keeps it from {_nodes(blocker)}: "
        f"{_holders(blocker, seen, 'pod')}"
    )


def _repelled(blocker: Blocker, seen: Seen) -> str:
    facts = _facts(blocker)
    return (
        f"anti-affinity of running pods to {facts['selector']} repels it: "
        f"{_holders(blocker, seen, 'pod')}"
    )


def _port(blocker: Blocker, seen: Seen) -> str:
    return f"{blocker.subject} by {_holders(blocker, seen, 'holder')}"


def _volume(blocker: Blocker, seen: Seen) -> str:
    facts = _facts(blocker)
    wanted = " or ".join(facts["wanted"]) or "no node"
    return (
        f"PersistentVolume {facts['volume']} of claim {facts['claim']} is usable only from "
        f"{wanted}, not from {_nodes(blocker)}"
    )


def _no_volume(blocker: Blocker, seen: Seen) -> str:
    """With the volume that lacks the least; claims of one class may lack one on several nodes."""
    said = _plainly(blocker, seen)
    for _, reason in _reasons(blocker, seen):
        assert isinstance(reason, NoVolumeToBind)
        if not reason.suitable and not reason.reserved:
            for volume, missing in nearest_volumes(reason, seen.cluster):
                return f"{said}: {volume.name} {listed([words for words, _ in missing])}"
        break
    return said


def _message(blocker: Blocker, seen: Seen) -> str:
    return blocker.cause.message


_SAID: Final[dict[str, Callable[[Blocker, Seen], str]]] = {
    "insufficient-resource": _resource,
    "too-many-pods": _slots,
    "node-cordoned": _cordoned,
    "untolerated-taint": _taint,
    "node-affinity-mismatch": _affinity,
    **dict.fromkeys(_NO_LABEL, _no_label),
    "spread-skew": _skew,
    "no-pod-to-be-near": _near,
    "pod-to-be-apart-from": _apart,
    "repelled-by-pod": _repelled,
    "host-port-taken": _port,
    "volume-out-of-reach": _volume,
    "claim-in-use": _message,
    NoVolumeToBind.code: _no_volume,
}
