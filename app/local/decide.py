"""``cairn approve``, ``reject`` and ``edit``, and the same questions asked at the end of a run."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from app.local.compose import kept_in, repository_in
from app.local.files import UnusableRoadmap, read_roadmap
from app.local.options import FOLDER
from app.local.runs import LocalStore, PendingProposal, answerable, undecided
from app.terminal import one_line, say
from app.texts import checkout_texts as texts
from runner.errors import PortError
from runner.files.decisions import FileDecisions
from runner.files.durable import translating_errors
from runner.loop.applied import edited
from runner.ports import Decision
from runner.recovery.choose import asks_people
from runner.roadmap.edit import EditRefused, find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import NewTask
from runner.roadmap.writing import LONGEST_LIST, listed
from runner.state.proposal import as_item, problems_of

if TYPE_CHECKING:
    from rich.console import Console

_HEAD = """\
<!--
Tasks that replace: {task}

Write one list item per task, in order. Nested items are the details of a task; those below
"Acceptance:" are its criteria. Delete all items to cancel.
-->

"""


class NoTasks(Exception):
    """The list cannot be used; the message says why."""


def typed(meant: PendingProposal, folder: Path) -> tuple[NewTask, ...]:
    """Open an editor with the proposed tasks and return what was made of them.

    What was typed is kept until it can be used. Raises ``NoTasks``, and ``Outage`` where nothing
    can be kept.
    """
    draft = folder / f"edit-{meant.proposal.id}.md"
    with translating_errors(f"keep what is typed in {draft}"):
        if not draft.exists():
            task = meant.state.task
            own = NewTask(" ".join(task.text.split()), acceptance=task.acceptance)
            head = _HEAD.format(task=one_line(f"{task.name} {task.title}").replace("--", "- -"))
            items = [as_item(each) for each in meant.proposal.replacements or (own,)]
            draft.write_text("\n".join([head + items[0], *items[1:], ""]), encoding="utf-8")
        command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
        try:
            ended = subprocess.run([*shlex.split(command), str(draft)], check=False)
        except (OSError, ValueError) as error:
            raise NoTasks(
                f"The editor {command!r} cannot be started ({error}). Set EDITOR, or use --file."
            ) from error
        if ended.returncode:
            raise NoTasks(f"The editor ended with {ended.returncode}, so nothing was decided.")
        text = draft.read_text(encoding="utf-8", errors="replace")
    if not listed(text):
        draft.unlink()
        raise NoTasks(texts.no_tasks())
    try:
        tasks = checked(text, meant)
    except NoTasks as problem:
        raise NoTasks(f"{problem}\nWhat you typed is kept; edit again to continue.") from None
    draft.unlink()
    return tasks


def checked(text: str, meant: PendingProposal) -> tuple[NewTask, ...]:
    """Return the tasks of a list that can take the task's place. Raises ``NoTasks``."""
    if len(text) > LONGEST_LIST:
        raise NoTasks(f"The list has {len(text):,} characters; write at most {LONGEST_LIST:,}.")
    tasks = listed(text)
    if problems := list(problems_of(tasks)) if tasks else [texts.no_tasks()]:
        raise NoTasks("\n".join(problems))
    state = meant.state  # try it on the roadmap as the run knows it
    proposal = replace(
        meant.proposal,
        strategy="decompose" if len(tasks) > 1 else "rewrite",
        replacements=tuple(tasks),
    )
    before = state.roadmap.content if state.roadmap else b""
    try:
        after = edited(state.put(replace(state.attempt, proposal=proposal)), before)
    except EditRefused as refused:
        raise NoTasks(f"These tasks cannot go into the roadmap: {refused}.") from refused
    if find(parse_roadmap(state.request.roadmap, after), proposal.task):
        raise NoTasks(texts.same_task())
    return tasks


Verdict = Literal["approve", "reject", "skip", "edit"]
_SHORTEST = 4
_LONGEST_WHY = 2_000


@dataclass(frozen=True, slots=True)
class LocalDecision:
    """A decision on a proposal; ``proposal`` is its id or task ('' for the only one).

    ``file`` has the tasks of an edit ('' to open an editor, ``-`` for standard input). ``goes_on``
    says that the run continues at once.
    """

    verdict: Verdict
    proposal: str = ""
    why: str = ""
    file: str = ""
    goes_on: bool = False


class NotMeant(Exception):
    """No proposal of this folder is meant; the message says which there are."""


def decide(decision: LocalDecision, folder: Path) -> tuple[int, str]:
    """Store a decision; return the exit code and the run it is about ('' when nothing came of it).

    What happened is printed: on standard error, with 2, when nothing was stored.
    """
    kept = kept_in(folder / FOLDER)
    try:
        meant = asyncio.run(_meant(decision.proposal, kept))
        tasks: tuple[NewTask, ...] = ()
        if decision.verdict == "edit" and decision.file:
            tasks = checked(read_roadmap(decision.file).decode("utf-8", "replace"), meant)
        elif decision.verdict == "edit":
            tasks = typed(meant, folder / FOLDER)
        say(put(meant, decision, kept.inbox, by=who(folder), tasks=tasks))
    except (NotMeant, NoTasks, UnusableRoadmap, PortError) as problem:
        print(problem, file=sys.stderr)
        return 2, ""
    return 0, meant.run.id


def put(
    meant: PendingProposal,
    asked: LocalDecision,
    inbox: FileDecisions,
    *,
    by: str,
    tasks: Sequence[NewTask] = (),
    channel: str = "command",
) -> str:
    """Store a decision; say what to do next. Raises ``NotMeant`` when another one was first."""
    decision = Decision(
        meant.proposal.task,
        asked.verdict,
        by=by,
        why=asked.why[:_LONGEST_WHY],
        channel=channel,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        fingerprint=meant.proposal.fingerprint,
        tasks=tuple(tasks),
    )
    if first := inbox.store(meant.run.id, decision):
        raise NotMeant(texts.too_late(meant, first))
    return texts.stored(meant, asked.verdict, asked.goes_on)


def who(folder: Path) -> str:
    """The name of the person at this machine, as in their commits."""
    repository = asyncio.run(repository_in(folder))
    return asyncio.run(repository.person())


async def _meant(word: str, kept: LocalStore) -> PendingProposal:
    """Return the proposal a word names: the start of its id, or its task. Raises ``NotMeant``."""
    found = await answerable(kept)
    open_ = undecided(found)
    if not word and len(open_) == 1:
        return open_[0]
    if not word:
        raise NotMeant(texts.which(open_) if open_ else texts.no_proposal())
    start = word.lower() if len(word) >= _SHORTEST else "-"  # which no fingerprint has
    named = [
        each
        for each in found
        if each.proposal.fingerprint.startswith(start)
        or word in (each.state.task.key, each.state.task.id)
    ]
    named = [each for each in named if each.decision is None] or named
    if len(named) > 1:
        raise NotMeant(texts.which(named))
    run = "" if named or len(word) < _SHORTEST else kept.runs.showed(word.lower())
    if run:  # an id that was once valid
        now = next((each.proposal.id for each in open_ if each.run.id == run), "")
        raise NotMeant(texts.stale(word, now))
    if not named:
        raise NotMeant(texts.unknown(word, open_))
    if named[0].decision:
        raise NotMeant(texts.too_late(named[0], named[0].decision))
    return named[0]


_QUESTION = "Apply it? [y]es, [n]o, [e]dit, [s]kip the task, [Enter] later: "
_ASKED = (
    "What now? Type your answer in one line, or [e]dit the task, [s]kip the task, [n]o (the task "
    "failed), [Enter] later: "
)
_VERDICTS: dict[str, Verdict] = {
    **{"y": "approve", "yes": "approve", "n": "reject", "no": "reject"},
    **{"e": "edit", "edit": "edit", "s": "skip", "skip": "skip"},
}


def prompted(
    found: Sequence[PendingProposal],
    inbox: FileDecisions,
    *,
    folder: Path,
    ask: Callable[[str], str] | None = None,
) -> tuple[int, dict[str, str]]:
    """Ask about each proposal; return how many were decided about, and the answers by task.

    An answer to a question decides nothing: its task is to be tried again with it.
    """
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    ask = ask or _typed
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    decided, answers = 0, {}
    for each in found:
        console.print(Panel(Text(texts.proposal(each))))
        verdict, answer = _verdict(ask, each)
        while verdict:
            if _store_verdict(each, verdict, inbox, folder, console):
                decided += 1
                break
            verdict, answer = _verdict(ask, each)
        if answer:
            answers[each.state.task.key] = answer
    return decided, answers


def _typed(question: str) -> str:
    """Read a line; the question is seen although the output goes elsewhere."""
    if sys.stdout.isatty():
        return input(question)
    print(question, end="", file=sys.stderr, flush=True)
    return input()


def _line(ask: Callable[[str], str], question: str) -> str:
    """What is typed; '' for nothing, as for the end of the input."""
    try:
        return ask(question).strip()
    except EOFError:
        return ""


def _verdict(ask: Callable[[str], str], each: PendingProposal) -> tuple[Verdict | None, str]:
    """Ask until there is a verdict, or an answer for the model; (None, '') for later."""
    question = asks_people(each.state.attempt)
    choice = _ASKED if question else _QUESTION
    asked = choice
    while typed := _line(ask, asked):
        if verdict := _VERDICTS.get(typed.lower()):
            return verdict, ""
        if question and len(typed) > 1:
            return None, typed
        asked = f"Type one of the letters. {choice}"
    return None, ""


def _store_verdict(
    each: PendingProposal, verdict: Verdict, inbox: FileDecisions, folder: Path, console: Console
) -> bool:
    """Store it; False when there was nothing to store, so that it is asked again."""
    try:
        tasks = typed(each, folder / FOLDER) if verdict == "edit" else ()
        put(each, LocalDecision(verdict), inbox, by=who(folder), tasks=tasks, channel="prompt")
    except NoTasks as problem:
        console.print(str(problem))
        return False
    except NotMeant as problem:  # somebody has decided elsewhere: that one counts
        console.print(str(problem))
    return True
