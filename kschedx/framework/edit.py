"""Edit: one small change to the pod or to the cluster, to be tried by replaying it."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from kschedx.api.pod import Pod
from kschedx.framework.views import ClusterView


class Cost(enum.IntEnum):
    """What a change disturbs, cheapest first."""

    NOTHING_RESTARTED = 0
    POD_CHANGED = 1
    OTHER_POD = 2
    """Another pod is moved or deleted."""
    NODE_CHANGED = 3
    NODE_ADDED = 4

    @property
    def code(self) -> str:
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class Patch:
    """A change to one object as `kubectl patch --type=json` takes it, or a command without one."""

    kind: str = ""
    namespace: str = ""
    name: str = ""
    operations: tuple[Mapping[str, Any], ...] = ()
    command: str = ""
    """A kubectl command that says the same in fewer words; empty: patch."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Subclasses are one kind of change; their fields say which. Values: applying changes nothing.

    They set `code` (kebab-case, public for ever) and `cost`.
    """

    code: ClassVar[str]
    cost: ClassVar[Cost]
    gives_up: ClassVar[bool] = False
    """A rule that the pod has goes altogether."""

    @property
    def rule(self) -> tuple[str, ...]:
        """The rule of the pod that it loosens; empty where no other kind of change loosens it."""
        return ()

    def apply(self, pod: Pod, cluster: ClusterView) -> tuple[Pod, ClusterView]:
        """The pod and the cluster as if the change had been made."""
        raise NotImplementedError

    def sentence(self) -> str:
        """What to do, in a few words, without a full stop."""
        raise NotImplementedError

    def patch(self, pod: Pod) -> Patch:
        """The same as a patch of the pod's spec, relative to it, or of another object."""
        raise NotImplementedError
