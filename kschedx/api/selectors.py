"""Label selectors and node selectors.

Upstream: apimachinery pkg/labels/selector.go, component-helpers
scheduling/corev1/nodeaffinity/nodeaffinity.go (v0.35.4).
Differences: none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from kschedx.api.label_syntax import invalid, joined, key_complaint, quoted, value_complaint
from kschedx.api.meta import LabelSelector, LabelSelectorRequirement, Struct

IN: Final = "In"
NOT_IN: Final = "NotIn"
EXISTS: Final = "Exists"
DOES_NOT_EXIST: Final = "DoesNotExist"
GREATER_THAN: Final = "Gt"
LESS_THAN: Final = "Lt"


class NodeSelectorRequirement(Struct, frozen=True):
    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class NodeSelectorTerm(Struct, frozen=True):
    match_expressions: tuple[NodeSelectorRequirement, ...] = ()
    match_fields: tuple[NodeSelectorRequirement, ...] = ()


class NodeSelector(Struct, frozen=True):
    node_selector_terms: tuple[NodeSelectorTerm, ...] = ()

    def widened(self, key: str, value: str) -> NodeSelector:
        """The same selector where every "key in (...)" takes this value as well."""
        terms = tuple(
            replace(
                term,
                match_expressions=tuple(
                    replace(own, values=(*own.values, value)) if takes(own, key, value) else own
                    for own in term.match_expressions
                ),
            )
            for term in self.node_selector_terms
        )
        return replace(self, node_selector_terms=terms)


def takes(requirement: NodeSelectorRequirement, key: str, value: str) -> bool:
    """Whether it is a "key in (...)" that could take one more value."""
    return requirement.key == key and requirement.operator == IN and value not in requirement.values


class PreferredSchedulingTerm(Struct, frozen=True):
    weight: int = 0
    preference: NodeSelectorTerm = NodeSelectorTerm()


class SelectorError(ValueError):
    """A selector that the API machinery refuses to parse; the text is its own (1.35 on)."""


_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
_INT64: Final = 2**63
_NEEDS_VALUES: Final = "for 'in', 'notin' operators, values set can't be empty"
_TAKES_NO_VALUES: Final = "values set must be empty for exists and does not exist"
_NEEDS_ONE_VALUE: Final = "for 'Gt', 'Lt' operators, exactly one value is required"
_NEEDS_INTEGER: Final = "for 'Gt', 'Lt' operators, the value must be an integer"


def parse_integer(text: str) -> int | None:
    """A label value as strconv.ParseInt(text, 10, 64) reads it; None if it does not."""
    if _INTEGER.fullmatch(text) is None:
        return None
    value = int(text)
    return value if -_INT64 <= value < _INT64 else None


def _complaints(key: str, operator: str, values: tuple[str, ...]) -> list[str]:
    """What labels.NewRequirement has against these parts, in its order and words."""
    complaints = []
    if complaint := key_complaint(key):
        complaints.append(invalid("key", key, complaint))
    complaints += _operator_complaints(operator, values)
    for index, value in enumerate(values):
        if complaint := value_complaint(value):
            complaints.append(invalid(f"values[{index}][{key}]", value, complaint))
    return complaints


def _operator_complaints(operator: str, values: tuple[str, ...]) -> list[str]:
    if operator in (IN, NOT_IN):
        return [] if values else [invalid("values", None, _NEEDS_VALUES)]
    if operator in (EXISTS, DOES_NOT_EXIST):
        return [invalid("values", values, _TAKES_NO_VALUES)] if values else []
    if operator in (GREATER_THAN, LESS_THAN):
        complaints = [invalid("values", values, _NEEDS_ONE_VALUE)] if len(values) != 1 else []
        return complaints + [
            invalid(f"values[{index}]", value, _NEEDS_INTEGER)
            for index, value in enumerate(values)
            if parse_integer(value) is None
        ]
    return [f"operator: Unsupported value: {quoted(operator)}"]


class Requirement:
    """One parsed requirement on labels: key, operator, values."""

    __slots__ = ("bound", "key", "operator", "values")

    def __init__(self, key: str, operator: str, values: tuple[str, ...]) -> None:
        """Parse as labels.NewRequirement does; raises SelectorError where that fails."""
        complaints = _complaints(key, operator, values)
        if complaints:
            raise SelectorError(joined(complaints))
        self.key = key
        self.operator = operator
        self.values = frozenset(values)
        self.bound = parse_integer(values[0]) if operator in (GREATER_THAN, LESS_THAN) else None

    def matches(self, labels: Mapping[str, str]) -> bool:
        value = labels.get(self.key)
        operator = self.operator
        if operator == IN:
            return value is not None and value in self.values
        if operator == NOT_IN:
            return value is None or value not in self.values
        if operator == EXISTS:
            return value is not None
        if operator == DOES_NOT_EXIST:
            return value is None
        number = parse_integer(value) if value is not None else None
        if number is None or self.bound is None:
            return False
        return number > self.bound if operator == GREATER_THAN else number < self.bound

    def __str__(self) -> str:
        return show_requirement(
            LabelSelectorRequirement(self.key, self.operator, tuple(sorted(self.values)))
        )


class Selector:
    """A parsed label selector. `requirements` is None for the selector that matches nothing."""

    __slots__ = ("_text", "exact", "requirements")

    def __init__(
        self, exact: Mapping[str, str], requirements: tuple[Requirement, ...] | None
    ) -> None:
        self.exact = tuple(exact.items())
        self.requirements = requirements
        self._text: str | None = None

    def matches(self, labels: Mapping[str, str]) -> bool:
        if self.requirements is None:
            return False
        for key, value in self.exact:
            if labels.get(key) != value:
                return False
        for requirement in self.requirements:  # noqa: SIM110  # asked of every pod: no generator
            if not requirement.matches(labels):
                return False
        return True

    def also(self, other: Selector) -> Selector:
        """What both select. Upstream: Selector.Add with the other's requirements."""
        if self.requirements is None or other.requirements is None:
            return NOTHING
        both = Selector({}, self.requirements + other.requirements)
        both.exact = tuple(dict.fromkeys(self.exact + other.exact))
        return both

    def __str__(self) -> str:
        """As kubectl's -l writes it; "nothing" or "everything" where that is what it matches."""
        if self._text is None:
            self._text = self._words()
        return self._text

    def _words(self) -> str:
        if self.requirements is None:
            return "nothing"
        parts = [f"{key}={value}" for key, value in sorted(self.exact)]
        return ", ".join([*parts, *map(str, self.requirements)]) or "everything"

    @property
    def empty(self) -> bool:
        """Matches every object (not the same as matching nothing)."""
        return self.requirements == () and not self.exact


NOTHING: Final = Selector({}, None)
EVERYTHING: Final = Selector({}, ())


def parse(selector: LabelSelector | None) -> Selector:
    """metav1.LabelSelectorAsSelector: None matches nothing, an empty selector everything.

    Raises SelectorError where the API machinery would refuse the selector.
    """
    if selector is None:
        return NOTHING
    for key, value in selector.match_labels.items():
        complaints = _complaints(key, IN, (value,))
        if complaints:
            raise SelectorError(joined(complaints))
    return Selector(
        selector.match_labels, tuple(_expression(e) for e in selector.match_expressions)
    )


def _expression(expression: LabelSelectorRequirement) -> Requirement:
    if expression.operator not in (IN, NOT_IN, EXISTS, DOES_NOT_EXIST):
        operator = quoted(expression.operator)
        raise SelectorError(f"{operator} is not a valid label selector operator")
    return Requirement(expression.key, expression.operator, expression.values)


def from_labels(labels: Mapping[str, str]) -> Selector:
    """labels.SelectorFromSet: every pair must be there; nothing is validated."""
    return Selector(labels, ())


class NodeTerm:
    """One parsed node selector term. A term that cannot be parsed matches no node."""

    __slots__ = ("fields", "labels", "term", "valid")

    def __init__(self, term: NodeSelectorTerm) -> None:
        self.term = term
        self.labels: tuple[Requirement, ...] = ()
        self.valid = bool(term.match_expressions or term.match_fields)
        self.fields: tuple[tuple[str, bool, str], ...] = ()
        """(field, must be equal, value)"""
        try:
            self.labels = tuple(
                Requirement(e.key, e.operator, e.values) for e in term.match_expressions
            )
            self.fields = tuple(_field(e) for e in term.match_fields)
        except SelectorError:
            self.valid = False

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        """Whether a node of this name with these labels satisfies the whole term."""
        return (
            self.valid
            and all(r.matches(labels) for r in self.labels)
            and all(
                ((name if field == "metadata.name" else "") == value) is equal
                for field, equal, value in self.fields
            )
        )


def _field(requirement: NodeSelectorRequirement) -> tuple[str, bool, str]:
    if requirement.operator not in (IN, NOT_IN) or len(requirement.values) != 1:
        raise SelectorError("a field requirement takes In or NotIn with exactly one value")
    return requirement.key, requirement.operator == IN, requirement.values[0]


def node_terms(selector: NodeSelector) -> tuple[NodeTerm, ...]:
    """The parsed terms, in order; any one of them suffices."""
    return tuple(NodeTerm(term) for term in selector.node_selector_terms)


def any_term(terms: tuple[NodeTerm, ...], name: str, labels: Mapping[str, str]) -> bool:
    """Terms are ORed; no terms match nothing."""
    return any(term.matches(name, labels) for term in terms)


def show_requirement(requirement: NodeSelectorRequirement | LabelSelectorRequirement) -> str:
    """As people write it: "disk in (ssd)", "gen > 3", "pool exists"."""
    key, operator = requirement.key, requirement.operator
    values = ", ".join(value or '""' for value in requirement.values)
    words = {
        IN: f"{key} in ({values})",
        NOT_IN: f"{key} not in ({values})",
        EXISTS: f"{key} exists",
        DOES_NOT_EXIST: f"{key} does not exist",
        GREATER_THAN: f"{key} > {values}",
        LESS_THAN: f"{key} < {values}",
    }
    return words.get(operator, f"{key} {operator} ({values})")


def show_node_term(term: NodeSelectorTerm) -> str:
    """All requirements of a node selector term, joined by "and"."""
    return " and ".join(show_requirement(r) for r in (*term.match_expressions, *term.match_fields))
