"""A KubeSchedulerConfiguration: profiles, plugin sets, arguments, extenders.

Upstream: kube-scheduler config/v1/types.go (v0.35.4).
Differences: only what alters a verdict is read; of client, leader election and other settings
only the names are checked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kschedx.api.errors import KschedxError
from kschedx.schedulers.kube.configuration_fields import unknown_fields

API_VERSION: Final = "kubescheduler.config.k8s.io/v1"
KIND: Final = "KubeSchedulerConfiguration"
DEFAULT_SCHEDULER: Final = "default-scheduler"


@dataclass(frozen=True, slots=True)
class PluginSet:
    """What one extension point enables (names with weights, 0 for none given) and disables."""

    enabled: tuple[tuple[str, int], ...] = ()
    disabled: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProfileSpec:
    """One profile as it is written."""

    scheduler_name: str = DEFAULT_SCHEDULER
    points: Mapping[str, PluginSet] = field(default_factory=dict)
    args: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Plugin name -> its pluginConfig arguments."""
    percentage_of_nodes_to_score: int | None = None

    def point(self, name: str) -> PluginSet:
        return self.points.get(name, PluginSet())


@dataclass(frozen=True, slots=True)
class Extender:
    """A web hook that the scheduler asks beside its plugins."""

    url: str
    filters: bool = False
    scores: bool = False
    preempts: bool = False
    ignored_resources: tuple[str, ...] = ()
    """Resources that it manages and that the scheduler leaves to it."""

    @property
    def name(self) -> str:
        return f"extender {self.url}"

    @property
    def has_a_say_at(self) -> frozenset[str]:
        """Extension points; "preempt" is its own. None for one that only binds."""
        said = {"filter": self.filters, "score": self.scores, "preempt": self.preempts}
        return frozenset(point for point, speaks in said.items() if speaks)


@dataclass(frozen=True, slots=True)
class Configuration:
    """All profiles and extenders."""

    profiles: tuple[ProfileSpec, ...] = (ProfileSpec(),)
    extenders: tuple[Extender, ...] = ()


class _UnreadableError(Exception):
    """What is wrong with a configuration, before the file is named."""

    def __init__(self, place: str, what: str, near: Sequence[str] = ()) -> None:
        super().__init__(f"{place}: {what}")
        self.hint = f"expected is a {KIND} of {API_VERSION}"
        if near:
            self.hint = f"near names: {', '.join(near)}"


def _mapping(value: object, place: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise _UnreadableError(place, f"expected a mapping, found {type(value).__name__}")
    return value


def _list(value: object, place: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _UnreadableError(place, f"expected a list, found {type(value).__name__}")
    return value


def _integer(value: object, place: str) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise _UnreadableError(place, f"expected a whole number, found {value!r}")
    return value


def _name(value: object, place: str) -> str:
    if not isinstance(value, str) or not value:
        raise _UnreadableError(place, "a name is missing")
    return value


def _plugin_set(value: object, place: str) -> PluginSet:
    item = _mapping(value, place)
    enabled = []
    for index, entry in enumerate(_list(item.get("enabled"), f"{place}.enabled")):
        where = f"{place}.enabled[{index}]"
        plugin = _mapping(entry, where)
        weight = _integer(plugin.get("weight"), f"{where}.weight") or 0
        enabled.append((_name(plugin.get("name"), where), weight))
    disabled = tuple(
        _name(_mapping(entry, f"{place}.disabled[{index}]").get("name"), f"{place}.disabled")
        for index, entry in enumerate(_list(item.get("disabled"), f"{place}.disabled"))
    )
    return PluginSet(tuple(enabled), disabled)


def _profile(value: object, place: str, percentage: int | None) -> ProfileSpec:
    item = _mapping(value, place)
    points = {
        point: _plugin_set(plugins, f"{place}.plugins.{point}")
        for point, plugins in _mapping(item.get("plugins"), f"{place}.plugins").items()
    }
    args: dict[str, Mapping[str, Any]] = {}
    for index, entry in enumerate(_list(item.get("pluginConfig"), f"{place}.pluginConfig")):
        where = f"{place}.pluginConfig[{index}]"
        plugin = _mapping(entry, where)
        name = _name(plugin.get("name"), where)
        if name in args:
            raise _UnreadableError(where, f"plugin {name} is configured twice")
        args[name] = _mapping(plugin.get("args"), f"{where}.args")
    own = _integer(item.get("percentageOfNodesToScore"), f"{place}.percentageOfNodesToScore")
    return ProfileSpec(
        scheduler_name=item.get("schedulerName") or DEFAULT_SCHEDULER,
        points=points,
        args=args,
        percentage_of_nodes_to_score=percentage if own is None else own,
    )


def _extender(value: object, place: str) -> Extender:
    item = _mapping(value, place)
    ignored = []
    for index, entry in enumerate(_list(item.get("managedResources"), f"{place}.managedResources")):
        resource = _mapping(entry, f"{place}.managedResources[{index}]")
        if resource.get("ignoredByScheduler") is True:
            ignored.append(_name(resource.get("name"), f"{place}.managedResources[{index}]"))
    return Extender(
        _name(item.get("urlPrefix"), place),
        filters=bool(item.get("filterVerb")),
        scores=bool(item.get("prioritizeVerb")),
        preempts=bool(item.get("preemptVerb")),
        ignored_resources=tuple(ignored),
    )


def parse_configuration(value: object, source: str = "scheduler configuration") -> Configuration:
    """A configuration as YAML or JSON gives it; `source` is the file's name, for errors.

    Raises KschedxError, with the place, for what cannot be read and for fields that nobody knows.
    """
    try:
        return _configuration(value)
    except _UnreadableError as error:
        raise KschedxError(
            "scheduler-config-unreadable", f"{source}: {error}", hint=error.hint
        ) from error


def _configuration(value: object) -> Configuration:
    item = _mapping(value, "top level")
    if item.get("apiVersion") != API_VERSION or item.get("kind") != KIND:
        found = f"{item.get('kind')!r} of {item.get('apiVersion')!r}"
        raise _UnreadableError("top level", f"found {found}")
    _refuse_unknown(item)
    percentage = _integer(item.get("percentageOfNodesToScore"), "percentageOfNodesToScore")
    profiles = tuple(
        _profile(entry, f"profiles[{index}]", percentage)
        for index, entry in enumerate(_list(item.get("profiles"), "profiles"))
    )
    names = [profile.scheduler_name for profile in profiles]
    for name in names:
        if names.count(name) > 1:
            raise _UnreadableError("profiles", f"schedulerName {name!r} is there twice")
    extenders = tuple(
        _extender(entry, f"extenders[{index}]")
        for index, entry in enumerate(_list(item.get("extenders"), "extenders"))
    )
    default = (ProfileSpec(percentage_of_nodes_to_score=percentage),)
    return Configuration(profiles or default, extenders)


def _refuse_unknown(item: Mapping[str, Any]) -> None:
    """A misspelt field would otherwise count as not written."""
    unknown = list(unknown_fields(item))
    if unknown:
        paths = ", ".join(field.path for field in unknown)
        what = "unknown field" if len(unknown) == 1 else "unknown fields"
        raise _UnreadableError(paths, what, [near for field in unknown for near in field.near])
