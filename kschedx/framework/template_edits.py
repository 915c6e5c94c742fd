"""Changes to the pod that say the same differently: nothing is asked for less, or of others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from kschedx.api.pod import Pod
from kschedx.framework.pod_edits import PodEdit, is_hard

REVISION: Final = "pod-template-hash"
"""The label that tells a Deployment's revisions apart."""
ANYWAY: Final = "ScheduleAnyway"


@dataclass(frozen=True, slots=True)
class CountOwnRevision(PodEdit):
    """Pods of older revisions no longer count when the pod is spread."""

    code: ClassVar[str] = "count-own-revision"
    topology_key: str

    def changed(self, pod: Pod) -> Pod:
        constraints = tuple(
            own.changed(match_label_keys=(*own.match_label_keys, REVISION))
            if is_hard(own, self.topology_key)
            else own
            for own in pod.spec.topology_spread_constraints
        )
        return pod.with_spec(topology_spread_constraints=constraints)

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        path = "/topologySpreadConstraints"
        return tuple(
            {
                "op": "add",
                "path": f"{path}/{index}/matchLabelKeys",
                "value": [*own.match_label_keys, REVISION],
            }
            for index, own in enumerate(pod.spec.topology_spread_constraints)
            if is_hard(own, self.topology_key)
        )

    def sentence(self) -> str:
        return f"set matchLabelKeys: [{REVISION}] in the spread over {self.topology_key}"


@dataclass(frozen=True, slots=True)
class SpreadIfPossible(PodEdit):
    """The pod is still spread over a topology key where that can be, and else goes anywhere."""

    code: ClassVar[str] = "spread-if-possible"
    gives_up: ClassVar[bool] = True
    topology_key: str

    def changed(self, pod: Pod) -> Pod:
        soft = self._soft_already(pod)
        constraints = tuple(
            own.changed(when_unsatisfiable=ANYWAY, min_domains=None)
            if is_hard(own, self.topology_key)
            else own
            for own in pod.spec.topology_spread_constraints
            if not (soft and is_hard(own, self.topology_key))
        )
        return pod.with_spec(topology_spread_constraints=constraints)

    def _soft_already(self, pod: Pod) -> bool:
        """The API server takes no two constraints with the same key and action."""
        return any(
            (own.topology_key, own.when_unsatisfiable) == (self.topology_key, ANYWAY)
            for own in pod.spec.topology_spread_constraints
        )

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        constraints = pod.spec.topology_spread_constraints
        hard = [(i, own) for i, own in enumerate(constraints) if is_hard(own, self.topology_key)]
        path = "/topologySpreadConstraints"
        if self._soft_already(pod):
            # From the last: each removal would shift those behind it.
            return tuple({"op": "remove", "path": f"{path}/{i}"} for i, _ in reversed(hard))
        found: list[dict[str, Any]] = []
        for i, own in hard:
            found.append(
                {"op": "replace", "path": f"{path}/{i}/whenUnsatisfiable", "value": ANYWAY}
            )
            if own.min_domains is not None:  # allowed with DoNotSchedule alone
                found.append({"op": "remove", "path": f"{path}/{i}/minDomains"})
        return tuple(found)

    def sentence(self) -> str:
        return f"set whenUnsatisfiable: {ANYWAY} in the spread over {self.topology_key}"


@dataclass(frozen=True, slots=True)
class InitStepsFirst(PodEdit):
    """Init containers that end run before those that go on running, and need not share with them."""

    code: ClassVar[str] = "init-steps-first"
    steps: tuple[str, ...]
    """Init containers that end."""
    sidecars: tuple[str, ...]

    def changed(self, pod: Pod) -> Pod:
        own = pod.spec.init_containers
        steps = [container for container in own if not container.restartable]
        sidecars = [container for container in own if container.restartable]
        return pod.with_spec(init_containers=(*steps, *sidecars))

    def operations(self, pod: Pod) -> tuple[dict[str, Any], ...]:
        path = "/initContainers"
        ends = [i for i, own in enumerate(pod.spec.init_containers) if not own.restartable]
        # Those behind an end keep their places when it moves forward.
        return tuple(
            {"op": "move", "from": f"{path}/{index}", "path": f"{path}/{place}"}
            for place, index in enumerate(ends)
            if index != place
        )

    def sentence(self) -> str:
        plural = "s" if len(self.sidecars) > 1 else ""
        return (
            f"run {' and '.join(self.steps)} before sidecar{plural} {' and '.join(self.sidecars)}"
        )
