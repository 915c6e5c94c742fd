"""The moments of a run as sentences, for the pods that matter to the rollout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from kschedx.api.quantity import show
from kschedx.framework.accounting import Amounts
from kschedx.rollout.live_pod import Moment, Owner, Seconds
from kschedx.rollout.played import Played
from kschedx.rollout.report import TimelineEntry

_SHOWN: Final = ("cpu", "memory")
_TOLD: Final = frozenset(
    {
        "deleted",
        "stopped",
        "created",
        "arrived",
        "bound",
        "ready",
        "not-ready",
        "unschedulable",
        "preempts",
        "refused",
        "quota",
        "reserved",
        "not-woken",
    }
)

_PLAIN: Final = {
    "created": "{name} created",
    "arrived": "a new pod, {name}, arrives",
    "ready": "{name} Ready",
    "not-ready": "{name} runs and does not become Ready",
    "refused": "the kubelet of {node} refuses {name}",
    "quota": "{name} cannot be created",
    "reserved": "{node} stays reserved for the successor of {name}",
    "not-woken": "nobody is woken by the end of {name}",
}


def amounts(requests: Amounts) -> str:
    """Such as "3 cpu, 2Gi memory"; "no resources" for a pod that asks for none."""
    names = [name for name in _SHOWN if requests.get(name)]
    names += sorted(name for name in requests if name not in _SHOWN and requests[name])
    return ", ".join(f"{show(n, requests[n])} {n}" for n in names) or "no resources"


def duration(seconds: Seconds) -> str:
    """Such as "30s", "4h" or "2d": the largest unit that is full."""
    whole = int(seconds)
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if whole >= size:
            return f"{whole // size}{unit}"
    return f"{whole}s"


def short(key: str, namespace: str) -> str:
    """A pod's name; with its namespace where that is not the workload's."""
    space, _, name = key.partition("/")
    return name if space == namespace else key


def causes_text(causes: Mapping[str, int], nodes: int) -> str:
    """Such as "0 of 3 nodes: 3 insufficient cpu"."""
    said = ", ".join(f"{count} {subject}" for subject, count in causes.items())
    noun = "node" if nodes == 1 else "nodes"
    return f"0 of {nodes} {noun}" + (f": {said}" if said else "")


class Timeline:
    """Picks and words the moments of one run."""

    def __init__(self, played: Played) -> None:
        self.played = played
        self.world = played.world
        self.owner = played.owner
        self.requests = {
            m.subject: m.facts["requests"] for m in played.moments if "requests" in m.facts
        }
        self.own = {
            m.subject for m in played.moments if m.facts.get("workload") == str(played.owner)
        }
        self.said: set[tuple[str, str]] = set()

    def entries(self) -> tuple[TimelineEntry, ...]:
        return tuple(self._entries(self.played.moments))

    def _entries(self, moments: Iterable[Moment]) -> Iterable[TimelineEntry]:
        woken = {(m.at, m.subject): m.facts["pods"] for m in moments if m.code == "woken"}
        begun = False
        for moment in moments:
            begun = begun or moment.code == "started-rollout"
            # An eviction that is under way already explains what stops and who takes the room.
            told = moment.code in _TOLD if begun else moment.code == "preempts"
            if not told or not self._matters(moment):
                continue
            sentence, detail = self._words(moment, woken.get((moment.at, moment.subject), ()))
            yield TimelineEntry(
                moment.at, moment.code, moment.subject, moment.node, sentence, detail
            )

    def _matters(self, moment: Moment) -> bool:
        if moment.code == "unschedulable":
            # Said once per pod object and reason; strangers that still wait are not news.
            mark = (moment.subject, str(moment.facts["incarnation"]))
            if moment.subject not in self.own or mark in self.said:
                return False
            self.said.add(mark)
            return True
        if moment.subject in self.own:
            return True
        return moment.code in ("arrived", "bound", "preempts", "refused", "quota") or (
            moment.code == "deleted" and bool(moment.facts.get("why"))
        )

    def _name(self, key: str) -> str:
        return short(key, self.owner.namespace)

    def _words(self, moment: Moment, woken: tuple[str, ...]) -> tuple[str, str]:
        """(sentence, detail)."""
        name, node, facts = self._name(moment.subject), moment.node, moment.facts
        match moment.code:
            case "deleted":
                return f"{name} deleted" + (f" on {node}" if node else ""), str(facts["why"])
            case "stopped":
                wakes = f"; the scheduler wakes {_pods(len(woken))}" if woken else ""
                return f"{name} stopped on {node}{wakes}", f"frees {self._asks(moment)}"
            case "bound" if moment.subject in self.own:
                return f"{name} bound to {node}", ""
            case "bound":
                return f"{name} takes {node}", self._who(moment)
            case "unschedulable":
                return f"{name} Pending", causes_text(facts["causes"], facts["nodes"])
            case "preempts":
                victims = ", ".join(self._name(v) for v in facts["victims"])
                broken = facts["violations"]
                budgets = f"{broken} against a disruption budget" if broken else ""
                return f"{name} evicts {victims} on {node}", budgets
            case code:
                return _PLAIN[code].format(name=name, node=node), str(facts.get("sentence", ""))

    def _asks(self, moment: Moment) -> str:
        return amounts(moment.facts.get("requests", {}))

    def _who(self, moment: Moment) -> str:
        facts = moment.facts
        waited = waiting_seconds(self.played, moment)
        waiting = f", waiting for {duration(waited)}" if waited else ""
        if waited is not None and facts["created"] < 0 and not self.played.world.calendar.known:
            waiting += " or more"
        return f"needs {self._asks(moment)}, priority {facts['priority']}{waiting}"


def waiting_seconds(played: Played, bound: Moment) -> Seconds | None:
    """How long a pod had waited when it got its node; None where it cannot be told.

    Where the snapshot does not say when it was taken, this is the least that it can be.
    """
    created = bound.facts.get("created")
    if created is None or (created == 0 and not played.world.calendar.known):
        return None
    waited: Seconds = bound.at - created
    return max(waited, 0)


def _pods(count: int) -> str:
    return "1 waiting pod" if count == 1 else f"{count} waiting pods"


def owner_name(owner: Owner | None) -> str:
    """Such as "Job batch/report"; empty for a bare pod."""
    return str(owner) if owner is not None else ""
