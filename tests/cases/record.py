"""Ask the real scheduler: `python -m tests.cases.record ORACLE [CASE...]`.

ORACLE is the program that tests/oracle/build.sh makes from kube-scheduler 1.35.4. Writes
kube-scheduler.json into the folder of each case, all of them unless some are named.
"""

import json
import subprocess
import sys
from collections.abc import Sequence

from tests.cases.clusters import oracle_line, recorded_file
from tests.cases.expected import EXPECTED


def main(arguments: Sequence[str]) -> int:
    """Record the cases whose pods the scheduler tries."""
    oracle, *named = arguments
    cases = {
        name: expected.pod
        for name, expected in EXPECTED.items()
        if expected.tried and (not named or name in named)
    }
    lines = "".join(f"{oracle_line(name, pod)}\n" for name, pod in cases.items())
    said = subprocess.run([oracle], input=lines, capture_output=True, text=True, check=True).stdout
    for line in said.splitlines():
        verdict = json.loads(line)
        text = json.dumps(verdict, indent=1, sort_keys=True)
        recorded_file(verdict["id"]).write_text(f"{text}\n", encoding="utf-8")
        said_of = verdict.get("error") or verdict.get("message") or "fits"
        sys.stdout.write(f"{verdict['id']}: {said_of}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
