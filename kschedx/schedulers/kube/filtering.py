"""One pod's filters on any node: prepared once, asked many times.

Upstream: pkg/scheduler/framework/runtime/framework.go (v1.35.4), RunPreFilterPlugins,
RunFilterPluginsWithNominatedPods.
Differences: every plugin can be asked, not only up to the first that rejects.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.framework.plugin import CycleError, FilterPlugin, Prepared
from kschedx.framework.verdict import NodeTrace, NotModelled, Outcome, Reason, Verdict
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.profile import DYNAMIC_RESOURCES, Profile

States = tuple[Any, ...]
"""One state per rule, aligned with Filters.rules."""


@dataclass(frozen=True, slots=True)
class NodesNotSatisfying(Reason):
    """PreFilters left no node, or not this one."""

    code: ClassVar[str] = "narrowed-out"
    plugins: tuple[str, ...]
    simultaneously: bool = False
    """No node is left at all."""

    def upstream_text(self, minor: int) -> str:
        names = list(self.plugins)
        if not self.simultaneously:
            return f"node(s) didn't satisfy plugin(s) [{' '.join(names)}]"
        if len(names) == 1:
            return f"node(s) didn't satisfy plugin {names[0]}"
        return f"node(s) didn't satisfy plugin(s) [{' '.join(names)}] simultaneously"

    def sentence(self) -> str:
        return f"ruled out by {' and '.join(self.plugins)} before nodes are looked at"

    def detail(self) -> str:
        return ""

    def subject(self) -> str:
        return f"ruled out by {' and '.join(self.plugins)}"


@dataclass(frozen=True, slots=True)
class Preparation:
    """What PreFilter found."""

    rejection: Verdict | None
    """Every node is ruled out at once."""
    narrowed_to: frozenset[str] | None
    narrowed_by: tuple[str, ...]
    not_checked: tuple[Verdict, ...]
    """Rules that could not be decided, on any node."""
    prepared: dict[str, Prepared]
    devices_prepared: bool
    """DynamicResources' PreFilter was reached: its PostFilter depends on that."""


def prepare(profile: Profile, pod: PodView, cluster: ClusterView) -> Preparation:
    """Run all PreFilters in order. Raises CycleError as they do."""
    prepared: dict[str, Prepared] = {}
    narrowed: frozenset[str] | None = None
    narrowed_by: list[str] = []
    rejection: Verdict | None = None
    not_checked = [Verdict(name, (NotModelled(name),)) for name in profile.undecided]

    def outcome(verdict: Verdict | None) -> Preparation:
        return Preparation(
            verdict,
            narrowed,
            tuple(sorted(narrowed_by)),
            tuple(not_checked),
            prepared,
            DYNAMIC_RESOURCES in prepared,
        )

    for plugin in profile.pre_filter:
        result = plugin.prepare(pod, cluster)
        if result.rejects:
            verdict = Verdict(plugin.name, result.rejects)
            if verdict.outcome is Outcome.UNRESOLVABLE:
                return outcome(verdict)
            if verdict.outcome is Outcome.NOT_CHECKED:
                not_checked.append(verdict)
                prepared[plugin.name] = Prepared(skip=True)
            else:
                rejection = verdict
            continue
        prepared[plugin.name] = result
        if result.nodes is not None:
            narrowed_by.append(plugin.name)
            narrowed = result.nodes if narrowed is None else narrowed & result.nodes
            if not narrowed:
                names = tuple(sorted(narrowed_by))
                return outcome(Verdict("", (NodesNotSatisfying(names, simultaneously=True),)))
    return outcome(rejection)


class _Unprepared(FilterPlugin):
    """A filter whose PreFilter the profile leaves out: it fails on the first node it reaches."""

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]  # stands in for the plugin of that name

    def filter(self, state: Any, node: NodeView) -> Iterable[Reason]:
        raise CycleError(f"filter plugin {self.name} runs without its PreFilter")


class Filters:
    """One pod's rules against one cluster."""

    def __init__(
        self,
        profile: Profile,
        pod: PodView,
        cluster: ClusterView,
        preparation: Preparation,
        served: frozenset[str],
    ) -> None:
        """`served`: the scheduler names that this scheduler has profiles for."""
        self.pod = pod
        self.profile = profile
        self.preparation = preparation
        rules: list[tuple[FilterPlugin, Any]] = []
        # Where PreFilter has ruled out every node, no filter runs.
        for plugin in profile.filter if preparation.rejection is None else ():
            known = preparation.prepared.get(plugin.name)
            if known is None and plugin.needs_prefilter:
                rules.append((_Unprepared(plugin.name), None))
                continue
            if known is None:
                known = plugin.prepare(pod, cluster)
            if not known.skip:
                rules.append((plugin, known.state))
        self.rules = tuple(plugin for plugin, _ in rules)
        self.states: States = tuple(state for _, state in rules)
        adjusting = FilterPlugin.after
        prefilters = {plugin.name for plugin in profile.pre_filter}
        self._adjusted = tuple(
            index
            for index, plugin in enumerate(self.rules)
            if type(plugin).after is not adjusting and plugin.name in prefilters
        )
        self._served = served
        self.nominated = self._held_places(cluster)
        """Node -> the pods that count as present on it beside this one."""

    def _held_places(self, cluster: ClusterView) -> dict[str, list[PodView]]:
        pod = self.pod
        # Until 1.36 a gated pod is not nominated; from 1.37 on it is.
        gated_too = self.profile.release.minor >= 37
        found: dict[str, list[PodView]] = {}
        for node, pods in cluster.nominated.items():
            counted = [
                other
                for other in pods
                if other.priority >= pod.priority
                and other.key != pod.key
                and (gated_too or not other.pod.spec.scheduling_gates)
                and other.pod.spec.scheduler_name in self._served
            ]
            if counted:
                found[node] = counted
        return found

    def again(self, pod: PodView, cluster: ClusterView) -> Filters:
        """The same preparation for an equal pod where at most nominations are other ones."""
        equal = copy.copy(self)
        equal.pod = pod
        equal.nominated = equal._held_places(cluster)
        return equal

    def after(
        self,
        states: States,
        node: NodeView,
        *,
        added: Sequence[PodView] = (),
        removed: Sequence[PodView] = (),
    ) -> States:
        """The states as if pods had come to or gone from the node."""
        if not self._adjusted:
            return states
        changed = list(states)
        for index in self._adjusted:
            changed[index] = self.rules[index].after(changed[index], node, added, removed)
        return tuple(changed)

    def _verdicts(self, states: States, node: NodeView, *, every: bool) -> list[Verdict]:
        found: list[Verdict] = []
        for plugin, state in zip(self.rules, states, strict=True):
            try:
                reasons = tuple(plugin.filter(state, node))
            except CycleError:
                # The scheduler itself stops at a node's first rejection and never gets here.
                if _rejects(found):
                    continue
                raise
            if reasons:
                verdict = Verdict(plugin.name, reasons)
                found.append(verdict)
                if not every and verdict.outcome > Outcome.NOT_CHECKED:
                    break
        return found

    def _held_for(self, node: NodeView, states: States) -> tuple[NodeView, States] | None:
        """The node as if the pods that it is held for were there; None if there are none."""
        nominated = self.nominated.get(node.name)
        if not nominated:
            return None
        for other in nominated:
            node = node.with_pod(other)
            states = self.after(states, node, added=(other,))
        return node, states

    def trace(self, node: NodeView, states: States | None = None, *, every: bool) -> NodeTrace:
        """What rejects the pod on this node: all of it, or up to the first rejection."""
        states = self.states if states is None else states
        held = self._held_for(node, states)
        if held is not None:
            crowded = self._verdicts(held[1], held[0], every=every)
            if _rejects(crowded):
                alone = self._verdicts(states, node, every=False) if every else crowded
                return NodeTrace(
                    node.name,
                    (*self.preparation.not_checked, *crowded),
                    with_nominated=True,
                    fits_without_nominated=not _rejects(alone),
                )
        return NodeTrace(
            node.name, (*self.preparation.not_checked, *self._verdicts(states, node, every=every))
        )

    def traces(self, cluster: ClusterView, *, every: bool) -> dict[str, NodeTrace]:
        """`trace` of every node that PreFilters left, in the cluster's order."""
        narrowed_to = self.preparation.narrowed_to
        return {
            name: self.trace(node, every=every)
            for name, node in cluster.nodes.items()
            if narrowed_to is None or name in narrowed_to
        }

    def fits(self, node: NodeView, states: States) -> bool:
        """Whether nothing rejects the pod; a rule that cannot be checked counts as passed."""
        held = self._held_for(node, states)
        if held is not None and self._rejected(held[1], held[0]):
            return False
        return not self._rejected(states, node)

    def _rejected(self, states: States, node: NodeView) -> bool:
        """An error counts as a rejection: upstream's dry runs take any other status for one."""
        try:
            for plugin, state in zip(self.rules, states, strict=True):
                for reason in plugin.filter(state, node):
                    if reason.outcome > Outcome.NOT_CHECKED:
                        return True
        except CycleError:
            return True
        return False


def _rejects(verdicts: Sequence[Verdict]) -> bool:
    return any(verdict.outcome > Outcome.NOT_CHECKED for verdict in verdicts)
