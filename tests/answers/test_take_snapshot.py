"""200 generated clusters: redaction changes no verdict and leaves no name behind."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.take_snapshot import take_snapshot
from kschedx.schedulers.kube.configuration import Configuration, parse_configuration
from kschedx.schedulers.kube.versions import parse_release
from kschedx.snapshot.decode import objects_from_json, snapshot_from_objects
from kschedx.snapshot.pseudonyms import KEPT, KEPT_KEYS, split_image
from kschedx.snapshot.saved import encoded
from tests.oracle.generate.cases import cases
from tests.oracle.generate.families import FAMILIES

RELEASE = parse_release("1.35")
EACH = 200 // len(FAMILIES) + 1
Raw = dict[str, Any]


NO_NAMES = {"apiVersion", "requests", "limits", "allocatable", "capacity", "overhead"}
"""Fields of amounts, and of versions that a label value may look like."""


def originals(value: Any, field: str = "") -> Iterator[str]:
    """Names, namespaces, label values and images of a case, as the case itself spells them."""
    if isinstance(value, list):
        for part in value:
            yield from originals(part, field)
    elif isinstance(value, dict):
        for key, part in value.items():
            if field in ("labels", "matchLabels", "nodeSelector") or key in ("name", "namespace"):
                if isinstance(part, str):
                    yield part
            elif key in ("image", "names", "values"):
                images = [part] if isinstance(part, str) else part
                for each in images:
                    yield from (each, split_image(each)[0])
            yield from originals(part, key)


def strings(value: Any) -> Iterator[str]:
    """Every text of a file, keys included, and the parts that it is put together from."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from strings(key)
            if key not in NO_NAMES:
                yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)
    elif isinstance(value, str):
        yield value
        yield from re.split(r"[/:@,]|__", value)


def vocabulary(value: Any) -> Iterator[str]:
    """Kubernetes' own words in a case: fields, resources, and enumerated values."""
    if isinstance(value, list):
        for part in value:
            yield from vocabulary(part)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key in ("labels", "matchLabels", "nodeSelector", "metadata", "annotations"):
                continue
            yield key
            yield from vocabulary(part)


WORDS = KEPT | KEPT_KEYS | {"metadata", "labels", "name", "namespace", "true", "false", "latest"}


@pytest.mark.parametrize("family", FAMILIES)
def test_generated_clusters(family: str) -> None:
    for case in cases(family, FAMILIES[family], "redact", EACH):
        texts = [json.dumps(item).encode() for item in case["objects"]]
        config = case.get("config")
        configuration = parse_configuration(config) if config else Configuration()
        snapshot = snapshot_from_objects(texts, RELEASE)
        # Raises where a verdict differs.
        taken = take_snapshot(
            snapshot, "-", SchedulerChoice(RELEASE, configuration=configuration), redact=True
        )
        written = b"".join(encoded(taken.snapshot, redacted=True))
        left = set(originals(case["objects"])) & set(strings(json.loads(written)))
        configured = set(strings(config)) if config else set()
        assert left - WORDS - configured - set(vocabulary(case["objects"])) == set(), case["id"]
        assert objects_from_json(written, RELEASE).objects.keys() == {
            kind for kind, items in snapshot.objects.items() if items
        }


def test_same_snapshot_same_bytes() -> None:
    (case,) = cases("mix", FAMILIES["mix"], "same", 1)
    texts = [json.dumps(item).encode() for item in case["objects"]]
    made = {
        b"".join(
            encoded(
                take_snapshot(
                    snapshot_from_objects(texts, RELEASE),
                    "-",
                    SchedulerChoice(RELEASE),
                    redact=True,
                ).snapshot
            )
        )
        for _ in range(2)
    }

    assert len(made) == 1
