"""docs/rbac.yaml grants what is read and nothing else. That it suffices: tests/live/test_rights.py."""

from pathlib import Path

import yaml

from kschedx.snapshot import kinds

RBAC = Path(__file__).parents[2] / "docs" / "rbac.yaml"


def test_every_kind_and_no_other() -> None:
    documents = list(yaml.load_all(RBAC.read_text(), yaml.SafeLoader))
    (role,) = (item for item in documents if item["kind"] == "ClusterRole")
    granted = {
        (group, resource)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }

    assert granted == {(kind.groups[0], kind.plural) for kind in kinds.ALL}
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"list"}
