"""Arguments of scheduler plugins, as a KubeSchedulerConfiguration writes them.

Upstream: kube-scheduler config/v1/types_pluginargs.go (v0.35.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from kschedx.api.errors import KschedxError
from kschedx.api.meta import Struct
from kschedx.api.pod import NodeAffinity, TopologySpreadConstraint


class PluginArgs(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind: str = ""
    api_version: str = ""


class ResourceSpec(Struct, frozen=True, forbid_unknown_fields=True):
    name: str = ""
    weight: int = 0


class UtilizationShapePoint(Struct, frozen=True, forbid_unknown_fields=True):
    utilization: int = 0
    score: int = 0


class RequestedToCapacityRatioParam(Struct, frozen=True, forbid_unknown_fields=True):
    shape: tuple[UtilizationShapePoint, ...] = ()


class ScoringStrategy(Struct, frozen=True, forbid_unknown_fields=True):
    type: str = ""
    resources: tuple[ResourceSpec, ...] = ()
    requested_to_capacity_ratio: RequestedToCapacityRatioParam | None = None


class NodeResourcesFitArgs(PluginArgs, frozen=True, kw_only=True):
    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    scoring_strategy: ScoringStrategy | None = None


class NodeResourcesBalancedAllocationArgs(PluginArgs, frozen=True, kw_only=True):
    resources: tuple[ResourceSpec, ...] = ()


class NodeAffinityArgs(PluginArgs, frozen=True, kw_only=True):
    added_affinity: NodeAffinity | None = None


class VolumeBindingArgs(PluginArgs, frozen=True, kw_only=True):
    bind_timeout_seconds: int = 600
    shape: tuple[UtilizationShapePoint, ...] = ()


class InterPodAffinityArgs(PluginArgs, frozen=True, kw_only=True):
    hard_pod_affinity_weight: int = 1
    ignore_preferred_terms_of_existing_pods: bool = False


class PodTopologySpreadArgs(PluginArgs, frozen=True, kw_only=True):
    defaulting_type: str = ""
    default_constraints: tuple[TopologySpreadConstraint, ...] = ()


T = TypeVar("T", bound=PluginArgs)


def unusable_args(plugin: str, problem: str) -> KschedxError:
    """Arguments with which the real scheduler would not start."""
    return KschedxError(
        "scheduler-config-unreadable",
        f"scheduler configuration: arguments of {plugin}: {problem}",
        hint="kube-scheduler refuses such a configuration as well",
    )


def read_args(kind: type[T], plugin: str, args: Mapping[str, Any]) -> T:
    """The arguments as a value.

    Raises KschedxError for what has the wrong type, or for a field that the plugin does not have.
    """
    try:
        return msgspec.convert({k: v for k, v in args.items() if v is not None}, kind)
    except msgspec.ValidationError as problem:
        raise unusable_args(plugin, str(problem)) from None
