"""Claims that get a class, or are there at all."""

import pytest

from kschedx.api.storage import PersistentVolumeClaim
from kschedx.framework.claim_edits import ProvideClaim
from kschedx.framework.edit import Patch
from tests.builders import cluster, pod

SET = ({"op": "add", "path": "/spec/storageClassName", "value": "fast"},)
KUBECTL = """kubectl patch pvc data -n prod -p '{"spec": {"storageClassName": "fast"}}'"""

EDITS: dict[str, tuple[str | None, str, Patch]] = {
    "there is none": (None, "create claim prod/data of StorageClass fast", Patch()),
    "it has no class": (
        "",
        "give claim prod/data StorageClass fast",
        Patch("PersistentVolumeClaim", "prod", "data", SET, KUBECTL),
    ),
    "its class cannot be changed in place": (
        "gone",
        "make claim prod/data again, of StorageClass fast",
        Patch("PersistentVolumeClaim", "prod", "data", SET),
    ),
}


@pytest.mark.parametrize(("former", "sentence", "patch"), EDITS.values(), ids=EDITS.keys())
def test_provide_claim(former: str | None, sentence: str, patch: Patch) -> None:
    edit = ProvideClaim("prod/data", "fast", former)
    _, changed = edit.apply(pod(), cluster())
    claim = changed.snapshot.get(PersistentVolumeClaim, "prod/data")

    assert (edit.sentence(), edit.patch(pod())) == (sentence, patch)
    assert claim is not None
    assert claim.spec.storage_class_name == "fast"
