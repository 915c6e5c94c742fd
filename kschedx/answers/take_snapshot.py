"""What a snapshot file will hold, and the proof that redacting it changes no verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kschedx.answers.replay import SchedulerChoice
from kschedx.api.errors import KschedxError
from kschedx.diagnose.agreement import AgreementStatus, Replayed, compare
from kschedx.framework.attempt import Attempt, Preemption
from kschedx.framework.verdict import Verdict
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.configuration import Configuration
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot import kinds
from kschedx.snapshot.redact import Redaction
from kschedx.snapshot.saved import SnapshotReport, trimmed
from kschedx.snapshot.snapshot import Snapshot

EXIT_FAULT: Final = 4
GATED: Final = "Scheduling is blocked due to non-empty scheduling gates"
"""What an API server records of a pod with scheduling gates."""


@dataclass(frozen=True, slots=True)
class TakenSnapshot:
    """What is to be written, and the report on it once its size is known."""

    snapshot: Snapshot
    report: SnapshotReport


def take_snapshot(
    snapshot: Snapshot,
    file: str,
    choice: SchedulerChoice,
    *,
    redact: bool = False,
    on_pod: Callable[[int, int], None] | None = None,
) -> TakenSnapshot:
    """The snapshot as the file will hold it.

    choice: the scheduler that proves the redaction.
    on_pod: told how many of how many Pending pods have been replayed.

    Raises KschedxError where redaction would change a verdict.
    """
    taken = trimmed(snapshot)
    replayed = dropped = 0
    if redact:
        taken, replayed, dropped = _proved(snapshot, choice, on_pod)
    report = SnapshotReport(
        file=file,
        size_bytes=0,
        version=taken.version,
        taken_at=taken.taken_at,
        counts={
            kind.name: len(taken.objects[kind.type])
            for kind in kinds.ALL
            if taken.objects.get(kind.type)
        },
        complete=taken.complete,
        unread=tuple(sorted(taken.unread)),
        redacted=redact,
        replayed=replayed,
        dropped_messages=dropped,
        notes=snapshot.notes,
    )
    return TakenSnapshot(taken, report)


def _proved(
    snapshot: Snapshot, choice: SchedulerChoice, on_pod: Callable[[int, int], None] | None
) -> tuple[Snapshot, int, int]:
    """(the redacted snapshot, pods replayed, messages dropped)."""
    redaction = Redaction(snapshot, _named(choice.configuration))
    scheduler = KubeScheduler(choice.release, choice.configuration)
    before = ClusterView.of(snapshot, choice.release.accounting())
    after = ClusterView.of(redaction.snapshot, choice.release.accounting())
    messages: dict[str, str] = {}
    dropped = 0
    for done, (key, pod) in enumerate(before.waiting.items(), 1):
        twin = after.waiting[redaction.key(key)]
        old, new = scheduler.attempt(pod, before), scheduler.attempt(twin, after)
        difference = next(_differences(old, new, redaction), None)
        if difference is not None:
            raise KschedxError(
                "redaction-changes-verdict",
                f"Pod {key}: under pseudonyms its verdict differs ({difference}); nothing is written",
                hint="please report it: this is a fault of kschedx",
                exit_code=EXIT_FAULT,
            )
        agreement = compare(pod.pod, Replayed.of(old))
        if agreement.status is AgreementStatus.AGREES and agreement.recorded:
            messages[twin.key] = GATED if agreement.recorded == GATED else new.message
        elif agreement.recorded:
            dropped += 1
        if on_pod is not None:
            on_pod(done, len(before.waiting))
    return redaction.with_messages(messages), len(before.waiting), dropped


def _differences(old: Attempt, new: Attempt, redaction: Redaction) -> Iterator[str]:
    """What the two verdicts on one pod differ in, names apart."""
    if bool(old.error) != bool(new.error):
        yield "error"
    if _shown(old.held) != _shown(new.held):
        yield "held back"
    if _shown(old.prefilter) != _shown(new.prefilter):
        yield "rejected before nodes are looked at"
    yield from _differences_by_node(old, new, redaction)
    if set(map(redaction.name, old.winners)) != set(new.winners):
        yield "the node that would be taken"
    if _preempting(old.preemption, redaction.name, redaction.key) != _preempting(
        new.preemption, str, str
    ):
        yield "preemption"


def _differences_by_node(old: Attempt, new: Attempt, redaction: Redaction) -> Iterator[str]:
    traces = {redaction.name(node): trace for node, trace in old.traces.items()}
    if list(traces) != list(new.traces):
        yield "nodes looked at"
    for node, trace in traces.items():
        twin = new.traces.get(node)
        if twin is None or list(map(_shown, trace.verdicts)) != list(map(_shown, twin.verdicts)):
            yield f"node {node}"
    totals = {redaction.name(node): dict(score.weighted) for node, score in old.scores.items()}
    if totals != {node: dict(score.weighted) for node, score in new.scores.items()}:
        yield "scores"


def _named(configuration: Configuration) -> frozenset[str]:
    """Every text in a scheduler configuration: labels of nodes among them."""
    found: set[str] = set()
    for profile in configuration.profiles:
        found.add(profile.scheduler_name)
        found.update(_texts(profile.args))
    return frozenset(found)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from (*_texts(key), *_texts(part))
    elif isinstance(value, Sequence):
        for part in value:
            yield from _texts(part)


def _shown(verdict: Verdict | None) -> object:
    """A verdict without names: rules, causes, outcomes and numbers."""
    if verdict is None:
        return None
    return verdict.plugin, [
        (reason.code, reason.outcome, list(_numbers(reason.facts()))) for reason in verdict.reasons
    ]


def _numbers(value: Any) -> Iterator[int | float]:
    if isinstance(value, int | float):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _numbers(part)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _numbers(part)


def _preempting(
    preemption: Preemption | None, node: Callable[[str], str], pod: Callable[[str], str]
) -> object:
    if preemption is None:
        return None
    return (
        preemption.eligible,
        set(map(node, preemption.nominated)),
        {
            node(name): ([pod(victim.key) for victim in candidate.victims], candidate.violations)
            for name, candidate in preemption.candidates.items()
        },
        preemption.decided_by,
    )
