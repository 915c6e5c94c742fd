"""The fields of a KubeSchedulerConfiguration: any other is an error, as for the real scheduler.

Upstream: kube-scheduler config/v1/types.go, types_pluginargs.go; component-base
config/v1alpha1/types.go; api core/v1/types.go (v0.34.4 to v0.37.2).
Differences: a field that any of these versions has is known in all of them; of settings that
alter no verdict only the names are checked, not the types of their values.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Shape: TypeAlias = "Mapping[str, Shape] | tuple[Shape] | None"
"""Fields by name, a list of what stands in the tuple, or a value that is not looked into."""


def _values(names: str) -> dict[str, Shape]:
    return dict.fromkeys(names.split())


_PLUGIN: Final = (_values("name weight"),)
_PLUGIN_SET: Final[Shape] = {"enabled": _PLUGIN, "disabled": _PLUGIN}
_POINTS: Final = (
    "preEnqueue queueSort preFilter filter postFilter preScore score reserve permit preBind bind "
    "postBind multiPoint placementGenerate placementScore podGroupPostFilter"
)
_PLUGIN_CONFIG: Final = _values("name args")
_EXTENDER: Final = _values(
    "urlPrefix filterVerb preemptVerb prioritizeVerb weight bindVerb enableHTTPS httpTimeout "
    "nodeCacheCapable ignorable"
) | {
    "tlsConfig": _values(
        "insecure serverName certFile keyFile caFile certData keyData caData",
    ),
    "managedResources": (_values("name ignoredByScheduler"),),
}
_CONFIGURATION: Final = _values(
    "apiVersion kind parallelism enableProfiling enableContentionProfiling "
    "percentageOfNodesToScore podInitialBackoffSeconds podMaxBackoffSeconds delayCacheUntilActive"
) | {
    "leaderElection": _values(
        "leaderElect leaseDuration renewDeadline retryPeriod resourceLock resourceName "
        "resourceNamespace"
    ),
    "clientConnection": _values("kubeconfig acceptContentTypes contentType qps burst"),
    "profiles": (
        {
            "schedulerName": None,
            "percentageOfNodesToScore": None,
            "plugins": dict.fromkeys(_POINTS.split(), _PLUGIN_SET),
            "pluginConfig": (_PLUGIN_CONFIG,),
        },
    ),
    "extenders": (_EXTENDER,),
}

_EXPRESSIONS: Final = (_values("key operator values"),)
_TERM: Final[Shape] = {"matchExpressions": _EXPRESSIONS, "matchFields": _EXPRESSIONS}
_NODE_AFFINITY: Final[Shape] = {
    "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": (_TERM,)},
    "preferredDuringSchedulingIgnoredDuringExecution": ({"weight": None, "preference": _TERM},),
}
_SPREAD_CONSTRAINT: Final = _values(
    "maxSkew topologyKey whenUnsatisfiable minDomains nodeAffinityPolicy nodeTaintsPolicy "
    "matchLabelKeys"
) | {"labelSelector": {"matchLabels": None, "matchExpressions": _EXPRESSIONS}}
_RESOURCES: Final = (_values("name weight"),)
_UTILIZATION: Final = (_values("utilization score"),)
_OBJECT: Final = _values("apiVersion kind")
_ARGS: Final[Mapping[str, Shape]] = {
    "DefaultPreemption": _OBJECT | _values("minCandidateNodesPercentage minCandidateNodesAbsolute"),
    "DynamicResources": _OBJECT | _values("filterTimeout bindingTimeout"),
    "InterPodAffinity": _OBJECT
    | _values("hardPodAffinityWeight ignorePreferredTermsOfExistingPods"),
    "NodeAffinity": _OBJECT | {"addedAffinity": _NODE_AFFINITY},
    "NodeResourcesBalancedAllocation": _OBJECT | {"resources": _RESOURCES},
    "NodeResourcesFit": _OBJECT
    | _values("ignoredResources ignoredResourceGroups")
    | {
        "scoringStrategy": {
            "type": None,
            "resources": _RESOURCES,
            "requestedToCapacityRatio": {"shape": _UTILIZATION},
        }
    },
    "PodTopologySpread": _OBJECT
    | {"defaultConstraints": (_SPREAD_CONSTRAINT,), "defaultingType": None},
    "VolumeBinding": _OBJECT | {"bindTimeoutSeconds": None, "shape": _UTILIZATION},
}
"""Plugin -> its arguments. Upstream looks into no others."""


@dataclass(frozen=True, slots=True)
class UnknownField:
    """A field that the real scheduler refuses."""

    path: str
    near: tuple[str, ...]
    """Fields of the same place whose names resemble it, the nearest first."""


def unknown_fields(configuration: Mapping[str, Any]) -> Iterator[UnknownField]:
    """Those anywhere in a configuration, in the order in which they stand."""
    return _unknown(configuration, _CONFIGURATION, "")


def _unknown(value: object, shape: Shape, place: str) -> Iterator[UnknownField]:
    if isinstance(shape, tuple) and isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _unknown(entry, shape[0], f"{place}[{index}]")
    elif isinstance(shape, Mapping) and isinstance(value, Mapping):
        if shape is _PLUGIN_CONFIG:
            shape = shape | {"args": _ARGS.get(value.get("name", ""))}
        for name, inside in value.items():
            path = f"{place}.{name}" if place else name
            if name in shape:
                yield from _unknown(inside, shape[name], path)
            else:
                yield UnknownField(path, tuple(difflib.get_close_matches(name, shape)))
