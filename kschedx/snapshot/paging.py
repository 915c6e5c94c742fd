"""Lists of a live API server, page by page: retried where it is busy, restarted where they expire.

Upstream: client-go tools/pager/pager.go and rest/with_retry.go (v0.35.4): a list whose continue
token has expired is read again, at last in one piece; 429 and 5xx wait as long as the server says.
Differences: a connection that breaks in the middle of a page costs that page only.
"""

from __future__ import annotations

import email.utils
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Generic, Protocol, TypeVar
from urllib.parse import urlencode

import msgspec

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Object
from kschedx.snapshot.gathering import Gathering
from kschedx.snapshot.json_objects import read_json
from kschedx.snapshot.kinds import Kind
from kschedx.snapshot.sources import Document

PAGE_ITEMS: Final = 500
MAX_TRIES: Final = 8
"""How often one page is asked for before the server counts as unavailable."""
MAX_FIRST_TRIES: Final = 3
"""The same while the server has not answered anything yet: it may not be there at all."""
MAX_TIMEOUTS: Final = 3
MAX_DELAY_SECONDS: Final = 60.0
FIRST_DELAY_SECONDS: Final = 0.25
PAGED_RESTARTS: Final = 2
"""Lists that expire more often than this are asked for in one piece."""

T = TypeVar("T")

_OK: Final = 200
_FORBIDDEN: Final = 403
_UNAUTHORIZED: Final = 401
_ABSENT: Final = 404
_EXPIRED: Final = 410
_BUSY: Final = 429
_SERVER_FAILS: Final = 500

_VERSIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "policy": ("v1", "v1beta1"),
    "scheduling.k8s.io": ("v1", "v1beta1"),
    "node.k8s.io": ("v1", "v1beta1"),
    "storage.k8s.io": ("v1", "v1beta1"),
    "resource.k8s.io": ("v1", "v1beta2", "v1beta1", "v1alpha3"),
}
"""Versions of an API group, newest first; "v1" alone where it is not named."""


class _ListMeta(msgspec.Struct, frozen=True, rename="camel"):
    continue_: str = msgspec.field(name="continue", default="")
    remaining_item_count: int | None = None


_NO_META: Final = _ListMeta()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server said to one request."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    meta: _ListMeta = _NO_META
    """Of a list: where it goes on."""


class NoAnswerError(Exception):
    """No whole answer came: the connection broke, or the time ran out."""

    def __init__(self, problem: KschedxError, *, timed_out: bool = False) -> None:
        super().__init__(problem.message)
        self.problem = problem
        """What to tell the user where trying again does not help."""
        self.timed_out = timed_out


class Transport(Protocol):
    """One API server."""

    shown: str
    """As the user would name it; holds no secret."""

    def get(self, path: str) -> Answer:
        """One GET. Raises NoAnswerError, or KschedxError where trying again is pointless."""


@dataclass(frozen=True, slots=True)
class Listed:
    """All objects of one kind; `objects` is None where they could not be read."""

    kind: Kind
    objects: Mapping[str, Object] | None
    why_not: str = ""
    """ "forbidden" or "not served"."""


class _Page(msgspec.Struct, Generic[T], frozen=True):
    metadata: _ListMeta = _ListMeta()
    items: tuple[T, ...] = ()


class _Head(msgspec.Struct, frozen=True):
    metadata: _ListMeta = _ListMeta()


class _Status(msgspec.Struct):
    message: Any = None


_decode_head: Final = msgspec.json.Decoder(_Head).decode
_decode_status: Final = msgspec.json.Decoder(_Status).decode


class ExpiredError(Exception):
    """The server no longer knows the state that the list was begun with."""


class _Ahead:
    """A question that is asked meanwhile."""

    def __init__(self, ask: Callable[[str], Answer], path: str) -> None:
        self._ask = ask
        self._path = path
        self._answer: Answer | BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._answer = self._ask(self._path)
        except BaseException as error:
            self._answer = error

    def answer(self) -> Answer:
        """Waits for it. Raises what asking raised."""
        self._thread.join()
        if isinstance(self._answer, Answer):
            return self._answer
        assert self._answer is not None
        raise self._answer


class Lister:
    """Reads whole kinds from one server."""

    def __init__(
        self,
        transport: Transport,
        wait: Callable[[float], None] = time.sleep,
        on_page: Callable[[str, int, int], None] | None = None,
    ) -> None:
        """`wait` sleeps for seconds; `on_page` is told (plural, objects so far, expected)."""
        self._transport = transport
        self._wait = wait
        self._on_page = on_page
        self._reached = False

    def read(self, kind: Kind) -> Listed:
        """All objects of a kind. Raises KschedxError where the server cannot be used."""
        group = kind.groups[0]
        for version in _VERSIONS.get(group, ("v1",)):
            prefix = f"/apis/{group}/{version}" if group else f"/api/{version}"
            path = f"{prefix}/{kind.plural}"
            for restart in range(PAGED_RESTARTS + 1):
                try:
                    found = self._pages(path, kind, paged=restart < PAGED_RESTARTS)
                except ExpiredError:
                    continue
                if isinstance(found, str):
                    if found == "forbidden":
                        return Listed(kind, None, found)
                    break
                return found
            else:
                raise KschedxError(
                    "list-expired",
                    f"{self._transport.shown}: the list of {kind.plural} expires again and again",
                )
        return Listed(kind, None, "not served")

    def _pages(self, path: str, kind: Kind, *, paged: bool) -> Listed | str:
        """The whole list, or why there is none. Raises ExpiredError."""
        query = {"limit": PAGE_ITEMS} if paged else {}
        objects: dict[str, Object] = {}
        answer = self.ask(f"{path}?{urlencode(query)}")
        while True:
            if answer.status == _FORBIDDEN:
                return "forbidden"
            if answer.status == _ABSENT:
                return "not served"
            meta = answer.meta
            token = meta.continue_
            ahead = self._ahead(f"{path}?{urlencode({**query, 'continue': token})}", token)
            objects.update(self._objects(answer.body, kind))
            if self._on_page is not None:
                rest = meta.remaining_item_count or 0
                self._on_page(kind.plural, len(objects), len(objects) + rest)
            if ahead is None:
                return Listed(kind, objects)
            answer = ahead.answer()

    def _objects(self, body: bytes, kind: Kind) -> Mapping[str, Object]:
        """The objects of one page by key. Raises KschedxError for what no API server writes."""
        try:
            page = _decoder(kind.type)(body)
        except msgspec.ValidationError:  # null where strict decoding wants a value
            gathering = Gathering()
            read_json(Document(f"{self._transport.shown}: {kind.plural}", body), gathering)
            return gathering.snapshot().all(kind.type)
        return {kind.key(item.metadata.name, item.metadata.namespace): item for item in page.items}

    def _ahead(self, path: str, token: str) -> _Ahead | None:
        """The next page, on its way while this one is read; None after the last."""
        return _Ahead(self.ask, path) if token else None

    def ask(self, path: str) -> Answer:
        """One answer: 200, 403 or 404.

        Raises ExpiredError, and KschedxError for every other status once trying again is over.
        """
        timeouts = 0
        for attempt in range(1, MAX_TRIES + 1):
            last = attempt == MAX_TRIES
            try:
                answer = self._transport.get(path)
            except NoAnswerError as error:
                timeouts += error.timed_out
                hopeless = not self._reached and attempt >= MAX_FIRST_TRIES
                if last or hopeless or timeouts >= MAX_TIMEOUTS:
                    raise error.problem from error
                self._wait(_delay({}, attempt))
                continue
            self._reached = True
            if answer.status == _OK:
                meta = _meta_if_whole(answer.body)
                if meta is not None:
                    return replace(answer, meta=meta)
                if last:
                    raise KschedxError(
                        "api-unusable", f"{self._transport.shown}: {path} is not answered in JSON"
                    )
            elif answer.status in (_FORBIDDEN, _ABSENT):
                return answer
            elif answer.status == _EXPIRED:
                raise ExpiredError
            elif last or not (answer.status == _BUSY or answer.status >= _SERVER_FAILS):
                raise self._refused(path, answer)
            self._wait(_delay(answer.headers, attempt))
        raise AssertionError("the last try returns or raises")

    def _refused(self, path: str, answer: Answer) -> KschedxError:
        shown = self._transport.shown
        if answer.status == _UNAUTHORIZED:
            return KschedxError(
                "not-authenticated",
                f"{shown}: the API server does not accept these credentials",
                hint="log in again, as kubectl would need it too",
            )
        said = api_message(answer.body)
        what = f"{answer.status} {said}" if said else str(answer.status)
        code = "api-busy" if answer.status == _BUSY else "api-failed"
        return KschedxError(
            code,
            f"{shown}: {path.partition('?')[0]} is answered with {what}",
            hint="try again later" if answer.status >= _BUSY else None,
        )


@cache
def _decoder(kind: Any) -> Callable[[bytes], _Page[Object]]:
    return msgspec.json.Decoder(_Page[kind]).decode


def _meta_if_whole(body: bytes) -> _ListMeta | None:
    """None if this is no whole JSON object: a proxy may end an answer early."""
    try:
        return _decode_head(body).metadata
    except msgspec.MsgspecError:
        return None


def api_message(body: bytes) -> str:
    """The message of a Status object in one line; empty where there is none."""
    try:
        message = _decode_status(body).message
    except (msgspec.MsgspecError, RecursionError):
        return ""
    return " ".join(message.split())[:300] if isinstance(message, str) else ""


def _delay(headers: Mapping[str, str], attempt: int) -> float:
    """Seconds until the next try: as the server says, else twice as long each time."""
    said = next((v.strip() for k, v in headers.items() if k.lower() == "retry-after"), "")
    if said.isdecimal():
        return min(float(said), MAX_DELAY_SECONDS)
    if said:
        try:
            until = email.utils.parsedate_to_datetime(said).timestamp()
        except ValueError:
            return FIRST_DELAY_SECONDS
        return min(max(until - time.time(), 0.0), MAX_DELAY_SECONDS)
    return min(FIRST_DELAY_SECONDS * 2.0 ** (attempt - 1), 8.0)
