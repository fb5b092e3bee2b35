"""``cairn undo``: take back a finished task of this folder, as one more commit."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from app.interrupts import CODE, Interrupts
from app.local.compose import local_deps, repository_in, sandbox_of
from app.local.options import FOLDER, LocalRun, options_for, read_config
from app.local.text import (
    ALL_WELL,
    CHANGED_MEANWHILE,
    TESTING,
    UNDO_CUT,
    UNDO_INTERRUPTED,
    in_the_way,
    not_finished,
    not_ours,
    not_tested,
    taken_back,
)
from app.settings import RunSettings, SettingsError, settings_without_model
from app.terminal import any_encoding, say
from runner.config.reading import ConfigError
from runner.errors import Outage, PortError, TaskError
from runner.files.durable import take_folder, write_file
from runner.files.results import FileMemory
from runner.git.folder_repository import FolderRepository
from runner.git.local_repository import LocalRepository
from runner.git.objects import merged
from runner.loop.deps import Deps
from runner.loop.stacking import linked
from runner.loop.undoing import FinishedTask, inverse
from runner.nodes.undo import verified_without
from runner.people.sentences import undo_text
from runner.ports import Fanout
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task
from runner.sandbox.choose import MaskedSandbox
from runner.state.changes import ChangeSet, Snapshot
from runner.state.options import Request
from runner.state.publishing import Checkpoint
from runner.state.run_state import Attempt, RunStack, RunState, Status

Here = LocalRepository | FolderRepository


def command(folder: Path, name: str, roadmap: str) -> int:
    """Undo the task and say so; 2 when nothing was undone."""
    any_encoding()
    try:
        taken = take_folder(folder / FOLDER, name=str(folder / FOLDER))
    except PortError as error:
        return _refused(error.message)
    committing = asyncio.Event()
    control = Interrupts(lambda: UNDO_CUT if committing.is_set() else UNDO_INTERRUPTED)
    try:
        say(control.run(_undo(folder, name, roadmap, committing)))
    except (PortError, ConfigError, SettingsError) as error:
        return _refused(str(error))
    except KeyboardInterrupt:
        say(UNDO_CUT if committing.is_set() else UNDO_INTERRUPTED, stream=sys.stderr)
        return CODE
    finally:
        os.close(taken)
    return 0


def _refused(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


async def _undo(folder: Path, name: str, roadmap: str, committing: asyncio.Event) -> str:
    asked, settings = LocalRun(folder), settings_without_model()
    repository = await repository_in(folder, keep=True)
    async with local_deps(asked, settings, Fanout(), dry=True) as here:
        deps = replace(here.deps, repository=repository, events=Fanout())
        place = await repository.stack()
        now = await repository.snapshot(place.tip)
        config = await read_config(deps, place.tip)
        path = await linked(repository, place.tip, roadmap or config.roadmap.path)
        plan = await _roadmap(repository, now, path)
        task = _finished(plan, name)
        done = await _commit_of(repository, task, path)
        changes = await inverse(done, now, repository, merged)
        if dirty := await repository.uncommitted(*changes.files):
            raise TaskError("file", in_the_way(dirty))
        request = Request(f"undo-{task.key}", path, options_for(asked, config))
        stack = RunStack(place.tip, place.branch, place.tip)
        attempt = Attempt(task=task.key, base=place.tip, below=place.branch)
        state = replace(RunState(request, roadmap=plan, stack=stack).put(attempt), current=task.key)
        tests = await _tested(state.with_attempt(changes=changes), deps, asked, settings)
        checkpoint = Checkpoint(
            run="",
            task=task.key,
            branch="",
            below=place.branch,
            parent=place.tip,
            changes=changes,
            tree=changes.tree(now),
            text=undo_text(task, done.after.commit, tests),
        )
        committing.set()
        try:
            await repository.publish_checkpoint(checkpoint)
        except (TaskError, Outage) as error:
            if isinstance(error, Outage) and not error.advised:
                raise
            # its advice is for a run
            raise TaskError("file", CHANGED_MEANWHILE) from error
    await _forget(folder / FOLDER, task, changes)
    return taken_back(task.name, done.after.commit, sorted(changes.files), tests)


async def _tested(state: RunState, deps: Deps, asked: LocalRun, settings: RunSettings) -> str:
    """Run the project's tests without the task; what they say, in a sentence."""
    try:
        choice = await sandbox_of(asked, settings, settings.cairn_sandbox)
        say(TESTING, stream=sys.stderr)
        sandbox = MaskedSandbox(choice.sandbox, deps.mask)
        found = await verified_without(state, replace(deps, sandbox=sandbox))
    except TaskError as error:
        return " ".join(error.message.split())
    except Outage as outage:
        return not_tested(outage.message)
    reasons = [level.reason for level in found.tests if level.reason]
    return ALL_WELL if found.verified else not_tested(next(iter(reasons), "there are none"))


async def _forget(folder: Path, task: Task, changes: ChangeSet) -> None:
    """Let what the folder keeps for people and later runs say that the task is open again."""
    memory = FileMemory(folder / "memory.json", mask=str)
    written = f"written for: {task.name} {task.title}"
    for note in await memory.notes():
        gone = note.about in changes.files and changes.files[note.about] is None
        if note.about == task.key or (note.kind == "files" and (gone or note.text == written)):
            await memory.forget(note.about)
    todos = folder / "todos.json"
    with suppress(OSError, ValueError, TypeError, KeyError):  # there is none, or not one of ours
        data = json.loads(todos.read_text(encoding="utf-8"))
        for each in data["todos"]:
            if each["key"] == task.key:
                each |= {"status": str(Status.PENDING), "checked": False, "url": ""}
        write_file(todos, (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode())


async def _roadmap(here: Here, tree: Snapshot, path: str) -> Roadmap:
    entry = tree.entries.get(path)
    return parse_roadmap(path, (await here.blobs([entry.sha]))[entry.sha] if entry else b"")


def _finished(roadmap: Roadmap, name: str) -> Task:
    task = find(roadmap, name)
    if task is None or not task.checked:
        names = [each.name for each in roadmap.tasks if each.checked and each.kind == "work"]
        raise TaskError("file", not_finished(name, names))
    return task


async def _commit_of(here: Here, task: Task, path: str) -> FinishedTask:
    """The newest commit that ticked the task. Raises ``TaskError`` when there is none."""
    for commit, parent in await here.made_for(task.key):
        before, after = await here.snapshot(parent), await here.snapshot(commit)
        was = find(await _roadmap(here, before, path), task.key)
        became = find(await _roadmap(here, after, path), task.key)
        if was and became and became.checked and not was.checked:
            return FinishedTask(task, path, before, after)
    raise TaskError("file", not_ours(task.name))
