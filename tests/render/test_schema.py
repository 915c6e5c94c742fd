"""The published schema is the one that the reports are made by.

To write it anew: `python -m tests.render.test_schema`.
"""

import json
from pathlib import Path

import jsonschema

from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.node_report import RuleResult
from kschedx.diagnose.preemption_summary import PreemptionVerdict
from kschedx.diagnose.situation import Situation
from kschedx.render.json import why_json_schema

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "why.json"


def published() -> str:
    return json.dumps(why_json_schema(), indent=2) + "\n"


def test_the_published_schema_is_current() -> None:
    assert SCHEMA.read_text() == published()


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(why_json_schema())


def values(part: str, field: str) -> list[str]:
    found: list[str] = why_json_schema()["$defs"][part]["properties"][field]["enum"]
    return found


def test_it_knows_every_code() -> None:
    assert values("ExplanationDocument", "situation") == sorted(Situation)
    assert values("PreemptionDocument", "verdict") == sorted(PreemptionVerdict)
    assert values("AgreementDocument", "status") == sorted(AgreementStatus)
    assert values("RuleDocument", "result") == sorted(RuleResult)


if __name__ == "__main__":
    SCHEMA.parent.mkdir(parents=True, exist_ok=True)
    SCHEMA.write_text(published())
