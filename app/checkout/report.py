"""What ``cairn run`` and ``cairn resume`` print of a run that stopped, and of one not begun."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from app.checkout.runs import Waiting
from app.checkout.text import how_to_answer
from app.logs import mask_for, secrets_of
from app.settings import RunSettings
from app.terminal import is_plain, printable, say
from runner.adapters.clock import SystemClock
from runner.adapters.json_lines import line
from runner.dry_run import lines, would_do
from runner.flights import Ended
from runner.report import markdown, report
from runner.state import RunState

DRY = "dry-run"


@dataclass(frozen=True, slots=True)
class Told:
    """How much is told, and in which form."""

    json: bool = False
    log_level: str = "info"
    verbose: bool = False


def speaker(settings: RunSettings, told: Told) -> Callable[[str], None]:
    """Return what prints a text on standard output, without secrets and with nothing active."""
    mask = mask_for(secrets_of(settings))
    # JSON escapes control characters by itself
    return lambda text: say(mask(text) if told.json else printable(mask(text)))


def tell(
    ended: Ended, waits: Sequence[Waiting], settings: RunSettings, told: Told, *, live: bool
) -> None:
    """Print what the run did; last what waits for a decision."""
    state, write = _as_told(ended), speaker(settings, told)
    if told.json:
        _tell_programs(state, waits, write)
        return
    if live:
        say(_drawn(state, mask_for(secrets_of(settings))), end="")
    else:
        write(markdown(state))
    for text in how_to_answer(waits):
        say(text, stream=sys.stderr)


def tell_dry(state: RunState, settings: RunSettings, told: Told) -> None:
    """Print what a run would do: marked lines, or one object a line."""
    write = speaker(settings, told)
    for text in _would_do(state) if told.json else lines(state):
        write(text)


def _tell_programs(state: RunState, waits: Sequence[Waiting], write: Callable[[str], None]) -> None:
    for each in waits:
        proposal = each.proposal
        about = {"task": proposal.task, "proposal": proposal.id, "strategy": proposal.strategy}
        write(line("proposal", state.request.id, **about))
    write(line("report", state.request.id, report=report(state)))


def _drawn(state: RunState, mask: Callable[[str], str]) -> str:
    """The summary as the terminal takes it."""
    from rich.console import Console

    from app.show.ending import ending
    from app.show.screen import Look

    console = Console(file=sys.stdout, highlight=False, markup=False, emoji=False)
    look = Look(console.width, console.height, plain=is_plain(sys.stdout), safe=mask)
    with console.capture() as caught:
        for part in ending(state, look):
            console.print(part)
    return mask(caught.get())


def _as_told(ended: Ended) -> RunState:
    """The state for the report: a run that stopped has ended for now; one paused says why."""
    if ended.status not in ("paused", "resting"):
        return ended.state
    problem = f"Paused: {ended.reason}" if ended.status == "paused" else ended.state.problem
    return replace(ended.state, ended=SystemClock().now().timestamp(), problem=problem)


def _would_do(state: RunState) -> list[str]:
    """One JSON line a task, in order, the report of what stands in the way last; all marked."""
    tasks = [
        line("would_do", DRY, task=task.key, id=task.id, title=task.title, dry_run=True)
        for task in would_do(state)
    ]
    last = {"dry_run": True, "problem": state.problem}
    return [*tasks, line("report", DRY, report=last, dry_run=True)]
