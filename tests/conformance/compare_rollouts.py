"""What differs between a recorded rollout and a simulated one.

Equal must be: whether every pod of the workload is updated and Ready; whether a Deployment's progress
deadline is exceeded; for each pod whose name is
not generated, whether it exists, has a node, its image and readiness; and how many generated pods
there are of each, by who made them. Node names are free where the scheduler was free.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

State = tuple[bool, str, bool]
Generated = Counter[tuple[str, State]]


def _makers(recorded: Mapping[str, Any]) -> list[str]:
    """The workloads that generate the names of their pods, the longest name first."""
    found = [
        item["metadata"]["name"]
        for item in recorded["before"]["items"]
        if item["kind"] in ("Deployment", "DaemonSet", "ReplicaSet")
        and not item["metadata"].get("ownerReferences")
    ]
    return sorted(found, key=lambda name: (-len(name), name))


def _states(pods: list[Mapping[str, Any]], makers: list[str]) -> tuple[dict[str, State], Generated]:
    named: dict[str, State] = {}
    generated: Generated = Counter()
    for pod in pods:
        state = (bool(pod["node"]), pod["image"], bool(pod["ready"]))
        maker = next((m for m in makers if _made_by(m, pod["pod"])), "")
        if maker:
            generated[maker, state] += 1
        else:
            named[pod["pod"]] = state
    return named, generated


def _made_by(maker: str, pod: str) -> bool:
    return re.fullmatch(rf"{re.escape(maker)}-([a-z0-9]+-)?[a-z0-9]{{5}}", pod) is not None


def _deadline_exceeded(recorded: Mapping[str, Any]) -> bool | None:
    """None where the workload has no such condition."""
    conditions = (recorded.get("status") or {}).get("conditions") or ()
    reasons = [c.get("reason") for c in conditions if c["type"] == "Progressing"]
    return reasons == ["ProgressDeadlineExceeded"] if reasons else None


def differences(recorded: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    """One line per difference; empty where the two end alike."""
    found = []
    if recorded["all_updated_and_ready"] != got["all_updated_and_ready"]:
        found.append(f"done: recorded {recorded['all_updated_and_ready']}")
    exceeded = _deadline_exceeded(recorded)
    if exceeded is not None and exceeded != got["deadline_exceeded"]:
        found.append(f"progress deadline exceeded: recorded {exceeded}")
    makers = _makers(recorded)
    want = _states(recorded["placed_after"], makers)
    have = _states(got["pods"], makers)
    found += [f"recorded {w}, simulated {h}" for w, h in zip(want, have, strict=True) if w != h]
    return found
