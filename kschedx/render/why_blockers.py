"""Blockers in text: how many nodes, by what, how near the nearest is, could eviction help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from kschedx.diagnose.also_blocked import AlsoBlocked
from kschedx.diagnose.blockers import Blocker, Combination
from kschedx.diagnose.explanation import Explanation
from kschedx.diagnose.headline import counted, listed
from kschedx.render.text import Page, table

_DETAILS: Final = 3
"""So many different details of one blocker are told."""
_COMBINATIONS: Final = 5
_IN_SHORT: Final = 3
"""So many blockers of one group of pods are told."""


def eviction(blocker: Blocker) -> str:
    """Whether evicting pods could get the pod onto the blocker's nodes."""
    if not blocker.checked:
        return "not checked"
    if not blocker.evictable:
        return "cannot help"
    if len(blocker.evictable) == len(blocker.nodes):
        return "could help"
    return f"could help on {len(blocker.evictable)}"


def details(blocker: Blocker, most: int = _DETAILS) -> list[str]:
    """Need against have on the nearest node, or what the nodes have instead."""
    if not blocker.details:
        closest = "closest " if len(blocker.nodes) > 1 else ""
        return [f"{closest}{blocker.nearest}: {blocker.cause.message}"]
    lines = []
    for item in blocker.details[:most]:
        nodes = listed(item.nodes)
        lines.append(f"{nodes}: {item.text}" if item.text else nodes)
    rest = sum(len(item.nodes) for item in blocker.details[most:])
    if rest:
        lines.append(f"and {counted(rest, 'more node')}")
    return lines


def write_blockers(page: Page, found: Explanation | AlsoBlocked) -> None:
    """All causes, then the nodes that several of them block; nothing where there are none."""
    several = bool(found.combinations)
    numbers = ["nodes", "only this"] if several else ["nodes"]
    wide = table([*numbers, "blocked by", "detail", "eviction"], right=numbers)
    for blocker in found.blockers:
        cells = _counts(blocker, several=several)
        wide.add_row(*cells, blocker.subject, "\n".join(details(blocker)), eviction(blocker))
    medium = _medium(found.blockers, numbers, several=several)
    if page.fits(wide, indent=2):
        page.write(wide, indent=2)
    elif not page.narrow and page.fits_words(medium, indent=2):
        page.write(medium, indent=2)
    else:
        for blocker in found.blockers:
            _write_narrow(page, blocker, several=several)
    if several:
        _write_combinations(page, found.combinations)


def _counts(blocker: Blocker, *, several: bool) -> list[str]:
    return [str(len(nodes)) for nodes in (blocker.nodes, blocker.alone)[: 1 + several]]


def _medium(blockers: Sequence[Blocker], numbers: Sequence[str], *, several: bool) -> Table:
    """Details under the cause instead of beside it."""
    made = table([*numbers, "blocked by", "eviction"], right=numbers)
    for blocker in blockers:
        made.add_row(
            *_counts(blocker, several=several), _under_each_other(blocker), eviction(blocker)
        )
    made.columns[-1].no_wrap = True
    for name, column in zip(numbers, made.columns, strict=False):
        column.min_width = len(name)
    made.columns[-1].min_width = max(len(eviction(blocker)) for blocker in blockers)
    return made


def _under_each_other(blocker: Blocker) -> Text:
    return Text("\n").join([Text(blocker.subject, style="heading"), *map(Text, details(blocker))])


def _write_narrow(page: Page, blocker: Blocker, *, several: bool) -> None:
    alone = f", {len(blocker.alone) or 'none'} by this alone" if several else ""
    nodes = counted(len(blocker.nodes), "node")
    page.write(Text(f"{blocker.subject} ({nodes}{alone})", style="heading"), indent=2)
    for line in details(blocker):
        page.write(Text(line), indent=4)
    page.write(Text(f"eviction {eviction(blocker)}"), indent=4)


def _write_combinations(page: Page, combinations: Sequence[Combination]) -> None:
    page.gap()
    made = table(["nodes", "blocked by several things at once", "which"], right=["nodes"])
    for item in combinations[:_COMBINATIONS]:
        made.add_row(str(len(item.nodes)), " + ".join(item.subjects), listed(item.nodes))
    page.write(made, indent=2)
    more = combinations[_COMBINATIONS:]
    if more:
        nodes = sum(len(item.nodes) for item in more)
        rest = f"and {counted(len(more), 'other combination')} on {counted(nodes, 'node')}"
        page.write(Text(rest, style="quiet"), indent=2)


def write_in_short(page: Page, blockers: Sequence[Blocker], *, indent: int) -> None:
    """The first causes of a group of pods, with one detail each."""
    top = blockers[:_IN_SHORT]
    wide = table(["nodes", "blocked by", "detail"], right=["nodes"])
    narrow = table(["nodes", "blocked by"], right=["nodes"])
    for made in (wide, narrow):
        made.show_header = False
    for blocker in top:
        count, line = str(len(blocker.nodes)), details(blocker, 1)[0]
        wide.add_row(count, blocker.subject, line)
        narrow.add_row(count, f"{blocker.subject}\n{line}")
    page.write(wide if page.fits(wide, indent=indent) else narrow, indent=indent)
    more = len(blockers) - len(top)
    if more > 0:
        page.write(Text(f"and {counted(more, 'more cause')}", style="quiet"), indent=indent)
