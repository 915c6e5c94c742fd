"""Defaults that a pod, a template and a claim share wherever they stand.

Upstream: pkg/apis/core/v1/defaults.go (v1.35.4).
"""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from kschedx.api.pod import Container, EphemeralVolume, PodSpec, Volume
from kschedx.api.storage import PersistentVolumeClaimSpec

DEFAULT_SCHEDULER: Final = "default-scheduler"
GRACE_SECONDS: Final = 30
AZURE_KIND: Final = "Shared"


def spec_changes(spec: PodSpec) -> dict[str, Any]:
    """The fields that SetDefaults_PodSpec fills in, in pods and in templates."""
    changes: dict[str, Any] = {}
    if not spec.scheduler_name:
        changes["scheduler_name"] = DEFAULT_SCHEDULER
    if not spec.restart_policy:
        changes["restart_policy"] = "Always"
    if spec.termination_grace_period_seconds is None:
        changes["termination_grace_period_seconds"] = GRACE_SECONDS
    return changes


def with_ports(container: Container, *, host_network: bool) -> Container:
    """The container with every port's protocol and, on the host's network, its host port."""
    ports = tuple(
        replace(
            port,
            protocol=port.protocol or "TCP",
            host_port=port.host_port or (port.container_port if host_network else 0),
        )
        for port in container.ports
    )
    return container if ports == container.ports else replace(container, ports=ports)


def claim_spec(spec: PersistentVolumeClaimSpec) -> PersistentVolumeClaimSpec:
    """The claim's spec with its volume mode."""
    return spec if spec.volume_mode is not None else replace(spec, volume_mode="Filesystem")


def with_volume_defaults(volumes: tuple[Volume, ...]) -> tuple[Volume, ...]:
    """The volumes with what their sources leave out; the same tuple if nothing is."""
    for volume in volumes:
        if volume.rbd is not None or volume.azure_disk is not None or volume.ephemeral is not None:
            complete = tuple(map(_volume, volumes))
            return volumes if complete == volumes else complete
    return volumes


def _volume(volume: Volume) -> Volume:
    rbd, azure, ephemeral = volume.rbd, volume.azure_disk, volume.ephemeral
    if rbd is not None and not rbd.pool:
        return replace(volume, rbd=replace(rbd, pool="rbd"))
    if azure is not None and azure.kind is None:
        return replace(volume, azure_disk=replace(azure, kind=AZURE_KIND))
    template = ephemeral.volume_claim_template if ephemeral is not None else None
    if template is not None:
        template = replace(template, spec=claim_spec(template.spec))
        return replace(volume, ephemeral=EphemeralVolume(template))
    return volume
