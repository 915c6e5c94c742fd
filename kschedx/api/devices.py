"""Device claims, opaque: their presence matters, their allocation is not modelled.

Upstream: api/resource/v1 (v1.35.4).
"""

from __future__ import annotations

from kschedx.api.meta import Object, Struct


class ResourceClaim(Object, frozen=True, kw_only=True):
    pass


class ResourceClaimTemplate(Object, frozen=True, kw_only=True):
    pass


class ResourceSlice(Object, frozen=True, kw_only=True):
    pass


class DeviceClassSpec(Struct, frozen=True):
    extended_resource_name: str | None = None


class DeviceClass(Object, frozen=True, kw_only=True):
    spec: DeviceClassSpec = DeviceClassSpec()
