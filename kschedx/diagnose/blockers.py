"""Blockers: the rejections of all nodes, grouped by cause, with the nearest node of each.

The scheduler names one rule per node and counts; here a node stands under every cause that blocks
it, so that a cause which holds on all nodes shows as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kschedx.framework.verdict import NodeTrace, Outcome, Reason, Verdict
from kschedx.schedulers.kube.filtering import NodesNotSatisfying
from kschedx.schedulers.kube.plugins.node_unschedulable import NodeCordoned
from kschedx.schedulers.kube.plugins.taint_toleration import UntoleratedTaint
from kschedx.schedulers.kube.tolerations import UNSCHEDULABLE


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason of one plugin, as reports show it."""

    plugin: str
    """Empty where no plugin but the scheduler itself decides."""
    code: str
    subject: str
    """With the code it tells causes apart: "untolerated taint dedicated=gpu:NoSchedule"."""
    message: str
    """Fact, need against have."""
    outcome: Outcome
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, plugin: str, reason: Reason) -> Cause:
        return cls(
            plugin,
            reason.code,
            reason.subject(),
            reason.sentence(),
            reason.outcome,
            reason.facts(),
        )


def causes_of(verdicts: Iterable[Verdict]) -> tuple[Cause, ...]:
    """All reasons, in plugin order."""
    return tuple(Cause.of(v.plugin, reason) for v in verdicts for reason in v.reasons)


@dataclass(frozen=True, slots=True)
class Detail:
    """What differs between the nodes of one blocker."""

    text: str
    """Empty where the subject says it all."""
    nodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Blocker:
    """One cause and the nodes that it blocks."""

    subject: str
    nodes: tuple[str, ...]
    """In the cluster's order."""
    alone: tuple[str, ...]
    """Nodes that nothing else blocks."""
    evictable: tuple[str, ...]
    """Nodes of which evicting pods could lift every rejection."""
    checked: bool
    """False where the rule could not be decided on any of the nodes."""
    nearest: str
    """The node on which least is missing, preferably one that nothing else blocks."""
    cause: Cause
    """On the nearest node."""
    short_by: int | None
    """What is missing there, in the unit of the cause's facts; None: no matter of amount."""
    details: tuple[Detail, ...]
    """Most nodes first; none for a matter of amount, where the nearest node says enough."""


@dataclass(frozen=True, slots=True)
class Combination:
    """Nodes that the same several causes block at once."""

    subjects: tuple[str, ...]
    """In plugin order."""
    nodes: tuple[str, ...]


_Key = tuple[str, str]
"""Code and subject of a cause."""


class _Group:
    """What has been seen of one cause so far."""

    def __init__(self, subject: str) -> None:
        self.subject = subject
        self.nodes: list[str] = []
        self.alone: list[str] = []
        self.evictable: list[str] = []
        self.checked = False
        self.details: dict[str, list[str]] = {}
        self.best: tuple[bool, int] | None = None
        self.nearest = ""
        self.plugin = ""
        self.reason: Reason

    def add(self, node: str, plugin: str, reason: Reason, *, alone: bool, evictable: bool) -> None:
        if not self.nodes or self.nodes[-1] != node:
            self.nodes.append(node)
            if alone:
                self.alone.append(node)
            if evictable:
                self.evictable.append(node)
        self.checked = self.checked or reason.outcome is not Outcome.NOT_CHECKED
        short_by = reason.short_by()
        if short_by is None:
            having = self.details.setdefault(reason.detail(), [])
            if not having or having[-1] != node:  # several rules may say the same of one node
                having.append(node)
        distance = (not alone, short_by or 0)
        if self.best is None or distance < self.best:
            self.best, self.nearest, self.plugin, self.reason = distance, node, plugin, reason

    def blocker(self) -> Blocker:
        cause = Cause.of(self.plugin, self.reason)
        details = [Detail(text, tuple(nodes)) for text, nodes in self.details.items()]
        details.sort(key=lambda detail: (-len(detail.nodes), detail.text))
        return Blocker(
            subject=self.subject,
            nodes=tuple(self.nodes),
            alone=tuple(self.alone),
            evictable=tuple(self.evictable),
            checked=self.checked,
            nearest=self.nearest,
            cause=cause,
            short_by=self.reason.short_by(),
            details=tuple(details),
        )


def _without_repeats(trace: NodeTrace) -> tuple[Verdict, ...]:
    """A cordon comes with a taint that says the same."""
    cordoned = any(isinstance(r, NodeCordoned) for v in trace.verdicts for r in v.reasons)
    if not cordoned:
        return trace.verdicts
    kept = (
        Verdict(v.plugin, tuple(reason for reason in v.reasons if not says_cordoned(reason)))
        for v in trace.verdicts
    )
    return tuple(verdict for verdict in kept if verdict.reasons)


def says_cordoned(reason: Reason) -> bool:
    """The taint that comes with a cordon."""
    return isinstance(reason, UntoleratedTaint) and reason.key == UNSCHEDULABLE.key


def traces_of_all(
    traces: Mapping[str, NodeTrace], narrowed_by: tuple[str, ...], node_names: Iterable[str]
) -> Iterator[NodeTrace]:
    """A trace for every node of the cluster, also for those that PreFilters left out."""
    left_out = (Verdict("", (NodesNotSatisfying(narrowed_by),)),)
    for name in node_names:
        trace = traces.get(name)
        yield NodeTrace(name, left_out) if trace is None else trace


def blockers(traces: Iterable[NodeTrace]) -> tuple[tuple[Blocker, ...], tuple[Combination, ...]]:
    """Causes over all nodes, those that matter most first; and the nodes with several. O(nodes).

    First come causes that block every node, then those that alone block most nodes; last what could
    not be checked, and nodes that are not looked at.
    """
    groups: dict[_Key, _Group] = {}
    combined: dict[tuple[_Key, ...], list[str]] = {}
    count = 0
    for trace in traces:
        count += 1
        causes = [
            (verdict.plugin, reason, (reason.code, reason.subject()))
            for verdict in _without_repeats(trace)
            for reason in verdict.reasons
        ]
        # What could not be checked takes nothing from what is certain.
        decided = [cause for cause in causes if cause[1].outcome is not Outcome.NOT_CHECKED]
        keys = tuple(dict.fromkeys(key for _, _, key in decided or causes))
        if len(keys) > 1:
            combined.setdefault(keys, []).append(trace.node)
        evictable = bool(decided) and all(r.outcome is Outcome.UNSCHEDULABLE for _, r, _ in decided)
        for plugin, reason, key in causes:
            group = groups.get(key)
            if group is None:
                group = groups[key] = _Group(key[1])
            group.add(trace.node, plugin, reason, alone=keys == (key,), evictable=evictable)
    found = [group.blocker() for group in groups.values()]
    found.sort(key=lambda blocker: _what_matters_first(blocker, count))
    combinations = [
        Combination(tuple(subject for _, subject in keys), tuple(nodes))
        for keys, nodes in combined.items()
    ]
    combinations.sort(key=lambda c: (-len(c.nodes), len(c.subjects), c.subjects))
    return tuple(found), tuple(combinations)


def _what_matters_first(
    blocker: Blocker, node_count: int
) -> tuple[bool, bool, bool, int, int, str, str]:
    return (
        blocker.cause.code == NodesNotSatisfying.code,
        not blocker.checked,
        len(blocker.nodes) < node_count,
        -len(blocker.alone),
        -len(blocker.nodes),
        blocker.cause.code,
        blocker.subject,
    )
