"""AlsoBlocked: what the nodes would refuse as well, once what rejects the pod beforehand is mended.

All of it is supposed. Neither the verdict nor the scheduler's own message knows of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from kschedx.diagnose.blockers import (
    Blocker,
    Cause,
    Combination,
    blockers,
    causes_of,
    traces_of_all,
)
from kschedx.diagnose.headline import counted, listed
from kschedx.diagnose.node_rows import NodeRow, node_rows
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome, Reason
from kschedx.framework.views import ClusterView
from kschedx.schedulers.kube.claims import (
    ClaimBeingDeleted,
    ClaimLost,
    ClaimNotFound,
    ClaimOfAnotherPod,
    EphemeralClaimPending,
)
from kschedx.schedulers.kube.plugins.volume_zone import VolumeNotFound
from kschedx.schedulers.kube.supposition import Mended, Supposition

_MENDED: Final[dict[type[Reason], str]] = {
    ClaimNotFound: "is there and bound",
    EphemeralClaimPending: "is there and bound",
    ClaimOfAnotherPod: "is the pod's own",
    ClaimBeingDeleted: "is made anew",
    ClaimLost: "has a volume again",
    VolumeNotFound: "has a volume again",
}
_CAUSES: Final = 3
"""So many causes are said before the rest is counted."""


@dataclass(frozen=True, slots=True)
class Supposed:
    """What is taken to be mended: "claim default/data" "is bound"."""

    what: str
    becomes: str

    def __str__(self) -> str:
        return f"{self.what} {self.becomes}"


@dataclass(frozen=True, slots=True)
class AlsoBlocked:
    """What every node would say of the pod next."""

    supposes: tuple[Supposed, ...]
    claims: tuple[str, ...]
    """ "namespace/name" of claims among them: from which nodes their volumes can be used, and how
    many volumes a node may have, is not known before they are bound."""
    rejections: tuple[Cause, ...]
    """What else would reject the pod before any node is looked at; taken to be mended as well."""
    node_count: int
    feasible: tuple[str, ...] = ()
    """Nodes that would fit, in the cluster's order."""
    refusing: int = 0
    """So many nodes would refuse; what is left could not be decided."""
    blockers: tuple[Blocker, ...] = ()
    combinations: tuple[Combination, ...] = ()
    error: str = ""
    """The scheduler's own error, where that is what would come next."""
    rows: tuple[NodeRow, ...] = ()
    """One per node, only where they were asked for."""

    @property
    def once(self) -> str:
        """ "once the claim is bound", to be read below what names it; several are named again."""
        if len(self.supposes) == len(self.claims) == 1:
            return f"once the claim {self.supposes[0].becomes}"
        return f"once {listed([str(each) for each in self.supposes])}"

    @property
    def sentence(self) -> str:
        """ "once the claim is bound, 2 of 3 nodes would also refuse: insufficient cpu"."""
        return f"{self.once}, {'; '.join(self._outcome())}"

    def _outcome(self) -> list[str]:
        if self.error:
            return [f"the scheduler would fail with an error of its own: {self.error}"]
        said = [f"{listed(self.feasible)} would fit"] if self.feasible else []
        if self.refusing:
            said.append(f"{self._how_many(self.refusing)} would also refuse: {self._causes()}")
        undecided = self.node_count - len(self.feasible) - self.refusing
        if undecided:
            said.append(f"it is not decided for {self._how_many(undecided)}")
        return said

    def _how_many(self, count: int) -> str:
        if count < self.node_count:
            return f"{count} of {counted(self.node_count, 'node')}"
        return {1: "the only node", 2: "both nodes"}.get(count, f"all {count} nodes")

    def _causes(self) -> str:
        told = [blocker for blocker in self.blockers if blocker.checked]
        said = [
            f"{blocker.subject} on {len(blocker.nodes)}" if len(told) > 1 else blocker.subject
            for blocker in told[:_CAUSES]
        ]
        more = len(told) - _CAUSES
        return ", ".join([*said, *([f"and {counted(more, 'more cause')}"] if more > 0 else [])])


def also_blocked(
    supposition: Supposition, cluster: ClusterView, *, with_rows: bool = False
) -> AlsoBlocked:
    """Ask every rule that is left on every node. One pass over the nodes."""
    filters, mended = supposition.filters, supposition.mended
    told = AlsoBlocked(
        supposes=tuple(dict.fromkeys(said for each in mended for said in supposed(each))),
        claims=tuple(dict.fromkeys(claim for each in mended for claim in each.claims)),
        rejections=causes_of(each.rejection for each in mended[1:]),
        node_count=len(cluster.nodes),
        error=supposition.error,
    )
    if filters is None:
        return told
    try:
        found = filters.traces(cluster, every=True)
    except CycleError as error:
        return replace(told, error=str(error))
    traces = list(traces_of_all(found, filters.preparation.narrowed_by, cluster.nodes))
    grouped, combinations = blockers(traces)
    return replace(
        told,
        feasible=tuple(trace.node for trace in traces if trace.outcome is Outcome.FITS),
        refusing=sum(trace.outcome > Outcome.NOT_CHECKED for trace in traces),
        blockers=grouped,
        combinations=combinations,
        rows=node_rows(traces, {}) if with_rows else (),
    )


def supposed(mended: Mended) -> Iterator[Supposed]:
    """What is taken to be otherwise, claim by claim and rule by rule."""
    states = {
        str(reason.facts().get("claim")): _MENDED.get(type(reason), "is bound")
        for reason in mended.rejection.reasons
    }
    for claim in mended.claims:
        yield Supposed(f"claim {claim}", states[claim])
    for rule in mended.rules:
        yield Supposed(rule, "is left aside")
