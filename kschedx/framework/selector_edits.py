"""Changes to what the pod asks of nodes that keep most of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.api.pod import Pod
from kschedx.api.selectors import takes
from kschedx.framework.pod_edits import PodEdit


@dataclass(frozen=True, slots=True)
class WidenNodeAffinity(PodEdit):
    """The required node affinity accepts one more value of a label."""

    code: ClassVar[str] = "widen-node-affinity"
    key: str
    value: str

    def changed(self, pod: Pod) -> Pod:
        affinity = pod.spec.affinity
        if affinity is None:
            return pod
        return pod.with_spec(affinity=affinity.accepting(self.key, self.value))

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        own = pod.spec.affinity.node_affinity if pod.spec.affinity is not None else None
        terms = own.required.node_selector_terms if own is not None and own.required else ()
        path = "/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution"
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
