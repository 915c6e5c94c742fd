"""Remarks about pods that nobody tries: who would have to act."""

from __future__ import annotations

from kschedx.diagnose.headline import listed
from kschedx.diagnose.remark import Found, remark
from kschedx.framework.attempt import Attempt
from kschedx.schedulers.kube.cycle import SchedulerNotServed
from kschedx.schedulers.kube.plugins.scheduling_gates import SchedulingGated


def waiting_remarks(attempt: Attempt) -> Found:
    """For what holds the pod before it is tried at all."""
    for reason in attempt.held.reasons if attempt.held is not None else ():
        if isinstance(reason, SchedulingGated):
            owners = list(dict.fromkeys(gate.rpartition("/")[0] or gate for gate in reason.gates))
            yield remark(
                "gates-by-owner",
                "the scheduler lifts no gate: each waits for the controller that set it, by their "
                f"prefixes {listed(owners)}",
                gates=list(reason.gates),
                owners=owners,
            )
        elif isinstance(reason, SchedulerNotServed):
            pod = attempt.pod.pod
            if pod.metadata.uid and pod.condition("PodScheduled") is None:
                yield remark(
                    "nobody-has-tried",
                    "the pod has no PodScheduled condition: nobody has tried it, most likely as no "
                    f"scheduler {reason.scheduler_name} runs, or as it lacks rights",
                    pod,
                    scheduler_name=reason.scheduler_name,
                )
