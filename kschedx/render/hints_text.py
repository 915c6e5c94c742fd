"""What would help, for people: the change, the node that it gives, the command."""

from __future__ import annotations

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from kschedx.diagnose.headline import listed
from kschedx.diagnose.remedies import Remedies, Remedy, Step
from kschedx.framework.cluster_edits import KUBELET
from kschedx.render.text import Page


def write_hints(page: Page, found: Remedies, *, indent: int = 0) -> None:
    """Numbered, cheapest first; said plainly where nothing that was tried helps."""
    page.gap()
    if not found.remedies:
        tried = "nothing that was tried" if found.replays else "no change known"
        page.write(Text(f"What would help: {tried} gets it a node", style="heading"), indent=indent)
        return
    page.write(Text("What would help (each replayed)", style="heading"), indent=indent)
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for number, remedy in enumerate(found.remedies, start=1):
        grid.add_row(str(number), Text(f"{remedy.message} -> {_then(remedy)}"))
        for line in dict.fromkeys(line for step in remedy.steps for line in _how(step)):
            grid.add_row("", Text(line, style="quiet"))
    page.write(grid, indent=indent + 2)
    if found.limit_hit:
        page.write(
            Text(f"stopped after {found.replays} replays; others may help too", style="quiet"),
            indent=indent + 2,
        )


def _then(remedy: Remedy) -> str:
    nodes = listed(remedy.nodes, "or")
    if remedy.evicts:
        return f"evicts {listed(remedy.evicts)}, then gets {nodes}"
    return f"fits {nodes}"


def _how(step: Step) -> Iterator[str]:
    """The commands, or where the patch belongs."""
    if step.prerequisite:
        yield step.prerequisite
    if step.command:
        yield step.command
    elif step.patch and step.target is not None:
        kind, name = step.target.kind, step.target.name
        if kind == KUBELET:
            yield f"in the kubelet configuration of {name}, whose kubelet then has to be restarted"
        else:
            yield f"in the manifest of {kind} {name}, which then has to be created again"
