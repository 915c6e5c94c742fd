"""Pods of a workload that the API server would refuse: `why` says so where some are missing."""

from typing import Any

import msgspec
import pytest

from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.why import WhyQuestion, why
from kschedx.api.meta import Object
from kschedx.api.policy import LimitRange
from kschedx.api.workloads import StatefulSet
from kschedx.schedulers.kube.versions import Release
from tests.builders import node, snapshot


def limits(**bounds: dict[str, str]) -> LimitRange:
    raw = {
        "metadata": {"name": "small", "namespace": "default"},
        "spec": {"limits": [{"type": "Container", **bounds}]},
    }
    return msgspec.convert(raw, LimitRange)


def database(**spec: Any) -> StatefulSet:
    container = {"name": "db", "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "2"}}}
    raw = {
        "metadata": {"name": "db", "namespace": "default"},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [container], **spec}}},
    }
    return msgspec.convert(raw, StatefulSet)


CASES: dict[str, tuple[tuple[Object, ...], list[tuple[str, str]]]] = {
    "nothing is known": ((database(),), []),
    "larger than a LimitRange allows": (
        (database(), limits(max={"cpu": "1"})),
        [
            (
                "would-be-refused",
                "LimitRange small allows container db at most 1 cpu, whose limit is 2",
            )
        ],
    ),
    "smaller than a LimitRange allows": (
        (database(), limits(min={"cpu": "4"})),
        [
            (
                "would-be-refused",
                "LimitRange small wants at least 4 cpu of container db, which requests 2",
            )
        ],
    ),
    "a RuntimeClass that is missing": (
        (database(runtimeClassName="vm"),),
        [("would-be-refused", "there is no RuntimeClass vm")],
    ),
    "a PriorityClass that is missing is said once": (
        (database(priorityClassName="high"),),
        [
            (
                "priority-class-missing",
                "the template asks for PriorityClass high, which does not exist",
            )
        ],
    ),
}


@pytest.mark.parametrize(("objects", "said"), CASES.values(), ids=CASES.keys())
def test_never_created(objects: tuple[Object, ...], said: list[tuple[str, str]]) -> None:
    held = snapshot(node("n1"), *objects, complete=True)
    state = why(held, WhyQuestion("sts/db"), SchedulerChoice(Release())).workload

    assert state is not None
    assert [(cause.code, cause.message) for cause in state.not_created] == said
