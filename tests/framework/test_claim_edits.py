"""Claims that get a class, or are there at all."""

import pytest

from kschedx.api.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from kschedx.framework.claim_edits import ProvideClaim, RecreateClaim
from kschedx.framework.edit import Patch
from tests.builders import cluster, pod
from tests.storage_builders import claim, storage_class, volume

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


def test_recreate_claim() -> None:
    """The class binds at once: it waits from now on, and the claim begins without a volume."""
    bound = claim("data", storage_class="fast", bound="pv")
    held = cluster(storage_class("fast", waits=False), volume("pv"), bound)
    edit = RecreateClaim.of(bound, held)
    assert edit is not None
    _, changed = edit.apply(pod(), held)
    again = changed.snapshot.all(PersistentVolumeClaim)["default/data"]

    assert (again.spec.volume_name, again.status.phase) == ("", "Pending")
    assert changed.snapshot.all(StorageClass)["fast"].volume_binding_mode == "WaitForFirstConsumer"
    assert "pv" in changed.snapshot.all(PersistentVolume)
    assert edit.sentence() == (
        "make StorageClass fast again with volumeBindingMode: WaitForFirstConsumer, then claim "
        "default/data (its volume begins empty, its data stays in pv)"
    )


def test_a_class_that_waits_is_taken_where_there_is_one() -> None:
    bound = claim("data", storage_class="fast", bound="pv")
    late = storage_class("late")
    held = cluster(storage_class("fast", waits=False), late, volume("pv"), bound)
    edit = RecreateClaim.of(bound, held)

    assert edit is not None
    assert edit.storage_class == "late"
    assert edit.patch(pod()).command.startswith("kubectl get pvc data -n default -o json | ")


def test_a_claim_whose_class_waits_already_is_left_alone() -> None:
    bound = claim("data", storage_class="late", bound="pv")
    late = storage_class("late")

    assert RecreateClaim.of(bound, cluster(late, volume("pv"), bound)) is None
