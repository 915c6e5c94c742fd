"""A progress bar for who waits at a terminal; nothing at all where the wait is short."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

QUIET_SECONDS: Final = 1.0
"""A wait up to this long shows nothing."""


class Waiting:
    """Counts by what is counted; may be told from any thread."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}
        self._lock = threading.Lock()

    def told(self, what: str, done: int, total: int) -> None:
        """`done` of `total` are there, as far as is known."""
        if self._progress is None:
            return
        with self._lock:
            if what not in self._tasks:
                self._tasks[what] = self._progress.add_task(what, total=total)
            task = self._tasks[what]
        self._progress.update(task, completed=done, total=total, visible=done < total)


@contextmanager
def waiting(stream: TextIO, *, wanted: bool = True) -> Iterator[Waiting]:
    """A bar on this stream if it is a terminal, gone again at the end."""
    if not (wanted and stream.isatty()):
        yield Waiting(None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        console=Console(file=stream),
        transient=True,
    )
    lock = threading.Lock()
    over = False

    def begin() -> None:
        with lock:
            if not over:
                progress.start()

    timer = threading.Timer(QUIET_SECONDS, begin)
    timer.daemon = True
    timer.start()
    try:
        yield Waiting(progress)
    finally:
        timer.cancel()
        with lock:
            over = True
            progress.stop()
