"""What would help, for people: the change, the node that it gives, the command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.table import Table
from rich.text import Text

from kschedx.diagnose.headline import listed
from kschedx.diagnose.remedies import Remedies, Remedy, Step, Target
from kschedx.framework.cluster_edits import KUBELET
from kschedx.render.text import Page

_FIXED: Final = ("Pod", "PersistentVolumeClaim")
"""Kinds that cannot be changed in place; of others the template can."""
_GAP: Final = 2
"""Columns between a number and what it numbers."""


def write_hints(page: Page, found: Remedies, *, indent: int = 0) -> None:
    """Numbered, cheapest first; said plainly where nothing that was tried helps."""
    page.gap()
    if not found.remedies:
        tried = "nothing that was tried" if found.replays else "no change known"
        page.write(Text(f"What would help: {tried} gets it a node", style="heading"), indent=indent)
        return
    page.write(Text("What would help (each replayed)", style="heading"), indent=indent)
    digits = len(str(len(found.remedies)))
    for number, remedy in enumerate(found.remedies, start=1):
        _write_remedy(page, f"{number:>{digits}}", remedy, indent=indent + 2)
    if found.limit_hit:
        page.write(
            Text(f"stopped after {found.replays} replays; others may help too", style="quiet"),
            indent=indent + 2,
        )


def _write_remedy(page: Page, number: str, remedy: Remedy, *, indent: int) -> None:
    grid = Table.grid(padding=(0, _GAP, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(number, Text(f"{remedy.message} -> {_then(remedy)}"))
    page.write(grid, indent=indent)
    below = indent + len(number) + _GAP
    for line, is_command in dict.fromkeys(line for step in remedy.steps for line in _how(step)):
        write = page.write_whole if is_command else page.write
        write(Text(line, style="quiet"), indent=below)


def _then(remedy: Remedy) -> str:
    if remedy.evicts:
        return _after_evicting(remedy)
    nodes = listed(remedy.nodes, "or")
    found = remedy.together
    if found is None:
        return f"fits {nodes}"
    how_many = f"all {found.waiting}"
    if found.placed < found.waiting:
        how_many = f"{found.placed} of the {found.waiting}"
    return f"fits {nodes} ({how_many} waiting pods of {found.owner})"


def _after_evicting(remedy: Remedy) -> str:
    """The pods named are those of the first node; on the others it would evict others."""
    first, *others = remedy.nodes
    said = f"evicts {listed(remedy.evicts)}, then gets {first}"
    if not others:
        return said
    return f"{said}; {listed(others)} {'is' if len(others) == 1 else 'are'} as good"


def _how(step: Step) -> Iterator[tuple[str, bool]]:
    """The commands, or where the patch belongs; and whether it is a command."""
    if step.prerequisite:
        yield step.prerequisite, True
    if step.command:
        yield step.command, True
    elif step.target is not None:
        yield _by_hand(step, step.target), False


def _by_hand(step: Step, target: Target) -> str:
    named = f"{target.kind} {target.name}"
    if not step.patch:
        return f"not in the template of {named}: something else puts it into its pods"
    if target.kind == KUBELET:
        return (
            f"in the kubelet configuration of {target.name}, whose kubelet then has to be restarted"
        )
    again = "which then has" if target.kind in _FIXED else "whose pods then have"
    return f"in the manifest of {named}, {again} to be created again"
