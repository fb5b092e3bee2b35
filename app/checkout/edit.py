"""Other tasks in the place of the proposed ones: typed in an editor, or read from a file."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from app.checkout.runs import Waiting
from app.checkout.text import NO_TASKS, SAME_TASK
from app.roadmap.files import Unusable, read_roadmap
from app.terminal import one_line
from runner.adapters.durable import telling
from runner.recovery.edit import edited
from runner.recovery.listing import as_item, problems_of
from runner.roadmap.edit import EditRefused, find
from runner.roadmap.listed import LONGEST, listed
from runner.roadmap.new_task import NewTask
from runner.roadmap.parse import parse_roadmap

_HEAD = """\
<!--
Tasks to put in the place of: {task}

One item each, in order. What is nested in an item are its details, and below "Acceptance:" its
criteria. Delete all of them to cancel.
-->

"""


class NoTasks(Exception):
    """There is no list that can be used; the message says why."""


def read_tasks(name: str, meant: Waiting) -> tuple[NewTask, ...]:
    """Read the tasks from a file (``-``: standard input). Raises ``NoTasks``."""
    try:
        text = read_roadmap(name).decode("utf-8", "replace")
    except Unusable as error:
        raise NoTasks(str(error)) from error
    return checked(text, meant)


def typed(meant: Waiting, folder: Path) -> tuple[NewTask, ...]:
    """Open an editor with the proposed tasks and return what was made of them.

    What was typed is kept until it can be used. Raises ``NoTasks``, and ``Outage`` where nothing
    can be kept.
    """
    draft = folder / f"edit-{meant.proposal.id}.md"
    with telling(f"keep what is typed in {draft}"):
        if not draft.exists():
            draft.write_text(draft_of(meant), encoding="utf-8")
        _edit(draft)
        text = draft.read_text(encoding="utf-8", errors="replace")
    if not listed(text):
        draft.unlink()
        raise NoTasks(NO_TASKS)
    try:
        tasks = checked(text, meant)
    except NoTasks as problem:
        raise NoTasks(f"{problem}\nWhat you typed is kept; edit again to go on with it.") from None
    draft.unlink()
    return tasks


def draft_of(meant: Waiting) -> str:
    """What the editor shows first: the proposed tasks, else the task itself."""
    task = meant.state.task
    tasks = meant.proposal.replacements or (
        NewTask(" ".join(task.text.split()), acceptance=task.acceptance),
    )
    head = _HEAD.format(task=one_line(f"{task.name} {task.title}").replace("--", "- -"))
    return head + "\n".join(as_item(each) for each in tasks) + "\n"


def checked(text: str, meant: Waiting) -> tuple[NewTask, ...]:
    """Return the tasks of a list that can take the task's place. Raises ``NoTasks``."""
    if len(text) > LONGEST:
        raise NoTasks(f"The list has {len(text):,} characters; write at most {LONGEST:,}.")
    tasks = listed(text)
    problems = list(problems_of(tasks)) if tasks else [NO_TASKS]
    if problems := problems or _refused(tasks, meant):
        raise NoTasks("\n".join(problems))
    return tasks


def _refused(tasks: Sequence[NewTask], meant: Waiting) -> list[str]:
    """Try it on the roadmap as the run knows it."""
    state = meant.state
    proposal = replace(
        meant.proposal,
        strategy="decompose" if len(tasks) > 1 else "rewrite",
        replacements=tuple(tasks),
    )
    before = state.roadmap.content if state.roadmap else b""
    try:
        after = edited(state.with_attempt(proposal=proposal), before)
    except EditRefused as refused:
        return [f"The roadmap cannot take it: {refused}."]
    same = find(parse_roadmap(state.request.roadmap, after), proposal.task)
    return [SAME_TASK] if same else []


def _edit(draft: Path) -> None:
    """Open the user's editor and wait for its end."""
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    try:
        ended = subprocess.run([*shlex.split(command), str(draft)], check=False)
    except (OSError, ValueError) as error:
        raise NoTasks(
            f"The editor {command!r} cannot be started ({error}). Set EDITOR, or use --file."
        ) from error
    if ended.returncode:
        raise NoTasks(f"The editor ended with {ended.returncode}, so nothing was decided.")
