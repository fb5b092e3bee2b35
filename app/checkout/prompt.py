"""Ask the person at the terminal about what waits: yes, no, other tasks, leave out, or later."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from app.checkout.asked import FOLDER
from app.checkout.decide import NotMeant, Said, Verdict, put, who
from app.checkout.edit import NoTasks, typed
from app.checkout.runs import Waiting
from app.checkout.text import proposal_lines
from runner.adapters.file_decisions import FileDecisions

_QUESTION = "Apply it? [y]es, [n]o, [e]dit, [s]kip the task, [Enter] later: "
_VERDICTS: dict[str, Verdict] = {
    **{"y": "approve", "yes": "approve", "n": "reject", "no": "reject"},
    **{"e": "edit", "edit": "edit", "s": "skip", "skip": "skip"},
}


def at_terminal() -> bool:
    """Say whether somebody is there to be asked; the report may go into a file or a pipe."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def prompted(
    found: Sequence[Waiting],
    inbox: FileDecisions,
    *,
    folder: Path,
    ask: Callable[[str], str] | None = None,
) -> int:
    """Ask about each proposal; return how many were decided about. Ctrl-C leaves the rest open."""
    ask = ask or _typed
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    decided = 0
    for each in found:
        console.print(Panel(Text("\n".join(proposal_lines(each)))))
        verdict = _verdict(ask)
        while verdict and not _said(each, verdict, inbox, folder, console):
            verdict = _verdict(ask)
        decided += bool(verdict)
    return decided


def _typed(question: str) -> str:
    """Read a line; the question is seen although the output goes elsewhere."""
    if sys.stdout.isatty():
        return input(question)
    print(question, end="", file=sys.stderr, flush=True)
    return input()


def _verdict(ask: Callable[[str], str]) -> Verdict | None:
    """Ask until the answer is one; None for later, as for the end of the input."""
    while True:
        try:
            said = ask(_QUESTION).strip().lower()
        except EOFError:
            return None
        if not said:
            return None
        if verdict := _VERDICTS.get(said):
            return verdict


def _said(
    each: Waiting, verdict: Verdict, inbox: FileDecisions, folder: Path, console: Console
) -> bool:
    """Store it; False when there was nothing to store, so that it is asked again."""
    try:
        tasks = typed(each, folder / FOLDER) if verdict == "edit" else ()
        put(each, Said(verdict), inbox, by=who(folder), tasks=tasks, channel="prompt")
    except NoTasks as problem:
        console.print(str(problem))
        return False
    except NotMeant as problem:  # decided elsewhere meanwhile: that one counts
        console.print(str(problem))
    return True
