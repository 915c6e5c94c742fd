"""A rollout that stops by its own rules: recognised, and proven to go on otherwise."""

from typing import Any

import msgspec

from kschedx.answers.replay import SchedulerChoice
from kschedx.answers.why import WhyQuestion, why
from kschedx.api.meta import Object
from kschedx.api.workloads import Deployment, ReplicaSet
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.verdict_class import VerdictClass
from kschedx.schedulers.kube.versions import Release
from kschedx.snapshot.files import load
from tests.builders import node, pod, snapshot
from tests.cases.clusters import CASES


def explained(*objects: Object) -> Explanation:
    held = snapshot(node("n1"), *objects, complete=True)
    question = WhyQuestion("p", with_hints=True)
    return why(held, question, SchedulerChoice(Release())).explained[0].explanation


def deployment(rolling: dict[str, Any], replicas: int, image: str = "app:2") -> list[Object]:
    """A Deployment in the middle of a rollout, with both ReplicaSets."""

    def template(own: str) -> dict[str, Any]:
        return {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [
                    {"name": "main", "image": own, "resources": {"requests": {"cpu": "3"}}}
                ]
            },
        }

    selector = {"matchLabels": {"app": "web"}}
    top = {
        "metadata": {"name": "web", "namespace": "default", "uid": "web"},
        "spec": {
            "replicas": replicas,
            "selector": selector,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": rolling},
            "template": template(image),
        },
    }
    owner = {"kind": "Deployment", "name": "web", "uid": "web", "controller": True}
    sets = [
        msgspec.convert(
            {
                "metadata": {
                    "name": f"web-{n}",
                    "namespace": "default",
                    "uid": f"web-{n}",
                    "ownerReferences": [owner],
                },
                "spec": {"replicas": 1, "selector": selector, "template": template(f"app:{n}")},
            },
            ReplicaSet,
        )
        for n in (1, 2)
    ]
    return [msgspec.convert(top, Deployment), *sets]


def of_revision(name: str, number: int, node: str = "") -> Object:
    owner = {
        "kind": "ReplicaSet",
        "name": f"web-{number}",
        "uid": f"web-{number}",
        "controller": True,
    }
    return pod(
        name,
        requests={"cpu": "3"},
        node=node,
        labels={"app": "web"},
        metadata={"ownerReferences": [owner]},
    )


def test_a_rollout_that_stops_gets_another_strategy() -> None:
    rolling = {"maxSurge": 1, "maxUnavailable": 0}
    found = explained(
        *deployment(rolling, 1),
        of_revision("old", 1, "n1"),
        of_revision("p", 2),
    )

    assert found.verdict_class is VerdictClass.ROLLOUT_DEADLOCK
    assert found.what_if.deadlock is not None
    assert found.what_if.deadlock.command == "kschedx simulate-upgrade deployment/default/web"
    assert found.remedies is not None
    first = found.remedies.remedies[0]
    assert [step.code for step in first.steps] == ["rollout-strategy"]
    assert first.message == (
        "set maxSurge 0, maxUnavailable 1 in Deployment web, whose rollout then completes"
    )
    assert first.nodes == ("n1",)


def test_a_rollout_that_goes_on_by_itself_is_no_deadlock() -> None:
    """One pod more is available than has to be: the controller takes an old one away."""
    rolling = {"maxSurge": 1, "maxUnavailable": 1}
    found = explained(*deployment(rolling, 1), of_revision("old", 1, "n1"), of_revision("p", 2))

    assert found.what_if.deadlock is None


def stuck(case: str) -> Explanation:
    release = Release(35)
    held = load([str(CASES / case / "cluster.yaml")], complete=True, release=release)
    question = WhyQuestion("default/db-0", with_hints=True)
    return why(held, question, SchedulerChoice(release)).explained[0].explanation


def test_a_pod_of_a_revision_that_was_left_is_to_be_deleted() -> None:
    """Its template is mended already: another change of it would not reach the pod."""
    found = stuck("statefulset-stuck-on-a-bad-revision")

    assert found.verdict_class is VerdictClass.ROLLOUT_DEADLOCK
    assert found.summary.startswith(
        "its rollout stops here: it is of revision db-r1, and StatefulSet db makes it again as "
        "db-r2, which fits n1, only once it is ready or deleted; needs 100Gi memory"
    )
    assert found.remedies is not None
    assert [step.code for r in found.remedies.remedies for step in r.steps] == [
        "delete-outdated-pod",
        "add-node",
    ]
    first = found.remedies.remedies[0]
    assert first.nodes == ("n1",)
    assert first.message.endswith("makes it again of revision db-r2, whose rollout then completes")
    assert first.steps[0].command == "kubectl delete pod -n default db-0"
