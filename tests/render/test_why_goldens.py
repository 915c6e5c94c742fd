"""The bundled examples as reports, beside what the real scheduler says of the same pods.

Same input, same bytes: text at the width of a pipe and of terminals, JSON, YAML.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from kschedx.answers.replay import choose_scheduler, release_for
from kschedx.answers.why import WhyQuestion, why
from kschedx.diagnose.report import WhyReport
from kschedx.render.json import render_json, why_json_schema
from kschedx.render.text import Style
from kschedx.render.why_text import render_text
from kschedx.render.yaml import render_yaml
from kschedx.snapshot.files import load
from kschedx.snapshot.snapshot import Snapshot
from kschedx.snapshot.sources import example_names

Golden = Callable[[str, str], None]
FIXTURES = Path(__file__).parents[1] / "fixtures"
EXAMPLES = ("pending", "spread", "volumes")
OF_OTHER_COMMANDS = ("upgrade",)

QUESTIONS: dict[str, tuple[str, WhyQuestion]] = {
    **{f"{example}/all": (example, WhyQuestion()) for example in EXAMPLES},
    "pending/api-7": ("pending", WhyQuestion("prod/api-7", with_hints=True)),
    "pending/api-7-nodes": ("pending", WhyQuestion("prod/api-7", with_rows=True)),
    "pending/api-7-worker-2": ("pending", WhyQuestion("prod/api-7", node="worker-2")),
    "pending/api-2-placed": ("pending", WhyQuestion("prod/api-2")),
    "pending/nightly-gated": ("pending", WhyQuestion("nightly-x7c2v")),
    "pending/statefulset-api": ("pending", WhyQuestion("sts/api")),
    "pending/job-pretrain": ("pending", WhyQuestion("job/pretrain")),
    "volumes/db-1": ("volumes", WhyQuestion("shop/db-1", with_hints=True)),
    "volumes/import-no-claim": ("volumes", WhyQuestion("import-5x2kd")),
    "spread/front": ("spread", WhyQuestion("deploy/front", with_hints=True)),
    "spread/analytics-0": ("spread", WhyQuestion("analytics-0")),
}


@lru_cache
def example(name: str) -> Snapshot:
    return load([f"example:{name}"], release=release_for)


@lru_cache
def report(name: str, question: WhyQuestion) -> WhyReport:
    return why(example(name), question, choose_scheduler(example(name)))


@pytest.mark.parametrize("name", QUESTIONS)
def test_text(golden: Golden, name: str) -> None:
    golden(f"why/{name}.txt", render_text(report(*QUESTIONS[name]), Style()))


@pytest.mark.parametrize("width", [60, 80, 200])
def test_text_of_other_widths(golden: Golden, width: int) -> None:
    found = report(*QUESTIONS["pending/api-7"])

    golden(f"why/pending/api-7-at-{width}.txt", render_text(found, Style(width)))


@pytest.mark.parametrize("name", QUESTIONS)
def test_json(golden: Golden, name: str) -> None:
    text = render_json(report(*QUESTIONS[name]))

    jsonschema.validate(json.loads(text), why_json_schema(), jsonschema.Draft202012Validator)
    golden(f"why/{name}.json", text)


def test_yaml_is_the_same_document(golden: Golden) -> None:
    found = report(*QUESTIONS["pending/api-7"])

    golden("why/pending/api-7.yaml", render_yaml(found))


@pytest.mark.parametrize("width", [1, 60, 73, 80, 100, 200])
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_line_is_too_long_and_every_command_is_whole(name: str, width: int) -> None:
    found = report(*QUESTIONS[name])
    lines = render_text(found, Style(width)).splitlines()
    commands = [
        step.command
        for group in found.explained
        if group.explanation.remedies is not None
        for remedy in group.explanation.remedies.remedies
        for step in remedy.steps
        if step.command
    ]

    assert [line.strip() for line in lines if line.strip() in commands] == commands
    assert [x for x in lines if len(x) > max(60, width) and x.strip() not in commands] == []


def test_every_example_is_shown() -> None:
    assert example_names() == sorted((*EXAMPLES, *OF_OTHER_COMMANDS))


def real_verdicts() -> list[tuple[str, dict[str, Any]]]:
    """What the real 1.35 scheduler says of every waiting pod of the examples."""
    return [
        (name, verdict)
        for name in EXAMPLES
        for verdict in json.loads(
            (FIXTURES / "examples" / f"{name}.kube-scheduler.json").read_text()
        )
    ]


@pytest.mark.parametrize(
    ("name", "verdict"), real_verdicts(), ids=[verdict["id"] for _, verdict in real_verdicts()]
)
def test_the_real_scheduler_says_the_same(name: str, verdict: dict[str, Any]) -> None:
    found = report(name, WhyQuestion(verdict["id"])).explained[0].explanation

    assert found.scheduler_message == verdict["message"]
    assert list(found.preemption.nodes if found.preemption else ()) == verdict.get("nominated", [])
    assert found.agreement is not None
    assert found.agreement.status.value == "agrees"
