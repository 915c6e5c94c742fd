"""Finding: one thing that would go wrong, with the place in the manifest that causes it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

from kschedx.api.meta import Object
from kschedx.snapshot.snapshot import NAMESPACED, Source


class Severity(StrEnum):
    """How bad a finding is, the worst first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    def at_least(self, other: Severity) -> bool:
        order = list(Severity)
        return order.index(self) <= order.index(other)


class FailOn(StrEnum):
    """From which severity on the check fails."""

    ERROR = "error"
    WARNING = "warning"
    NEVER = "never"

    def fails(self, severity: Severity) -> bool:
        return self is not FailOn.NEVER and severity.at_least(Severity(self.value))


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding."""

    code: str
    """Kebab-case, names the cause, public for ever."""
    severity: Severity
    meaning: str


RULES: Final[tuple[Rule, ...]] = (
    Rule("unschedulable", Severity.ERROR, "Replicas that no node can take"),
    Rule("not-created", Severity.ERROR, "Pods that the API server would refuse"),
    Rule("claim-unusable", Severity.ERROR, "Pods that wait for a claim without a usable volume"),
    Rule("rollout-deadlock", Severity.ERROR, "A change that stops and never completes"),
    Rule("rollout-at-risk", Severity.WARNING, "A change that stops in some order of events"),
    Rule("preempts", Severity.WARNING, "Pods that would evict others"),
    Rule("blocks-drain", Severity.WARNING, "A disruption budget that keeps a node from draining"),
    Rule("cannot-lose-a-node", Severity.WARNING, "Pods without a place if their node is lost"),
    Rule("steals-slot", Severity.WARNING, "A waiting pod that takes the room of a rolling set"),
    Rule("not-checked", Severity.NOTE, "What could not be decided"),
)
RULE: Final[Mapping[str, Rule]] = MappingProxyType({rule.code: rule for rule in RULES})


@dataclass(frozen=True, slots=True, order=True)
class ObjectName:
    """An object as people name it."""

    kind: str
    namespace: str
    """Empty for objects that have none."""
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}".replace(" /", " ")

    @classmethod
    def of(cls, item: Object) -> ObjectName:
        """The name of an object; its type names its kind."""
        namespace = item.namespace if isinstance(item, NAMESPACED) else ""
        return cls(type(item).__name__, namespace, item.name)


@dataclass(frozen=True, slots=True)
class Fix:
    """A change after which a replay goes well."""

    sentence: str
    command: str = ""
    """Empty where the manifest has to be changed by hand."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One rule broken by one object."""

    rule: str
    subject: ObjectName
    sentence: str
    """The fact, need against have; no advice, no full stop."""
    details: tuple[str, ...] = ()
    """The explanation, a line each."""
    fix: Fix | None = None
    about: str = ""
    """What tells findings of one rule and object apart: a claim, a quota, a budget."""
    amount: int = 1
    """How much is wrong, such as how many replicas: more than before is worse than before."""
    place: Source | None = None
    severity: Severity = Severity.ERROR

    @property
    def key(self) -> tuple[str, str, str]:
        """Stays the same while lines move and the cluster changes."""
        return self.rule, str(self.subject), self.about

    @property
    def fingerprint(self) -> str:
        """32 hexadecimal digits that stand for the key."""
        return hashlib.sha256("\0".join(self.key).encode()).hexdigest()[:32]

    @property
    def order(self) -> tuple[object, ...]:
        """Worst first, then by place."""
        place = self.place or Source("")
        severity = list(Severity).index(self.severity)
        return severity, place.file, place.line, place.column, str(self.subject), *self.key


@dataclass(frozen=True, slots=True)
class Checked:
    """One object of the manifests that has pods."""

    subject: ObjectName
    place: Source | None
    change: Literal["new", "scaled", "changed", "same"]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `kschedx check` says."""

    scheduler: str
    version_assumed: bool
    node_count: int
    checked: tuple[Checked, ...]
    findings: tuple[Finding, ...]
    """Worst first."""
    fail_on: FailOn = FailOn.ERROR
    accepted: int = 0
    """Findings left out because a baseline accepts them."""
    in_base: int = 0
    """Findings left out because the base manifests have them too."""
    compared_to_base: bool = False
    notes: tuple[str, ...] = ()
    """What the reading has to say."""

    def count(self, severity: Severity) -> int:
        return sum(finding.severity is severity for finding in self.findings)

    @property
    def failing(self) -> tuple[Finding, ...]:
        """The findings that make the check fail."""
        return tuple(f for f in self.findings if self.fail_on.fails(f.severity))


def worse_than(findings: Iterable[Finding], before: Iterable[Finding]) -> list[Finding]:
    """Those that were not there before, or are worse now."""
    known: dict[tuple[str, str, str], int] = {}
    for finding in before:
        known[finding.key] = max(finding.amount, known.get(finding.key, 0))
    return [f for f in findings if f.amount > known.get(f.key, 0)]
