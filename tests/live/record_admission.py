"""What an API server makes of raw objects: writes tests/fixtures/admission anew.

    python -m tests.live.record_admission https://127.0.0.1:PORT TOKEN FIXTURE.json

The server must be empty, with ServiceAccount admission off. The raw objects are those that the
fixture holds: to record another, add {"raw": {...}} to it. What the server refuses is an error.
"""

import argparse
import json
import ssl
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from kschedx.snapshot.kinds import served_as

Json = dict[str, Any]
CHANGES_WITH_EVERY_RUN = ("managedFields", "resourceVersion")


def call(method: str, url: str, token: str, body: Json | None = None) -> Json:
    """One request; the answer, or the error with the server's own words."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, content, headers, method=method)
    try:
        with urllib.request.urlopen(
            request, context=ssl._create_unverified_context(), timeout=30
        ) as answer:
            decoded: Json = json.load(answer)
            return decoded
    except urllib.error.HTTPError as error:
        raise RuntimeError(error.read().decode()) from error


def created(server: str, token: str, raw: Json) -> Json:
    """The object as it is read after it was created."""
    kind = served_as(raw["apiVersion"], raw["kind"])
    assert kind is not None
    core = raw["apiVersion"] == "v1"
    path = f"{server}/{'api' if core else 'apis'}/{raw['apiVersion']}"
    if kind.namespaced:
        path += f"/namespaces/{raw['metadata']['namespace']}"
    call("POST", f"{path}/{kind.plural}", token, raw)
    stored = call("GET", f"{path}/{kind.plural}/{raw['metadata']['name']}", token)
    for field in CHANGES_WITH_EVERY_RUN:
        stored["metadata"].pop(field, None)
    return stored


def main() -> None:
    """Create everything in the fixture's order and write what came back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("server")
    parser.add_argument("token")
    parser.add_argument("fixture", type=Path)
    given = parser.parse_args()
    phases: list[dict[str, list[Json]]] = json.loads(given.fixture.read_text())
    known: dict[str, Json] = {}
    for phase in phases:
        for pair in (*phase["cluster"], *phase["created"]):
            name = json.dumps(pair["raw"], sort_keys=True)
            if name not in known:
                known[name] = created(given.server, given.token, pair["raw"])
            pair["stored"] = known[name]
    given.fixture.write_text(packed(phases))


def packed(phases: list[dict[str, list[Json]]]) -> str:
    """One object a line, so that a diff shows which one changed."""

    def lines(pairs: list[Json]) -> str:
        return ",\n".join(json.dumps(pair, separators=(",", ":")) for pair in pairs)

    parts = (
        f'{{"cluster":[\n{lines(p["cluster"])}\n],"created":[\n{lines(p["created"])}\n]}}'
        for p in phases
    )
    return "[\n" + ",\n".join(parts) + "\n]\n"


if __name__ == "__main__":
    main()
