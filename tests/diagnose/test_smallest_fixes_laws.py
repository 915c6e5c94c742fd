"""Hints keep their word on random cases; `python -m tests.diagnose.hint_laws` tries more."""

from itertools import islice

from tests.diagnose.hint_laws import FEW, cheaper, drawn, unkept


def test_every_hint_followed_with_kubectl_gets_the_pod_its_node() -> None:
    assert [line for asked in islice(drawn("law"), 500) for line in unkept(asked)] == []


def test_no_single_change_that_works_is_cheaper_than_the_first_hint() -> None:
    assert [line for asked in islice(drawn("few", FEW), 200) for line in cheaper(asked)] == []
