"""The recorded message taken apart, and compared with the replayed one."""

import pytest

from kschedx.api.meta import ObjectMeta
from kschedx.api.pod import Pod, PodCondition, PodStatus
from kschedx.diagnose.agreement import (
    Agreement,
    AgreementStatus,
    FitErrorText,
    Replayed,
    compare,
    parse_fit_error,
)
from kschedx.framework.accounting import Accounting
from kschedx.framework.attempt import Attempt
from kschedx.framework.verdict import NodeTrace, NotModelled, SnapshotLacks, Verdict
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.cycle import SchedulerNotServed

TEXTS: dict[str, tuple[str, FitErrorText | None]] = {
    "counted reasons": (
        "0/12 nodes are available: 10 Insufficient cpu, 2 Too many pods.",
        FitErrorText(12, reasons={"Insufficient cpu": 10, "Too many pods": 2}),
    ),
    "preemption's part": (
        "0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: "
        "0/3 nodes are available: 3 No preemption victims found for incoming pod.",
        FitErrorText(
            3,
            reasons={"Insufficient cpu": 3},
            tail="no new claims to deallocate, preemption: 0/3 nodes are available: "
            "3 No preemption victims found for incoming pod",
        ),
    ),
    "two dots of 1.25": (
        "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: "
        "1 Preemption is not helpful for scheduling..",
        FitErrorText(
            1,
            reasons={"Insufficient cpu": 1},
            tail="preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling",
        ),
    ),
    "rejected before nodes": (
        '0/6 nodes are available: persistentvolumeclaim "a.b" not found. not found',
        FitErrorText(6, prefilter='persistentvolumeclaim "a.b" not found', tail="not found"),
    ),
    "a reason with a comma": (
        "0/2 nodes are available: 2 node(s) had taint {a: b}, that the pod didn't tolerate.",
        FitErrorText(2, reasons={"node(s) had taint {a: b}, that the pod didn't tolerate": 2}),
    ),
    "no reasons": ("0/2 nodes are available:", FitErrorText(2, reasons={})),
    "another text": ("no nodes available to schedule pods", None),
}


@pytest.mark.parametrize(("message", "parts"), TEXTS.values(), ids=TEXTS.keys())
def test_parse_fit_error(message: str, parts: FitErrorText | None) -> None:
    assert parse_fit_error(message) == parts


def pod_with(*conditions: PodCondition) -> Pod:
    return Pod(
        metadata=ObjectMeta(name="x", namespace="prod"), status=PodStatus(conditions=conditions)
    )


def unscheduled(message: str, reason: str = "Unschedulable") -> PodCondition:
    return PodCondition(
        type="PodScheduled",
        status="False",
        reason=reason,
        message=message,
        last_transition_time="2026-03-10T09:12:07Z",
    )


def rejected(*plugins: str) -> NodeTrace:
    return NodeTrace("n1", tuple(Verdict(p, (SnapshotLacks("Node"),)) for p in plugins))


def attempt(message: str = "", **fields: object) -> Attempt:
    view = PodView(pod_with(), Accounting())
    return Attempt(view, "kube-scheduler 1.35", 35, message=message, **fields)  # type: ignore[arg-type]


CPU = "0/12 nodes are available: 12 Insufficient cpu."
HELD = Verdict("SchedulingGates", (NotModelled("gate"),))

COMPARED: dict[str, tuple[tuple[PodCondition, ...], Attempt, AgreementStatus, str]] = {
    "the same": ((unscheduled(CPU),), attempt(CPU), AgreementStatus.AGREES, ""),
    "another full stop": ((unscheduled(CPU + "."),), attempt(CPU), AgreementStatus.AGREES, ""),
    "no condition": ((), attempt(CPU), AgreementStatus.NONE_RECORDED, ""),
    "scheduled by now": (
        (PodCondition(type="PodScheduled", status="True"),),
        attempt(CPU),
        AgreementStatus.NONE_RECORDED,
        "",
    ),
    "another count": (
        (unscheduled("0/12 nodes are available: 11 Insufficient cpu, 1 Too many pods."),),
        attempt(CPU),
        AgreementStatus.DIFFERS,
        '"Insufficient cpu" recorded of 11 nodes, replayed on 12',
    ),
    "other nodes": (
        (unscheduled("0/11 nodes are available: 11 Insufficient cpu."),),
        attempt(CPU),
        AgreementStatus.DIFFERS,
        "recorded of 11 nodes, replayed on 12",
    ),
    "preemption differs": (
        (unscheduled(CPU + " preemption: not eligible due to preemptionPolicy=Never."),),
        attempt(CPU),
        AgreementStatus.DIFFERS,
        'after the filters: recorded "preemption: not eligible due to preemptionPolicy=Never", '
        'replayed ""',
    ),
    "before nodes against per node": (
        (unscheduled("0/12 nodes are available: pod has unbound claims."),),
        attempt(CPU),
        AgreementStatus.DIFFERS,
        'recorded "pod has unbound claims", replayed "per node"',
    ),
    "fits now": (
        (unscheduled(CPU),),
        attempt(winners=("n1",), traces={"n1": NodeTrace("n1")}),
        AgreementStatus.DIFFERS,
        "recorded as fitting no node, replayed as fitting n1",
    ),
    "gated": (
        (unscheduled("Scheduling is blocked", "SchedulingGated"),),
        attempt("waiting", held=HELD),
        AgreementStatus.AGREES,
        "",
    ),
    "another scheduler's": (
        (unscheduled(CPU),),
        attempt("", held=Verdict("", (SchedulerNotServed("mine", ("default-scheduler",)),))),
        AgreementStatus.NOT_COMPARABLE,
        "another scheduler's message",
    ),
    "gates gone": (
        (unscheduled("Scheduling is blocked", "SchedulingGated"),),
        attempt(CPU),
        AgreementStatus.DIFFERS,
        "recorded as held by scheduling gates, replayed as tried",
    ),
    "tried before": (
        (unscheduled(CPU),),
        attempt("waiting", held=HELD),
        AgreementStatus.DIFFERS,
        "recorded as tried, replayed as never tried",
    ),
    "undecided": (
        (unscheduled(CPU),),
        attempt("", traces={"n1": rejected("VolumeBinding")}),
        AgreementStatus.NOT_COMPARABLE,
        "the replay could not be decided",
    ),
    "a form of 1.8": (
        (
            unscheduled(
                "No nodes are available that match all of the following predicates:: X (3)."
            ),
        ),
        attempt(CPU),
        AgreementStatus.NOT_COMPARABLE,
        "the recorded message is not in a form known here",
    ),
    "errors": (
        (unscheduled("running PreFilter plugin: a", "SchedulerError"),),
        attempt("running PreFilter plugin: b"),
        AgreementStatus.DIFFERS,
        'recorded "running PreFilter plugin: a", replayed "running PreFilter plugin: b"',
    ),
}


@pytest.mark.parametrize(
    ("conditions", "replayed", "status", "difference"), COMPARED.values(), ids=COMPARED.keys()
)
def test_compare(
    conditions: tuple[PodCondition, ...],
    replayed: Attempt,
    status: AgreementStatus,
    difference: str,
) -> None:
    found = compare(pod_with(*conditions), Replayed.of(replayed))

    assert (found.status, found.difference) == (status, difference)


def test_the_recorded_message_is_kept() -> None:
    found = compare(pod_with(unscheduled(CPU)), Replayed.of(attempt(CPU)))

    assert found == Agreement(AgreementStatus.AGREES, CPU, "2026-03-10T09:12:07Z")


def test_what_was_recorded_of_the_real_cluster_does_not_differ_from_a_supposed_one() -> None:
    fits = Replayed(winners=("a",), supposed=True)
    alike = Replayed.of(attempt(CPU), supposed=True)

    found = compare(pod_with(unscheduled(CPU)), fits)

    assert found.status is AgreementStatus.NOT_COMPARABLE
    assert found.difference == "recorded without what --with and --without change"
    assert compare(pod_with(unscheduled(CPU)), alike).status is AgreementStatus.AGREES
