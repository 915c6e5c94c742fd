from typing import Any

import msgspec
import pytest

from kschedx.api.pod import Pod
from kschedx.api.workloads import Deployment
from kschedx.snapshot.coercion import coerced, misfit

COERCED: dict[str, tuple[Any, Any]] = {
    "no object": (["x"], ["x"]),
    "nothing to do": ({"metadata": {"name": "a"}}, {"metadata": {"name": "a"}}),
    "unknown fields go": ({"more": 1, "spec": {"invented": None}}, {"spec": {}}),
    "null fields go": ({"metadata": {"name": None}, "spec": None}, {"metadata": {}}),
    "null in a list is an empty element": (
        {"spec": {"containers": [None, {"name": "c"}]}},
        {"spec": {"containers": [{}, {"name": "c"}]}},
    ),
    "null in a list of texts is an empty text": (
        {"metadata": {"finalizers": ["a", None]}},
        {"metadata": {"finalizers": ["a", ""]}},
    ),
    "null in a map of texts is an empty text": (
        {"metadata": {"labels": {"a": None}}},
        {"metadata": {"labels": {"a": ""}}},
    ),
    "null in a map of quantities is zero": (
        {"spec": {"overhead": {"cpu": None}}},
        {"spec": {"overhead": {"cpu": 0}}},
    ),
    "null below an optional object": (
        {"spec": {"affinity": {"nodeAffinity": None}}},
        {"spec": {"affinity": {}}},
    ),
    "words where booleans belong": (
        {"spec": {"hostNetwork": "Yes", "nodeName": "no"}},
        {"spec": {"hostNetwork": True, "nodeName": "no"}},
    ),
    "what does not fit stays": (
        {"spec": {"hostNetwork": "maybe", "containers": {}, "priority": "high"}},
        {"spec": {"hostNetwork": "maybe", "containers": {}, "priority": "high"}},
    ),
}


@pytest.mark.parametrize(("value", "expected"), COERCED.values(), ids=COERCED.keys())
def test_coerced(value: Any, expected: Any) -> None:
    assert coerced(value, Pod) == expected


def test_numbers_and_texts_alike_stay() -> None:
    value = {"spec": {"strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}}}}

    assert coerced(value, Deployment) == value


MISFITS: dict[str, tuple[Any, str]] = {
    "the object itself": ([], "expected an object, found a list"),
    "a field": (
        {"spec": {"priority": "x"}},
        "spec.priority: expected a whole number, found a text",
    ),
    "a fraction": (
        {"spec": {"priority": 1.5}},
        "spec.priority: expected a whole number, found a number",
    ),
    "in a list": (
        {"spec": {"containers": [{}, {"name": 1}]}},
        "spec.containers[1].name: expected a text, found a number",
    ),
    "in a map": (
        {"metadata": {"labels": {"a": "b", "c.d/e": False}}},
        "metadata.labels[c.d/e]: expected a text, found a boolean",
    ),
    "a quantity": (
        {"spec": {"overhead": {"cpu": []}}},
        "spec.overhead.cpu: expected a whole number or a number or a text, found a list",
    ),
    "null": ({"metadata": {"name": None}}, "metadata.name: expected a text, found null"),
}


@pytest.mark.parametrize(("value", "expected"), MISFITS.values(), ids=MISFITS.keys())
def test_misfit_names_the_path(value: Any, expected: str) -> None:
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert(value, Pod)

    assert misfit(refused.value, value) == expected


def test_other_refusals_keep_their_words() -> None:
    error = msgspec.ValidationError("Number out of range - at `$.spec.priority`")

    assert misfit(error, {}) == "spec.priority: number out of range"
