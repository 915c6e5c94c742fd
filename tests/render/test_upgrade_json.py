"""Reports of simulate-upgrade keep to its published schema."""

import json
from pathlib import Path

import jsonschema
import pytest

from kschedx.render.upgrade_json import upgrade_json_schema

ROOT = Path(__file__).parents[2]
REPORTS = sorted((ROOT / "tests" / "fixtures" / "cases").glob("*/report.json"))


@pytest.mark.parametrize("report", REPORTS, ids=lambda path: path.parent.name)
def test_a_report_keeps_to_the_schema(report: Path) -> None:
    document = json.loads(report.read_text(encoding="utf-8"))
    if document["kind"] in ("RolloutReport", "RolloutList"):
        jsonschema.validate(document, upgrade_json_schema())
