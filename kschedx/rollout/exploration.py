"""Orders of events: the least and the most favourable that are legal, within a stated bound.

Open in a rollout is whether the scheduler is idle or busy between the moment in which it sees room
free and the moment in which the successor exists, which of several equally good nodes it draws, in
which order equal waiting pods have failed before, which of several equal pods a controller takes
first, and whether a pod that arrives is tried together with those that wait or after them. What may arrive meanwhile is another question
(arrivals.py). Everything else is given by the rules. Runs are told apart by the answers to these
questions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from kschedx.rollout.played import Played

MOST_RUNS: Final = 12
"""Orders that are played before the search is given up."""
MOST_LOOKS: Final = 50_000
"""Looks at single nodes after which no further order is begun: large clusters play fewer."""


@dataclass
class Answers:
    """Answers the questions of one run: as told, then always alike."""

    told: tuple[int, ...] = ()
    last: bool = False
    """The last option after those that are told; otherwise the first."""
    given: list[int] = field(default_factory=list)
    options: list[int] = field(default_factory=list)

    @property
    def again(self) -> Answers:
        """The same answers for another run."""
        return Answers(tuple(self.given), last=self.last)

    @property
    def plain(self) -> bool:
        """Always the first option, the least favourable one."""
        return not self.last and not any(self.given)

    def choose(self, question: str, options: Sequence[str]) -> int:
        """One of the options, by index."""
        index = len(self.given)
        if index < len(self.told) and self.told[index] < len(options):
            answer = self.told[index]
        else:
            answer = len(options) - 1 if self.last else 0
        self.given.append(answer)
        self.options.append(len(options))
        return answer


@dataclass(frozen=True)
class Explored:
    """The orders that were played."""

    worst: Played
    """The first that stops, or the least favourable where none does."""
    best: Played
    """The first that does not stop, or the most favourable where all do."""
    runs: int
    complete: bool
    """Every order was played; otherwise the search ended at its bound."""

    @property
    def differ(self) -> bool:
        return good(self.worst) != good(self.best)


def good(played: Played) -> bool:
    """It completes, or goes as far as the workload's own strategy lets it."""
    return played.done or bool(played.progress.held_by)


def explore(
    play: Callable[[Answers], Played],
    order: str = "both",
    most_runs: int = MOST_RUNS,
    looked_at: Callable[[], int] = lambda: 0,
) -> Explored:
    """Play orders until one stops and another does not. `order`: worst, best or both.

    `looked_at`: how many nodes attempts have looked at so far; after MOST_LOOKS no further order
    is begun.
    """
    first = Answers(last=order == "best")
    played = play(first)
    if order != "both" or not first.options:
        return Explored(played, played, 1, complete=not first.options)
    worst = best = played
    seen = {tuple(first.given)}
    queue: deque[Answers] = deque([Answers(last=True)])
    queue.extend(alternatives(first))
    runs = 1
    while queue and good(worst) == good(best):
        if runs >= most_runs or looked_at() > MOST_LOOKS:
            return Explored(worst, best, runs, complete=False)
        answers = queue.popleft()
        if answers.told and any(given[: len(answers.told)] == answers.told for given in seen):
            continue
        played = play(answers)
        runs += 1
        if good(played) and not good(best):
            best = played
        if not good(played) and good(worst):
            worst = played
        if tuple(answers.given) not in seen:
            seen.add(tuple(answers.given))
            queue.extend(alternatives(answers))
    return Explored(worst, best, runs, complete=not queue)


def alternatives(answers: Answers) -> list[Answers]:
    """The run with one later answer changed, the last one first."""
    found = []
    for index in range(len(answers.given) - 1, len(answers.told) - 1, -1):
        for option in range(answers.options[index]):
            if option != answers.given[index]:
                told = (*answers.given[:index], option)
                found.append(Answers(told, last=answers.last))
    return found
