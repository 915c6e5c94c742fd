"""A proxy on 127.0.0.1 that answers badly now and then, as servers and networks do."""

from __future__ import annotations

import http.client
import re
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Final, Self
from urllib.parse import urlsplit

from tests.live.control_plane import ADMIN, trusting

SLOW_SECONDS: Final = 1.5
Fault = Callable[["Handler", bytes], None]


class Handler(BaseHTTPRequestHandler):
    """Asks the real server and passes its answer on, if no fault is due."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        proxy: FaultyProxy = self.server.proxy  # type: ignore[attr-defined]
        fault = proxy.due(self.path)
        status, body = proxy.fetch(self.path)
        if fault is not None:
            fault(self, body)
        else:
            self.answer(status, body)

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def busy(handler: Handler, body: bytes) -> None:
    handler.answer(429, b'{"kind":"Status","message":"too many requests"}', Retry_After="1")


def failing(handler: Handler, body: bytes) -> None:
    handler.answer(500, b'{"kind":"Status","message":"etcdserver: request timed out"}')


def gone(handler: Handler, body: bytes) -> None:
    handler.answer(410, b'{"kind":"Status","reason":"Expired","message":"token too old"}')


def cut(handler: Handler, body: bytes) -> None:
    """Half of what was promised, then the connection ends."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def cut_unseen(handler: Handler, body: bytes) -> None:
    """Half of it, as if that were all."""
    handler.answer(200, body[: len(body) // 2])


def silent(handler: Handler, body: bytes) -> None:
    handler.close_connection = True


def slow(handler: Handler, body: bytes) -> None:
    time.sleep(SLOW_SECONDS)
    handler.answer(200, body)


class Quiet(ThreadingHTTPServer):
    """Clients that hang up are no errors here."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        pass


class FaultyProxy:
    """Serves plain HTTP in front of an API server while its `with` block runs."""

    def __init__(self, server: str, fault: Fault, wanted: Callable[[str, int], bool]) -> None:
        """`wanted` is asked with a request's path and its number among those to that list."""
        self._where = urlsplit(server)
        self._fault = fault
        self._wanted = wanted
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.injected = 0
        self._http = Quiet(("127.0.0.1", 0), Handler)
        self._http.proxy = self  # type: ignore[attr-defined]
        self.address = f"http://127.0.0.1:{self._http.server_address[1]}"

    def due(self, path: str) -> Fault | None:
        listed = re.sub(r"\?.*", "", path)
        with self._lock:
            self._seen[listed] += 1
            if not self._wanted(path, self._seen[listed]):
                return None
            self.injected += 1
            return self._fault

    def fetch(self, path: str) -> tuple[int, bytes]:
        connection = http.client.HTTPSConnection(
            self._where.hostname or "", self._where.port, context=trusting(), timeout=60
        )
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {ADMIN}"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
