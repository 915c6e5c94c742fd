"""Lists of a server that is scripted answer by answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest

from kschedx.api.errors import KschedxError
from kschedx.api.node import Node
from kschedx.api.policy import PodDisruptionBudget
from kschedx.snapshot.kinds import BY_TYPE
from kschedx.snapshot.paging import Answer, Lister, NoAnswerError

NODES = BY_TYPE[Node]
BUDGETS = BY_TYPE[PodDisruptionBudget]
Scripted = Answer | NoAnswerError


class Script:
    """Gives its answers in order and keeps what was asked."""

    shown = "context test"

    def __init__(self, *answers: Scripted) -> None:
        self._answers = list(answers)
        self.asked: list[str] = []

    def get(self, path: str) -> Answer:
        self.asked.append(path)
        answer = self._answers.pop(0)
        if isinstance(answer, NoAnswerError):
            raise answer
        return answer


def page(*names: str, token: str = "", left: int = 0) -> Answer:
    metadata = {"continue": token, "remainingItemCount": left} if token else {}
    items = [{"metadata": {"name": name}} for name in names]
    body = {"kind": "NodeList", "apiVersion": "v1", "metadata": metadata, "items": items}
    return Answer(200, {}, json.dumps(body).encode())


def said(status: int, message: str = "", headers: Mapping[str, str] | None = None) -> Answer:
    return Answer(status, headers or {}, json.dumps({"message": message}).encode())


def lost(*, timed_out: bool = False) -> NoAnswerError:
    return NoAnswerError(KschedxError("api-unreachable", "gone"), timed_out=timed_out)


EXPIRED = said(410, "token too old")
ONE = "/api/v1/nodes?limit=500"
TWO = "/api/v1/nodes?limit=500&continue=t"
WHOLE = "/api/v1/nodes?"

READ: dict[str, tuple[Sequence[Scripted], Sequence[str], Sequence[str], Sequence[float]]] = {
    "one page": ([page("a", "b")], ["a", "b"], [ONE], []),
    "an empty list": ([page()], [], [ONE], []),
    "two pages": ([page("a", token="t", left=1), page("b")], ["a", "b"], [ONE, TWO], []),
    "expired once": (
        [page("a", token="t"), EXPIRED, page("b", token="t"), page("c")],
        ["b", "c"],
        [ONE, TWO, ONE, TWO],
        [],
    ),
    "expired again: in one piece": (
        [page("a", token="t"), EXPIRED, page("a", token="t"), EXPIRED, page("a", "b")],
        ["a", "b"],
        [ONE, TWO, ONE, TWO, WHOLE],
        [],
    ),
    "busy, with the server's delay": (
        [said(429, headers={"Retry-After": "3"}), page("a")],
        ["a"],
        [ONE, ONE],
        [3.0],
    ),
    "busy, with a delay too long": (
        [said(429, headers={"retry-after": "100000"}), page("a")],
        ["a"],
        [ONE, ONE],
        [60.0],
    ),
    "failing, each wait twice as long": (
        [said(500), said(503), said(504), page("a")],
        ["a"],
        [ONE] * 4,
        [0.25, 0.5, 1.0],
    ),
    "a connection that breaks": ([lost(), page("a")], ["a"], [ONE, ONE], [0.25]),
    "half a page": (
        [Answer(200, {}, b'{"kind":"NodeList","items":[{"meta'), page("a")],
        ["a"],
        [ONE, ONE],
        [0.25],
    ),
}


@pytest.mark.parametrize(("answers", "names", "asked", "waits"), READ.values(), ids=READ.keys())
def test_read(
    answers: Sequence[Scripted], names: Sequence[str], asked: Sequence[str], waits: Sequence[float]
) -> None:
    script = Script(*answers)
    waited: list[float] = []

    listed = Lister(script, waited.append).read(NODES)

    assert (list(listed.objects or ()), listed.why_not) == (list(names), "")
    assert (script.asked, waited) == (list(asked), list(waits))


def test_progress_is_told_page_by_page() -> None:
    told: list[tuple[str, int, int]] = []
    script = Script(page("a", "b", token="t", left=1), page("c"))

    Lister(script, on_page=lambda *each: told.append(each)).read(NODES)

    assert told == [("nodes", 2, 3), ("nodes", 3, 3)]


UNREAD = {
    "forbidden": ([said(403, "nodes is forbidden")], "forbidden"),
    "forbidden half way": ([page("a", token="t"), said(403)], "forbidden"),
    "not served": ([said(404)], "not served"),
}


@pytest.mark.parametrize(("answers", "why"), UNREAD.values(), ids=UNREAD.keys())
def test_unread(answers: Sequence[Answer], why: str) -> None:
    listed = Lister(Script(*answers)).read(NODES)

    assert (listed.objects, listed.why_not) == (None, why)


def test_an_older_version_of_the_group_is_tried() -> None:
    script = Script(said(404), page())

    listed = Lister(script).read(BUDGETS)

    assert listed.objects == {}
    assert script.asked == [
        "/apis/policy/v1/poddisruptionbudgets?limit=500",
        "/apis/policy/v1beta1/poddisruptionbudgets?limit=500",
    ]


REFUSED: dict[str, tuple[Sequence[Scripted], str, str]] = {
    "credentials": (
        [said(401)],
        "not-authenticated",
        "context test: the API server does not accept these credentials",
    ),
    "busy for ever": (
        [said(429, "too many requests")] * 8,
        "api-busy",
        "context test: /api/v1/nodes is answered with 429 too many requests",
    ),
    "failing for ever": (
        [said(500, "etcd\n is   down")] * 8,
        "api-failed",
        "context test: /api/v1/nodes is answered with 500 etcd is down",
    ),
    "a bad request is not tried again": (
        [said(400, "no")],
        "api-failed",
        "context test: /api/v1/nodes is answered with 400 no",
    ),
    "three timeouts": ([lost(timed_out=True)] * 3, "api-unreachable", "gone"),
    "not there at all": ([lost()] * 3, "api-unreachable", "gone"),
    "broken for ever": ([said(500), *[lost()] * 7], "api-unreachable", "gone"),
    "no API server": (
        [Answer(200, {}, b"<html>")] * 8,
        "api-unusable",
        "context test: /api/v1/nodes?limit=500 is not answered in JSON",
    ),
    "expired for ever": (
        [EXPIRED] * 3,
        "list-expired",
        "context test: the list of nodes expires again and again",
    ),
}


@pytest.mark.parametrize(("answers", "code", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(answers: Sequence[Scripted], code: str, message: str) -> None:
    with pytest.raises(KschedxError) as caught:
        Lister(Script(*answers), lambda seconds: None).read(NODES)

    assert (caught.value.code, caught.value.message) == (code, message)
