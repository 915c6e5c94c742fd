import pytest

from kschedx.framework.verdict import Outcome
from kschedx.schedulers.kube.plugins.scheduling_gates import SchedulingGated, SchedulingGates
from kschedx.schedulers.kube.versions import Release
from tests.builders import pod_view

RULE = SchedulingGates.from_args({}, Release())


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        pytest.param([], [], id="no gates"),
        pytest.param(["a.example/quota"], [SchedulingGated(("a.example/quota",))], id="one"),
        pytest.param(["b", "a"], [SchedulingGated(("b", "a"))], id="several, in the pod's order"),
    ],
)
def test_gates_hold_a_pod(gates: list[str], expected: list[SchedulingGated]) -> None:
    waiting = pod_view(spec={"schedulingGates": [{"name": gate} for gate in gates]})

    assert list(RULE.hold(waiting)) == expected


def test_words() -> None:
    reason = SchedulingGated(("b", "a"))

    assert reason.outcome is Outcome.UNRESOLVABLE
    assert reason.upstream_text(35) == "waiting for scheduling gates: [b a]"
    assert reason.sentence() == "waits for scheduling gates b, a"
    assert SchedulingGated(("b",)).sentence() == "waits for scheduling gate b"
