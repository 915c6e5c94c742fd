"""Amounts as people read them: short, and never alike where they differ."""

import pytest

from kschedx.api.quantity import amount, exact, show, show_each, show_miss

SHOWN: dict[str, tuple[str, str, str]] = {
    "whole cores": ("cpu", "2", "2"),
    "parts of a core": ("cpu", "1500m", "1500m"),
    "a power of two": ("memory", "2Gi", "2Gi"),
    "mebibytes that are no gibibytes": ("memory", "1848Mi", "1848Mi"),
    "many mebibytes": ("memory", "65230Mi", "65230Mi"),
    "few kibibytes": ("memory", "4100Ki", "4100Ki"),
    "kibibytes as a kubelet reports them": ("memory", "8123456Ki", "7933.1Mi"),
    "many of those": ("memory", "65842172Ki", "62.8Gi"),
    "a decimal suffix": ("ephemeral-storage", "18250M", "17.0Gi"),
    "a few bytes": ("memory", "7732", "7732"),
    "huge pages": ("hugepages-2Mi", "8123456Ki", "7933.1Mi"),
    "nothing": ("memory", "0", "0"),
    "less than nothing": ("memory", "-8123456Ki", "-7933.1Mi"),
    "no bytes": ("example.com/gpu", "8123456", "8123456"),
}


@pytest.mark.parametrize(("resource", "quantity", "text"), SHOWN.values(), ids=SHOWN.keys())
def test_shown(resource: str, quantity: str, text: str) -> None:
    assert show(resource, amount(resource, quantity)) == text


@pytest.mark.parametrize("quantity", ["8123456Ki", "18250M", "2Gi", "7732", "65842176Ki"])
def test_a_manifest_gets_the_exact_amount(quantity: str) -> None:
    value = amount("memory", quantity)

    assert amount("memory", exact("memory", value)) == value


def test_exact_kibibytes_stay_kibibytes() -> None:
    assert exact("memory", 8123456 << 10) == "8123456Ki"


def test_amounts_that_differ_never_look_alike() -> None:
    assert show_each("memory", 18250000000, 18242267924) == ["18250000000", "18242267924"]
    assert show_each("memory", 18250000000, 18250000000) == ["17.0Gi", "17.0Gi"]
    assert show_each("memory", 18250000000, 4 << 30) == ["17.0Gi", "4Gi"]


@pytest.mark.parametrize(
    ("resource", "missing", "of", "text"),
    [
        ("memory", 7732076, 18242267924, "7732076 bytes"),
        ("memory", 8123456 << 10, 16 << 30, "7933.1Mi"),
        ("cpu", 5, 4000, "5m"),
        ("example.com/gpu", 1, 8, "1"),
    ],
)
def test_a_small_miss_is_not_rounded(resource: str, missing: int, of: int, text: str) -> None:
    assert show_miss(resource, missing, of) == text
