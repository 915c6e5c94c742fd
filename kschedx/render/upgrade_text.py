"""A RolloutReport as a page of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from kschedx.render.text import Page, Style, table
from kschedx.rollout.report import (
    AllRollouts,
    Outcome,
    Remedy,
    RolloutReport,
    Run,
    TimelineEntry,
    WorkloadLine,
)

_STYLES: Final = {
    Outcome.DEADLOCK: "wrong",
    Outcome.AT_RISK: "waits",
    Outcome.NOT_CHECKED: "waits",
    Outcome.HELD: "waits",
    Outcome.COMPLETES: "right",
}
_MOST_MOMENTS: Final = 40
"""Timeline lines that are shown; the JSON has them all."""


def render_upgrade_text(report: RolloutReport | AllRollouts, style: Style) -> str:
    """The page."""
    page = Page(style)
    if isinstance(report, AllRollouts):
        _all(page, report)
    else:
        _one(page, report)
    return page.text()


def _one(page: Page, report: RolloutReport) -> None:
    _headline(page, report)
    ending = _ending(report.worst)
    if report.worst.timeline or ending:
        page.gap()
    _timeline(page, report.worst.timeline)
    for line in ending:
        page.write(Text(line), indent=9)
    if report.best is not None:
        page.gap()
        other = "Another legal order of events does not stop it"
        if report.arrival is not None:
            other = "Without the new pod nothing stops it"
        page.write(Text(other, style="heading"), indent=0)
        _timeline(page, _differing(report.worst, report.best))
    _proposals(page, (*report.proposals, *(item for item in report.remedies if item.short)))
    _remedies(page, report.remedies)
    page.block(("Assumed" if not i else "", text) for i, text in enumerate(_assumed(report)))


def _headline(page: Page, report: RolloutReport) -> None:
    name = f"{report.kind} {report.namespace}/{report.name}"
    change = ", ".join(report.change) or "no change"
    pods = "1 pod" if report.replicas == 1 else f"{report.replicas} pods"
    about = f"{pods}, {report.strategy}" if report.strategy else pods
    page.write(Text.assemble((name, "headline"), f": {change} ({about})"))
    page.write(Text.assemble((_verdict(report), _STYLES[report.outcome])))


def _verdict(report: RolloutReport) -> str:
    run = report.worst
    steps = f"step {run.step} of {run.wanted}"
    match report.outcome:
        case Outcome.DEADLOCK:
            return f"DEADLOCK at {steps}: {run.reason}"
        case Outcome.AT_RISK:
            when = "in one order of events "
            if report.arrival is not None:
                when = f"{report.arrival.sentence(report.namespace)}, "
            return f"AT RISK at {steps}: {when}{run.reason}"
        case Outcome.NOT_CHECKED:
            return f"NOT CHECKED: {run.reason or '; '.join(run.not_checked)}"
        case Outcome.HELD:
            return f"HELD after {run.updated} of {run.wanted}: {run.reason}"
        case _:
            evicted = f", evicting {', '.join(run.evicted)}" if run.evicted else ""
            return f"COMPLETES in {_clock(run.seconds)}{evicted}"


def _clock(seconds: object) -> str:
    value = round(float(seconds), 1)  # type: ignore[arg-type]
    return f"{int(value) if value.is_integer() else value}s"


def _timeline(page: Page, entries: Sequence[TimelineEntry]) -> None:
    shown = list(entries)
    left_out = len(shown) - _MOST_MOMENTS
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(justify="right", style="quiet", no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold", style="quiet")
    half = _MOST_MOMENTS // 2
    for index, entry in enumerate(shown):
        if left_out > 0 and half <= index < half + left_out:
            if index == half:
                grid.add_row("", f"... {left_out} more moments, all in -o json", "")
            continue
        grid.add_row(f"t+{_clock(entry.at_seconds)}", entry.sentence, entry.detail)
    if grid.rows:
        page.write(grid, indent=2)


def _ending(run: Run) -> list[str]:
    lines = [wait.sentence() for wait in run.waits]
    if run.undo is not None and (not run.undo.helps or run.outcome is Outcome.DEADLOCK):
        lines.append(run.undo.sentence)
    lines += run.notes
    if run.displaced:
        verb = "waits" if len(run.displaced) == 1 else "wait"
        lines.append(f"at the end {', '.join(run.displaced)} {verb} for room in turn")
    return lines


def _differing(worst: Run, best: Run) -> Sequence[TimelineEntry]:
    """The favourable run from where it parts from the other."""
    for index, (left, right) in enumerate(zip(worst.timeline, best.timeline, strict=False)):
        if left != right:
            return best.timeline[max(index - 1, 0) :]
    return best.timeline


def _proposals(page: Page, items: Sequence[Remedy]) -> None:
    if not items:
        return
    page.gap()
    page.write(Text("The scheduler today, and as it was proposed to be changed", style="heading"))
    compared = table(["", *(item.short for item in items)])
    compared.add_row(Text("outcome"), *(_outcome(item) for item in items))
    page.write(compared, indent=2)
    by_detail: dict[str, list[str]] = {}
    for item in items:
        by_detail.setdefault(item.detail, []).append(item.short)
    for detail, names in by_detail.items():
        # Today's own is the headline.
        if detail and detail != items[0].detail:
            page.write(Text(f"{', '.join(names)}: {detail}", style="quiet"), indent=4)


def _outcome(item: Remedy) -> Text:
    if item.outcome is None:
        return Text("does not apply", style="quiet")
    return Text(item.outcome.value, style=_STYLES[item.outcome])


def _remedies(page: Page, items: Sequence[Remedy]) -> None:
    helping = [item for item in items if item.outcome in (Outcome.COMPLETES, Outcome.HELD)]
    others = [item for item in items if item not in helping]
    if helping:
        page.gap()
        page.write(Text("What would prevent it (each replayed)", style="heading"))
        _outcomes(page, helping)
    if others:
        page.gap()
        page.write(Text("What would not (each replayed)", style="heading"))
        _outcomes(page, others)


def _outcomes(page: Page, items: Sequence[Remedy]) -> None:
    """One line per remedy, its command below."""
    widest = max(len(item.title) for item in items)
    for item in items:
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(overflow="fold", width=min(widest, page.width // 2))
        grid.add_column(no_wrap=True, width=max(len(o.value) for o in Outcome) + 3)
        grid.add_column(overflow="fold")
        grid.add_row(item.title, _outcome(item), item.detail)
        page.write(grid, indent=2)
        if item.command:
            page.write_whole(Text(item.command, style="quiet"), indent=4)


def _assumed(report: RolloutReport) -> list[str]:
    search = report.search
    orders = "1 order of events" if search.runs == 1 else f"{search.runs} orders of events"
    if report.best is not None:
        bound = "until both ends were found"
    elif search.complete:
        bound = "all there are"
    elif search.runs < search.bound:
        bound = "more exist"
    else:
        bound = f"more exist, the bound is {search.bound}"
    version = f"{report.scheduler} (assumed)" if report.version_assumed else report.scheduler
    return [*report.assumptions, f"{orders} played ({bound}) with {version}"]


def _all(page: Page, report: AllRollouts) -> None:
    counts = {o: sum(line.outcome is o for line in report.lines) for o in Outcome}
    said = ", ".join(f"{count} {outcome.value}" for outcome, count in counts.items() if count)
    total = len(report.lines)
    noun = "workload" if total == 1 else "workloads"
    page.write(Text.assemble((f"{total} {noun}", "headline"), f": {said}" if said else ""))
    if report.lines:
        page.gap()
        made = table(["outcome", "workload", "step", "why"])
        for line in report.lines:
            made.add_row(*_row(line))
        page.write(made, indent=2)
    if report.room:
        page.gap()
        page.write(Text("Room that would unblock them (each replayed)", style="heading"))
        for node, count in report.room:
            noun = "workload" if count == 1 else "workloads"
            page.write(Text(f"{node}: {count or 'no'} {noun}"), indent=2)
    page.block((("Assumed" if not i else ""), text) for i, text in enumerate(report.assumptions))


def _row(line: WorkloadLine) -> tuple[Text, str, str, str]:
    step = f"{line.step}/{line.steps}" if line.outcome.finding else ""
    why = line.reason
    if line.outcome is Outcome.COMPLETES:
        why = "every step has room to spare" if line.proved else line.reason
    elif line.thieves:
        why = f"{why}; room taken by {', '.join(line.thieves)}"
    word = Text(line.outcome.value, style=_STYLES[line.outcome])
    return word, f"{line.kind} {line.namespace}/{line.name}", step, why
