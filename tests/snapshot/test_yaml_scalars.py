"""What each plain scalar is to Kubernetes: values taken from go.yaml.in/yaml/v2's own resolver."""

import math

import pytest

from kschedx.snapshot.yaml_scalars import WORDS, Scalar, as_key, resolve

SCALARS: dict[str, Scalar] = {
    "": None,
    "~": None,
    "null": None,
    "NULL": None,
    "nULL": "nULL",
    "true": True,
    "True": True,
    "FALSE": False,
    "tRUE": "tRUE",
    "yes": "yes",
    "on": "on",
    "Off": "Off",
    "y": "y",
    "0": 0,
    "-0": 0,
    "12": 12,
    "+12": 12,
    "-12": -12,
    "010": 8,
    "0o10": 8,
    "08": 8,
    "0x1F": 31,
    "0b101": 5,
    "-0b101": -5,
    "1_000": 1000,
    "9223372036854775807": 2**63 - 1,
    "18446744073709551615": 2**64 - 1,
    "+18446744073709551615": 18446744073709552000,
    "18446744073709551616": 18446744073709552000,
    "-9223372036854775809": -9223372036854776000,
    "1__0": 10,
    "_1": "_1",
    "-0x1F": -31,
    "0X1F": 31,
    "0O7": 7,
    ".5_0": 0.5,
    "1e21": 1e21,
    "1e3": 1000,
    "1.": 1,
    "1.50": 1.5,
    ".5": 0.5,
    "-.5": -0.5,
    "1e-3": 0.001,
    "1e999": "1e999",
    "1:20": "1:20",
    "190:20:30": "190:20:30",
    "2001-01-02": "2001-01-02",
    "2026-01-02T03:04:05Z": "2026-01-02T03:04:05Z",
    "500m": "500m",
    "1Gi": "1Gi",
    "0x": "0x",
    "-": "-",
    ".": ".",
    "=": "=",
    "v1.35.4": "v1.35.4",
    "1.35.4": "1.35.4",
    ".inf": math.inf,
    "-.Inf": -math.inf,
}


@pytest.mark.parametrize(("text", "value"), SCALARS.items(), ids=repr)
def test_scalar(text: str, value: Scalar) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


def test_not_a_number_is_a_float() -> None:
    value = resolve(".nan")

    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("text", "key"),
    {
        "app": "app",
        "on": "true",
        "N": "false",
        "true": "true",
        "1": "1",
        "010": "8",
        "1.5": "1.5",
        "2.0": "2",
        "null": None,
    }.items(),
)
def test_key(text: str, key: str | None) -> None:
    assert as_key(resolve(text), text) == key


def test_quoted_word_stays_a_key() -> None:
    assert as_key("on", "") == "on"


def test_words_are_those_of_yaml_1_1() -> None:
    assert len(WORDS) == 16
    assert WORDS["Yes"]
    assert not WORDS["OFF"]
