"""Who is tried next: active, back-off and unschedulable pods, by version."""

from fractions import Fraction

import pytest

from kschedx.framework.accounting import Accounting
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.queue import QueuedPod, SchedulingQueue
from kschedx.schedulers.kube.queueing_hints import Change, PodEvent
from kschedx.schedulers.kube.versions import parse_release
from tests.builders import pod

FIT = frozenset({"NodeResourcesFit"})


def _view(name: str, priority: int = 0, node: str = "") -> PodView:
    return PodView(pod(name, priority=priority, node=node), Accounting())


def _queue(version: str = "1.35") -> SchedulingQueue:
    return SchedulingQueue(parse_release(version))


def _popped(queue: SchedulingQueue, now: Fraction | int = 0) -> list[str]:
    names = []
    while (entry := queue.pop(now)) is not None:
        names.append(entry.pod.name)
    return names


def _failed(queue: SchedulingQueue, view: PodView, now: int) -> QueuedPod:
    queue.add(view, now)
    entry = queue.pop(now)
    assert entry is not None
    queue.fail(entry, view, FIT, now)
    return entry


def _freed() -> PodEvent:
    return PodEvent(Change.DELETED, _view("gone", node="n1"))


def test_higher_priority_goes_first_then_who_came_first() -> None:
    queue = _queue()
    for name, priority, now in (("a", 0, 0), ("b", 10, 1), ("c", 0, 2), ("d", 10, 3)):
        queue.add(_view(name, priority), now)

    assert _popped(queue, 4) == ["b", "d", "a", "c"]


def test_a_held_pod_is_not_tried() -> None:
    queue = _queue()
    queue.add(_view("gated"), 0, held=True)

    assert _popped(queue) == []


def test_a_policy_can_rank_above_priority() -> None:
    queue = SchedulingQueue(parse_release("1.35"), lambda view: int(view.name != "set"))
    queue.add(_view("vip", 1000), 0)
    queue.add(_view("set"), 1)

    assert _popped(queue, 2) == ["set", "vip"]


def test_a_failed_pod_stays_until_an_event_wakes_it() -> None:
    queue = _queue()
    _failed(queue, _view("a"), 0)

    assert _popped(queue, 100) == []
    assert [view.name for view in queue.move(_freed(), 100)] == ["a"]
    assert _popped(queue, 100) == ["a"]


def test_an_event_that_no_rejecting_plugin_registers_wakes_nobody() -> None:
    queue = _queue()
    view = _view("a")
    queue.add(view, 0)
    entry = queue.pop(0)
    assert entry is not None
    queue.fail(entry, view, frozenset({"NodeAffinity", "TaintToleration"}), 0)

    assert queue.move(_freed(), 100) == ()


@pytest.mark.parametrize(
    ("attempts", "seconds"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (9, 10)]
)
def test_back_off_doubles_up_to_ten_seconds(attempts: int, seconds: int) -> None:
    entry = QueuedPod(_view("a"), 100, 1, attempts, FIT)

    assert _queue().expiry(entry) == 100 + seconds


def test_since_1_33_the_end_of_a_back_off_is_cut_to_the_second() -> None:
    entry = QueuedPod(_view("a"), Fraction(1005, 10), 1, 1, FIT)

    assert _queue("1.33").expiry(entry) == 101
    assert _queue("1.32").expiry(entry) == Fraction(1015, 10)


@pytest.mark.parametrize(("version", "tried"), [("1.32", []), ("1.33", ["a"]), ("1.35", ["a"])])
def test_since_1_33_an_idle_scheduler_does_not_wait_for_the_back_off(
    version: str, tried: list[str]
) -> None:
    queue = _queue(version)
    _failed(queue, _view("a"), 100)
    queue.move(_freed(), 100)

    assert _popped(queue, 100) == tried


def test_an_active_pod_goes_before_one_that_backs_off_whatever_the_priorities() -> None:
    queue = _queue()
    _failed(queue, _view("vip", 1000), 100)
    queue.move(_freed(), 100)
    queue.add(_view("low"), 100)

    assert _popped(queue, 100) == ["low", "vip"]


def test_without_the_early_pop_a_pod_is_tried_when_its_back_off_is_over() -> None:
    queue = _queue("1.32")
    _failed(queue, _view("a"), 100)
    queue.move(_freed(), 100)

    assert queue.next_backoff_end() == 102
    assert _popped(queue, 102) == ["a"]


def test_after_five_minutes_a_pod_is_tried_without_an_event() -> None:
    queue = _queue()
    _failed(queue, _view("a"), 0)

    assert queue.next_flush(1) == 330
    queue.flush_unschedulable(330)
    assert _popped(queue, 330) == ["a"]


def test_no_flush_is_due_where_nothing_has_changed_since() -> None:
    queue = _queue()
    _failed(queue, _view("a"), 5)

    assert queue.next_flush(5) is None


def test_a_pod_that_is_gone_is_not_tried() -> None:
    queue = _queue()
    queue.add(_view("a"), 0)
    queue.remove("default/a")

    assert _popped(queue) == []
