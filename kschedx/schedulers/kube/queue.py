"""SchedulingQueue: active, back-off and unschedulable pods, and who is tried next.

Upstream: pkg/scheduler/backend/queue/{scheduling,active,backoff}_queue.go (v1.30.14 to v1.37.2).
Differences: one attempt takes no time, so nothing is ever in flight when an event comes; errors
back off like rejections.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from kschedx.framework.views import PodView
from kschedx.schedulers.kube.queueing_hints import PodEvent, wakes
from kschedx.schedulers.kube.versions import Release

Seconds = Fraction | int

INITIAL_BACKOFF_SECONDS: Final = 1
MAX_BACKOFF_SECONDS: Final = 10
FLUSH_AFTER_SECONDS: Final = 300
"""A pod that nothing has woken for this long is tried again all the same."""
FLUSH_EVERY_SECONDS: Final = 30

_AGE_SECONDS: Final = 30


@dataclass(frozen=True, slots=True)
class QueuedPod:
    """A pod in the queue. Upstream: QueuedPodInfo."""

    pod: PodView
    timestamp: Seconds
    """When it came in, or last failed."""
    sequence: int
    """Orders pods of the same instant."""
    attempts: int = 0
    rejected_by: frozenset[str] = frozenset()
    """Upstream: UnschedulablePlugins."""

    @property
    def key(self) -> str:
        return self.pod.key


Rank = Callable[[PodView], int]
"""Lower goes first, before priority; 0 for every pod in the scheduler as it is."""


class SchedulingQueue:
    """The queue of one simulated scheduler; owned and changed by one run only."""

    def __init__(self, release: Release, rank: Rank = lambda pod: 0) -> None:
        self.release = release
        self._rank = rank
        self._active: dict[str, QueuedPod] = {}
        self._backoff: dict[str, QueuedPod] = {}
        self._unschedulable: dict[str, QueuedPod] = {}
        self._gated: dict[str, QueuedPod] = {}
        self._heap: list[tuple[tuple[int, int, Seconds, int], str]] = []
        self._backoff_heap: list[tuple[Seconds, tuple[int, int, Seconds, int], str]] = []
        self._sequence = 0

    @property
    def active(self) -> Mapping[str, QueuedPod]:
        return self._active

    @property
    def backing_off(self) -> Mapping[str, QueuedPod]:
        return self._backoff

    @property
    def unschedulable(self) -> Mapping[str, QueuedPod]:
        return self._unschedulable

    @property
    def gated(self) -> Mapping[str, QueuedPod]:
        return self._gated

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence

    def _order(self, entry: QueuedPod) -> tuple[int, int, Seconds, int]:
        """Upstream: PrioritySort.Less; the policy's rank comes first."""
        return self._rank(entry.pod), -entry.pod.priority, entry.timestamp, entry.sequence

    def _activate(self, entry: QueuedPod) -> None:
        self._active[entry.key] = entry
        heapq.heappush(self._heap, (self._order(entry), entry.key))

    def _back_off(self, entry: QueuedPod) -> None:
        self._backoff[entry.key] = entry
        heapq.heappush(self._backoff_heap, (self.expiry(entry), self._order(entry), entry.key))

    def _first_to_end(self) -> QueuedPod | None:
        """The pod whose back-off ends first. Entries of the heap that are out of date go."""
        while self._backoff_heap:
            ends, order, key = self._backoff_heap[0]
            entry = self._backoff.get(key)
            if entry is not None and self._order(entry) == order and self.expiry(entry) == ends:
                return entry
            heapq.heappop(self._backoff_heap)
        return None

    def add(self, pod: PodView, now: Seconds, *, held: bool = False) -> None:
        """A new pod; `held`: PreEnqueue keeps it out."""
        entry = QueuedPod(pod, now, self._next())
        if held:
            self._gated[pod.key] = entry
        else:
            self._activate(entry)

    def age(self) -> None:
        """What has failed so far did so long enough ago for every back-off to be over."""
        for part in (self._backoff, self._unschedulable):
            for key, entry in part.items():
                part[key] = replace(entry, timestamp=entry.timestamp - _AGE_SECONDS, attempts=1)
        for entry in list(self._backoff.values()):
            self._back_off(entry)

    def remove(self, key: str) -> None:
        """The pod is deleted or has a node."""
        for part in (self._active, self._backoff, self._unschedulable, self._gated):
            part.pop(key, None)

    def update(self, pod: PodView) -> None:
        """The same pod with another status (a nomination); it stays where it is."""
        for part in (self._active, self._backoff, self._unschedulable, self._gated):
            if pod.key in part:
                part[pod.key] = replace(part[pod.key], pod=pod)

    def pop(self, now: Seconds) -> QueuedPod | None:
        """The pod to try next; None if nobody is to be tried now."""
        self.flush_backoff(now)
        while self._heap:
            order, key = heapq.heappop(self._heap)
            entry = self._active.get(key)
            if entry is not None and self._order(entry) == order:
                del self._active[key]
                return replace(entry, attempts=entry.attempts + 1)
        if not self.release.enabled("SchedulerPopFromBackoffQ"):
            return None
        # With an empty active queue nobody needs to wait for the end of a back-off.
        entry = self._first_to_end()
        if entry is None:
            return None
        del self._backoff[entry.key]
        return replace(entry, attempts=entry.attempts + 1)

    def expiry(self, entry: QueuedPod) -> Seconds:
        """When the pod's back-off ends. Upstream: getBackoffTime."""
        if entry.attempts == 0:
            return entry.timestamp
        doubled: int = INITIAL_BACKOFF_SECONDS << min(entry.attempts - 1, 8)
        end = entry.timestamp + min(doubled, MAX_BACKOFF_SECONDS)
        return math.floor(end) if self.release.minor >= 33 else end

    def _backs_off(self, entry: QueuedPod, now: Seconds) -> bool:
        if entry.attempts == 0:
            return False
        if self.release.minor >= 33:
            return self.expiry(entry) >= math.floor(now)
        return self.expiry(entry) > now

    def fail(
        self, entry: QueuedPod, pod: PodView, rejected_by: frozenset[str], now: Seconds
    ) -> None:
        """Back after a failed attempt; without a rejecting plugin (an error) it backs off."""
        failed = replace(
            entry, pod=pod, timestamp=now, sequence=self._next(), rejected_by=rejected_by
        )
        if rejected_by:
            self._unschedulable[entry.key] = failed
        else:
            self._back_off(failed)

    def move(self, event: PodEvent, now: Seconds) -> tuple[PodView, ...]:
        """Wake all pods whose rejecting plugins want it; those woken, in queue order.

        Upstream: MoveAllToActiveOrBackoffQueue.
        """
        woken = [
            entry
            for entry in self._unschedulable.values()
            if wakes(entry.rejected_by, event, entry.pod, self.release)
        ]
        return self._wake(woken, now)

    def _wake(self, woken: Iterable[QueuedPod], now: Seconds) -> tuple[PodView, ...]:
        ordered = sorted(woken, key=self._order)
        for entry in ordered:
            del self._unschedulable[entry.key]
            if self._backs_off(entry, now):
                self._back_off(entry)
            else:
                self._activate(entry)
        return tuple(entry.pod for entry in ordered)

    def wake_one(self, key: str, now: Seconds) -> None:
        """An update of the pod itself may help it. Upstream: Update."""
        entry = self._unschedulable.get(key)
        if entry is not None:
            self._wake((entry,), now)

    def flush_backoff(self, now: Seconds) -> None:
        """Pods whose back-off is over become active. Upstream: flushBackoffQCompleted."""
        while (entry := self._first_to_end()) is not None and not self._backs_off(entry, now):
            del self._backoff[entry.key]
            self._activate(entry)

    def flush_unschedulable(self, now: Seconds) -> tuple[PodView, ...]:
        """Upstream: flushUnschedulablePodsLeftover."""
        return self._wake(
            [e for e in self._unschedulable.values() if now - e.timestamp > FLUSH_AFTER_SECONDS],
            now,
        )

    def next_backoff_end(self) -> int | None:
        """The second at which the next back-off is over; None if nobody backs off."""
        first = self._first_to_end()
        return None if first is None else math.floor(self.expiry(first)) + 1

    def next_flush(self, changed: Seconds) -> Seconds | None:
        """When the first pod is tried for having lain too long; `changed`: the last change.

        None where every waiting pod has been tried since: trying again finds the same.
        """
        times = [e.timestamp for e in self._unschedulable.values() if e.timestamp < changed]
        if not times:
            return None
        due = min(times) + FLUSH_AFTER_SECONDS
        # The flush runs every 30 seconds and takes those that are over the limit.
        return (math.floor(due / FLUSH_EVERY_SECONDS) + 1) * FLUSH_EVERY_SECONDS
