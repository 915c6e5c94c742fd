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
        objects = json.loads(cluster.read_bytes())["items"]
        namespace = next(
            item["metadata"]["namespace"]
            for item in objects
            if item["kind"] == "Pod" and item["metadata"]["name"] == options.pod
        )
        case = Path(folder, "case.jsonl")
        key = f"{namespace}/{options.pod}"
        case.write_text(json.dumps({"id": "big", "pod": key, "runs": 1, "objects": objects}))
        del objects
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
