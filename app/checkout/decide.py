"""``cairn approve``, ``reject`` and ``edit``: find the proposal that is meant, store the word."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from app.checkout.asked import FOLDER
from app.checkout.edit import NoTasks, read_tasks, typed
from app.checkout.runs import Kept, Waiting, answerable, undecided
from app.checkout.text import NO_PROPOSAL, stale, stored, too_late, unknown, which
from app.composition.checkout import kept_in, person_in
from runner.adapters.file_decisions import FileDecisions
from runner.errors import PortError
from runner.ports import Decision
from runner.roadmap.new_task import NewTask

Verdict = Literal["approve", "reject", "skip", "edit"]
_SHORTEST = 4
_LONGEST_WHY = 2_000


@dataclass(frozen=True, slots=True)
class Said:
    """What was said to a proposal; ``proposal`` is its id or task ('' for the only one).

    ``file`` has the tasks of an edit ('' to open an editor, ``-`` for standard input).
    ``goes_on`` says that the run is taken up at once.
    """

    verdict: Verdict
    proposal: str = ""
    why: str = ""
    file: str = ""
    goes_on: bool = False


class NotMeant(Exception):
    """No proposal of this folder is meant; the message says which there are."""


def decide(said: Said, folder: Path) -> tuple[int, str]:
    """Store a decision; return the exit code and the run it is about ('' when nothing came of it).

    What happened is printed: on standard error, with 2, when nothing was stored.
    """
    kept = kept_in(folder / FOLDER)
    try:
        meant = asyncio.run(_meant(said.proposal, kept))
        tasks = _tasks(said, meant, folder)
        print(put(meant, said, kept.inbox, by=who(folder), tasks=tasks))
    except (NotMeant, NoTasks) as problem:
        print(problem, file=sys.stderr)
        return 2, ""
    except PortError as error:
        print(error.message, file=sys.stderr)
        return 2, ""
    return 0, meant.run.id


def put(
    meant: Waiting,
    said: Said,
    inbox: FileDecisions,
    *,
    by: str,
    tasks: Sequence[NewTask] = (),
    channel: str = "command",
) -> str:
    """Store a decision; say what to do next. Raises ``NotMeant`` when another one was first."""
    decision = Decision(
        meant.proposal.task,
        said.verdict,
        by=by,
        why=said.why[:_LONGEST_WHY],
        channel=channel,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        fingerprint=meant.proposal.fingerprint,
        tasks=tuple(tasks),
    )
    if first := inbox.store(meant.run.id, decision):
        raise NotMeant(too_late(meant, first))
    return stored(meant, said.verdict, goes_on=said.goes_on)


def who(folder: Path) -> str:
    """The name of the person at this machine, as his commits bear it."""
    return asyncio.run(person_in(folder))


async def _meant(word: str, kept: Kept) -> Waiting:
    """Return the proposal a word names: the start of its id, or its task. Raises ``NotMeant``."""
    found = await answerable(kept)
    open_ = undecided(found)
    if not word and len(open_) == 1:
        return open_[0]
    if not word:
        raise NotMeant(which(open_) if open_ else NO_PROPOSAL)
    named = [each for each in found if _is_named(each, word)]
    named = [each for each in named if each.decision is None] or named
    if len(named) > 1:
        raise NotMeant(which(named))
    if not named:
        raise NotMeant(_not_there(word, open_, kept))
    if named[0].decision:
        raise NotMeant(too_late(named[0], named[0].decision))
    return named[0]


def _is_named(each: Waiting, word: str) -> bool:
    task = each.state.task
    by_id = len(word) >= _SHORTEST and each.proposal.fingerprint.startswith(word.lower())
    return by_id or word in (task.key, task.id)


def _not_there(word: str, open_: Sequence[Waiting], kept: Kept) -> str:
    """Tell an id that was once good from one that never was."""
    run = kept.runs.showed(word.lower()) if len(word) >= _SHORTEST else ""
    if not run:
        return unknown(word, open_)
    return stale(word, next((each.proposal.id for each in open_ if each.run.id == run), ""))


def _tasks(said: Said, meant: Waiting, folder: Path) -> tuple[NewTask, ...]:
    if said.verdict != "edit":
        return ()
    return read_tasks(said.file, meant) if said.file else typed(meant, folder / FOLDER)
