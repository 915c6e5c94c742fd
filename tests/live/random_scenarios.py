"""Random rollouts in tight clusters: the same number always draws the same scenario.

There is barely room for what runs, so that thefts, preemption and deadlocks are common. The workload
that is rolled out is called web; the others are db, api and agent.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final

from tests.live.gated_scenarios import UNDO
from tests.live.rollout_objects import (
    CLAIMS,
    HOST,
    ZONE,
    Raw,
    apart,
    containers,
    daemon_rolling,
    daemon_set,
    deployment,
    local_volume,
    pod,
    quota,
    rolling,
    set_rolling,
    spread,
    stateful_set,
)
from tests.live.rollout_scenarios import BAD, GOOD, PARALLEL, Scenario, resized

_ZONES: Final = "aab"
_PRIORITIES: Final = (None, None, None, "high", "low", "high-never")
_SETS: Final = ("ordered", "ordered", "parallel")
_KINDS: Final = (*_SETS, "deployment", "deployment", "daemon")
_LIMITED: Final = 3
"""Sets of this size may have two pods unavailable."""
_TWO: Final = {"maxUnavailable": 2}
_DEADLINE_SECONDS: Final = 5
"""A Deployment's progress deadline: it passes before a cluster counts as standing still."""


def random_scenario(seed: int) -> Scenario:
    """The scenario of this number."""
    return _Drawing(Random(seed)).scenario()


class _Drawing:
    """Draws one scenario."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw
        count = draw.choice((1, 2, 2, 3, 3, 4))
        self.zoned = count > 1 and draw.random() < 0.3
        equal = draw.choice((2000, 3000, 4000))
        uneven = draw.random() < 0.5
        self.slack = draw.random() < 0.5
        """Some room is left: the rollout gets further before anything stops it."""
        self.milli = {
            f"n{number}": draw.choice((2000, 2500, 3000, 4000)) if uneven else equal
            for number in range(1, count + 1)
        }
        self.free = sum(self.milli.values())
        self.kinds: dict[str, str] = {}
        self.sizes: dict[str, int] = {}
        """Workload -> what one of its pods asks for."""
        self.replicas: dict[str, int] = {}
        self.volumes = False

    def often(self, chance: float) -> bool:
        return self.draw.random() < chance

    def scenario(self) -> Scenario:
        draw = self.draw
        nodes = {
            name: f"{milli}m:{draw.choice(_ZONES)}" if self.zoned else f"{milli}m"
            for name, milli in self.milli.items()
        }
        workloads = [self.workload("web", draw.choice(_KINDS))]
        for name in ("db", "api")[: draw.choice((0, 0, 1, 1, 2 - self.slack))]:
            workloads.append(self.workload(name, draw.choice((*_SETS, "deployment"))))
        if self.kinds["web"] != "daemon" and self.often(0.15):
            workloads.append(self.workload("agent", "daemon"))
        budgets = [self.budget(name) for name in (*self.kinds, "late") if self.often(0.2)]
        volumes = [local_volume(name) for name in self.milli] if self.volumes else []
        quotas = [self.quota()] if self.often(0.12) else []
        never_ready = self.often(0.12)
        return Scenario(
            nodes,
            # The web workload may come last: then it gets what the others leave.
            [*volumes, *quotas, *self.shuffled(workloads), *budgets],
            [
                self.waiter(f"late-{number}")
                for number in range(draw.choice((0, 1, 1, 2, 3)[: 4 - 2 * self.slack]))
            ],
            self.patches(never_ready=never_ready),
            also={} if never_ready else self.also(),
            arrives=self.arrivals(),
            never_ready=never_ready,
            rolled="web",
        )

    def shuffled(self, workloads: list[Raw]) -> list[Raw]:
        self.draw.shuffle(workloads)
        return workloads

    # Workloads

    def workload(self, name: str, kind: str) -> Raw:
        draw = self.draw
        largest = max(self.milli.values())
        if kind == "daemon":
            size = draw.choice((500, 1000, min(self.milli.values())))
            replicas = len(self.milli)
        else:
            size = draw.choice((largest, largest * 3 // 4, largest // 2, largest // 3, 1000))
            size = max(min(size, largest), 250) // 250 * 250
            fitting = sum(milli // size for milli in self.milli.values())
            replicas = max(1, min(fitting, max(self.free, size) // size, 4))
            fewer = draw.choice((1, 1, 2) if self.slack else (0, 0, 0, 1))
            replicas = max(1, replicas - fewer + draw.choice((0,) * 8 + (1,)))
        self.kinds[name] = kind
        self.sizes[name] = size
        self.replicas[name] = replicas
        self.free -= size * replicas
        priority = draw.choice((*_PRIORITIES, "high", "high") if name == "web" else _PRIORITIES)
        more = self.rules(name)
        own: Raw = {"minReadySeconds": draw.choice((2, 3, 60))} if self.often(0.15) else {}
        cpu = f"{size}m"
        if kind == "daemon":
            named = {"priorityClassName": priority} if priority else {}
            return daemon_set(name, cpu, own={**own, **self.daemon_strategy()}, **named, **more)
        if kind == "deployment":
            own |= self.deployment_strategy()
            if own.get("minReadySeconds", 0) < _DEADLINE_SECONDS:
                own["progressDeadlineSeconds"] = _DEADLINE_SECONDS
            return deployment(name, replicas, cpu, priority, own=own, **more)
        own |= self.set_strategy(name, replicas)
        if kind == "parallel":
            own |= PARALLEL
        return stateful_set(name, replicas, cpu, priority, own=own, **more)

    def rules(self, name: str) -> Raw:
        if self.often(0.06):
            return {"ports": [{"containerPort": 80, "hostPort": 8080}]}
        key = ZONE if self.zoned and self.often(0.6) else HOST
        if self.often(0.2):
            return apart(name, key)
        if self.often(0.2):
            return spread(name, key, self.draw.choice((1, 1, 2)))
        return {}

    def daemon_strategy(self) -> Raw:
        return self.draw.choice(
            (
                {},
                daemon_rolling(0, 2),
                daemon_rolling(1, 0),
                daemon_rolling("50%", 0),
                daemon_rolling(0, "50%"),
                {"updateStrategy": {"type": "OnDelete"}},
            )
        )

    def deployment_strategy(self) -> Raw:
        if self.often(0.12):
            return {"strategy": {"type": "Recreate"}}
        pairs = ((1, 0), (0, 1), (1, 1), ("25%", "25%"), (2, 0), (0, 2), ("50%", "50%"))
        return rolling(*self.draw.choice(pairs))

    def set_strategy(self, name: str, replicas: int) -> Raw:
        own: Raw = {}
        if self.often(0.05):
            own["updateStrategy"] = {"type": "OnDelete"}
        elif self.often(0.15):
            own |= set_rolling(partition=self.draw.randint(1, replicas))
        if replicas >= _LIMITED and own.get("updateStrategy", {}).get("type") != "OnDelete":
            # Dropped by API servers on which the gate MaxUnavailableStatefulSet is off.
            own |= set_rolling(**own.get("updateStrategy", {}).get("rollingUpdate", {}), **_TWO)
        if self.often(0.1):
            own["ordinals"] = {"start": self.draw.randint(1, 3)}
        if name == "web" and self.often(0.15):
            self.volumes = True
            own |= CLAIMS
            kept = ("Retain", "Delete", "Delete")
            policy = {"whenScaled": self.draw.choice(kept), "whenDeleted": "Retain"}
            own["persistentVolumeClaimRetentionPolicy"] = policy
        return own

    # What is beside them

    def budget(self, name: str) -> Raw:
        replicas = self.replicas.get(name, 1)
        limits: Sequence[Raw] = (
            {"minAvailable": self.draw.randint(1, replicas)},
            {"minAvailable": "50%"},
            {"maxUnavailable": self.draw.choice((0, 1, 1))},
        )
        if name == "late":
            limits = limits[:1]
        return {
            "kind": "PodDisruptionBudget",
            "metadata": {"name": f"guard-{name}"},
            "spec": {
                **self.draw.choice(limits),
                "selector": {"matchLabels": {"app": name}},
            },
        }

    def quota(self) -> Raw:
        pods = sum(self.replicas.values())
        if self.often(0.5):
            return quota(pods=str(pods + self.draw.choice((0, 0, 1, 2))))
        milli = sum(self.sizes[name] * self.replicas[name] for name in self.sizes)
        return quota(**{"requests.cpu": f"{milli + self.draw.choice((0, 500, 1000, 2000))}m"})

    def waiter(self, name: str) -> Raw:
        draw = self.draw
        size = draw.choice((self.sizes["web"], self.sizes["web"], 500, 1000, 1500, 2000))
        more: Raw = {}
        if self.often(0.15):
            more["nodeSelector"] = {HOST: draw.choice(sorted(self.milli))}
        elif self.often(0.1):
            more = apart("web", ZONE if self.zoned else HOST)
        labels = draw.choice(({"app": "late"}, {"app": "late"}, {"app": "web-peer"}))
        return pod(name, f"{size}m", draw.choice(_PRIORITIES), labels=labels, **more)

    def arrivals(self) -> dict[str, Raw]:
        if self.kinds["web"] not in _SETS or self.volumes or not self.often(0.35):
            return {}
        ordinals = range(self.replicas["web"])
        last = ordinals[-1]
        found = {f"web-{last}": self.waiter("new-a")}
        if last > 0 and self.often(0.3):
            found[f"web-{last - 1}"] = self.waiter("new-b")
        return found

    # The change

    def change(self, name: str, image: str = "app:2") -> Raw:
        """Another image, and now and then other requests or other nodes."""
        size = self.sizes[name]
        found = containers(image)
        if self.often(0.3):
            other = self.draw.choice((size // 2, size - 250, size + 250, size + 500, size * 2))
            found = containers(image, f"{max(other, 250)}m")
        if self.often(0.2 if self.kinds[name] == "daemon" else 0.06):
            nodes = {HOST: self.draw.choice(sorted(self.milli))}
            if self.zoned and self.often(0.5):
                nodes = {ZONE: self.draw.choice(_ZONES)}
            found["spec"]["template"]["spec"]["nodeSelector"] = nodes
        return found

    def patches(self, *, never_ready: bool) -> list[Raw]:
        draw = self.draw
        if never_ready:
            if self.often(0.5):
                return [BAD, GOOD]
            return [BAD, UNDO] if self.often(0.4) else [BAD]
        first = self.change("web")
        replicas = self.replicas["web"]
        scales = self.kinds["web"] != "daemon"
        if scales and self.often(0.15):
            first = resized(max(0, replicas + draw.choice((-1, -1, 1))), first)
        if not self.often(0.35 if not self.volumes else 0.8):
            return [first]
        size = self.sizes["web"]
        seconds = [
            containers("app:1", f"{size}m"),
            self.change("web", "app:3"),
            containers("app:3", f"{max(size // 2, 250)}m"),
        ]
        if scales:
            seconds += [resized(max(0, replicas - 1)), resized(replicas + 1)] * 2
        found = [first, draw.choice(seconds)]
        if self.volumes:
            found = [resized(max(0, replicas - 1), first), resized(replicas)]
        return found

    def also(self) -> dict[str, Raw]:
        others = [name for name in self.kinds if name != "web"]
        return {name: self.change(name) for name in others if self.often(0.3)}
