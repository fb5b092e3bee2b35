"""``cairn roadmap sync``: what a person changed in ``todos.json`` becomes ticks in the roadmap."""

from __future__ import annotations

import json

from app.roadmap.commands import complain, parsed
from app.roadmap.files import STDIN, Unusable, read_roadmap, replace_unless_changed
from app.terminal import printable
from runner.roadmap.edit import EditRefused
from runner.roadmap.task import Roadmap
from runner.roadmap.todos import TodosRefused, sync, turned


def command(file: str, *, todos: str, write: bool) -> int:
    """Show, or write, the boxes to turn; 1 when something could not be taken over."""
    roadmap = parsed(file)
    if roadmap is None:
        return 2
    try:
        return _synced(file, roadmap, _todos(todos), write=write)
    except (Unusable, TodosRefused, EditRefused) as error:
        complain(str(error))
        return 2


def _synced(file: str, roadmap: Roadmap, todos: object, *, write: bool) -> int:
    found = sync(todos, roadmap)
    for edit in found.edits:
        print(f"{printable(file)}:{edit.line}: {'tick' if edit.checked else 'untick'}")
    for conflict in found.conflicts:
        complain(conflict)
    if write and found.edits:
        if file == STDIN:
            raise Unusable("Standard input cannot be written; name the file.")
        replace_unless_changed(file, roadmap.content, turned(roadmap, found.edits))
    elif found.edits:
        print("Nothing was written; add --write to do it.")
    else:
        print("There is nothing to take over.")
    return 1 if found.conflicts else 0


def _todos(name: str) -> object:
    try:
        return json.loads(read_roadmap(name))
    except (ValueError, RecursionError) as error:
        raise Unusable(f"{name} is no JSON: {error}.") from error
