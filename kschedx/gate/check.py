"""The gate: every rule asked about one set of manifests, and the findings judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kschedx.gate.applied import Applied, apply
from kschedx.gate.attempts import GateAttempts
from kschedx.gate.drains import drains
from kschedx.gate.findings import Checked, CheckReport, Finding, worse_than
from kschedx.gate.node_loss import node_loss
from kschedx.gate.pending import evicting, not_replayed, over_quota, refused, without_node
from kschedx.gate.rollouts import Simulate, rollouts
from kschedx.gate.settings import Settings
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.snapshot.manifests import Manifests
from kschedx.snapshot.snapshot import Snapshot, Source


@dataclass(frozen=True)
class Replays:
    """Whom to ask what would happen."""

    scheduler: KubeScheduler
    simulate: Simulate


@dataclass(frozen=True)
class Known:
    """What is wrong already and not to be told again."""

    base: Manifests | None = None
    """The manifests as they were."""
    accepted: Sequence[Finding] = ()
    """Findings of a baseline."""


NOTHING_KNOWN: Final = Known()

PLAIN: tuple[Callable[[Applied], Iterator[Finding]], ...] = (
    refused,
    over_quota,
    without_node,
    evicting,
    drains,
    not_replayed,
)
"""Rules that look at the cluster as it is after the manifests."""


def findings_of(
    today: Snapshot, manifests: Manifests, replays: Replays, *, with_node_loss: bool = False
) -> tuple[list[Finding], Applied]:
    """All that is wrong with one set, not judged yet, each with its place."""
    applied = apply(today, manifests, GateAttempts(replays.scheduler))
    found = [finding for rule in PLAIN for finding in rule(applied)]
    found += rollouts(applied, replays.simulate)
    if with_node_loss:
        found += node_loss(applied)
    places = _places(applied, manifests)
    return [replace(f, place=places.get(str(f.subject), f.place)) for f in found], applied


def _places(applied: Applied, manifests: Manifests) -> dict[str, Source]:
    places = {str(t.shown): t.place for t in applied.targets if t.place is not None}
    for item in applied.manifest_budgets:
        source = manifests.source(item)
        if source is not None:
            places[f"PodDisruptionBudget {item.namespace}/{item.name}"] = source
    return places


def check(
    today: Snapshot,
    manifests: Manifests,
    replays: Replays,
    settings: Settings,
    known: Known = NOTHING_KNOWN,
) -> CheckReport:
    """What the manifests would do to the cluster, without what is known."""
    loss = settings.node_loss and "cannot-lose-a-node" not in settings.disabled
    found, applied = findings_of(today, manifests, replays, with_node_loss=loss)
    judged = settings.judged(found)
    left = judged
    if known.base is not None:
        before, _ = findings_of(today, known.base, replays, with_node_loss=loss)
        left = worse_than(judged, before)
    told = worse_than(left, known.accepted)
    return CheckReport(
        scheduler=replays.scheduler.name,
        version_assumed=False,
        node_count=len(applied.world.cluster.nodes),
        checked=tuple(Checked(t.shown, t.place, t.change) for t in applied.targets),
        findings=tuple(sorted(told, key=lambda finding: finding.order)),
        fail_on=settings.fail_on,
        accepted=len(left) - len(told),
        in_base=len(judged) - len(left),
        compared_to_base=known.base is not None,
        notes=manifests.passed_over,
    )
