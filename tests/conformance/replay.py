"""Verdicts in the oracle's form: `python -m tests.conformance.replay < cases.jsonl`.

A case is {"id", "pod": "namespace/name", "objects": [...], "config": {...}}: a complete snapshot
of stored objects. The scheduler is the one that the command line asks.
"""

import argparse
import sys
from typing import Any

import msgspec

from kschedx.api.errors import KschedxError
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import Verdict
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.configuration import Configuration, parse_configuration
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.versions import Release, parse_release
from kschedx.snapshot.decode import snapshot_from_objects


class Case(msgspec.Struct):
    """One line of a case file."""

    id: str
    pod: str
    objects: list[msgspec.Raw]
    config: Any = None


_DECODER = msgspec.json.Decoder(Case)


def replay_line(line: bytes, k8s_version: str) -> dict[str, Any]:
    """The verdict on one case."""
    case = _DECODER.decode(line)
    try:
        attempt = _attempt(case, parse_release(k8s_version))
    except KschedxError as error:
        return {"id": case.id, "error": error.message}
    return {"id": case.id} | _verdict(attempt)


def _attempt(case: Case, release: Release) -> Attempt:
    snapshot = snapshot_from_objects(case.objects, release)
    cluster = ClusterView.of(snapshot, release.accounting())
    pod = cluster.find(case.pod)
    if pod is None:
        raise KschedxError("no-such-pod", f"pod not found: {case.pod}")
    configuration = Configuration() if case.config is None else parse_configuration(case.config)
    return KubeScheduler(release, configuration).attempt(pod, cluster)


def _rejection(verdict: Verdict, minor: int) -> dict[str, Any]:
    return {
        "code": verdict.outcome.upstream,
        "plugin": verdict.plugin,
        "reasons": verdict.texts(minor),
    }


def _verdict(attempt: Attempt) -> dict[str, Any]:
    minor = attempt.minor
    if attempt.error:
        return {"error": attempt.error}
    verdict: dict[str, Any] = {"message": attempt.message}
    if attempt.held is not None:
        if not attempt.held.plugin:
            return {"error": attempt.message}
        return verdict | {"preEnqueue": _rejection(attempt.held, minor)}
    if attempt.prefilter is not None:
        verdict["preFilter"] = _rejection(attempt.prefilter, minor)
    elif attempt.narrowed_to is not None:
        verdict["preFilterNodes"] = sorted(attempt.narrowed_to)
    verdict["nodes"] = {
        node: {"code": "Success"} if (first := trace.first) is None else _rejection(first, minor)
        for node, trace in attempt.traces.items()
    }
    verdict["scores"] = {
        node: {**score.weighted, "total": score.total} for node, score in attempt.scores.items()
    }
    verdict["selected"] = list(attempt.winners)
    if attempt.preemption is not None:
        verdict["preemptionEligible"] = attempt.preemption.eligible
        verdict["preemptionEligibleReason"] = attempt.preemption.ineligible_reason
        verdict["candidates"] = {
            node: {
                "pods": [victim.key for victim in candidate.victims],
                "pdbViolations": candidate.violations,
            }
            for node, candidate in attempt.preemption.candidates.items()
        }
        verdict["nominated"] = list(attempt.preemption.nominated)
    return verdict


def main() -> None:
    """Replay every line of standard input."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--k8s-version", default="1.35")
    version = parser.parse_args().k8s_version
    for line in sys.stdin.buffer:
        if line.strip():
            sys.stdout.buffer.write(msgspec.json.encode(replay_line(line, version)) + b"\n")


if __name__ == "__main__":
    main()
