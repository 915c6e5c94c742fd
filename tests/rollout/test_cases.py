"""Public incidents as case folders: the cluster, the question, the whole report.

A folder of tests/fixtures/cases with a question.json is asked through the command line.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kschedx.cli.main import run

CASES = Path(__file__).parents[1] / "fixtures" / "cases"


@pytest.mark.parametrize("case", sorted(path.parent.name for path in CASES.glob("*/question.json")))
@pytest.mark.parametrize("output", ["text", "json"])
def test_a_case_is_answered_as_its_report_says(
    case: str, output: str, golden: Callable[[str, str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = CASES / case
    question = json.loads((folder / "question.json").read_text(encoding="utf-8"))
    arguments = [
        "simulate-upgrade",
        *question["arguments"],
        "-f",
        str(folder / "cluster.yaml"),
        "--complete",
        "-q",
        "-o",
        output,
    ]

    status = run(arguments)

    written = capsys.readouterr().out
    suffix = "txt" if output == "text" else "json"
    golden(f"../cases/{case}/report.{suffix}", written)
    if output == "json":
        assert status == (1 if json.loads(written)["outcome"] in ("deadlock", "at-risk") else 0)
