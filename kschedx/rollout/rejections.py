"""What one shape of pod meets on each node, remembered until the node changes.

A node view is a value, and so is a pod that is nominated to it: the same ones mean the same answer.
Only for pods whose rules look at one node at a time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from kschedx.api.policy import PodDisruptionBudget
from kschedx.framework.attempt import Candidate
from kschedx.framework.verdict import NodeTrace, Outcome
from kschedx.framework.views import NodeView, PodView
from kschedx.schedulers.kube.filtering import Filters
from kschedx.schedulers.kube.preemption import Budgets, dry_run

DryRun = Candidate | NodeTrace | None
Nominated = Mapping[str, Sequence[PodView]]
"""Node -> the pods that it is held for."""


class Rejections:
    """What rules a shape out on each node, and the sums of it."""

    def __init__(self) -> None:
        self._nodes: Sequence[NodeView] = ()
        self._nominated: Nominated = {}
        self.fits: set[str] = set()
        self.unsure: set[str] = set()
        """Of those that fit: nodes on which a rule could not be decided."""
        self._by: dict[str, tuple[str, frozenset[str], Outcome]] = {}
        self.plugins: Counter[str] = Counter()
        self.causes: Counter[str] = Counter()

    def changed(self, nodes: Sequence[NodeView], nominated: Nominated) -> list[NodeView]:
        """The nodes that are not as they were when this was last asked; gone ones are forgotten."""
        held, self._nominated = self._nominated, nominated
        names = held.keys() | nominated.keys()
        other = {name for name in names if held.get(name) != nominated.get(name)}
        known, self._nodes = self._nodes, nodes
        if known is nodes and not other:
            return []
        if len(known) == len(nodes):
            pairs = zip(known, nodes, strict=True)
            differ = [
                (old, new) for old, new in pairs if old is not new or (other and new.name in other)
            ]
            if all(old.name == new.name for old, new in differ):
                return [new for _, new in differ]
        views = {node.name: node for node in known}
        for name in views.keys() - {node.name for node in nodes}:
            self.forget(name)
        return [node for node in nodes if views.get(node.name) is not node or node.name in other]

    def forget(self, name: str) -> None:
        known = self._by.pop(name, None)
        self.fits.discard(name)
        self.unsure.discard(name)
        if known is not None:
            self.plugins[known[0]] -= 1
            self.causes.subtract(known[1])

    def learn(self, node: NodeView, trace: NodeTrace) -> None:
        first = trace.first
        outcome = Outcome.FITS if first is None else first.outcome
        if first is None or outcome is Outcome.NOT_CHECKED:
            self.forget(node.name)
            self.fits.add(node.name)
            if first is not None:
                self.unsure.add(node.name)
            return
        subjects = frozenset([reason.subject() for reason in first.reasons])
        found = first.plugin, subjects, outcome
        if self._by.get(node.name) == found:
            return
        self.forget(node.name)
        self._by[node.name] = found
        self.plugins[first.plugin] += 1
        self.causes.update(subjects)

    def rejected_by(self) -> frozenset[str]:
        return frozenset(name for name, count in self.plugins.items() if count > 0)

    def outcomes(self) -> dict[str, Outcome]:
        """Of the nodes that are ruled out."""
        return {name: known[2] for name, known in self._by.items()}


class DryRuns:
    """Which pods a shape would evict on each node."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[NodeView, Sequence[PodView], DryRun]] = {}
        self._budgets: Mapping[str, PodDisruptionBudget] = {}
        self.looked_at = 0
        """Dry runs that were made so far."""

    def begin(self, budgets: Mapping[str, PodDisruptionBudget]) -> None:
        """The cluster's budgets are these now."""
        if budgets != self._budgets:
            self._known.clear()
            self._budgets = budgets

    def make(self, filters: Filters, node: NodeView, budgets: Budgets) -> DryRun:
        """As preemption.dry_run."""
        held = filters.nominated.get(node.name, ())
        known = self._known.get(node.name)
        if known is not None and known[0] is node and known[1] == held:
            return known[2]
        self.looked_at += 1
        found = dry_run(filters, node, budgets)
        self._known[node.name] = node, held, found
        return found
