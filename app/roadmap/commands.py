"""``cairn roadmap show``, ``lint`` and ``sync``. Exit codes: 0, 1 found something, 2 unusable."""

from __future__ import annotations

import asyncio
import json
import json as json_
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

from app.local.files import STDIN, UnusableRoadmap, read_roadmap, replace_unless_changed
from app.roadmap.view import roadmap_json, warnings_json
from app.terminal import any_encoding, printable, say
from runner.errors import PortError
from runner.loop.problems import StartCommands, missing_roadmap
from runner.people.todos import TodosRefused, sync
from runner.roadmap.edit import EditRefused, turned
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import FORMS
from runner.roadmap.plans.choosing import plan_at, plans_in
from runner.roadmap.task import Roadmap
from runner.state.task_commits import in_review


def show(file: str, *, json: bool) -> int:
    """Print how Cairn reads a roadmap."""
    roadmap = parsed(file)
    if roadmap is None:
        return 2
    reviewing = asyncio.run(_in_review(file, Path(file).absolute().parent))
    if json:
        say(json_.dumps(roadmap_json(roadmap, reviewing), indent=2))
        return 0
    # drawing is not needed for programs, and takes a moment to import
    from app.roadmap.view import print_roadmap

    print_roadmap(roadmap, reviewing)
    return 0


async def _in_review(file: str, folder: Path) -> Collection[str]:
    """The keys of the tasks in review where the file is; none where nothing says so."""
    places = (folder / ".executor", *(each / ".git" for each in (folder, *folder.parents)))
    if file == STDIN or not any(place.exists() for place in places):
        return ()
    from app.local.compose import repository_in  # takes a moment to import

    try:
        return in_review(await (await repository_in(folder)).task_commits())
    except PortError:  # there is no commit yet
        return ()


def lint(file: str, *, json: bool) -> int:
    """Print what a person should look at; 1 when there is something."""
    from app.roadmap.view import warning_line
    from runner.config.model import CONFIG_PATH, RepositoryConfig, parse_config
    from runner.config.reading import ConfigError
    from runner.roadmap.lint import lint as find

    roadmap = parsed(file)
    if roadmap is None:
        return 2
    try:
        config = parse_config(Path(CONFIG_PATH).read_bytes())
    except (OSError, ConfigError):  # it is looked at by `cairn doctor`
        config = RepositoryConfig()
    found = find(roadmap, [each.name for each in config.projects])
    if json:
        say(json_.dumps(warnings_json(found), indent=2))
    else:
        lines = [warning_line(roadmap.path, warning) for warning in found]
        say("\n".join(lines or [f"{printable(roadmap.path)}: no findings."]))
    return 1 if found else 0


def parsed(file: str) -> Roadmap | None:
    """Read and parse a file; None, with a sentence on standard error, when it cannot be used."""
    any_encoding()
    try:
        file = _meant(file)
        roadmap = parse_roadmap(file, read_roadmap(file))
    except UnusableRoadmap as error:
        complain(str(error))
        return None
    if any(warning.code == "file-too-large" for warning in roadmap.warnings):
        complain(f"{file} cannot be used: {roadmap.asks}")
        return None
    return roadmap


def _meant(file: str) -> str:
    """The plan that a name means in this folder. Raises ``UnusableRoadmap`` where it is several."""
    if file == STDIN or Path(file).exists():
        return file
    there = [
        path.as_posix() for form in FORMS for usual in form.usual for path in Path().glob(usual)
    ]

    async def read(paths: Sequence[str]) -> dict[str, bytes]:
        return {path: read_roadmap(path) for path in paths}

    path = asyncio.run(plan_at(file, there, read))
    if path == file and plans_in(file, there):
        start = StartCommands("cairn roadmap show", "cairn roadmap show ")
        raise UnusableRoadmap(missing_roadmap(file, start, there, "in this folder"))
    return path


def complain(message: str) -> None:
    """Say on standard error what is wrong and what to do."""
    print(printable(message), file=sys.stderr)


def sync_todos(file: str, *, todos: str, write: bool) -> int:
    """Show or write the checkboxes to change; 1 if something could not be copied."""
    roadmap = parsed(file)
    if roadmap is None:
        return 2
    try:
        found = sync(_todos(todos), roadmap)
        for edit in found.edits:
            say(f"{printable(file)}:{edit.line}: {'tick' if edit.checked else 'untick'}")
        for conflict in found.conflicts:
            complain(conflict)
        if write and found.edits and file == STDIN:
            complain("Standard input cannot be written; name the file.")
            return 2
        if write and found.edits:
            states = {each.key: each.checked for each in found.edits}
            replace_unless_changed(file, roadmap.content, turned(roadmap, states))
    except (UnusableRoadmap, TodosRefused, EditRefused) as error:
        complain(str(error))
        return 2
    if not found.edits:
        say("There is nothing to copy to the roadmap.")
    elif not write:
        say("Nothing was written; add --write to change the file.")
    return 1 if found.conflicts else 0


def _todos(name: str) -> object:
    try:
        return json.loads(read_roadmap(name))
    except (ValueError, RecursionError) as error:
        raise UnusableRoadmap(f"{name} is not JSON: {error}.") from error
