"""Settings: which rules count and how much, from `.kschedx.yaml` and from options."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kschedx.api.errors import KschedxError
from kschedx.gate.findings import RULE, FailOn, Finding, Severity

FILE: Final = ".kschedx.yaml"
_FIELDS: Final = ("severity", "disable", "failOn", "baseline", "nodeLoss")
_HINT: Final = f"{FILE} holds check: with {', '.join(_FIELDS)}"
_USAGE: Final = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """How findings are judged."""

    severities: Mapping[str, Severity] = field(default_factory=dict)
    """Rules that count other than by default."""
    disabled: frozenset[str] = frozenset()
    fail_on: FailOn = FailOn.ERROR
    baseline: str | None = None
    """The file that accepted findings are in."""
    node_loss: bool = False

    def judged(self, findings: Iterable[Finding]) -> list[Finding]:
        """With their severities, without those of disabled rules."""
        return [
            replace(f, severity=self.severities.get(f.rule, RULE[f.rule].severity))
            for f in findings
            if f.rule not in self.disabled
        ]

    def with_options(
        self,
        severities: Iterable[str] = (),
        disabled: Iterable[str] = (),
        fail_on: str | None = None,
        baseline: str | None = None,
        *,
        node_loss: bool = False,
    ) -> Settings:
        """The options win over the file. Raises KschedxError (wrong usage)."""
        given = dict(_parsed(text) for text in severities)
        off = {_rule(name, "--disable", _USAGE) for name in disabled}
        return replace(
            self,
            severities={**self.severities, **given},
            disabled=(self.disabled - given.keys()) | off,
            fail_on=self.fail_on if fail_on is None else FailOn(fail_on),
            baseline=self.baseline if baseline is None else baseline,
            node_loss=self.node_loss or node_loss,
        )


def settings_from(value: Any, name: str) -> Settings:
    """What a settings file holds; `name` is the file's. Raises KschedxError."""
    whole = {} if value is None else value
    check = whole.get("check", {}) if isinstance(whole, dict) else None
    if not isinstance(check, dict):
        raise _wrong(name, "it is no mapping with the key check")
    for key in check:
        if key not in _FIELDS:
            near = difflib.get_close_matches(str(key), _FIELDS, n=1)
            raise _wrong(name, f"check.{key} is not known", near[0] if near else None)
    return Settings(
        severities=_severities(check.get("severity", {}), name),
        disabled=_disabled(check.get("disable", []), name),
        fail_on=_fail_on(check.get("failOn", FailOn.ERROR), name),
        baseline=_text(check.get("baseline"), name),
        node_loss=_flag(check.get("nodeLoss", False), name),
    )


def _severities(value: Any, name: str) -> dict[str, Severity]:
    if not isinstance(value, dict):
        raise _wrong(name, "check.severity is no mapping of rules to levels")
    return {
        _rule(str(rule), name): _level(str(level), f"{name}: check.severity.{rule}")
        for rule, level in value.items()
    }


def _disabled(value: Any, name: str) -> frozenset[str]:
    if not isinstance(value, list):
        raise _wrong(name, "check.disable is no list of rules")
    return frozenset(_rule(str(rule), name) for rule in value)


def _fail_on(value: Any, name: str) -> FailOn:
    try:
        return FailOn(value)
    except ValueError as error:
        raise _wrong(name, f"check.failOn is {value!r}, not one of {_listed(FailOn)}") from error


def _text(value: Any, name: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _wrong(name, "check.baseline is no path")


def _flag(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return value
    raise _wrong(name, "check.nodeLoss is neither true nor false")


def _parsed(text: str) -> tuple[str, Severity]:
    """ "RULE=LEVEL". Raises KschedxError (wrong usage)."""
    rule, equals, level = text.partition("=")
    if not equals:
        raise KschedxError(
            "not-a-severity",
            f"--severity {text!r} does not set a severity",
            hint="write RULE=error, RULE=warning or RULE=note",
            exit_code=_USAGE,
        )
    return _rule(rule, "--severity", _USAGE), _level(level, f"--severity {rule}", _USAGE)


def _level(text: str, place: str, exit_code: int = 3) -> Severity:
    try:
        return Severity(text)
    except ValueError as error:
        raise KschedxError(
            "not-a-severity",
            f"{place}: {text!r} is not one of {_listed(Severity)}",
            exit_code=exit_code,
        ) from error


def _rule(text: str, place: str, exit_code: int = 3) -> str:
    if text in RULE:
        return text
    near = difflib.get_close_matches(text, RULE, n=1)
    raise KschedxError(
        "no-such-rule",
        f"{place}: there is no rule {text!r}",
        hint=f"did you mean {near[0]}?" if near else f"rules: {', '.join(RULE)}",
        exit_code=exit_code,
    )


def _listed(values: Iterable[str]) -> str:
    return ", ".join(str(value) for value in values)


def _wrong(name: str, what: str, near: str | None = None) -> KschedxError:
    hint = f"did you mean {near}?" if near else _HINT
    return KschedxError("wrong-settings", f"{name}: {what}", hint=hint)
