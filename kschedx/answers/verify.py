"""The agreement meter: the replay against what the cluster's own scheduler did and said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from kschedx.answers.replay import SchedulerChoice
from kschedx.api.pod import Pod
from kschedx.diagnose.agreement import AgreementStatus, Replayed, compare
from kschedx.diagnose.blockers import causes_of
from kschedx.diagnose.references import PodReference
from kschedx.diagnose.verification import Disagreement, Drift, Unchecked, VerifyReport
from kschedx.framework.plugin import CycleError
from kschedx.framework.verdict import Outcome, Verdict
from kschedx.framework.views import ClusterView, NodeView, PodView
from kschedx.schedulers.kube.cycle import KubeScheduler
from kschedx.schedulers.kube.filtering import Filters, NodesNotSatisfying
from kschedx.snapshot.snapshot import Snapshot

MIRROR: Final = "kubernetes.io/config.mirror"
"""Annotation of a pod that a kubelet runs from a file: no scheduler ever placed it."""


Told = Callable[[str, int, int], None]
"""Told ("Pending pods" or "placed pods", how many are done, of how many)."""


def verify(
    snapshot: Snapshot,
    choice: SchedulerChoice,
    *,
    namespace: str | None = None,
    told: Told | None = None,
) -> VerifyReport:
    """Replay every pod of a namespace, or of all. Raises KschedxError for unusable options."""
    meter = _Meter(snapshot, choice, told or (lambda what, done, total: None))
    wanted = [p for p in snapshot.all(Pod).values() if namespace in (None, p.namespace)]
    meter.pending([p for p in wanted if p.key in meter.cluster.waiting and not p.terminating])
    meter.placed([p for p in wanted if p.spec.node_name and not p.terminal and not p.terminating])
    return meter.report(choice)


class _Meter:
    """Counts while it goes through the pods."""

    def __init__(self, snapshot: Snapshot, choice: SchedulerChoice, told: Told) -> None:
        self._scheduler = KubeScheduler(choice.release, choice.configuration)
        self.cluster = ClusterView.of(snapshot, choice.release.accounting())
        self._told = told
        self._pending: Counter[AgreementStatus] = Counter()
        self._disagreements: list[Disagreement] = []
        self._not_compared: list[Unchecked] = []
        self._placed = 0
        self._drifted: list[Drift] = []
        self._not_checked: list[Unchecked] = []
        self._not_modelled: set[str] = set()
        self._shared: tuple[str, Filters] | None = None

    def pending(self, pods: Sequence[Pod]) -> None:
        """Compare each pod's recorded message with the replayed one."""
        for done, pod in enumerate(pods, 1):
            view = self.cluster.waiting[pod.key]
            attempt = self._scheduler.attempt(view, self.cluster, every_rule=False)
            self._not_modelled.update(attempt.not_modelled)
            agreement = compare(pod, Replayed.of(attempt, supposed=self.cluster.snapshot.supposed))
            self._pending[agreement.status] += 1
            reference = PodReference.of(pod)
            if agreement.status is AgreementStatus.DIFFERS:
                self._disagreements.append(
                    Disagreement(
                        reference,
                        agreement.difference,
                        agreement.recorded,
                        agreement.recorded_at,
                        attempt.message,
                    )
                )
            elif agreement.status is AgreementStatus.NOT_COMPARABLE:
                self._not_compared.append(Unchecked(reference, agreement.difference))
            self._told("Pending pods", done, len(pods))

    def placed(self, pods: Sequence[Pod]) -> None:
        """Ask of each pod whether its node would pass again."""
        # Pods of one workload one after the other: what rules prepare for one holds for all.
        for done, pod in enumerate(sorted(pods, key=_workload), 1):
            why_not = self._why_not_checked(pod)
            if why_not:
                self._not_checked.append(Unchecked(PodReference.of(pod), why_not))
            elif MIRROR not in pod.metadata.annotations:
                self._replay_on_node(pod)
            self._told("placed pods", done, len(pods))

    def _why_not_checked(self, pod: Pod) -> str:
        if pod.spec.node_name not in self.cluster.nodes:
            return f"node {pod.spec.node_name} is not in the snapshot"
        if pod.spec.scheduler_name not in self._scheduler.profiles:
            return f"scheduler {pod.spec.scheduler_name} placed it"
        return ""

    def _replay_on_node(self, pod: Pod) -> None:
        node = self.cluster.nodes[pod.spec.node_name]
        view = next(each for each in node.pods if each.key == pod.key)
        reference = PodReference.of(pod)
        try:
            verdicts = tuple(self._without_itself(view, node))
        except CycleError as error:
            self._not_checked.append(Unchecked(reference, str(error)))
            return
        outcome = max((verdict.outcome for verdict in verdicts), default=Outcome.FITS)
        causes = causes_of(verdicts)
        if outcome is Outcome.NOT_CHECKED:
            self._not_checked.append(Unchecked(reference, causes[0].message))
            return
        self._placed += 1
        if outcome is not Outcome.FITS:
            self._drifted.append(Drift(reference, node.name, causes))

    def _without_itself(self, pod: PodView, node: NodeView) -> Iterator[Verdict]:
        """What keeps the pod off its own node, as if it were not there yet.

        Raises CycleError where the real scheduler would.
        """
        emptied = node.without((pod,))
        exactly = _has_claims(pod.pod)
        if exactly:
            filters = self._scheduler.filters(pod, self.cluster.with_node(emptied))
        else:
            filters = self._shared_filters(pod)
        preparation = filters.preparation
        if preparation.rejection is not None:
            yield preparation.rejection
            return
        if preparation.narrowed_to is not None and node.name not in preparation.narrowed_to:
            yield Verdict("", (NodesNotSatisfying(preparation.narrowed_by),))
        states = filters.states
        if not exactly:  # telling the rules that it left costs the node, preparing anew the cluster
            states = filters.after(states, emptied, removed=(pod,))
        trace = filters.trace(emptied, states, every=True)
        if not (trace.with_nominated and trace.fits_without_nominated):
            yield from trace.verdicts

    def _shared_filters(self, pod: PodView) -> Filters:
        """The rules as prepared for the pod, or for the one before if no rule tells them apart."""
        fresh = pod.pod.with_spec(node_name="")
        shape = repr((pod.namespace, sorted(pod.labels.items()), fresh.spec))
        if self._shared is None or self._shared[0] != shape:
            view = self.cluster.view(fresh)
            self._shared = shape, self._scheduler.filters(view, self.cluster)
        return self._shared[1]

    def report(self, choice: SchedulerChoice) -> VerifyReport:
        """Everything counted so far."""
        return VerifyReport(
            scheduler=self._scheduler.name,
            version_assumed=choice.version_assumed,
            pending=dict(self._pending),
            disagreements=tuple(sorted(self._disagreements, key=lambda d: d.pod.key)),
            not_compared=tuple(sorted(self._not_compared, key=lambda u: u.pod.key)),
            placed=self._placed,
            drifted=tuple(sorted(self._drifted, key=lambda d: d.pod.key)),
            not_checked=tuple(sorted(self._not_checked, key=lambda u: u.pod.key)),
            not_modelled=tuple(sorted(self._not_modelled)),
        )


def _workload(pod: Pod) -> tuple[str, str, str]:
    owner = pod.metadata.controller
    return pod.namespace, owner.name if owner is not None else "", pod.name


def _has_claims(pod: Pod) -> bool:
    """Dry runs count a claim once however many pods use it, so that one leaving tells nothing."""
    return any(v.persistent_volume_claim or v.ephemeral for v in pod.spec.volumes)
