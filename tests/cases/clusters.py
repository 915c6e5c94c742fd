"""The clusters of tests/fixtures/cases: public incidents, each as small as it can be."""

import json
from pathlib import Path
from typing import Any

import yaml

ADMISSION_ONLY = ("RuntimeClass", "ResourceQuota")
"""Kinds that the API server reads and no scheduler."""
CASES = Path(__file__).parents[1] / "fixtures" / "cases"


def folders() -> list[str]:
    """The names of all cases, sorted."""
    return sorted(path.parent.name for path in CASES.glob("*/cluster.yaml"))


def cluster_file(case: str) -> Path:
    return CASES / case / "cluster.yaml"


def objects(case: str) -> list[dict[str, Any]]:
    """The stored objects, as the API server would give them."""
    with cluster_file(case).open(encoding="utf-8") as file:
        return [document for document in yaml.safe_load_all(file) if document]


def oracle_line(case: str, pod: str) -> str:
    """The case as the real scheduler's wrapper takes it: one line of JSON."""
    seen = [each for each in objects(case) if each["kind"] not in ADMISSION_ONLY]
    return json.dumps({"id": case, "pod": pod, "objects": seen})


def recorded_file(case: str) -> Path:
    """What the real scheduler said."""
    return CASES / case / "kube-scheduler.json"
