"""Would writing the old template back help, once the rollout has stopped?

With OrderedReady it usually does not: the set waits for the stuck pod before it looks at revisions
(the forced rollback of kubernetes#67250).
"""

from __future__ import annotations

from collections.abc import Sequence

from kschedx.rollout.attempts import Attempts
from kschedx.rollout.change import Workload, with_template
from kschedx.rollout.contention import run_of
from kschedx.rollout.exploration import Answers
from kschedx.rollout.played import Conditions, play
from kschedx.rollout.progress import is_new
from kschedx.rollout.report import Undo
from kschedx.rollout.timeline import short
from kschedx.snapshot.snapshot import Snapshot


def undo(
    snapshot: Snapshot,
    old: Workload,
    steps: Sequence[Workload],
    run_again: tuple[Attempts, Conditions, Answers],
) -> Undo | None:
    """The same order of events (`run_again`: with what it was played) again, then the old template. None: the template did not change."""
    attempts, conditions, answers = run_again
    last = steps[-1]
    if last.spec.template == old.spec.template:
        return None
    back = with_template(last, old.spec.template)
    played = play(snapshot, (*steps, back), attempts, conditions, answers.again.choose)
    run = run_of(played)
    if played.done or played.progress.held_by:
        return Undo(helps=True, sentence="writing the old template back lets it complete again")
    waits = run.reason
    if run.stuck and not is_new(played.world, played.owner, played.world.pods[run.stuck[0]]):
        # Its controller waits for it instead of replacing it.
        waits = f"{short(run.stuck[0], old.namespace)} has to be deleted by hand or be given room"
    return Undo(helps=False, sentence=f"writing the old template back does not help: {waits}")
