"""The published schemas are those that the reports are made by.

To write them anew: `python -m tests.render.test_schema`.
"""

import json
from pathlib import Path

import jsonschema
import pytest

from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.node_report import RuleResult
from kschedx.diagnose.preemption_summary import PreemptionVerdict
from kschedx.diagnose.situation import Situation
from kschedx.render.check_document import CheckDocument
from kschedx.render.json import json_schema, why_json_schema
from kschedx.render.preempt_document import PreemptDocument
from kschedx.render.score_document import ScoreDocument
from kschedx.render.snapshot_document import SnapshotDocument
from kschedx.render.upgrade_json import upgrade_json_schema
from kschedx.render.verify_document import VerifyDocument

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"
PUBLISHED = {
    "why": why_json_schema(),
    "score": json_schema(ScoreDocument, "score"),
    "preempt": json_schema(PreemptDocument, "preempt"),
    "snapshot": json_schema(SnapshotDocument, "snapshot"),
    "verify": json_schema(VerifyDocument, "verify"),
    "check": json_schema(CheckDocument, "check"),
    "upgrade": upgrade_json_schema(),
}


def text_of(name: str) -> str:
    return json.dumps(PUBLISHED[name], indent=2) + "\n"


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_schema_is_current(name: str) -> None:
    assert (SCHEMAS / f"{name}.json").read_text() == text_of(name)


@pytest.mark.parametrize("name", PUBLISHED)
def test_it_is_a_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(PUBLISHED[name])


def values(part: str, field: str) -> list[str]:
    found: list[str] = why_json_schema()["$defs"][part]["properties"][field]["enum"]
    return found


def test_it_knows_every_code() -> None:
    assert values("ExplanationDocument", "situation") == sorted(Situation)
    assert values("PreemptionDocument", "verdict") == sorted(PreemptionVerdict)
    assert values("AgreementDocument", "status") == sorted(AgreementStatus)
    assert values("RuleDocument", "result") == sorted(RuleResult)


if __name__ == "__main__":
    for published in PUBLISHED:
        (SCHEMAS / f"{published}.json").write_text(text_of(published))
