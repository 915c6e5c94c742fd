from typing import Any

import msgspec
import pytest

from kschedx.api.pod import Pod
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.label_keys import with_label_keys

SELECTOR = {"matchLabels": {"app": "a"}}
IN = {"key": "rev", "operator": "In", "values": ["1"]}
NOT_IN = {"key": "app", "operator": "NotIn", "values": ["a"]}
KEYS = {"matchLabelKeys": ["rev", "missing"], "mismatchLabelKeys": ["app"]}


def pod(spec: Any) -> Pod:
    return msgspec.convert({"metadata": {"labels": {"app": "a", "rev": "1"}}, "spec": spec}, Pod)


def affinity(term: Any) -> Any:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    return {
        "affinity": {
            side: {required: [term], preferred: [{"weight": 1, "podAffinityTerm": term}]}
            for side in ("podAffinity", "podAntiAffinity")
        }
    }


def spread(constraint: Any) -> Any:
    return {"topologySpreadConstraints": [constraint]}


CASES: dict[str, tuple[int, Any, Any]] = {
    "affinity terms": (
        31,
        affinity({"labelSelector": SELECTOR, **KEYS}),
        affinity({"labelSelector": {**SELECTOR, "matchExpressions": [IN, NOT_IN]}, **KEYS}),
    ),
    "affinity terms before 1.31": (
        30,
        affinity({"labelSelector": SELECTOR, **KEYS}),
        affinity({"labelSelector": SELECTOR, **KEYS}),
    ),
    "a term without selector matches nothing": (35, affinity(KEYS), affinity(KEYS)),
    "a term without keys": (
        35,
        affinity({"labelSelector": SELECTOR}),
        affinity({"labelSelector": SELECTOR}),
    ),
    "spread constraints": (
        34,
        spread({"labelSelector": {"matchExpressions": [NOT_IN]}, "matchLabelKeys": ["rev"]}),
        spread({"labelSelector": {"matchExpressions": [NOT_IN, IN]}, "matchLabelKeys": ["rev"]}),
    ),
    "spread constraints before 1.34": (
        33,
        spread({"labelSelector": SELECTOR, "matchLabelKeys": ["rev"]}),
        spread({"labelSelector": SELECTOR, "matchLabelKeys": ["rev"]}),
    ),
    "a constraint without selector": (
        35,
        spread({"matchLabelKeys": ["rev"]}),
        spread({"matchLabelKeys": ["rev"]}),
    ),
    "no terms at all": (35, {"affinity": {}}, {"affinity": {}}),
}


@pytest.mark.parametrize(("minor", "spec", "expected"), CASES.values(), ids=CASES.keys())
def test_label_keys(minor: int, spec: Any, expected: Any) -> None:
    assert with_label_keys(pod(spec), Release(minor)) == pod(expected)
