from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kschedx.api.quantity import nano
from kschedx.api.storage import PersistentVolume, PersistentVolumeClaim
from kschedx.schedulers.kube.volume_matching import MatchFinder, affinity_of, reaches
from tests.storage_builders import ZONE, Expression, claim, volume

HOSTNAME = "kubernetes.io/hostname"
PLACES: st.SearchStrategy[list[list[Expression]] | None] = st.sampled_from(
    [
        None,
        [],
        [[(ZONE, "In", ["a"])]],
        [[(ZONE, "In", ["a", "b"]), (HOSTNAME, "In", ["n1"])]],
        [[(HOSTNAME, "In", ["n1"])], [(ZONE, "In", ["b"])]],
        [[(ZONE, "NotIn", ["a"])]],
        [[(ZONE, "Exists", [])]],
    ]
)
SIZES = st.sampled_from(["1Gi", "2Gi", "2147483649", "3G", "0.5Gi"])


@st.composite
def volumes(draw: st.DrawFn) -> list[PersistentVolume]:
    """Volumes of one class; no two have the same size."""
    sizes = draw(st.lists(SIZES, max_size=5, unique=True))
    found = []
    for index, size in enumerate(sizes):
        ref: dict[str, Any] = draw(
            st.sampled_from([{}, {}, {}, {"claimRef": {"namespace": "default", "name": "c"}}])
        )
        found.append(volume(f"v{index}", size=size, places=draw(PLACES), spec=ref))
    return found


def by_definition(
    wanted: PersistentVolumeClaim,
    among: list[PersistentVolume],
    labels: dict[str, str],
    taken: set[str],
) -> str | None:
    """One pass over all volumes: a reserved one ends it, otherwise the smallest remains."""
    smallest: PersistentVolume | None = None
    for each in among:
        if each.name in taken:
            continue
        size = nano(each.spec.capacity["storage"])
        if size < nano(wanted.spec.resources.requests["storage"]):
            continue
        fits = reaches(affinity_of(each), labels)
        if each.spec.claim_ref is not None:
            return each.name if fits else None
        if fits and (smallest is None or size < nano(smallest.spec.capacity["storage"])):
            smallest = each
    return smallest.name if smallest is not None else None


@given(
    among=volumes(),
    size=SIZES,
    zone=st.sampled_from(["a", "b", ""]),
    taken=st.sets(st.sampled_from(["v0", "v1", "v2"])),
)
def test_the_volume_that_one_pass_over_all_would_choose(
    among: list[PersistentVolume], size: str, zone: str, taken: set[str]
) -> None:
    wanted = claim("c", size=size)
    labels = {HOSTNAME: "n1", **({ZONE: zone} if zone else {})}
    match = MatchFinder(among, 35).matches(wanted).on(labels, taken)

    assert (match.name if match is not None else None) == by_definition(
        wanted, among, labels, taken
    )


def test_before_1_34_attributes_classes_are_passed_over() -> None:
    gold = volume("v", spec={"volumeAttributesClassName": "gold"})

    assert MatchFinder([gold], 33).matches(claim("c")).on({}, ()) is not None
    assert MatchFinder([gold], 34).matches(claim("c")).on({}, ()) is None


def test_of_equal_volumes_the_first_by_name_is_taken() -> None:
    match = MatchFinder([volume("w"), volume("v")], 35).matches(claim("c")).on({}, ())

    assert match is not None
    assert match.name == "v"
