import pytest

from kschedx.api.meta import Object
from kschedx.framework.views import PodView
from kschedx.schedulers.kube.plugins.volume_binding import VolumeBinding
from kschedx.schedulers.kube.utilization_shape import UtilizationShape
from kschedx.schedulers.kube.versions import Release
from tests.builders import cluster, node
from tests.storage_builders import capacity, claim, csi_driver, storage_class, using, volume

RULE = VolumeBinding(Release(37))
LOCAL = storage_class("local", "kubernetes.io/no-provisioner")
TRACKED = csi_driver(tracks_capacity=True)


def score(rule: VolumeBinding, claims: list[str], *objects: Object) -> int | None:
    """The score of the one node; None where the rule adds nothing on any."""
    view = cluster(node("n1"), *objects)
    hosts = list(view.nodes.values())
    state = rule.prepare_score(PodView(using(*claims), view.accounting), view, hosts)
    return None if state is None else rule.score(state, hosts[0])


CASES: dict[str, tuple[list[str], list[Object], int]] = {
    "an existing volume by its size": (
        ["c"],
        [claim("c", "local", size="3Gi"), LOCAL, volume("v", "local", size="4Gi")],
        25,
    ),
    "existing volumes of one class are summed": (
        ["c", "d"],
        [
            claim("c", "local", size="1Gi"),
            claim("d", "local", size="1Gi"),
            LOCAL,
            volume("v", "local", size="2Gi"),
            volume("w", "local", size="6Gi"),
        ],
        75,
    ),
    "classes count alike, their mean is rounded half up": (
        ["c", "d"],
        [
            claim("c", "local", size="3Gi"),
            claim("d", "other", size="1Gi"),
            LOCAL,
            storage_class("other", "kubernetes.io/no-provisioner"),
            volume("v", "local", size="4Gi"),
            volume("w", "other", size="2Gi"),
        ],
        38,
    ),
    "a new volume by the capacity that is left": (
        ["c"],
        [claim("c", size="25Gi"), storage_class(), TRACKED, capacity(size="100Gi")],
        75,
    ),
    "new volumes of one class share its capacity": (
        ["c", "d"],
        [
            claim("c", size="25Gi"),
            claim("d", size="25Gi"),
            storage_class(),
            TRACKED,
            capacity(size="100Gi"),
        ],
        50,
    ),
    "more than there is counts as full": (
        ["c", "d"],
        [
            claim("c", size="60Gi"),
            claim("d", size="60Gi"),
            storage_class(),
            TRACKED,
            capacity(size="100Gi"),
        ],
        0,
    ),
    "a new volume of a class without capacities does not count": (
        ["c"],
        [claim("c"), storage_class()],
        0,
    ),
    "a new volume does not count beside an existing one": (
        ["c", "d"],
        [
            claim("c", "local", size="3Gi"),
            claim("d", size="100Gi"),
            LOCAL,
            storage_class(),
            TRACKED,
            volume("v", "local", size="4Gi"),
            capacity(size="100Gi"),
        ],
        25,
    ),
    "bound claims do not count": (["c"], [claim("c", bound="v"), volume("v")], 0),
}


@pytest.mark.parametrize("case", CASES)
def test_scores(case: str) -> None:
    claims, objects, expected = CASES[case]

    assert score(RULE, claims, *objects) == expected


STATIC = [claim("c", "local", size="3Gi"), LOCAL, volume("v", "local", size="4Gi")]


def test_a_shape_of_its_own() -> None:
    fuller_is_better = UtilizationShape(((0, 0), (50, 40), (100, 100)))

    assert score(VolumeBinding(Release(37), fuller_is_better), ["c"], *STATIC) == 70


def test_by_default_only_from_1_37_on() -> None:
    assert score(VolumeBinding(Release(36)), ["c"], *STATIC) is None
    assert score(VolumeBinding(Release(36, {"StorageCapacityScoring": True})), ["c"], *STATIC) == 25


def test_a_pod_without_claims() -> None:
    assert score(RULE, []) is None
