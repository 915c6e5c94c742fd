"""Which disruption budgets cover a pod."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kschedx.api.pod import Pod
from kschedx.api.policy import PodDisruptionBudget
from kschedx.api.selectors import Selector, SelectorError, parse


class Guards:
    """The budgets of a snapshot, and the pods that each covers there.

    Upstream: an absent selector covers nothing, an empty one every pod of the namespace.
    """

    def __init__(self, budgets: Mapping[str, PodDisruptionBudget], pods: Iterable[Pod]) -> None:
        self._selectors: dict[str, list[tuple[str, Selector]]] = {}
        for key, budget in budgets.items():
            if budget.spec.selector is None:
                continue
            try:
                selector = parse(budget.spec.selector)
            except SelectorError:
                continue
            self._selectors.setdefault(budget.namespace, []).append((key, selector))
        self.members: dict[str, list[str]] = {}
        """Budget -> the keys of its pods."""
        for pod in pods:
            for key in self.of(pod):
                self.members.setdefault(key, []).append(pod.key)

    def of(self, pod: Pod) -> list[str]:
        """The keys of the budgets that cover the pod."""
        own = self._selectors.get(pod.namespace, ())
        return [key for key, selector in own if selector.matches(pod.labels)]
