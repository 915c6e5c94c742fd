"""Profile: which plugins run for a pod, in which order, with which weights.

Upstream: pkg/scheduler/apis/config/v1/default_plugins.go, framework/runtime/framework.go
(v1.35.4), expandMultiPointPlugins, getScoreWeights.
Differences: only the extension points up to PostFilter and Score; of the later ones, and of
QueueSort, what is not replayed is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from kschedx.framework.plugin import FilterPlugin, PreEnqueuePlugin, ScorePlugin
from kschedx.schedulers.kube.configuration import Extender, PluginSet, ProfileSpec
from kschedx.schedulers.kube.plugins.dynamic_resources import DynamicResources
from kschedx.schedulers.kube.plugins.image_locality import ImageLocality
from kschedx.schedulers.kube.plugins.inter_pod_affinity import InterPodAffinity
from kschedx.schedulers.kube.plugins.node_affinity import NodeAffinity
from kschedx.schedulers.kube.plugins.node_declared_features import NodeDeclaredFeatures
from kschedx.schedulers.kube.plugins.node_name import NodeName
from kschedx.schedulers.kube.plugins.node_ports import NodePorts
from kschedx.schedulers.kube.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from kschedx.schedulers.kube.plugins.node_resources_fit import NodeResourcesFit
from kschedx.schedulers.kube.plugins.node_unschedulable import NodeUnschedulable
from kschedx.schedulers.kube.plugins.node_volume_limits import NodeVolumeLimits
from kschedx.schedulers.kube.plugins.pod_topology_spread import PodTopologySpread
from kschedx.schedulers.kube.plugins.scheduling_gates import SchedulingGates
from kschedx.schedulers.kube.plugins.taint_toleration import TaintToleration
from kschedx.schedulers.kube.plugins.volume_binding import VolumeBinding
from kschedx.schedulers.kube.plugins.volume_restrictions import VolumeRestrictions
from kschedx.schedulers.kube.plugins.volume_zone import VolumeZone
from kschedx.schedulers.kube.versions import Release

Plugin = FilterPlugin | ScorePlugin | PreEnqueuePlugin

PLUGINS: Final[tuple[Any, ...]] = (
    SchedulingGates,
    NodeUnschedulable,
    NodeName,
    TaintToleration,
    NodeAffinity,
    NodePorts,
    NodeResourcesFit,
    VolumeRestrictions,
    NodeVolumeLimits,
    VolumeBinding,
    VolumeZone,
    PodTopologySpread,
    InterPodAffinity,
    DynamicResources,
    NodeResourcesBalancedAllocation,
    ImageLocality,
    NodeDeclaredFeatures,
)
"""Every modelled plugin, in the order of upstream's default profile."""

_BY_NAME: Final[Mapping[str, Any]] = {plugin.name: plugin for plugin in PLUGINS}

PREEMPTION: Final = "DefaultPreemption"
DYNAMIC_RESOURCES: Final = "DynamicResources"
FIT: Final = "NodeResourcesFit"
_WITHOUT_VERDICT: Final = frozenset({"PrioritySort", "DefaultBinder", PREEMPTION})
"""Upstream plugins that neither reject nor score a node."""

_REJECTING: Final = ("preFilter", "filter")
_SCORING: Final = ("preScore", "score")
_REFUSING: Final = ("preEnqueue", *_REJECTING, "reserve", "permit", "preBind")
"""Where a pod can be refused although some node holds it."""
_EVICTING: Final = ("preEnqueue", *_REJECTING, "postFilter", "preempt")
"""Where it can be decided who is evicted; "preempt" is an extender's verb."""
_ORDERING: Final = "queueSort"

_WEIGHTS: Final[Mapping[str, int]] = {
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "NodeResourcesFit": 1,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "DynamicResources": 2,
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
}


def default_plugins(release: Release) -> tuple[tuple[str, int], ...]:
    """Names and weights (0 where upstream sets none) of the MultiPoint list, in order."""
    names = [plugin.name for plugin in PLUGINS]
    names.insert(1, "PrioritySort")
    names.insert(names.index("NodeResourcesBalancedAllocation"), PREEMPTION)
    names.insert(names.index("NodeDeclaredFeatures"), "DefaultBinder")
    if not release.enabled("DynamicResourceAllocation"):
        names.remove(DYNAMIC_RESOURCES)
    if not release.enabled("NodeDeclaredFeatures"):
        names.remove("NodeDeclaredFeatures")
    if release.minor >= 37:
        unschedulable = names.index("NodeUnschedulable")
        names[unschedulable : unschedulable + 2] = ["NodeName", "NodeUnschedulable"]
    return tuple((name, _WEIGHTS.get(name, 0)) for name in names)


@dataclass(frozen=True, slots=True)
class Profile:
    """A scheduler by name, ready to be asked."""

    scheduler_name: str
    release: Release
    pre_enqueue: tuple[PreEnqueuePlugin, ...]
    pre_filter: tuple[FilterPlugin, ...]
    filter: tuple[FilterPlugin, ...]
    post_filter: tuple[str, ...]
    pre_score: tuple[ScorePlugin, ...]
    score: tuple[tuple[ScorePlugin, int], ...]
    """With weights."""
    unknown: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Plugins and extenders that are not replayed -> the extension points where they have a say."""
    percentage_of_nodes_to_score: int | None = None
    """None: adaptive, as by default."""
    candidates_percentage: int = 10
    """DefaultPreemption's minCandidateNodesPercentage."""
    candidates_absolute: int = 100
    """DefaultPreemption's minCandidateNodesAbsolute."""

    def unknown_at(self, *points: str) -> tuple[str, ...]:
        """What is not replayed and has a say at one of these extension points."""
        return tuple(name for name, at in self.unknown.items() if not at.isdisjoint(points))

    @property
    def spreads_by_default(self) -> bool:
        """Pods without spread constraints of their own may be rejected by the profile's."""
        return any(isinstance(p, PodTopologySpread) and p.rejects_by_default for p in self.filter)

    @property
    def not_modelled(self) -> tuple[str, ...]:
        """What is not replayed and has a say in what becomes of a pod that is tried."""
        return self.unknown_at(*_REFUSING, *_EVICTING, *_SCORING)

    @property
    def not_modelled_in_play(self) -> tuple[str, ...]:
        """Those, and what orders the queue: where several pods are tried, that counts as well."""
        return self.unknown_at(*_REFUSING, *_EVICTING, *_SCORING, _ORDERING)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Those that may reject nodes: a node that all else accepts is not known to fit."""
        return self.unknown_at(*_REJECTING)

    @property
    def may_refuse(self) -> tuple[str, ...]:
        """Those that may refuse a pod although all else lets it have a node."""
        return self.unknown_at(*_REFUSING)

    @property
    def may_evict_otherwise(self) -> tuple[str, ...]:
        """Those on which depends who is evicted where."""
        return self.unknown_at(*_EVICTING)

    @property
    def may_evict_at_all(self) -> tuple[str, ...]:
        """Those that may find evictions where DefaultPreemption finds none."""
        return self.unknown_at("postFilter")

    @property
    def scores_known(self) -> bool:
        """False where one of them may score nodes: any that fits may win."""
        return not self.unknown_at(*_SCORING)


def _merge(default: PluginSet, custom: PluginSet) -> PluginSet:
    """Upstream: mergePluginSet."""
    disabled = {*custom.disabled, *default.disabled}
    custom_weights = dict(custom.enabled)
    enabled: list[tuple[str, int]] = []
    replaced: set[str] = set()
    if "*" not in disabled:
        for name, weight in default.enabled:
            if name in disabled:
                continue
            if name in custom_weights:
                replaced.add(name)
            enabled.append((name, custom_weights.get(name, weight)))
    enabled += [(name, weight) for name, weight in custom.enabled if name not in replaced]
    return PluginSet(tuple(enabled), tuple(sorted(disabled)))


def _expand(point: PluginSet, multi_point: PluginSet, serving: frozenset[str]) -> tuple[str, ...]:
    """The plugins of one extension point, in order: overrides, MultiPoint, additions.

    `serving` names the plugins that implement the point.
    """
    own = [name for name, _ in point.enabled]
    if "*" in point.disabled:
        return tuple(own)
    expanded = [
        name
        for name, _ in multi_point.enabled
        if name in serving and name not in point.disabled and name not in own
    ]
    everywhere = {
        name for name, _ in multi_point.enabled if name in serving and name not in point.disabled
    }
    overrides = [name for name in own if name in everywhere]
    additions = [name for name in own if name not in everywhere]
    return (*overrides, *expanded, *additions)


def _serving(plugins: Mapping[str, Any], release: Release) -> dict[str, frozenset[str]]:
    """Extension point -> the plugins that implement it in this release."""
    items = plugins.items()
    minor = release.minor
    return {
        "preEnqueue": frozenset(n for n, p in items if isinstance(p, PreEnqueuePlugin)),
        "preFilter": frozenset(
            n
            for n, p in items
            if isinstance(p, FilterPlugin) and p.has_prefilter and minor >= p.prefilter_since
        ),
        "filter": frozenset(n for n, p in items if isinstance(p, FilterPlugin)),
        "postFilter": frozenset({PREEMPTION, DYNAMIC_RESOURCES}),
        "preScore": frozenset(n for n, p in items if isinstance(p, ScorePlugin) and p.has_prescore),
        "score": frozenset(
            n for n, p in items if isinstance(p, ScorePlugin) and minor >= p.score_since
        ),
    }


def _unknown(points: Mapping[str, PluginSet], multi_point: PluginSet) -> dict[str, frozenset[str]]:
    """What no file here implements -> the points at which it is enabled."""
    enabled = [name for part in (multi_point, *points.values()) for name, _ in part.enabled]
    names = [name for name in enabled if name not in _BY_NAME and name not in _WITHOUT_VERDICT]
    # It may implement every point: under MultiPoint it counts wherever it is not taken out.
    runs = {point: _expand(own, multi_point, frozenset(names)) for point, own in points.items()}
    return {name: frozenset(point for point in points if name in runs[point]) for name in names}


def _with_ignored(spec: ProfileSpec, extenders: Sequence[Extender]) -> ProfileSpec:
    """NodeResourcesFit leaves out what extenders manage. Upstream: buildExtenders."""
    ignored = [name for extender in extenders for name in extender.ignored_resources]
    if not ignored:
        return spec
    own = spec.args.get(FIT, {})
    args = {**own, "ignoredResources": [*(own.get("ignoredResources") or ()), *ignored]}
    return replace(spec, args={**spec.args, FIT: args})


def build_profile(
    spec: ProfileSpec, release: Release, extenders: Sequence[Extender] = ()
) -> Profile:
    """A profile as the scheduler would run it.

    Raises KschedxError for plugin arguments that cannot be read.
    """
    spec = _with_ignored(spec, extenders)
    multi_point = _merge(PluginSet(default_plugins(release)), spec.point("multiPoint"))
    points = {
        point: spec.point(point)
        for point in (*_serving({}, release), "reserve", "permit", "preBind", _ORDERING)
    }
    wanted = dict.fromkeys(
        name for part in (multi_point, *points.values()) for name, _ in part.enabled
    )
    plugins = {
        name: _BY_NAME[name].from_args(spec.args.get(name, {}), release)
        for name in wanted
        if name in _BY_NAME
    }
    serving = _serving(plugins, release)
    order = {point: _expand(points[point], multi_point, serving[point]) for point in serving}
    weights: dict[str, int] = {}
    for name, weight in (*points["score"].enabled, *multi_point.enabled):
        weights.setdefault(name, weight or 1)
    preemption_args = spec.args.get(PREEMPTION, {})

    def chosen(point: str) -> tuple[Any, ...]:
        return tuple(plugins[name] for name in order[point] if name in plugins)

    return Profile(
        scheduler_name=spec.scheduler_name,
        release=release,
        pre_enqueue=chosen("preEnqueue"),
        pre_filter=chosen("preFilter"),
        filter=chosen("filter"),
        post_filter=order["postFilter"],
        pre_score=chosen("preScore"),
        score=tuple((plugin, weights[plugin.name]) for plugin in chosen("score")),
        unknown=_unknown(points, multi_point)
        | {hook.name: hook.has_a_say_at for hook in extenders},
        percentage_of_nodes_to_score=spec.percentage_of_nodes_to_score,
        candidates_percentage=int(preemption_args.get("minCandidateNodesPercentage", 10)),
        candidates_absolute=int(preemption_args.get("minCandidateNodesAbsolute", 100)),
    )
