"""`kschedx why` on a large live cluster against fetching the same lists and throwing them away.

python -m benchmarks.live BINARIES [NODES] [PODS] [RUNS]

BINARIES holds etcd and kube-apiserver (tests/live/run.sh builds them). The objects are put into
etcd as they are, since creating 55,000 of them one by one would take longer than all the rest.
Prints the seconds and the memory of both, and fails beyond 1.6 times and 1 GB.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from benchmarks.large_cluster import write_cluster
from kschedx.snapshot import kinds
from tests.live.control_plane import ADMIN, ControlPlane, Raw, trusting

MAX_RATIO = 1.6
MAX_BYTES = 1_000_000_000
PENDING = 200
AT_ONCE = 100
FOLDERS = {"Node": "minions", "Pod": "pods", "Namespace": "namespaces"}
CONTINUE = re.compile(rb'"continue":"([^"]+)"')


def fill(etcd: str, cluster: Path) -> str:
    """Put every object of the file into etcd; the last, a Pending pod, is named."""
    objects = json.loads(cluster.read_text())["items"]
    where = urlsplit(etcd)
    connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=60)
    for start in range(0, len(objects), AT_ONCE):
        puts = [{"requestPut": put(item)} for item in objects[start : start + AT_ONCE]]
        connection.request("POST", "/v3/kv/txn", json.dumps({"success": puts}))
        answer = connection.getresponse()
        said = answer.read()
        assert answer.status == 200, said
    connection.close()
    last: Raw = objects[-1]["metadata"]
    return f"{last['namespace']}/{last['name']}"


def put(item: Raw) -> Raw:
    metadata = item["metadata"]
    parts = [FOLDERS[item["kind"]], metadata.get("namespace", ""), metadata["name"]]
    key = "/registry/" + "/".join(part for part in parts if part)
    return {
        "key": base64.b64encode(key.encode()).decode(),
        "value": base64.b64encode(json.dumps(item).encode()).decode(),
    }


def raw_pages(server: str, path: str, limit: int) -> Iterator[int]:
    """The sizes of a list's pages, on a connection of its own."""
    where = urlsplit(server)
    connection = http.client.HTTPSConnection(
        where.hostname or "", where.port, context=trusting(), timeout=120
    )
    headers = {"Authorization": f"Bearer {ADMIN}"}
    token = ""
    while True:
        query = {"limit": limit, "continue": token} if token else {"limit": limit}
        connection.request("GET", f"{path}?{urlencode(query)}", headers=headers)
        body = connection.getresponse().read()
        yield len(body)
        found = CONTINUE.search(body, 0, 4096)
        if found is None:
            connection.close()
            return
        token = found[1].decode()


def fetch_raw(server: str, limit: int) -> tuple[float, int]:
    """Seconds and bytes of all lists, each kind on its own connection, bodies thrown away."""
    paths = [
        f"/apis/{kind.groups[0]}/v1/{kind.plural}" if kind.groups[0] else f"/api/v1/{kind.plural}"
        for kind in kinds.ALL
    ]
    began = time.monotonic()
    with ThreadPoolExecutor(len(paths)) as pool:
        sizes = list(pool.map(lambda path: sum(raw_pages(server, path, limit)), paths))
    return time.monotonic() - began, sum(sizes)


def ask(kubeconfig: Path, pod: str) -> tuple[float, int]:
    """Seconds and peak memory in bytes of one `kschedx why`."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "kschedx", "why", pod, "--kubeconfig", str(kubeconfig)],
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return time.monotonic() - began, usage.ru_maxrss * 1024


def main() -> int:
    binaries = Path(sys.argv[1])
    nodes, pods, runs = (
        int(sys.argv[place]) if len(sys.argv) > place else default
        for place, default in ((2, 5_000), (3, 50_000), (4, 3))
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_cluster(folder / "cluster.json", nodes=nodes, pods=pods, pending=PENDING)
        with ControlPlane(binaries, folder, scheduler=False) as control_plane:
            began = time.monotonic()
            # In a process of its own: a child's peak memory counts from its parent's.
            with ProcessPoolExecutor(1) as apart:
                pod = apart.submit(fill, control_plane.etcd, folder / "cluster.json").result()
            print(f"{nodes} nodes and {pods} pods put there in {time.monotonic() - began:.0f} s")
            time.sleep(15)  # the server's own watches have seen them
            return measure(control_plane, pod, runs)


def measure(control_plane: ControlPlane, pod: str, runs: int) -> int:
    ratios, peaks = [], []
    for _ in range(runs):
        raw, size = fetch_raw(control_plane.server, 500)
        took, peak = ask(control_plane.kubeconfig, pod)
        ratios.append(took / raw)
        peaks.append(peak)
        print(
            f"raw {raw:.1f} s for {size / 1e6:.0f} MB; kschedx why {took:.1f} s, "
            f"{peak / 1e6:.0f} MB; {took / raw:.2f} times"
        )
    ratio, peak = statistics.median(ratios), max(peaks)
    print(f"median {ratio:.2f} times (at most {MAX_RATIO}), {peak / 1e6:.0f} MB (at most 1000)")
    return int(ratio > MAX_RATIO or peak > MAX_BYTES)


if __name__ == "__main__":
    raise SystemExit(main())
