"""What differs between a recorded rollout and a simulated one.

Equal must be: whether every pod of the workload is updated and Ready; for each pod whose name is
not generated, whether it exists, has a node, its image and readiness; and how many generated pods
there are of each. Node names are free where the scheduler was free.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

State = tuple[bool, str, bool]


def _states(
    pods: list[Mapping[str, Any]], workload: str
) -> tuple[dict[str, State], Counter[State]]:
    kind, _, name = workload.partition("/")
    name = name.rpartition("/")[2]
    named: dict[str, State] = {}
    generated: Counter[State] = Counter()
    for pod in pods:
        state = (bool(pod["node"]), pod["image"], bool(pod["ready"]))
        if kind == "StatefulSet":
            is_generated = re.fullmatch(r"[a-z0-9-]+-[a-z0-9]{5}", pod["pod"]) and not (
                re.fullmatch(rf"{name}-\d+", pod["pod"])
            )
        else:
            is_generated = pod["pod"].startswith(f"{name}-")
        if is_generated:
            generated[state] += 1
        else:
            named[pod["pod"]] = state
    return named, generated


def differences(recorded: Mapping[str, Any], got: Mapping[str, Any]) -> list[str]:
    """One line per difference; empty where the two end alike."""
    found = []
    if recorded["all_updated_and_ready"] != got["all_updated_and_ready"]:
        found.append(f"done: recorded {recorded['all_updated_and_ready']}")
    want = _states(recorded["placed_after"], recorded["workload"])
    have = _states(got["pods"], recorded["workload"])
    found += [f"recorded {w}, simulated {h}" for w, h in zip(want, have, strict=True) if w != h]
    return found
