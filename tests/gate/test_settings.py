"""Settings from a file and from options, and what is wrong with them."""

from __future__ import annotations

from typing import Any

import pytest

from kschedx.api.errors import KschedxError
from kschedx.gate import baseline
from kschedx.gate.findings import FailOn, Severity
from kschedx.gate.settings import Settings, settings_from


def test_a_file_says_all() -> None:
    check = {
        "severity": {"preempts": "error", "blocks-drain": "note"},
        "disable": ["not-checked"],
        "failOn": "warning",
        "baseline": "accepted.json",
        "nodeLoss": True,
    }

    assert settings_from({"check": check}, ".kschedx.yaml") == Settings(
        {"preempts": Severity.ERROR, "blocks-drain": Severity.NOTE},
        frozenset({"not-checked"}),
        FailOn.WARNING,
        "accepted.json",
        node_loss=True,
    )


@pytest.mark.parametrize("value", [None, {}, {"check": {}}, {"other": 1}])
def test_a_file_may_say_nothing(value: Any) -> None:
    assert settings_from(value, ".kschedx.yaml") == Settings()


def test_options_win_over_the_file() -> None:
    of_file = Settings({"preempts": Severity.NOTE}, frozenset({"steals-slot", "blocks-drain"}))
    both = of_file.with_options(
        ["preempts=error", "steals-slot=note"], ["not-checked"], "never", "b.json", node_loss=True
    )

    assert both == Settings(
        {"preempts": Severity.ERROR, "steals-slot": Severity.NOTE},
        frozenset({"blocks-drain", "not-checked"}),
        FailOn.NEVER,
        "b.json",
        node_loss=True,
    )


WRONG: dict[str, tuple[Any, str]] = {
    "no mapping": ([1], "f: it is no mapping with the key check"),
    "an unknown field": ({"check": {"fail-on": "error"}}, "f: check.fail-on is not known"),
    "an unknown rule": ({"check": {"disable": ["nope"]}}, "f: there is no rule 'nope'"),
    "an unknown level": (
        {"check": {"severity": {"preempts": "bad"}}},
        "f: check.severity.preempts: 'bad' is not one of error, warning, note",
    ),
    "an unknown threshold": (
        {"check": {"failOn": "note"}},
        "f: check.failOn is 'note', not one of error, warning, never",
    ),
    "a text for a list": (
        {"check": {"disable": "preempts"}},
        "f: check.disable is no list of rules",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_told_with_the_place(name: str) -> None:
    value, message = WRONG[name]
    with pytest.raises(KschedxError) as raised:
        settings_from(value, "f")

    assert (raised.value.message, raised.value.exit_code) == (message, 3)


@pytest.mark.parametrize("text", ["preempts", "nope=error", "preempts=loud"])
def test_wrong_options_are_wrong_usage(text: str) -> None:
    with pytest.raises(KschedxError) as raised:
        Settings().with_options([text])

    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    "value",
    [
        None,
        {"kind": "List"},
        {"kind": "CheckBaseline"},
        {"kind": "CheckBaseline", "accepted": [1]},
        {"kind": "CheckBaseline", "accepted": [{"rule": 1}]},
        {"kind": "CheckBaseline", "accepted": [{"rule": "preempts", "amount": "2"}]},
    ],
)
def test_another_file_is_no_baseline(value: Any) -> None:
    with pytest.raises(KschedxError) as raised:
        baseline.read(value, "b.json")

    assert raised.value.code == "not-a-baseline"
