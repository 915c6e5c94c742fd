#!/usr/bin/env python3
"""Ask the real scheduler again where it and the replay differ: settle.py ORACLE CASES WANT GOT.

Some lists that the scheduler walks have no order: in 1.37 a pod's first violated disruption budget
hides the others. On such a case it says now this, now that, and what it says in one of twenty runs
is as right as what it said first: WANT is rewritten with the verdict that agrees with GOT. Cases
on which it stands by its first verdict stay as they are. Prints how many cases were settled.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

if not __package__:  # run as a file: the project's root is not on the path yet
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.oracle.compare import Object, differences, lines

RUNS: Final = 20
MOST: Final = 40


def asked_again(oracle: str, case: Object) -> list[Object]:
    """What the scheduler says of a case, run after run."""
    text = json.dumps(case, separators=(",", ":")) + "\n"
    run = subprocess.run(
        [oracle], input=text * RUNS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


def differ(case: Object, want: Object, got: Object) -> bool:
    """Whether the replay's verdict is another."""
    return next(differences(case, want, got), None) is not None


def settled(oracle: str, cases: list[Object], want: list[Object], got: list[Object]) -> int:
    """Replace verdicts that the scheduler doesn't stand by, and count them."""
    by_id = {verdict["id"]: verdict for verdict in got}
    disputed = [
        (i, by_id[case["id"]])
        for i, case in enumerate(cases)
        if case["id"] in by_id and differ(case, want[i], by_id[case["id"]])
    ]
    if len(disputed) > MOST:  # it is not the order of a list
        return 0
    count = 0
    for i, found in disputed:
        for again in asked_again(oracle, cases[i]):
            if not again.get("error") and not differ(cases[i], again, found):
                want[i] = again
                count += 1
                break
    return count


def main(argv: Sequence[str]) -> int:
    """Settle what can be settled."""
    oracle, cases, want_file, got = argv
    want = lines(want_file)
    count = settled(oracle, lines(cases), want, lines(got))
    Path(want_file).write_text("".join(json.dumps(verdict) + "\n" for verdict in want))
    sys.stdout.write(f"{count}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
