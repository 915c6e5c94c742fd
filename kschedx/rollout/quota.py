"""ResourceQuota: which creations the API server forbids.

Upstream: staging apiserver admission/plugin/resourcequota, pkg/quota/v1/evaluator/core/pods.go
(v1.35.4).
Differences: use is counted from the pods at hand, not from status.used; the scopes Terminating and
NotTerminating take every pod as NotTerminating.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kschedx.api.pod import Pod
from kschedx.api.policy import ResourceQuota
from kschedx.api.quantity import amount, show_each
from kschedx.framework.accounting import in_units
from kschedx.framework.views import PodView

_REQUESTS = ("cpu", "memory", "ephemeral-storage")


@dataclass(frozen=True, slots=True)
class QuotaExceeded:
    """One quota that forbids a pod, with the resource that is short."""

    quota: str
    resource: str
    wanted: int
    used: int
    hard: int

    def sentence(self) -> str:
        """Need, used and limit with units."""
        name = self.resource.removeprefix("requests.").removeprefix("limits.")
        wanted, used, hard = show_each(name, self.wanted, self.used, self.hard)
        return (
            f"quota {self.quota} allows {hard} of {self.resource}; {used} in use, {wanted} wanted"
        )


def _use(pod: PodView) -> Mapping[str, int]:
    """What a pod counts for under each name that a quota may limit."""
    use = {"pods": 1, "count/pods": 1}
    for name, value in pod.asked.items():
        use[f"requests.{name}"] = value
        if name in _REQUESTS:
            use[name] = value
    limits: dict[str, int] = {}
    for container in pod.pod.spec.containers:
        for name, quantity in container.resources.limits.items():
            limits[name] = limits.get(name, 0) + amount(name, quantity)
    for name, value in in_units(
        {n: v if n == "cpu" else v * 1000 for n, v in limits.items()}
    ).items():
        use[f"limits.{name}"] = value
    return use


def _best_effort(pod: Pod) -> bool:
    containers = (*pod.spec.containers, *pod.spec.init_containers)
    return not any(c.resources.requests or c.resources.limits for c in containers)


def _in_scope(quota: ResourceQuota, pod: Pod) -> bool:
    best_effort = _best_effort(pod)
    for scope in quota.spec.scopes:
        if scope == "Terminating" or (
            (scope == "BestEffort") != best_effort
            and scope
            in (
                "BestEffort",
                "NotBestEffort",
            )
        ):
            return False
    expressions = quota.spec.scope_selector
    for expression in expressions.match_expressions if expressions is not None else ():
        if expression.scope_name != "PriorityClass":
            continue
        name = pod.spec.priority_class_name
        matches = {
            "In": name in expression.values,
            "NotIn": name not in expression.values,
            "Exists": bool(name),
            "DoesNotExist": not name,
        }
        if not matches.get(expression.operator, True):
            return False
    return True


def exceeded(
    pod: PodView, quotas: Iterable[ResourceQuota], living: Iterable[PodView]
) -> QuotaExceeded | None:
    """The first quota of the pod's namespace that forbids it; `living` are the pods that count."""
    limiting = [q for q in quotas if q.namespace == pod.namespace and _in_scope(q, pod.pod)]
    if not limiting:
        return None
    wanted = _use(pod)
    others = list(living)
    for quota in sorted(limiting, key=lambda q: q.name):
        counted = [other for other in others if _in_scope(quota, other.pod)]
        for resource, quantity in sorted(quota.spec.hard.items()):
            name = resource.removeprefix("requests.").removeprefix("limits.")
            if resource not in wanted:
                if name in _REQUESTS:
                    # A quota on a compute resource wants every pod to state it.
                    return QuotaExceeded(quota.name, resource, 0, 0, amount(name, quantity))
                continue
            used = sum(_use(other).get(resource, 0) for other in counted)
            hard = amount(name, quantity)
            if used + wanted[resource] > hard:
                return QuotaExceeded(quota.name, resource, wanted[resource], used, hard)
    return None
