from hypothesis import given
from hypothesis import strategies as st

from kschedx.schedulers.kube.label_index import LabelIndex, narrowest

KEYS = st.sampled_from(["zone", "host", "disk"])
VALUES = st.sampled_from(["a", "b", "c"])
PINS = st.none() | st.tuples(KEYS, st.frozensets(VALUES, max_size=3))
LABELS = st.dictionaries(KEYS, VALUES)


@given(pins=st.lists(PINS, max_size=12), labels=LABELS)
def test_near_finds_what_looking_at_all_items_finds(
    pins: list[tuple[str, frozenset[str]] | None], labels: dict[str, str]
) -> None:
    index = LabelIndex(enumerate(pins))
    expected = [i for i, pin in enumerate(pins) if pin is None or labels.get(pin[0]) in pin[1]]

    assert list(index.near(labels)) == expected
    assert len(index) == len(pins)


def test_the_narrowest_pin_has_the_fewest_values() -> None:
    wide, narrow = ("zone", frozenset("ab")), ("zone", frozenset("a"))

    assert narrowest([wide, narrow, ("host", frozenset("abc"))]) == narrow
    assert narrowest([]) is None
