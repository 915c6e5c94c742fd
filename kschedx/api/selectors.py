"""Label selectors and node selectors.

Upstream: apimachinery pkg/labels/selector.go, component-helpers
scheduling/corev1/nodeaffinity/nodeaffinity.go (v0.35.4).
Differences: none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

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


class PreferredSchedulingTerm(Struct, frozen=True):
    weight: int = 0
    preference: NodeSelectorTerm = NodeSelectorTerm()


class SelectorError(ValueError):
    """A selector that the API machinery refuses to parse."""


_LABEL_VALUE: Final = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", re.ASCII)
_QUALIFIED_NAME: Final = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", re.ASCII)
_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
_MAX_NAME: Final = 63
_MAX_SUBDOMAIN: Final = 253
_INT64: Final = 2**63


@lru_cache(maxsize=4096)
def _check_key(key: str) -> None:
    prefix, slash, name = key.rpartition("/")
    ok = len(name) <= _MAX_NAME and _QUALIFIED_NAME.fullmatch(name) is not None
    if slash:
        ok = ok and len(prefix) <= _MAX_SUBDOMAIN and _SUBDOMAIN.fullmatch(prefix) is not None
    if not ok:
        raise SelectorError(f"{key!r} is not a label key")


@lru_cache(maxsize=4096)
def _check_value(value: str) -> None:
    if len(value) > _MAX_NAME or _LABEL_VALUE.fullmatch(value) is None:
        raise SelectorError(f"{value!r} is not a label value")


def parse_integer(text: str) -> int | None:
    """A label value as strconv.ParseInt(text, 10, 64) reads it; None if it does not."""
    if _INTEGER.fullmatch(text) is None:
        return None
    value = int(text)
    return value if -_INT64 <= value < _INT64 else None


class Requirement:
    """One parsed requirement on labels: key, operator, values."""

    __slots__ = ("bound", "key", "operator", "values")

    def __init__(self, key: str, operator: str, values: tuple[str, ...]) -> None:
        """Parse as labels.NewRequirement does; raises SelectorError where that fails."""
        _check_key(key)
        if operator in (IN, NOT_IN):
            if not values:
                raise SelectorError("for 'in', 'notin' operators, values set can't be empty")
        elif operator in (EXISTS, DOES_NOT_EXIST):
            if values:
                raise SelectorError("values set must be empty for exists and does not exist")
        elif operator in (GREATER_THAN, LESS_THAN):
            if len(values) != 1 or parse_integer(values[0]) is None:
                raise SelectorError("for 'Gt', 'Lt' operators, exactly one integer is required")
        else:
            raise SelectorError(f'"{operator}" is not a valid label selector operator')
        for value in values:
            _check_value(value)
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


class Selector:
    """A parsed label selector. `requirements` is None for the selector that matches nothing."""

    __slots__ = ("exact", "requirements")

    def __init__(
        self, exact: Mapping[str, str], requirements: tuple[Requirement, ...] | None
    ) -> None:
        self.exact = tuple(exact.items())
        self.requirements = requirements

    def matches(self, labels: Mapping[str, str]) -> bool:
        if self.requirements is None:
            return False
        for key, value in self.exact:
            if labels.get(key) != value:
                return False
        return all(requirement.matches(labels) for requirement in self.requirements)

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
        _check_key(key)
        _check_value(value)
    for expression in selector.match_expressions:
        if expression.operator in (GREATER_THAN, LESS_THAN):
            raise SelectorError(f'"{expression.operator}" is not a valid label selector operator')
    return Selector(
        selector.match_labels,
        tuple(Requirement(e.key, e.operator, e.values) for e in selector.match_expressions),
    )


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
    key, operator, values = requirement.key, requirement.operator, ", ".join(requirement.values)
    words = {
        IN: f"{key} in ({values})",
        NOT_IN: f"{key} not in ({values})",
        EXISTS: f"{key} exists",
        DOES_NOT_EXIST: f"{key} does not exist",
        GREATER_THAN: f"{key} > {values}",
        LESS_THAN: f"{key} < {values}",
    }
    return words.get(operator, f"{key} {operator} ({values})")


def show_selector(selector: LabelSelector | None) -> str:
    """As kubectl's -l writes it; "nothing" for no selector, "everything" for an empty one."""
    if selector is None:
        return "nothing"
    parts = [f"{key}={value}" for key, value in sorted(selector.match_labels.items())]
    parts += [show_requirement(expression) for expression in selector.match_expressions]
    return ", ".join(parts) or "everything"


def show_node_term(term: NodeSelectorTerm) -> str:
    """All requirements of a node selector term, joined by "and"."""
    return " and ".join(show_requirement(r) for r in (*term.match_expressions, *term.match_fields))
