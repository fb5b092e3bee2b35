"""``cairn undo``: take back a finished task of this folder, as one more commit."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from app.local.compose import repository_in
from app.local.options import FOLDER
from app.local.text import in_the_way, not_finished, not_ours, taken_back
from app.terminal import any_encoding, say
from runner.config.model import CONFIG_PATH, RepositoryConfig, config_entry, parse_config
from runner.config.reading import ConfigError
from runner.errors import PortError, TaskError
from runner.files.durable import take_folder
from runner.git.folder_repository import FolderRepository
from runner.git.local_repository import LocalRepository
from runner.git.objects import merged
from runner.loop.undoing import FinishedTask, inverse
from runner.people.sentences import undo_text
from runner.roadmap.edit import find
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.task import Roadmap, Task
from runner.state.changes import Snapshot
from runner.state.publishing import Checkpoint

Here = LocalRepository | FolderRepository


def command(folder: Path, name: str, roadmap: str) -> int:
    """Undo the task and say so; 2 when nothing was undone."""
    any_encoding()
    try:
        taken = take_folder(folder / FOLDER, name=str(folder / FOLDER))
    except PortError as error:
        return _refused(error.message)
    try:
        say(asyncio.run(_undo(folder, name, roadmap)))
    except (PortError, ConfigError) as error:
        return _refused(str(error))
    finally:
        os.close(taken)
    return 0


def _refused(message: str) -> int:
    print(message, file=sys.stderr)
    return 2


async def _undo(folder: Path, name: str, roadmap: str) -> str:
    here = await repository_in(folder, keep=True)
    place = await here.stack()
    now = await here.snapshot(place.tip)
    path = roadmap or (await _config(here, now)).roadmap.path
    task = _finished(await _roadmap(here, now, path), name)
    done = await _commit_of(here, task, path)
    changes = await inverse(done, now, here, merged)
    if dirty := await here.uncommitted(*changes.files):
        raise TaskError("file", in_the_way(dirty))
    checkpoint = Checkpoint(
        run="",
        task=task.key,
        branch="",
        below=place.branch,
        parent=place.tip,
        changes=changes,
        tree=changes.tree(now),
        text=undo_text(task, done.after.commit),
    )
    await here.publish_checkpoint(checkpoint)
    return taken_back(task.name, done.after.commit, sorted(changes.files))


async def _config(here: Here, now: Snapshot) -> RepositoryConfig:
    entry = config_entry(now.entries)
    if entry is None:
        return RepositoryConfig()
    sha = now.entries[CONFIG_PATH].sha
    return parse_config((await here.blobs([sha]))[sha])


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
