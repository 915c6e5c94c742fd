#!/usr/bin/env python3
"""Compare two verdict files: compare.py CASES WANT GOT [--show N] [--fields A,B,...].

CASES, WANT and GOT are JSON lines (plain or .gz). WANT is what the real kube-scheduler said.
Prints every kind of difference with its count, the first N differing cases in full, and closes
with 'N passed, M failed'. Exit status 1 when anything differs.

What must be equal: preEnqueue, preFilter and preFilterNodes, every node's code, plugin and
reasons (as a sorted list), every plugin's weighted score and the total, the whole message,
preemption eligibility and its reason, every candidate node with its victims and its count of
violated disruption budgets, and the nominated node; --fields narrows that to the fields named.
Where the scheduler itself draws between equals, GOT names exactly the equals: 'selected' is the
set of top scorers (or the one node that was taken unscored), 'nominated' the set of nodes that
tie. Victims may differ only between pods of equal priority and start time. The node that a 1.37
message names after a successful dry run may be any of the nominated.
"""

import argparse
import collections
import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Object = dict[str, Any]
Difference = tuple[str, object, object]

NOMINATING = re.compile(r"found a potential placement for pod on node (\S+), preempting")


def lines(path: str) -> list[Object]:
    """Read JSON lines."""
    with gzip.open(path, "rt") if path.endswith(".gz") else Path(path).open() as file:
        return [json.loads(line) for line in file if line.strip()]


def differences(case: Object, want: Object, got: Object) -> Iterator[Difference]:
    """Yield (field, wanted, found) for each field that differs."""
    if want.get("error"):
        return
    if got.get("error"):
        yield "error", None, got["error"]
        return
    yield from _in_filters(want, got)
    yield from _in_scores(want, got)
    yield from _in_selected(want, got)
    yield from _in_message(want, got)
    yield from _in_preemption(case, want, got)


def _in_filters(want: Object, got: Object) -> Iterator[Difference]:
    for field in ("preEnqueue", "preFilter"):
        a, b = _verdict(want.get(field)), _verdict(got.get(field))
        if a != b:
            yield field, a, b
    if sorted(want.get("preFilterNodes") or []) != sorted(got.get("preFilterNodes") or []):
        yield "preFilterNodes", want.get("preFilterNodes"), got.get("preFilterNodes")
    wanted, found = want.get("nodes") or {}, got.get("nodes") or {}
    for name in sorted(set(wanted) | set(found)):
        a, b = _verdict(wanted.get(name)), _verdict(found.get(name))
        if a != b:
            yield "nodes", (name, a), (name, b)


def _verdict(verdict: Object | None) -> tuple[object, ...] | None:
    if verdict is None:
        return None
    reasons = tuple(sorted(verdict.get("reasons") or []))
    return verdict.get("code"), verdict.get("plugin") or "", reasons


def _in_scores(want: Object, got: Object) -> Iterator[Difference]:
    wanted, found = want.get("scores") or {}, got.get("scores") or {}
    for name in sorted(set(wanted) | set(found)):
        a = {k: v for k, v in (wanted.get(name) or {}).items() if v}
        b = {k: v for k, v in (found.get(name) or {}).items() if v}
        if a != b:
            keys = [k for k in sorted(set(a) | set(b)) if a.get(k) != b.get(k)]
            yield "scores", (name, {k: a.get(k) for k in keys}), (name, {k: b.get(k) for k in keys})


def _in_selected(want: Object, got: Object) -> Iterator[Difference]:
    allowed, found = set(want.get("selected") or []), set(got.get("selected") or [])
    scores = want.get("scores") or {}
    if scores and allowed:
        best = max(score["total"] for score in scores.values())
        top = {name for name, score in scores.items() if score["total"] == best}
        if allowed <= top and found != allowed:
            allowed = top
    if found != allowed:
        yield "selected", sorted(allowed), sorted(found)


def _in_message(want: Object, got: Object) -> Iterator[Difference]:
    nominated = set(want.get("nominated") or []) | set(got.get("nominated") or [])

    def text(message: str | None) -> str | None:
        match = NOMINATING.search(message or "")
        if message and match and match.group(1) in nominated:
            return message.replace(match.group(1), "NOMINATED", 1)
        return message or None

    if text(want.get("message")) != text(got.get("message")):
        yield "message", want.get("message"), got.get("message")


def _in_preemption(case: Object, want: Object, got: Object) -> Iterator[Difference]:
    for field in ("preemptionEligible", "preemptionEligibleReason"):
        if (want.get(field) or None) != (got.get(field) or None):
            yield field, want.get(field), got.get(field)
    weights = _weights(case)
    candidates = want.get("candidates") or {}, got.get("candidates") or {}
    for name in sorted(set(candidates[0]) | set(candidates[1])):
        a, b = candidates[0].get(name), candidates[1].get(name)
        if not _same_victims(weights, a, b):
            yield "candidates", (name, a), (name, b)
    wanted, found = set(want.get("nominated") or []), set(got.get("nominated") or [])
    if wanted != found and not (len(wanted) > 1 and wanted <= found):
        yield "nominated", want.get("nominated"), got.get("nominated")


def _weights(case: Object) -> dict[str, tuple[int, str | None]]:
    """What the order of victims depends on: each pod's priority and start time."""
    return {
        f"{each['metadata'].get('namespace', 'default')}/{each['metadata']['name']}": (
            each["spec"].get("priority", 0),
            each.get("status", {}).get("startTime"),
        )
        for each in case["objects"]
        if each["kind"] == "Pod"
    }


def _same_victims(
    weights: dict[str, tuple[int, str | None]], a: Object | None, b: Object | None
) -> bool:
    if a is None or b is None or a["pdbViolations"] != b["pdbViolations"]:
        return False
    if sorted(a["pods"]) == sorted(b["pods"]):
        return True
    weighed = [sorted(str(weights.get(pod)) for pod in each["pods"]) for each in (a, b)]
    return weighed[0] == weighed[1]


def main(argv: Sequence[str]) -> int:
    """Compare the files and print what differs."""
    parser = argparse.ArgumentParser(prog="compare.py", description="Compare two verdict files.")
    for name in ("cases", "want", "got"):
        parser.add_argument(name, type=lines)
    parser.add_argument("--show", type=int, default=5)
    parser.add_argument("--fields", type=lambda text: set(text.split(",")) | {"error"})
    given = parser.parse_args(argv)
    # A version's verdicts may cover only the first cases of a family.
    cases = given.cases[: len(given.want)]
    by_id = {verdict["id"]: verdict for verdict in given.got}
    counts: collections.Counter[str] = collections.Counter()
    failed = 0
    out = []
    for case, want in zip(cases, given.want, strict=True):
        found = differences(case, want, by_id.get(case["id"], {"error": "no verdict"}))
        shown = [each for each in found if given.fields is None or each[0] in given.fields]
        if not shown:
            continue
        failed += 1
        counts.update({field for field, _, _ in shown})
        if failed <= given.show:
            out.append(f"--- {case['id']}")
            out += [f"  {field}\n    want {a}\n    got  {b}" for field, a, b in shown[:6]]
    out += [f"{field}: {count} cases" for field, count in counts.most_common()]
    out.append(f"{len(cases) - failed} passed, {failed} failed")
    sys.stdout.writelines(line + "\n" for line in out)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
