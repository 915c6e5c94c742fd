"""Explanation: all that can be said of one attempt, as values."""

from __future__ import annotations

from dataclasses import dataclass

from kschedx.diagnose.agreement import Agreement, Replayed, compare
from kschedx.diagnose.also_blocked import AlsoBlocked
from kschedx.diagnose.blockers import (
    Blocker,
    Cause,
    Combination,
    blockers,
    causes_of,
    traces_of_all,
)
from kschedx.diagnose.fragmentation import Fragmentation, fragmentations
from kschedx.diagnose.headline import predicate, state
from kschedx.diagnose.node_rows import NodeRow, node_rows
from kschedx.diagnose.placement import Nomination, Placement
from kschedx.diagnose.preemption_summary import PreemptionSummary, summarize
from kschedx.diagnose.references import PodReference
from kschedx.diagnose.remark import Remark
from kschedx.diagnose.remarks import remarks
from kschedx.diagnose.remedies import Remedies
from kschedx.diagnose.request_parts import RequestApart, requests_apart
from kschedx.diagnose.situation import Situation, situation_of
from kschedx.diagnose.summary import Seen, placed_summary, summary
from kschedx.diagnose.verdict_class import VerdictClass, verdict_class
from kschedx.diagnose.volume_remarks import placed_remarks, volume_remarks
from kschedx.diagnose.what_if import NOTHING, WhatIf
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import NodeTrace
from kschedx.framework.views import ClusterView


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a pod is where it is, or nowhere."""

    pod: PodReference
    situation: Situation
    verdict_class: VerdictClass
    state: str
    """ "is Pending"; what `predicate` gives the reason of."""
    predicate: str
    """ "no node of 12 can take it"; empty where the state says it all."""
    scheduler: str
    node_count: int
    summary: str = ""
    """The causes that matter most in one sentence; empty where the headline says it all."""
    feasible: tuple[str, ...] = ()
    """Nodes that can take the pod, in the cluster's order."""
    winners: tuple[str, ...] = ()
    """The node that would be taken; several if any of them may be."""
    rejection: tuple[Cause, ...] = ()
    """What holds or rejects the pod before any node is looked at."""
    blockers: tuple[Blocker, ...] = ()
    combinations: tuple[Combination, ...] = ()
    """Nodes that several causes block at once."""
    fragmentations: tuple[Fragmentation, ...] = ()
    preemption: PreemptionSummary | None = None
    scheduler_message: str = ""
    """The sentence that the scheduler itself would write; empty where the pod gets a node."""
    agreement: Agreement | None = None
    """None where the cluster's condition is not about this situation."""
    placement: Placement | None = None
    nomination: Nomination | None = None
    not_modelled: tuple[str, ...] = ()
    otherwise: Explanation | None = None
    """What would happen if the pod were tried, for a pod that never is."""
    also_blocked: AlsoBlocked | None = None
    """What the nodes would refuse once the rejection is mended; None where nodes were looked at."""
    what_if: WhatIf = NOTHING
    """What replays without some pods have found; the verdict class follows from it."""
    remedies: Remedies | None = None
    """What would help, each replayed; None where nothing was looked for."""
    requests: tuple[RequestApart, ...] = ()
    """What the pod asks for, taken apart, by resource; empty for one that is past scheduling."""
    remarks: tuple[Remark, ...] = ()
    """What stands behind the causes, and what a snapshot cannot show."""
    rows: tuple[NodeRow, ...] = ()
    """One per node, only where they were asked for; first those that fit, then by causes."""

    @property
    def headline(self) -> str:
        """The first sentence."""
        said = f": {self.predicate}" if self.predicate else ""
        return f"{self.pod.key} {self.state}{said}"


_NOT_TRIED_NOW = (Situation.BEING_DELETED, Situation.ALREADY_PLACED, Situation.FINISHED)
_SAYS_NOTHING = (*_NOT_TRIED_NOW, Situation.SCHEDULER_NOT_SERVED)
"""Where the scheduler that is replayed writes no message at all."""


@dataclass(frozen=True, slots=True)
class FurtherReplays:
    """What only a replay of something else can tell."""

    placement: Placement | None = None
    nomination: Nomination | None = None
    otherwise: Explanation | None = None
    also_blocked: AlsoBlocked | None = None
    remedies: Remedies | None = None
    what_if: WhatIf = NOTHING


_NOTHING_FURTHER = FurtherReplays()


def explain(
    attempt: Attempt,
    cluster: ClusterView,
    further: FurtherReplays = _NOTHING_FURTHER,
    *,
    with_rows: bool = False,
) -> Explanation:
    """All that one attempt shows. O(nodes)."""
    nomination = further.nomination
    waits = nomination is not None and bool(nomination.victims)
    situation = situation_of(attempt, waits_for_victims=waits)
    pod = attempt.pod.pod
    before_nodes = attempt.held or attempt.prefilter
    rejection = causes_of([before_nodes] if before_nodes is not None else [])
    traces: list[NodeTrace] = []
    if before_nodes is None and not attempt.error and situation not in _NOT_TRIED_NOW:
        traces = list(traces_of_all(attempt.traces, attempt.narrowed_by, cluster.nodes))
    found, combinations = blockers(traces)
    preemption = None if situation in _NOT_TRIED_NOW else summarize(attempt, cluster)
    held_in_vain = nomination is not None and bool(nomination.then)
    waited = Situation.NO_NODE if held_in_vain else situation
    kind = verdict_class(waited, attempt, preemption, further.what_if)
    placed = further.placement
    return Explanation(
        pod=PodReference.of(pod),
        situation=situation,
        verdict_class=kind,
        summary=(
            placed_summary(situation, pod, placed)
            if situation in _NOT_TRIED_NOW
            else summary(
                kind,
                Seen(
                    attempt,
                    cluster,
                    found,
                    preemption,
                    further.what_if,
                    nomination,
                    further.also_blocked,
                ),
            )
        ),
        state=state(situation, pod, supposed=cluster.snapshot.supposed),
        predicate=predicate(situation, attempt, found, rejection, nomination),
        scheduler=attempt.scheduler,
        node_count=attempt.node_count,
        feasible=attempt.feasible,
        winners=attempt.winners,
        rejection=rejection,
        blockers=found,
        combinations=combinations,
        fragmentations=fragmentations(attempt, cluster) if situation is Situation.NO_NODE else (),
        preemption=preemption,
        scheduler_message="" if situation in _SAYS_NOTHING else attempt.message,
        agreement=None
        if situation in _NOT_TRIED_NOW
        else compare(pod, Replayed.of(attempt, supposed=cluster.snapshot.supposed)),
        placement=further.placement,
        nomination=nomination,
        not_modelled=attempt.not_modelled,
        otherwise=further.otherwise,
        also_blocked=further.also_blocked,
        what_if=further.what_if,
        remedies=further.remedies,
        requests=() if situation in _NOT_TRIED_NOW else requests_apart(attempt.pod),
        remarks=(
            placed_remarks(pod, cluster)
            if situation in _NOT_TRIED_NOW
            else (*remarks(attempt, cluster), *volume_remarks(attempt, cluster))
        ),
        rows=node_rows(traces, attempt.scores) if with_rows else (),
    )
