"""Baseline: findings that were accepted earlier, and are not told again unless they get worse."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from kschedx.api.errors import KschedxError
from kschedx.gate.findings import Finding, ObjectName

API_VERSION: Final = "kschedx.io/v1"
KIND: Final = "CheckBaseline"


def written(findings: Iterable[Finding]) -> dict[str, Any]:
    """The findings as a baseline file holds them: no lines, no numbers of the cluster's."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "accepted": [
            {
                "rule": finding.rule,
                "kind": finding.subject.kind,
                "namespace": finding.subject.namespace,
                "name": finding.subject.name,
                "about": finding.about,
                "amount": finding.amount,
            }
            for finding in sorted(findings, key=lambda f: f.key)
        ],
    }


def read(value: Any, name: str) -> list[Finding]:
    """The accepted findings of a baseline file. Raises KschedxError for another file."""
    if not isinstance(value, dict) or value.get("kind") != KIND:
        raise _wrong(name, f"it is no {KIND}")
    accepted = value.get("accepted")
    if not isinstance(accepted, list):
        raise _wrong(name, "it has no list of accepted findings")
    return [_finding(entry, name, index) for index, entry in enumerate(accepted)]


def _finding(entry: Any, name: str, index: int) -> Finding:
    if not isinstance(entry, dict):
        raise _wrong(name, f"accepted[{index}] is no mapping")
    texts = {}
    for field in ("rule", "kind", "namespace", "name", "about"):
        texts[field] = entry.get(field, "")
        if not isinstance(texts[field], str):
            raise _wrong(name, f"accepted[{index}].{field} is no text")
    amount = entry.get("amount", 1)
    if not isinstance(amount, int) or isinstance(amount, bool):
        raise _wrong(name, f"accepted[{index}].amount is no whole number")
    shown = ObjectName(texts["kind"], texts["namespace"], texts["name"])
    return Finding(texts["rule"], shown, "", about=texts["about"], amount=amount)


def _wrong(name: str, what: str) -> KschedxError:
    return KschedxError(
        "not-a-baseline",
        f"{name}: {what}",
        hint="kschedx check ... --write-baseline FILE writes one",
    )
