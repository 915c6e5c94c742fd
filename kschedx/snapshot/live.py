"""A live cluster, through the official client: only GET, only the kinds that scheduling reads.

The kubernetes package is imported inside functions: it takes time to load.
"""

from __future__ import annotations

import logging
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from kschedx import __version__
from kschedx.api.errors import KschedxError
from kschedx.snapshot.paging import Answer, NoAnswerError

if TYPE_CHECKING:
    from kubernetes.client import Configuration

CONNECT_SECONDS: Final = 10.0
READ_SECONDS: Final = 60.0
CONNECTIONS: Final = 6
"""Lists that are read at the same time."""
_SERVICE_ACCOUNT_NAMESPACE: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount/namespace")
_DEFAULT_KUBECONFIG: Final = "~/.kube/config"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_LOOKS_SECRET: Final = re.compile(r"[A-Za-z0-9+/=_.\-]{32,}")
_CERTIFICATE: Final = re.compile(r"certificate verify failed: ([^(]*)")


@dataclass(frozen=True, slots=True)
class Target:
    """Which cluster, as kubectl's options name it; None for what was not said."""

    context: str | None = None
    kubeconfig: str | None = None
    request_seconds: float | None = None


class Cluster:
    """A connection to one API server. Holds credentials: never print it."""

    def __init__(
        self, configuration: Configuration, shown: str, namespace: str, target: Target
    ) -> None:
        import urllib3
        from kubernetes.client import ApiClient

        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        configuration.retries = False
        configuration.connection_pool_maxsize = CONNECTIONS
        self._configuration = configuration
        self._pool = ApiClient(configuration).rest_client.pool_manager
        self._timeout = urllib3.Timeout(
            connect=target.request_seconds or CONNECT_SECONDS,
            read=target.request_seconds or READ_SECONDS,
        )
        self._credentials = threading.Lock()
        self._host: str = configuration.host
        # Compressing costs the server more than it saves on its own machine.
        near = urlsplit(self._host).hostname in _LOOPBACK
        self._headers = {
            "Accept": "application/json",
            "User-Agent": f"kschedx/{__version__}",
            **({} if near else {"Accept-Encoding": "gzip"}),
        }
        self.shown = shown
        """Such as "context prod"."""
        self.namespace = namespace
        """What the context names, else "default"."""

    def __repr__(self) -> str:
        return f"Cluster({self.shown})"

    def close(self) -> None:
        self._pool.clear()

    def get(self, path: str, *, accept: str = "", seconds: float | None = None) -> Answer:
        """One GET, not retried. See Transport."""
        import urllib3

        headers = self._headers | self._authorization() | ({"Accept": accept} if accept else {})
        timeout = self._timeout if seconds is None else urllib3.Timeout(total=seconds)
        try:
            response = self._pool.request(
                "GET", self._host + path, headers=headers, timeout=timeout, preload_content=False
            )
            try:
                body = response.read()
            finally:
                response.release_conn()
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise self._no_answer(error) from None  # the error's own text may hold the request
        return Answer(response.status, dict(response.headers), body)

    def _authorization(self) -> dict[str, str]:
        with self._credentials, _client_log() as said:  # a plugin may have to be asked again
            settings: Any = self._configuration.auth_settings()
        if said:
            raise _plugin_failed(self.shown, said)
        return {
            one["key"]: one["value"]
            for one in settings.values()
            if one["in"] == "header" and one["value"]
        }

    def _no_answer(self, error: Exception) -> NoAnswerError:
        from urllib3 import exceptions

        server = f"{self.shown}: the API server at {_without_secrets(self._host)}"
        if isinstance(error, exceptions.SSLError):
            found = _CERTIFICATE.search(str(error))
            what = found[1].strip() if found else "the TLS handshake fails"
            raise KschedxError(
                "not-trusted",
                f"{server} cannot be trusted: {what}",
                hint="the kubeconfig's certificate-authority must be the cluster's",
            ) from None
        if isinstance(error, exceptions.ReadTimeoutError):
            seconds = self._timeout.read_timeout
            problem = KschedxError(
                "api-timeout",
                f"{server} does not answer within {seconds:g} s",
                hint="--request-timeout 5m waits longer",
            )
            return NoAnswerError(problem, timed_out=True)
        return NoAnswerError(
            KschedxError(
                "api-unreachable",
                f"{server} cannot be reached: {_cause(error)}",
                hint="-f FILE reads a snapshot instead",
            ),
            timed_out=_times_out(error),
        )


def _times_out(error: Exception) -> bool:
    from urllib3 import exceptions

    refused = isinstance(error, exceptions.NewConnectionError)
    return isinstance(error, exceptions.ConnectTimeoutError) and not refused


def _cause(error: Exception) -> str:
    from urllib3 import exceptions

    if isinstance(error, exceptions.NameResolutionError):
        return "its name is not known"
    if isinstance(error, exceptions.NewConnectionError):
        inner = error.__cause__ or error.__context__
        return (getattr(inner, "strerror", None) or "no connection").lower()
    if isinstance(error, exceptions.ConnectTimeoutError):
        return "the connection times out"
    if isinstance(error, exceptions.ProxyError):
        return "the proxy fails"
    if isinstance(error, exceptions.LocationValueError):
        return "the address is not one"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror.lower()}" if error.filename else error.strerror
    return "the connection breaks off"


def connect(target: Target = Target()) -> Cluster:
    """The cluster that kubectl would talk to; in a pod that of its service account.

    Raises KschedxError where there is none, or its credentials cannot be had.
    """
    from kubernetes.client import Configuration

    configuration = Configuration()
    path = kubeconfig_path(target)
    if path is None:
        return _in_cluster(configuration, target)
    with _client_log() as said:
        try:
            loader = _loader(path, target.context)
            loader.load_and_set(configuration)
        except KschedxError:
            raise
        except Exception as error:  # whatever a broken file makes of the client's reader
            raise _unusable_kubeconfig(path, error) from None
    current: Mapping[str, Any] = loader.current_context
    shown = f"context {current['name']}"
    if said:
        raise _plugin_failed(shown, said)
    inside = current.get("context") or {}
    return Cluster(configuration, shown, inside.get("namespace") or "default", target)


def kubeconfig_path(target: Target) -> str | None:
    """The kubeconfig to read, which may be several joined by ":"; None if there is none.

    Raises KschedxError where one was asked for that does not exist.
    """
    named = target.kubeconfig or os.environ.get("KUBECONFIG", "")
    paths = [part for part in (named or _DEFAULT_KUBECONFIG).split(os.pathsep) if part]
    if any(Path(part).expanduser().exists() for part in paths):
        return os.pathsep.join(paths)
    if target.kubeconfig or target.context:
        raise KschedxError("no-kubeconfig", f"{os.pathsep.join(paths)}: no such kubeconfig")
    return None


def context_names(target: Target) -> list[str]:
    """The contexts of the kubeconfig, sorted. Raises KschedxError."""
    path = kubeconfig_path(target)
    return _context_names(_merged(path)) if path is not None else []


def _merged(path: str) -> Any:
    from kubernetes.config import kube_config

    client: Any = kube_config
    try:
        merged = client.KubeConfigMerger(path).config
    except Exception as error:  # whatever a broken file makes of the client's reader
        raise _unusable_kubeconfig(path, error) from None
    if merged is None:
        raise KschedxError("kubeconfig-unusable", f"{path}: an empty kubeconfig")
    return merged


def _context_names(merged: Any) -> list[str]:
    contexts = merged.value.get("contexts") or []
    return sorted(str(c.value["name"]) for c in contexts if c.value.get("name"))


def _loader(path: str, context: str | None) -> Any:
    from kubernetes.config import kube_config

    client: Any = kube_config
    merged = _merged(path)
    names = _context_names(merged)
    wanted = context or merged.value.get("current-context")
    if not wanted:
        raise KschedxError(
            "no-context",
            f"{path}: no current context",
            hint="--context NAME; there are: " + (", ".join(names) or "none"),
        )
    if wanted not in names:
        raise KschedxError(
            "no-such-context",
            f"{path}: there is no context {wanted!r}",
            hint="contexts: " + (", ".join(names) or "none"),
        )
    return client.KubeConfigLoader(merged, active_context=wanted, config_base_path=None)


def _unusable_kubeconfig(path: str, error: Exception) -> KschedxError:
    # A YAML error quotes the lines around it, which may hold a token.
    said = str(error).partition("\n")[0].replace(path, "this")
    return KschedxError(
        "kubeconfig-unusable", f"{path}: an unusable kubeconfig: {_without_secrets(said)}"
    )


def _in_cluster(configuration: Configuration, target: Target) -> Cluster:
    from kubernetes import config

    client: Any = config
    if "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise KschedxError(
            "no-cluster",
            "there is no kubeconfig, and this is no pod with a service account",
            hint="-f FILE reads a snapshot; --kubeconfig PATH names a cluster",
        )
    try:
        client.load_incluster_config(client_configuration=configuration)
        namespace = _SERVICE_ACCOUNT_NAMESPACE.read_text().strip()
    except (client.ConfigException, OSError) as error:
        raise KschedxError(
            "no-service-account", f"the service account of this pod cannot be used: {error}"
        ) from None
    return Cluster(configuration, "this pod's cluster", namespace or "default", target)


def _plugin_failed(shown: str, said: Sequence[str]) -> KschedxError:
    return KschedxError(
        "no-credentials",
        f"{shown}: no credentials: {_without_secrets(' '.join(said[0].split()))[:300]}",
        hint="kubectl with the same context needs them too",
    )


def _without_secrets(text: str) -> str:
    return _LOOKS_SECRET.sub("...", re.sub(r"//[^/@\s]*@", "//", text))


@contextmanager
def _client_log() -> Iterator[list[str]]:
    """What the client logs instead of raising: that its credentials plugin failed."""
    said: list[str] = []

    class Catch(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())

    catch = Catch(logging.ERROR)
    root = logging.getLogger()
    root.addHandler(catch)
    try:
        yield said
    finally:
        root.removeHandler(catch)
