"""What the controllers share: which kinds are played, revisions of a template, percentages."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Final

from kschedx.api.change import fingerprint, replaced
from kschedx.api.meta import Object
from kschedx.api.pod import PodTemplate
from kschedx.api.workloads import (
    DaemonSet,
    Deployment,
    IntOrString,
    Job,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedx.rollout.live_pod import TEMPLATE_HASH_LABEL

CONTROLLERS: Final[tuple[type[Object], ...]] = (
    StatefulSet,
    Deployment,
    ReplicaSet,
    DaemonSet,
    ReplicationController,
    Job,
)


@dataclass(frozen=True, slots=True)
class Revisions:
    """A StatefulSet's or DaemonSet's revisions, by name."""

    current: str
    update: str
    templates: dict[str, PodTemplate] = field(default_factory=dict)

    def with_template(self, name: str, template: PodTemplate) -> Revisions:
        """This template as the update revision, under the name that it has already, if any."""
        for known, other in self.templates.items():
            if other == template:
                return replace(self, update=known)
        return replace(self, update=name, templates={**self.templates, name: template})

    def advanced(self) -> Revisions:
        """The rollout is complete."""
        return replace(self, current=self.update)


def template_hash(template: PodTemplate) -> str:
    """Ten characters that tell templates apart; not upstream's hash."""
    return fingerprint(template)


def without_hash(template: PodTemplate) -> PodTemplate:
    """A ReplicaSet's template as its Deployment wrote it."""
    metadata = template.metadata
    if TEMPLATE_HASH_LABEL not in metadata.labels:
        return template
    labels = {k: v for k, v in metadata.labels.items() if k != TEMPLATE_HASH_LABEL}
    return replaced(template, metadata=replaced(metadata, labels=labels))


def share(value: IntOrString | None, whole: int, *, default: IntOrString, round_up: bool) -> int:
    """A number, or a percentage of `whole` rounded as told. An unreadable text counts as 0."""
    value = default if value is None else value
    if isinstance(value, int):
        return value
    digits = value.removesuffix("%")
    if not digits.isdecimal():
        return 0
    thousandths = int(digits) * whole
    return math.ceil(thousandths / 100) if round_up else thousandths // 100


def pod_suffix(serial: int) -> str:
    """Five characters as generated names end in: "aaaab" for 1."""
    letters = ""
    for _ in range(5):
        serial, digit = divmod(serial, 26)
        letters = chr(ord("a") + digit) + letters
    return letters
