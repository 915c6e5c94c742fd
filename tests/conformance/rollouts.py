"""Recorded rollouts, simulated: `python -m tests.conformance.rollouts < rollouts.jsonl`.

Read of a record are its id, workload, patch, before, taken_at and assume; a patch that is a list is applied
one after the other, each after the world stood still. Our own records may also hold "also" (other
workloads patched in the same moment) and "arrives" (a pod that comes when another has stopped).
"""

import argparse
import copy
import json
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import msgspec

from kschedx.answers.upgrade import UpgradeOptions, end_state
from kschedx.api.pod import Pod
from kschedx.api.workloads import DaemonSet, Deployment, StatefulSet
from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import Workload
from kschedx.rollout.exploration import Answers, alternatives
from kschedx.rollout.live_pod import Timing
from kschedx.rollout.played import Played, play
from kschedx.rollout.progress_deadline import exceeded_at
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.versions import parse_release
from kschedx.snapshot.decode import snapshot_from_objects
from kschedx.snapshot.snapshot import Snapshot

STAND_IN = Timing(
    stop_seconds=Fraction(3, 10),
    gone_seconds=Fraction(3, 10),
    start_seconds=Fraction(15, 100),
    still_seconds=8,
)
"""The kubelet stand-in of the recordings, and when they count the world as standing still."""


def merged(value: Any, patch: Any) -> Any:
    """A strategic merge patch, as far as the recordings use it: lists of named items by name."""
    if isinstance(patch, Mapping):
        result = dict(value) if isinstance(value, Mapping) else {}
        for key, change in patch.items():
            if change is None:
                result.pop(key, None)
            else:
                result[key] = merged(result.get(key), change)
        return result
    if isinstance(patch, list) and isinstance(value, list) and _named(patch) and _named(value):
        by_name = {item["name"]: item for item in value}
        for item in patch:
            by_name[item["name"]] = merged(by_name.get(item["name"]), item)
        return list(by_name.values())
    return copy.deepcopy(patch)


def _named(items: list[Any]) -> bool:
    return all(isinstance(item, Mapping) and "name" in item for item in items)


def _snapshot(items: list[Any], version: str) -> Snapshot:
    objects = [msgspec.Raw(json.dumps(item).encode()) for item in items]
    return snapshot_from_objects(objects, parse_release(version))


def _raw(record: Mapping[str, Any], workload: str) -> Any:
    kind, _, name = workload.split("/")
    return next(
        item
        for item in record["before"]["items"]
        if item["kind"] == kind and item["metadata"]["name"] == name
    )


def _in_default(pod: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {**pod["metadata"], "namespace": "default"}
    return {"apiVersion": "v1", **pod, "metadata": metadata}


def _workload(raw: Any, version: str) -> Workload:
    snapshot = _snapshot([raw], version)
    found: list[Workload] = [
        *snapshot.all(StatefulSet).values(),
        *snapshot.all(Deployment).values(),
        *snapshot.all(DaemonSet).values(),
    ]
    return found[0]


@dataclass(frozen=True)
class Case:
    """A record made ready to be played."""

    snapshot: Snapshot
    steps: Sequence[Workload]
    options: UpgradeOptions


def case_of(record: Mapping[str, Any], version: str) -> Case:
    """What the record says was there, was written and was assumed."""
    snapshot = _snapshot(record["before"]["items"], version)
    snapshot = replace(snapshot, taken_at=record.get("taken_at"))
    raw = _raw(record, record["workload"])
    patches = record["patch"] if isinstance(record["patch"], list) else [record["patch"]]
    steps: list[Workload] = []
    for patch in patches:
        raw = merged(raw, patch)
        steps.append(_workload(raw, version))
    arrivals = {
        key: next(iter(_snapshot([_in_default(pod)], version).all(Pod).values()))
        for key, pod in record.get("arrives", {}).items()
    }
    options = UpgradeOptions(
        timing=STAND_IN,
        never_ready=record.get("assume") == "new-revision-never-ready",
        also=tuple(
            _workload(merged(_raw(record, other), patch), version)
            for other, patch in record.get("also", {}).items()
        ),
        arrivals=arrivals,
    )
    return Case(snapshot, steps, options)


def simulate(record: Mapping[str, Any], version: str, gates: Mapping[str, bool]) -> dict[str, Any]:
    """How the recorded rollout ends here, in the least favourable order."""
    case = case_of(record, version)
    scheduler = KubeScheduler(parse_release(version, gates))
    played = end_state(case.snapshot, case.steps, scheduler, case.options)
    return _end(record, played)


def ends(
    record: Mapping[str, Any], version: str, gates: Mapping[str, bool], most: int
) -> Iterator[dict[str, Any]]:
    """How it ends in each legal order, the least favourable first; at most so many are played."""
    case = case_of(record, version)
    attempts = Attempts(KubeScheduler(parse_release(version, gates)))
    conditions = case.options.conditions()
    for answers in every_order(most):
        played = play(case.snapshot, case.steps, attempts, conditions, answers.choose)
        yield _end(record, played)


def every_order(most: int) -> Iterator[Answers]:
    """Answers for one run after the other; each must have been used before the next is asked for."""
    queue = deque([Answers(), Answers(last=True)])
    seen: set[tuple[int, ...]] = set()
    for _ in range(most):
        if not queue:
            return
        answers = queue.popleft()
        yield answers
        if tuple(answers.given) not in seen:
            seen.add(tuple(answers.given))
            queue.extend(alternatives(answers))


def _end(record: Mapping[str, Any], played: Played) -> dict[str, Any]:
    _, namespace, _ = record["workload"].split("/")
    prefix = f"{namespace}/"
    return {
        "id": record["id"],
        "all_updated_and_ready": played.done,
        "deadline_exceeded": _deadline_exceeded(played),
        "pods": [
            {"pod": p.pod.removeprefix(prefix), "node": p.node, "image": p.image, "ready": p.ready}
            for p in played.pods
        ],
    }


def _deadline_exceeded(played: Played) -> bool:
    """Whether a Deployment says so when the recording ends."""
    at = exceeded_at(played)
    ends_at = played.world.last_change + (STAND_IN.still_seconds or 0)
    return at is not None and at < ends_at and not played.done


def main() -> None:
    """Simulate every line of standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k8s-version", default="1.35")
    parser.add_argument("--feature-gate", action="append", default=[], help="NAME=true|false")
    arguments = parser.parse_args()
    gates = {
        name: value == "true"
        for name, _, value in (gate.partition("=") for gate in arguments.feature_gate)
    }
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(simulate(json.loads(line), arguments.k8s_version, gates)), flush=True)


if __name__ == "__main__":
    main()
