"""Public incidents: the real scheduler's verdict, the true cause at once, the fix that works."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import jsonschema
import pytest

from kschedx.answers.preempt import preempt
from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.why import WhyQuestion, why
from kschedx.diagnose.report import WhyReport
from kschedx.render.json import render_json, why_json_schema
from kschedx.render.preempt_text import render_preempt
from kschedx.render.text import Style
from kschedx.render.why_text import render_text
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.files import load
from tests.cases.clusters import cluster_file, oracle_line, recorded_file
from tests.cases.expected import EXPECTED
from tests.conformance.replay import replay_line
from tests.oracle.compare import differences

SCHEMA = jsonschema.Draft202012Validator(why_json_schema())
TRIED = [name for name, expected in EXPECTED.items() if expected.tried]


def asked(case: str, minor: int = 35) -> WhyReport:
    release = Release(minor)
    held = load([str(cluster_file(case))], complete=True, release=release)
    question = WhyQuestion(EXPECTED[case].pod, with_hints=True)
    return why(held, question, SchedulerChoice(release))


@pytest.mark.parametrize("case", TRIED)
def test_equals_the_real_scheduler(case: str) -> None:
    line = oracle_line(case, EXPECTED[case].pod)
    recorded = json.loads(recorded_file(case).read_text(encoding="utf-8"))

    assert not list(differences(json.loads(line), recorded, replay_line(line.encode(), "1.35")))


@pytest.mark.parametrize("case", EXPECTED)
def test_says_what_is_the_matter(case: str, golden: Callable[[str, str], None]) -> None:
    expected, report = EXPECTED[case], asked(case)
    text = render_text(report, Style(100))
    first = " ".join(text.splitlines()[:3])
    found = report.explained[0].explanation
    remedies = found.remedies.remedies if found.remedies is not None else ()
    proposed = {"+".join(step.code for step in remedy.steps) for remedy in remedies}

    assert [words for words in expected.says if words not in first] == []
    assert found.verdict_class == expected.verdict_class
    assert set(expected.hints) <= proposed
    helped = {
        ("+".join(step.code for step in r.steps), r.together.placed, r.together.waiting)
        for r in remedies
        if r.together is not None
    }
    assert set(expected.helps) <= helped
    whole = " ".join(text.split())
    assert [words for words in expected.shows if words not in whole] == []
    assert [words for words in expected.hides if words in whole] == []
    assert [s.command for r in remedies for s in r.steps if "-p '[]'" in s.command] == []
    assert not set(expected.spares) & proposed
    document = render_json(report)
    SCHEMA.validate(json.loads(document))
    said = " ".join(_messages(json.loads(document)))
    assert [words for words in expected.shows if words not in said] == []
    golden(f"../cases/{case}/why.txt", text)
    golden(f"../cases/{case}/why.json", document)


def _messages(item: Any) -> Iterator[str]:
    """Every message of a document, in whatever it stands."""
    if isinstance(item, dict):
        yield from (value for key, value in item.items() if key == "message")
        item = list(item.values())
    for each in item if isinstance(item, list) else ():
        yield from _messages(each)


def test_larger_than_any_node_until_1_33(golden: Callable[[str, str], None]) -> None:
    """The older scheduler tried preemption on nodes that could never hold the pod."""
    report = asked("r04-larger-than-any-node", 33)
    text = render_text(report, Style(100))

    assert "1 Preemption is not helpful for scheduling, 2 Insufficient cpu." in " ".join(
        text.split()
    )
    golden("../cases/r04-larger-than-any-node/why-1.33.txt", text)


def test_why_a_budget_outranks_a_priority(golden: Callable[[str, str], None]) -> None:
    """The ladder of candidates, and the rung that decides."""
    case = "e01-budget-before-priority"
    release = Release(35)
    held = load([str(cluster_file(case))], complete=True, release=release)
    text = render_preempt(
        preempt(held, EXPECTED[case].pod, None, SchedulerChoice(release)), Style(100)
    )

    assert "Decided by  fewest disruption budgets violated" in text
    golden(f"../cases/{case}/preempt.txt", text)
