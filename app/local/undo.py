"""``cairn undo`` and ``cairn accept``: what a person says about a task that was done, as a commit.

One takes its change back, the other ticks the box of a task in review.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from app.interrupts import CODE, Interrupts
from app.local.compose import kept_in, local_deps, repository_in, sandbox_of
from app.local.files import take
from app.local.options import FOLDER, LocalRun, options_for, read_config, settings_of
from app.local.runs import branch_in_review, record_results
from app.settings import SettingsError, settings_without_model
from app.terminal import any_encoding, say
from app.texts import checkout_texts as texts
from runner.config.reading import ConfigError
from runner.errors import Outage, PortError, TaskError
from runner.files.durable import write_file
from runner.files.results import FileMemory
from runner.git.local_repository import LocalRepository
from runner.git.objects import merged
from runner.loop.deps import Deps
from runner.loop.stacking import plan_of
from runner.loop.undoing import FinishedTask, inverse
from runner.nodes.undo import verified_without
from runner.people.pull_requests import accept_text, undo_text
from runner.ports import Fanout
from runner.roadmap.edit import find, tick_all
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task
from runner.sandbox.choose import MaskedSandbox
from runner.state.changes import ChangeSet, Snapshot, Write
from runner.state.options import Options, Request
from runner.state.publishing import Checkpoint, CheckpointText, Stack
from runner.state.run_state import Attempt, RunStack, RunState, Status
from runner.state.task_commits import ACCEPTS, IN_REVIEW, UNDOES, TaskCommit, in_review


@dataclass(frozen=True)
class _Place:
    """What is checked out: its newest state, the roadmap there, and Cairn's commits, newest first.

    ``reviewing`` are the tasks in review by key, each with its commit.
    """

    repository: LocalRepository
    deps: Deps
    options: Options
    at: Stack
    now: Snapshot
    plan: Roadmap
    made: Sequence[TaskCommit]
    reviewing: Mapping[str, TaskCommit]

    async def named(self, folder: Path, name: str) -> tuple[list[Task], str, Sequence[Task]]:
        """Return the tasks in review here, all tasks, and between these the branch.

        It is the branch where the task of this name is in review; '' where there is none.
        """
        kept, tasks = kept_in(folder / FOLDER), self.plan.tasks
        branch = await branch_in_review(kept, self.repository, folder, name) if name else ""
        return [task for task in tasks if task.key in self.reviewing], branch, tasks

    async def commit(self, task: Task, changes: ChangeSet, text: CheckpointText) -> str:
        """Commit and move the branch. Raises as the repository does."""
        checkpoint = Checkpoint(
            run="",
            task=task.key,
            branch="",
            below=self.at.branch,
            parent=self.at.tip,
            changes=changes,
            tree=changes.tree(self.now),
            text=text,
        )
        return (await self.repository.publish_checkpoint(checkpoint)).commit


@asynccontextmanager
async def _opened(folder: Path, roadmap: str) -> AsyncIterator[_Place]:
    asked, settings = LocalRun(folder), settings_without_model()
    repository = await repository_in(folder, keep=True)
    async with local_deps(asked, settings, Fanout(), dry=True) as here:
        deps = replace(here.deps, repository=repository, events=Fanout())
        at = await repository.stack()
        now = await repository.snapshot(at.tip)
        whole = await read_config(deps, at.tip)
        own = await plan_of(repository, at.tip, whole.roadmap.path)
        if not roadmap and len(whole.projects) > 1 and own not in now.entries:
            raise PortError("file", texts.whose_task([each.name for each in whole.projects]))
        config = await settings_of(roadmap, deps, at.tip)
        plan = await _roadmap(repository, now, config.roadmap.path)
        made = await repository.task_commits()
        options = options_for(asked, config)
        boxes = {task.key for task in plan.tasks if not task.checked}
        reviewing = {key: each for key, each in in_review(made).items() if key in boxes}
        yield _Place(repository, deps, options, at, now, plan, made, reviewing)


def undo(folder: Path, name: str, roadmap: str) -> int:
    """Undo the task and say so; 2 when nothing was undone."""
    committing = asyncio.Event()
    cut = lambda: texts.undo_cut(committing.is_set())  # noqa: E731
    return _done(folder, _undo(folder, name, roadmap, committing), cut)


def accept(folder: Path, name: str, roadmap: str) -> int:
    """Tick the box of a task in review and say so; 2 when it was not ticked."""
    return _done(folder, _accept(folder, name, roadmap), texts.accept_cut)


def _done(folder: Path, work: Coroutine[None, None, str], cut: Callable[[], str]) -> int:
    """Do it alone in the folder; ``cut`` says what an interruption left."""
    any_encoding()
    kept = folder / FOLDER
    new = not kept.exists()
    try:
        taken = take(kept)
    except PortError as error:
        work.close()
        return _refused(error.message)
    try:
        say(Interrupts(cut).run(work))
        new = False
    except ConfigError as error:
        return _refused(texts.config_faults(error))
    except (PortError, SettingsError) as error:
        return _refused(str(error))
    except KeyboardInterrupt:
        say(cut(), stream=sys.stderr)
        return CODE
    finally:
        if new:  # nothing came of it: nothing is left, either
            shutil.rmtree(kept, ignore_errors=True)
        os.close(taken)
    return 0


def _refused(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


async def _accept(folder: Path, name: str, roadmap: str) -> str:
    async with _opened(folder, roadmap) as here:
        task = find(here.plan, name)
        if task is None or task.key not in here.reviewing:
            ticked = task is not None and task.checked
            named = await here.named(folder, "" if ticked else name)
            raise TaskError("file", texts.not_in_review(name, *named, ticked))
        done = here.reviewing[task.key]
        tasks = [each for each in here.plan.tasks if here.reviewing.get(each.key) == done]
        path, content = here.plan.path, here.plan.content
        changes = ChangeSet({path: Write(tick_all(path, content, [each.key for each in tasks]))})
        if dirty := await here.repository.uncommitted(path):
            raise TaskError("file", texts.in_the_way(dirty))
        text = accept_text(task, done.id, await here.repository.person())
        kept = tuple(each for each in done.trailers if each[0].startswith("Cairn-"))
        kept = tuple(each for each in kept if each != IN_REVIEW)
        try:
            await here.commit(task, changes, replace(text, trailers=(*kept, (ACCEPTS, done.id))))
        except Outage as error:
            raise TaskError("file", texts.moved_meanwhile()) if error.advised else error from error
    _noted(folder / FOLDER, [each.key for each in tasks], Status.COMPLETED)
    await _recorded(folder, done, here.repository)
    return texts.accepted(tasks, done.id)


async def _undo(folder: Path, name: str, roadmap: str, committing: asyncio.Event) -> str:
    async with _opened(folder, roadmap) as here:
        repository, at, path = here.repository, here.at, here.plan.path
        task = find(here.plan, name)
        if task is None or not (task.checked or task.key in here.reviewing):
            finished = [t for t in here.plan.tasks if t.checked and t.kind == "work"]
            why = texts.not_finished(name, finished, *await here.named(folder, name))
            raise TaskError("file", why)
        done, commit = await _commit_of(here, task)
        changes = await inverse(done, here.now, repository, merged)
        if dirty := await repository.uncommitted(*changes.files):
            raise TaskError("file", texts.in_the_way(dirty))
        stack = RunStack(at.tip, at.branch, at.tip)
        attempt = Attempt(task=task.key, base=at.tip, below=at.branch)
        state = RunState(Request(f"undo-{task.key}", path, here.options), roadmap=here.plan)
        state = replace(state, stack=stack, current=task.key).put(attempt)
        tests = await _tested(
            state.with_changes(changes),
            here.deps,
            folder,
        )
        text = undo_text(task, commit.id, tests)
        named = tuple(("Cairn-Task", key) for key in commit.tasks)
        committing.set()
        try:
            await here.commit(task, changes, replace(text, trailers=(*named, *text.trailers)))
        except (TaskError, Outage) as error:
            if isinstance(error, Outage) and not error.advised:
                raise
            # its advice is for a run
            raise TaskError("file", texts.changed_meanwhile()) from error
    tasks = [each for each in here.plan.tasks if each.key in commit.tasks]
    await _forget(folder / FOLDER, tasks, changes)
    await _recorded(folder, commit, repository)
    return texts.taken_back(task, commit.id, sorted(changes.files), tests)


async def _tested(state: RunState, deps: Deps, folder: Path) -> str:
    """Run the project's tests without the task; what they say, in a sentence."""
    asked, settings = LocalRun(folder), settings_without_model()
    try:
        choice = await sandbox_of(asked, settings, settings.cairn_sandbox)
        say(texts.testing(), stream=sys.stderr)
        sandbox = MaskedSandbox(choice.sandbox, deps.mask)
        found = await verified_without(state, replace(deps, sandbox=sandbox))
    except TaskError as error:
        return error.message if error.kind == "file" else texts.not_tested(error.message)
    except Outage as outage:
        return texts.not_tested(outage.message)
    why = next((level.reason for level in found.tests if level.reason), "")
    return texts.all_well(why) if found.verified else texts.not_tested(why or "there are none")


async def _forget(folder: Path, tasks: Sequence[Task], changes: ChangeSet) -> None:
    """Let what the folder keeps for people and later runs say that the tasks are open again."""
    memory = FileMemory(folder / "memory.json", mask=str)
    keys = {task.key for task in tasks}
    written = {f"written for: {task.name} {task.title}" for task in tasks}
    for note in await memory.notes():
        gone = note.about in changes.files and changes.files[note.about] is None
        if note.about in keys or (note.kind == "files" and (gone or note.text in written)):
            await memory.forget(note.about)
    _noted(folder, keys, Status.PENDING)


def _noted(folder: Path, keys: Collection[str], status: Status) -> None:
    """Let ``todos.json`` say how tasks stand now."""
    todos = folder / "todos.json"
    with suppress(OSError, ValueError, TypeError, KeyError):  # there is none, or not one of ours
        data = json.loads(todos.read_text(encoding="utf-8"))
        for each in data["todos"]:
            if each["key"] in keys:
                each |= {"status": str(status), "checked": status is Status.COMPLETED}
                each["url"] = each["url"] if each["checked"] else ""
        write_file(todos, (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode())


async def _recorded(folder: Path, commit: TaskCommit, repository: LocalRepository) -> None:
    """Let the history say what became of the run that made a commit."""
    kept = kept_in(folder / FOLDER)
    runs = [run for run in kept.runs.all() if run.id == commit.about("Cairn-Run")]
    try:
        await record_results(runs, kept, repository, folder)
    except Outage as outage:  # what was asked for is done all the same
        say(outage.message, stream=sys.stderr)


async def _roadmap(here: LocalRepository, tree: Snapshot, path: str) -> Roadmap:
    entry = tree.entries.get(path)
    return parse_roadmap(path, (await here.blobs([entry.sha]))[entry.sha] if entry else b"")


async def _commit_of(here: _Place, task: Task) -> tuple[FinishedTask, TaskCommit]:
    """The newest commit that did the task. Raises ``TaskError`` when there is none."""
    repository, path = here.repository, here.plan.path
    for each in here.made:
        if task.key not in each.tasks or not each.parent or each.about(ACCEPTS):
            continue
        if each.about(UNDOES):
            break  # what was done before it is taken back
        before, after = await repository.snapshot(each.parent), await repository.snapshot(each.id)
        if IN_REVIEW in each.trailers:
            return FinishedTask(task, path, before, after, each.tasks), each
        was = find(await _roadmap(repository, before, path), task.key)
        became = find(await _roadmap(repository, after, path), task.key)
        if was and became and became.checked and not was.checked:
            return FinishedTask(task, path, before, after), each
    raise TaskError("file", texts.not_ours(task))
