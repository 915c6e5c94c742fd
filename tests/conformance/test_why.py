"""The reports on recorded cases: the real message agrees, and every form of the report holds."""

import gzip
import json
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.why import WhyQuestion, why
from kschedx.diagnose.agreement import AgreementStatus
from kschedx.diagnose.situation import Situation
from kschedx.render.json import render_json, why_json_schema
from kschedx.render.text import Style
from kschedx.render.why_text import render_text
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.decode import snapshot_from_objects

VECTORS = Path(__file__).parents[1] / "fixtures" / "conformance" / "kube-1.35"
FAMILIES = ("interpod", "mix", "nominated", "preemption", "resources", "topology", "volumes")
COUNT = 12
CHOICE = SchedulerChoice(Release(35))
SCHEMA = jsonschema.Draft202012Validator(why_json_schema())


def lines(family: str, what: str) -> list[dict[str, Any]]:
    with gzip.open(VECTORS / f"{family}.{what}.jsonl.gz") as file:
        return [json.loads(line) for line, _ in zip(file, range(COUNT), strict=False)]


def with_recorded(case: dict[str, Any], message: str) -> list[msgspec.Raw]:
    """The case's objects, the pod with the condition that the scheduler writes."""
    namespace, _, name = case["pod"].partition("/")
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    for item in case["objects"]:
        metadata = item["metadata"]
        if item["kind"] == "Pod" and (metadata["namespace"], metadata["name"]) == (namespace, name):
            item.setdefault("status", {})["conditions"] = [{**condition, "message": message}]
    return [msgspec.Raw(json.dumps(item).encode()) for item in case["objects"]]


@pytest.mark.parametrize("family", FAMILIES)
def test_recorded_cases(family: str) -> None:
    for case, verdict in zip(lines(family, "cases"), lines(family, "verdicts"), strict=True):
        message = verdict.get("message", "")
        held = snapshot_from_objects(with_recorded(case, message), CHOICE.release)
        for question in (WhyQuestion(case["pod"]), WhyQuestion(case["pod"], with_rows=True)):
            report = why(held, question, CHOICE)
            found = report.explained[0].explanation

            assert found.agreement is not None
            if message:
                assert found.agreement.status is AgreementStatus.AGREES, case["id"]
            else:
                assert found.situation is Situation.FITS_NOW, case["id"]
            SCHEMA.validate(json.loads(render_json(report)))
            for width in (60, 100, 160):
                text = render_text(report, Style(width))
                assert max(map(len, text.splitlines())) <= width, case["id"]
