"""Changes to what the pod asks of nodes and of its neighbours that keep most of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.api.pod import Pod
from kschedx.api.selectors import takes
from kschedx.framework.pod_edits import NODE_AFFINITY, POD_AFFINITY, PodEdit


@dataclass(frozen=True, slots=True)
class WidenNodeAffinity(PodEdit):
    """The required node affinity accepts one more value of a label."""

    code: ClassVar[str] = "widen-node-affinity"
    key: str
    value: str

    @property
    def rule(self) -> tuple[str, ...]:
        return (NODE_AFFINITY,)

    def changed(self, pod: Pod) -> Pod:
        affinity = pod.spec.affinity
        if affinity is None:
            return pod
        return pod.with_spec(affinity=affinity.accepting(self.key, self.value))

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        own = pod.spec.affinity.node_affinity if pod.spec.affinity is not None else None
        terms = own.required.node_selector_terms if own is not None and own.required else ()
        path = f"/affinity/{NODE_AFFINITY}/requiredDuringSchedulingIgnoredDuringExecution"
        return tuple(
            {
                "op": "add",
                "path": f"{path}/nodeSelectorTerms/{i}/matchExpressions/{j}/values/-",
                "value": self.value,
            }
            for i, term in enumerate(terms)
            for j, requirement in enumerate(term.match_expressions)
            if takes(requirement, self.key, self.value)
        )

    def sentence(self) -> str:
        return f"accept {self.key}={self.value} in the required node affinity as well"


@dataclass(frozen=True, slots=True)
class WidenPodAffinity(PodEdit):
    """The pods to be near may be farther away: in the same zone instead of on the same node."""

    code: ClassVar[str] = "widen-pod-affinity"
    topology_key: str
    wider: str
    """The topology key to take instead."""
    selector: str

    @property
    def rule(self) -> tuple[str, ...]:
        return (POD_AFFINITY, self.topology_key)

    def changed(self, pod: Pod) -> Pod:
        affinity = pod.spec.affinity
        if affinity is None:
            return pod
        return pod.with_spec(affinity=affinity.near_within(self.topology_key, self.wider))

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        own = pod.spec.affinity.pod_affinity if pod.spec.affinity is not None else None
        path = f"/affinity/{POD_AFFINITY}/requiredDuringSchedulingIgnoredDuringExecution"
        return tuple(
            {"op": "replace", "path": f"{path}/{index}/topologyKey", "value": self.wider}
            for index, term in enumerate(own.required if own is not None else ())
            if term.topology_key == self.topology_key
        )

    def sentence(self) -> str:
        return (
            f"widen the required affinity to pods matching {self.selector} from "
            f"{self.topology_key} to {self.wider}"
        )
