"""Reason < Verdict < NodeTrace: why a rule, and then all rules, reject a pod on a node."""

from __future__ import annotations

import enum
from dataclasses import dataclass, fields
from typing import Any, ClassVar


class Outcome(enum.IntEnum):
    """What a rule says of a pod on a node, mildest first. Not knowing is not fitting."""

    FITS = 0
    NOT_CHECKED = 1
    UNSCHEDULABLE = 2
    """Evicting pods might help. Upstream's Unschedulable."""
    UNRESOLVABLE = 3
    """No eviction helps. Upstream's UnschedulableAndUnresolvable."""

    @property
    def upstream(self) -> str:
        return {
            Outcome.FITS: "Success",
            Outcome.UNSCHEDULABLE: "Unschedulable",
            Outcome.UNRESOLVABLE: "UnschedulableAndUnresolvable",
            Outcome.NOT_CHECKED: "NotChecked",
        }[self]


@dataclass(frozen=True, slots=True)
class Reason:
    """One cause with its numbers. A subclass is one cause: its fields are the facts.

    Subclasses set `code` (kebab-case, names the cause, public for ever) and `outcome`.
    """

    code: ClassVar[str]
    default_outcome: ClassVar[Outcome] = Outcome.UNRESOLVABLE

    @property
    def outcome(self) -> Outcome:
        return self.default_outcome

    def upstream_text(self, minor: int) -> str:
        """The scheduler's own words in version 1.<minor>."""
        raise NotImplementedError

    def sentence(self) -> str:
        """One plain sentence: the fact, need against have with units; no advice, no full stop."""
        raise NotImplementedError

    def facts(self) -> dict[str, Any]:
        """The fields by name, for machines."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def detail(self) -> str:
        """What a table says beside the subject; empty where the subject says it all."""
        return self.sentence()

    def short_by(self) -> int | None:
        """How much is missing, to compare nodes with the same cause; None: no matter of amount."""
        return None

    def subject(self) -> str:
        """What nodes with the same cause share in a table ("insufficient cpu").

        Nodes whose reasons have equal codes and subjects are one line there.
        """
        return self.code.replace("-", " ")


@dataclass(frozen=True, slots=True)
class SnapshotLacks(Reason):
    """A rule that cannot be decided because a kind was not read."""

    code: ClassVar[str] = "snapshot-lacks"
    default_outcome: ClassVar[Outcome] = Outcome.NOT_CHECKED
    kind: str
    what: str = ""
    """What would have been looked up, such as "PersistentVolumeClaim prod/data"."""

    def upstream_text(self, minor: int) -> str:
        return f"not checked: {self.kind} not read"

    def sentence(self) -> str:
        looked_up = f" ({self.what})" if self.what else ""
        return f"the snapshot holds no {self.kind} objects{looked_up}"

    def detail(self) -> str:
        return ""

    def subject(self) -> str:
        return f"not checked: {self.kind} not read"


@dataclass(frozen=True, slots=True)
class NotModelled(Reason):
    """A rule that is not replayed."""

    code: ClassVar[str] = "not-modelled"
    default_outcome: ClassVar[Outcome] = Outcome.NOT_CHECKED
    what: str
    """What is not replayed and why it matters here, such as "device claim gpu"."""

    def upstream_text(self, minor: int) -> str:
        return f"not checked: {self.what}"

    def sentence(self) -> str:
        return f"{self.what} is not modelled"

    def detail(self) -> str:
        return ""

    def subject(self) -> str:
        return f"not modelled: {self.what}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one plugin says: it rejects, or could not be checked, for these reasons."""

    plugin: str
    reasons: tuple[Reason, ...]

    @property
    def outcome(self) -> Outcome:
        reasons = self.reasons
        if len(reasons) == 1:  # almost always, and asked for millions of times
            return reasons[0].outcome
        return max((reason.outcome for reason in reasons), default=Outcome.FITS)

    def texts(self, minor: int) -> list[str]:
        """Upstream's reason texts; a text that several causes share stands once."""
        return list(dict.fromkeys(reason.upstream_text(minor) for reason in self.reasons))


@dataclass(frozen=True, slots=True)
class NodeTrace:
    """All that rejects the pod on one node, in plugin order; no verdicts mean that it fits."""

    node: str
    verdicts: tuple[Verdict, ...] = ()
    with_nominated: bool = False
    """The verdicts are those of the pass in which nominated pods count as present."""
    fits_without_nominated: bool = False
    """Only the room held for nominated pods stands in the way."""

    @property
    def first(self) -> Verdict | None:
        """The verdict that the scheduler itself reports: its first rejection."""
        for verdict in self.verdicts:
            if verdict.outcome > Outcome.NOT_CHECKED:
                return verdict
        return self.verdicts[0] if self.verdicts else None

    @property
    def outcome(self) -> Outcome:
        first = self.first
        return Outcome.FITS if first is None else first.outcome
