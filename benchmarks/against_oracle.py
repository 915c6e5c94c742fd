"""kschedx against the real scheduler on one large case, in one run.

    python benchmarks/against_oracle.py ORACLE [--command preempt] [--nodes N] [--pods N] [--runs N]

ORACLE is the program that tests/oracle/build.sh builds. Prints seconds, peak memory and ratios;
exits 1 where kschedx takes more than half of the oracle's time, or more memory.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.large_cluster import write_cluster

ALLOWED_RATIO = 0.5


def measured(command: list[str], stdin: Path | None = None) -> tuple[float, float]:
    """Seconds and peak MiB of one run. Raises CalledProcessError if it fails."""
    with (stdin or Path(os.devnull)).open("rb") as source:
        start = perf_counter()
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return seconds, usage.ru_maxrss / 1024


def namespace_of(cluster: Path, pod: str) -> str:
    """The pod's namespace. The file has one object a line: it is never held whole in memory.

    A process that is started counts its parent's memory as its own peak.
    """
    start = f'{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{pod}",'
    with cluster.open() as lines:
        line = next(line for line in lines if line.startswith(start))
    namespace: str = json.loads(line.rstrip(",\n"))["metadata"]["namespace"]
    return namespace


def write_case(cluster: Path, key: str, out: Path) -> None:
    """The cluster as one line for the oracle, to be judged once."""
    with cluster.open() as lines, out.open("w") as case:
        case.write(f'{{"id":"big","pod":"{key}","runs":1,"objects":[')
        first = next(lines)
        case.write(first[first.index('"items":[') + len('"items":[') :].rstrip("\n"))
        for line in lines:
            case.write(line.rstrip("\n"))
        case.write("\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("oracle", type=Path)
    parser.add_argument("--command", default="why", choices=["why", "preempt", "score"])
    parser.add_argument("--option", action="append", default=[], help="passed to kschedx")
    parser.add_argument("--pod", default="pending-1")
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--pods", type=int, default=50000)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        cluster = Path(folder, "big.json")
        write_cluster(cluster, nodes=options.nodes, pods=options.pods, pending=6)
        namespace = namespace_of(cluster, options.pod)
        case = Path(folder, "case.jsonl")
        write_case(cluster, f"{namespace}/{options.pod}", case)
        kschedx = [sys.executable, "-m", "kschedx", options.command, options.pod, "-n", namespace]
        kschedx += ["-f", str(cluster), "-o", "json", *options.option]
        ours, theirs = [], []
        for _ in range(options.runs):
            ours.append(measured(kschedx))
            theirs.append(measured([str(options.oracle)], case))
    rows = {"kschedx": ours, "oracle": theirs}
    for name, runs in rows.items():
        seconds = ", ".join(f"{second:.2f}" for second, _ in runs)
        print(f"{name:8} {seconds} s, peak {max(mib for _, mib in runs):.0f} MiB")
    time_ratio = min(s for s, _ in ours) / min(s for s, _ in theirs)
    memory_ratio = max(m for _, m in ours) / max(m for _, m in theirs)
    print(f"ratio    time {time_ratio:.2f} (at most {ALLOWED_RATIO}), memory {memory_ratio:.2f}")
    return int(time_ratio > ALLOWED_RATIO or memory_ratio > 1)


if __name__ == "__main__":
    raise SystemExit(main())
