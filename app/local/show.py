"""``cairn show``: a run of this folder, or a task in full, so that nobody approves blind."""

from __future__ import annotations

import asyncio
import json as jsonlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from app.local.compose import kept_in, repository_in
from app.local.options import FOLDER, of_project
from app.local.report import run_object, run_text
from app.local.runs import (
    SHORTEST,
    LocalStore,
    answerable,
    as_it_stands,
    result,
    states,
    task_called,
)
from app.terminal import any_encoding, one_line, printable, say
from app.texts import checkout_texts as texts
from runner.errors import PortError
from runner.files.decisions import KnownRun
from runner.files.history_file import NAME, FileHistory
from runner.files.kept import KeptFiles
from runner.people.cost_sentences import run_cost
from runner.people.history_sentences import as_lines
from runner.people.task_detail import (
    TaskDetail,
    changes_of,
    detail_json,
    detail_of,
    known,
)
from runner.state.run_state import RunState


@dataclass(frozen=True, slots=True)
class _Found:
    """A run, and the key of the task that was named ('' for none)."""

    run: KnownRun
    state: RunState
    task: str = ""


class NotFound(Exception):
    """Nothing is called so; the message says what there is."""


def command(folder: Path, words: Sequence[str], *, exchanges: bool, json: bool) -> int:
    """Print a run, a task or a proposal by its name, without one the newest run.

    2 when there is no such thing, or what a run left cannot be read.
    """
    any_encoding()
    kept = kept_in(folder / FOLDER)
    try:
        found = asyncio.run(_find(words, kept))
        if found is None:
            say(jsonlib.dumps({"runs": []}) if json else texts.no_run())
            return 0
        say(asyncio.run(_text(found, kept, folder, exchanges=exchanges, json=json)))
    except (NotFound, PortError) as problem:
        print(problem, file=sys.stderr)
        return 2
    return 0


async def _text(
    found: _Found, kept: LocalStore, folder: Path, *, exchanges: bool, json: bool
) -> str:
    waits = [each for each in await answerable(kept) if each.run.id == found.run.id]
    repository = await repository_in(folder)
    state, elsewhere = await as_it_stands(repository, folder, found.run, found.state)
    if not found.task:
        if json:
            return jsonlib.dumps(run_object(found.run, state, waits), ensure_ascii=False)
        lines = [run_text(found.run, state, waits, elsewhere)]
        took = sorted(map(state.task_of, state.attempts), key=lambda task: task.place.line)
        if took:
            names = ", ".join(one_line(task.name) for task in took)
            lines.append(f"  To see a task in full: cairn show {found.run.id} TASK ({names})")
        return "\n".join([*lines, *await _cost(found.run.id, folder)])
    attempt = state.attempts[found.task]
    status = result(found.state, state, found.task)
    state = state.put(replace(attempt, status=status))
    detail = await _detail(replace(found, state=state), folder)
    if json:
        return jsonlib.dumps(detail_json(detail), ensure_ascii=False, default=str)
    waiting = [each for each in waits if each.proposal.task == found.task]
    return texts.task(detail, waiting, elsewhere, exchanges)


async def _find(words: Sequence[str], kept: LocalStore) -> _Found | None:
    """Return what is meant: a run, a task or a proposal, the newest first. Raises ``NotFound``."""
    runs = kept.runs.all(replays=True)
    if not runs:
        return None
    first = words[0] if words else ""
    begins = first if len(first) >= SHORTEST else "-"  # which no run begins with
    named = [run for run in runs if run.id == first or run.id.startswith(begins)]
    if words[1:] and not named:
        raise NotFound(texts.no_run_called(first, [run.id for run in runs]))
    rest = words[1:] if named else words
    work = [run for run in runs if not run.replay_of]
    for run in named or (work if rest else work[:1]):
        for known_run, state in await states([run], kept):
            if not rest:
                return _Found(known_run, state)
            project, task = of_project(rest[-1])
            if project and project.lower() != state.request.options.projects.name.lower():
                continue
            if key := task_called(state, task):
                return _Found(known_run, state, key)
    raise NotFound(texts.nothing_called(rest[-1] if rest else words[0], [run.id for run in runs]))


async def _detail(found: _Found, folder: Path) -> TaskDetail:
    """The task with what its change was made from. Raises ``PortError`` where that is gone."""
    repository = await repository_in(folder)
    attempt = found.state.attempts[found.task]
    shas = known(await repository.snapshot(attempt.base), changes_of(attempt))
    contents = await repository.blobs(tuple(set(shas.values())))
    before = {path: contents[sha] for path, sha in shas.items()}
    kept, run = KeptFiles(folder / FOLDER), found.run.id
    exchanges = tuple(
        replace(each, file=f"{FOLDER}/runs/{run}/{each.file}")
        for each in kept.exchanges(run, found.task)
    )
    verifications = kept.verifications(run, found.task)
    return detail_of(found.state, found.task, before, exchanges, verifications)


async def _cost(run: str, folder: Path) -> list[str]:
    """What each task of the run cost and why, as the history recorded it."""
    history = FileHistory(folder / FOLDER / NAME)
    try:
        found = (await history.of_run(run)).executions
    except PortError as error:  # what the run did is shown all the same
        return ["", printable(error.message)]
    finally:
        history.close()
    table = run_cost(found)
    return ["", *map(printable, as_lines(table))] if table else []
