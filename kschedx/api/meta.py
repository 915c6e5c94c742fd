"""What every Kubernetes object carries, as far as scheduling reads it.

Upstream: apimachinery pkg/apis/meta/v1/types.go (v0.35.4).
Differences: only the fields that scheduling reads; unknown fields are passed over.
"""

from __future__ import annotations

import msgspec

StringMap = dict[str, str]


class Struct(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, gc=False):
    """Base of all API values: immutable, camelCase on the wire, absent fields left out."""


class OwnerReference(Struct, frozen=True):
    kind: str = ""
    name: str = ""
    uid: str = ""
    api_version: str = ""
    controller: bool = False


class ObjectMeta(Struct, frozen=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: StringMap = {}
    annotations: StringMap = {}
    owner_references: tuple[OwnerReference, ...] = ()
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    finalizers: tuple[str, ...] = ()
    generate_name: str = ""
    generation: int = 0
    resource_version: str = ""

    @property
    def controller(self) -> OwnerReference | None:
        """The owner that manages this object, if it has one."""
        for owner in self.owner_references:
            if owner.controller:
                return owner
        return None


class LabelSelectorRequirement(Struct, frozen=True):
    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(Struct, frozen=True):
    match_labels: StringMap = {}
    match_expressions: tuple[LabelSelectorRequirement, ...] = ()


class Object(Struct, frozen=True, kw_only=True):
    """An API object as a file or a cluster holds it."""

    metadata: ObjectMeta = ObjectMeta()

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def namespace(self) -> str:
        return self.metadata.namespace
