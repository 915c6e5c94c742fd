"""`kschedx check` from end to end: formats that validate, exit codes, files that it reads."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

from kschedx.cli.main import run
from kschedx.gate.findings import RULES
from kschedx.render.check_document import CheckDocument
from kschedx.render.github import render_github
from kschedx.render.json import json_schema
from kschedx.render.markdown import render_markdown
from tests.gate.sets import (
    budget,
    cluster,
    existing_set,
    manifests,
    node,
    report,
    running,
    workload,
)

SCHEMAS = Path(__file__).parents[1] / "fixtures" / "schemas"
CLUSTER = "".join(
    (
        "---\napiVersion: v1\nkind: List\nmetadata: {annotations: "
        '{kschedx.io/complete: "true", kschedx.io/kubernetes-version: v1.35.4}}\nitems: []\n',
        node("a"),
        node("b"),
        existing_set("db", "3", "a", "b"),
        running("waits", "3", ""),
    )
)
BROKEN = "".join(
    (
        workload("StatefulSet", "db", 2, "3", image="app:2"),
        workload("Deployment", "x", 2, "5"),
        workload("Deployment", "y", 1, "1"),
        budget("y", "y", minAvailable=1),
        workload("Deployment", "z", 1, "1", schedulerName="other"),
    )
)
FINE = workload("Deployment", "y", 1, "1")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / "broken.yaml").write_text(BROKEN)
    (tmp_path / "fine.yaml").write_text(FINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["check", *arguments, "-f", "cluster.yaml"])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_sarif_validates(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = ask(capsys, "broken.yaml", "-o", "sarif")
    log = json.loads(out)
    schema = json.loads((SCHEMAS / "sarif-2.1.0.json").read_text())
    jsonschema.Draft4Validator(schema).validate(log)
    (sarif_run,) = log["runs"]

    assert code == 1
    assert [rule["id"] for rule in sarif_run["tool"]["driver"]["rules"]] == [r.code for r in RULES]
    assert [(r["ruleId"], r["level"]) for r in sarif_run["results"]] == [
        ("rollout-deadlock", "error"),
        ("unschedulable", "error"),
        ("blocks-drain", "warning"),
        ("not-checked", "note"),
    ]
    assert sarif_run["results"][1]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "broken.yaml"},
        "region": {"startLine": 4, "startColumn": 1},
    }


@pytest.mark.parametrize(("file", "failures"), [("broken.yaml", "2"), ("fine.yaml", "0")])
def test_junit_validates(
    file: str, failures: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = ask(capsys, file, "-o", "junit")
    xmlschema.XMLSchema(str(SCHEMAS / "junit-10.xsd")).validate(out)

    assert ElementTree.fromstring(out).get("failures") == failures


def test_json_keeps_its_schema(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ask(capsys, "broken.yaml", "-o", "json")
    jsonschema.Draft202012Validator(json_schema(CheckDocument, "check")).validate(json.loads(out))

    assert json.loads(out)["failed"] is True


def test_github_commands_are_one_line_each_with_their_place(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = ask(capsys, "broken.yaml", "-o", "github")
    commands = [line for line in out.splitlines() if line.startswith("::")]

    assert [re.sub(r"::[^:]*$", "", line.partition("%0A")[0]) for line in commands[:2]] == [
        "::error col=1,file=broken.yaml,line=2,title=rollout-deadlock%3A StatefulSet prod/db::"
        "its rollout stops at step 1 of 2: db-1 stays Pending, 0 of 2 nodes: 2 insufficient cpu",
        "::error col=1,file=broken.yaml,line=4,title=unschedulable%3A Deployment prod/x::"
        "2 of 2 replicas get no node: no node of 2 can take it",
    ]
    assert [line.split()[0] for line in commands] == ["::error", "::error", "::warning", "::notice"]


def test_nothing_in_a_manifest_can_write_a_command_or_markup() -> None:
    evil = workload("Deployment", "x", 1, "9").replace('"x"', '"x|<b>@all\\r\\n::error::y,%0A`"')
    told = report(cluster(node("a")), manifests(evil))
    github, markdown = render_github(told), render_markdown(told)

    assert [line[:8] for line in github.splitlines() if line.startswith("::")] == ["::error "]
    assert "<b>" not in markdown
    assert "@all" not in markdown
    assert sum(line.startswith("| error") for line in markdown.splitlines()) == 1


def test_markdown_has_a_row_per_finding(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ask(capsys, "broken.yaml", "-o", "markdown")

    assert out.startswith("### kschedx check failed\n")
    assert (
        sum(line.startswith(("| error", "| warning", "| note")) for line in out.splitlines()) == 4
    )


TEXT = """\
1 warning: 1 object with pods applied to 2 nodes
kube-scheduler 1.35

warning  blocks-drain  PodDisruptionBudget prod/y  y.yaml:4:1
  never allows an eviction: minAvailable 1, and 1 pod of Deployment prod/y
"""


def test_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "y.yaml").write_text(FINE + budget("y", "y", minAvailable=1))

    assert ask(capsys, "y.yaml") == (0, TEXT, "")


def test_exit_codes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "y.yaml").write_text(FINE + budget("y", "y", minAvailable=1))
    (here / "t.yaml").write_text("a: {{ .Values.x }}\n")

    assert ask(capsys, "fine.yaml")[0] == 0
    assert ask(capsys, "broken.yaml")[0] == 1
    assert ask(capsys, "broken.yaml", "--fail-on", "never")[0] == 0
    assert ask(capsys, "y.yaml", "--fail-on", "warning")[0] == 1
    assert ask(capsys, "y.yaml", "--severity", "blocks-drain=error")[0] == 1
    assert ask(capsys, "broken.yaml", "--base", "broken.yaml")[0] == 0
    assert ask(capsys)[0] == 2
    assert ask(capsys, "fine.yaml", "--disable", "nope")[0] == 2
    assert ask(capsys, "none.yaml")[0] == 3
    assert ask(capsys, "t.yaml")[0] == 3


def test_a_baseline_is_written_and_read(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, "broken.yaml", "--write-baseline", "accepted.json")[0] == 0
    code, out, _ = ask(capsys, "broken.yaml", "--baseline", "accepted.json")

    assert code == 0
    assert "4 findings accepted by the baseline" in out


def test_settings_of_the_folder_are_read(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / ".kschedx.yaml").write_text("check: {disable: [rollout-deadlock, unschedulable]}\n")
    (here / "wrong.yaml").write_text("check: {disabled: []}\n")

    assert ask(capsys, "broken.yaml")[0] == 0
    code, _, err = ask(capsys, "broken.yaml", "--config", "wrong.yaml")
    assert code == 3
    assert err == (
        "error[wrong-settings]: wrong.yaml: check.disabled is not known\n"
        "hint: did you mean disable?\n"
    )
