"""`kschedx simulate-upgrade`: its options, its exit codes, its errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from kschedx.cli.main import run

EXAMPLE = ["-f", "example:upgrade", "-q"]


def _ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = run(["simulate-upgrade", *arguments, *EXAMPLE])
    said = capsys.readouterr()
    return status, said.out, said.err


def _report(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    _, out, _ = _ask(capsys, *arguments, "-o", "json")
    return dict(json.loads(out))


def test_a_deadlock_exits_with_1_and_names_step_thief_and_cycle(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status, out, _ = _ask(capsys, "sts/db", "--no-remedies")

    assert status == 1
    assert "DEADLOCK at step 1 of 3" in out
    assert "batch/report-x takes worker-3" in out
    assert "db-1, db-0 wait for db-2 to be Ready" in out


def test_a_rollout_that_completes_exits_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = _ask(capsys, "deploy/web", "--no-remedies")

    assert status == 0
    assert "COMPLETES" in out


def test_nothing_is_known_of_a_queue_in_another_order(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "scheduler.yaml"
    sort = {"disabled": [{"name": "*"}], "enabled": [{"name": "Own"}]}
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"plugins": {"queueSort": sort}}],
    }
    path.write_text(json.dumps(configuration))

    status, out, _ = _ask(capsys, "deploy/web", "--scheduler-config", str(path))

    assert status == 0
    assert "NOT CHECKED: not modelled: Own" in out


CHANGES = {
    "nothing said": ([], ["template touched, nothing else"]),
    "an image": (["--image", "c=postgres:17.2"], ["image postgres:17.1 -> postgres:17.2"]),
    "an image of the only container": (
        ["--image", "postgres:17.2"],
        ["image postgres:17.1 -> postgres:17.2"],
    ),
    "requests": (
        ["--requests", "c:cpu=2,memory=1Gi"],
        ["cpu request 3 -> 2", "memory request none -> 1Gi"],
    ),
    "a size": (["--replicas", "2"], ["replicas 3 -> 2"]),
}


@pytest.mark.parametrize("case", CHANGES)
def test_ways_to_say_the_change(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, change = CHANGES[case]

    assert _report(capsys, "sts/db", "--no-remedies", *arguments)["change"] == change


def test_a_manifest_says_the_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "db", "namespace": "prod"},
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"app": "db"}},
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {"containers": [{"name": "c", "image": "postgres:18"}]},
            },
        },
    }
    path = tmp_path / "new.yaml"
    path.write_text(json.dumps(manifest))

    report = _report(capsys, "--to", str(path), "--no-remedies")

    assert report["workload"]["name"] == "db"
    assert "image postgres:17.1 -> postgres:18" in report["change"]


def test_never_ready_says_whether_undoing_helps(capsys: pytest.CaptureFixture[str]) -> None:
    ordered = _report(
        capsys, "sts/db", "--never-ready", "--no-remedies", "--without", "pod/batch/report-x"
    )
    surging = _report(capsys, "deploy/web", "--never-ready", "--no-remedies")

    assert (ordered["outcome"], ordered["worst"]["undo"]["helps"]) == ("deadlock", False)
    assert (surging["outcome"], surging["worst"]["undo"]["helps"]) == ("deadlock", True)


def test_remedies_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    report = _report(capsys, "sts/db")

    assert {r["code"]: r["outcome"] for r in report["proposals"]} == {
        "today": "deadlock",
        "hold": "completes",
        "reserve": "completes",
    }
    assert {r["code"]: r["outcome"] for r in report["remedies"]} == {
        "priority": "completes",
        "gate": "completes",
        "partition": "deadlock",
        "extra-node": "completes",
    }


def test_the_kubelets_delays_are_options(capsys: pytest.CaptureFixture[str]) -> None:
    report = _report(
        capsys, "deploy/web", "--no-remedies", "--stop-seconds", "2.5", "--start-seconds", "1"
    )

    assert max(e["atSeconds"] for e in report["worst"]["timeline"]) == 4.5


def test_every_workload_worst_first(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = _ask(capsys, "--all", "-o", "json")
    report = json.loads(out)

    assert status == 1
    assert [(w["workload"]["name"], w["outcome"], w["proved"]) for w in report["workloads"]] == [
        ("db", "deadlock", False),
        ("web", "completes", True),
    ]
    assert report["room"][0]["unblocks"] == 1


def test_commands_stand_on_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _ask(capsys, "sts/db")

    commands = [line for line in out.splitlines() if line.startswith("    kubectl")]
    assert [line.count("'") for line in commands] == [2, 2]


def test_times_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    times = ["--stop-seconds", "10000000", "--start-seconds", "0.5"]

    _, out, _ = _ask(capsys, "sts/db", "--no-remedies", *times)

    assert "t+10000000s  db-2 stopped" in out
    assert "new pods are Ready 0.5s after they have a node" in " ".join(out.split())


def test_all_says_what_holds_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = _ask(capsys, "--all", "--never-ready")

    assert "one more node with 4 cpu, 16Gi memory: no workloads" in out
    assert "pods of the new revision never become Ready" in out


def test_a_single_order_is_not_said_to_have_met_the_bound(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, out, _ = _ask(capsys, "sts/db", "--no-remedies", "--order", "worst")

    assert "1 order of events played (more exist) with" in " ".join(out.split())


WRONG = {
    "no workload named": ([], 2, "options-contradict"),
    "--all and a name": (["sts/db", "--all"], 2, "options-contradict"),
    "no such workload": (["sts/dbb"], 3, "no-such-workload"),
    "not a workload": (["pod/x"], 2, "not-a-workload"),
    "no such container": (["sts/db", "--image", "x=y"], 2, "no-such-container"),
    "not requests": (["sts/db", "--requests", "c:cpu"], 2, "not-requests"),
    "not a quantity": (["sts/db", "--requests", "c:cpu=lots"], 2, "not-requests"),
    "less than nothing": (["sts/db", "--requests", "c:cpu=-1"], 2, "not-requests"),
    "no image": (["sts/db", "--image", "c="], 2, "not-an-image"),
    "time without end": (["sts/db", "--stop-seconds", "inf"], 2, "not-seconds"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_answered(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments, status, code = WRONG[case]

    ended, out, err = _ask(capsys, *arguments)

    assert (ended, out) == (status, "")
    assert f"error[{code}]" in err
