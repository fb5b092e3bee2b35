"""Whether an answer touches what its task names: files and definitions, letter by letter.

Where it changes none of them, nothing that they load and nothing that loads them, it is no answer
to this task, whatever its tests say.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from runner.checks.asked import TaskWords, has_word, is_prose
from runner.checks.reach import ChangedFile, stem_of
from runner.checks.uses import family_of
from runner.code.imports import ModulePaths
from runner.code.languages import is_among_tests
from runner.context.library import Library
from runner.loop.deps import Deps
from runner.loop.reading import Read
from runner.nodes.context import library_of
from runner.state.changes import ChangeSet, Snapshot
from runner.state.findings import Complaint
from runner.state.run_state import RunState

UNTOUCHED = "Untouched"

_MOST_FILES, _LARGEST, _MOST_BYTES = 4_000, 1 << 20, 32 << 20
"""Files of code that are read at once, bytes of one and of all."""
_MOST_LINKED = 2_000
_MOST_NAMED = 8


def code_among(base: Snapshot, families: Collection[str] | None = None) -> list[str]:
    """Return the code files of some languages (None: of all), as many as are read at once."""
    kept: list[str] = []
    size = 0
    for path, entry in sorted(base.entries.items()):
        family = family_of(path)
        wanted = bool(family) if families is None else family in families
        if wanted and entry.size <= _LARGEST:
            size += entry.size
            if size > _MOST_BYTES or len(kept) == _MOST_FILES:
                break
            kept.append(path)
    return kept


async def untouched(
    state: RunState, deps: Deps, changes: ChangeSet, base: Snapshot, read: Read
) -> Complaint | None:
    """Complain of an answer that has nothing to do with what its task names.

    The tree is looked at only where no changed file is named. Raises ``Outage``.
    """
    asked, task = TaskWords.of(state.task), state.task
    own = TaskWords("\n".join((task.text, task.details, *task.acceptance)), task.files)
    named = own.paths | own.names
    if not named or not changes:
        return None
    places = ModulePaths(changes.entries(base))
    files = [
        ChangedFile(path, read(path), write.content if write else None, places)
        for path, write in changes.files.items()
    ]
    if any(asked.names_file(path) for path in changes.files):
        return None
    library = await library_of(deps, base, task.text, [*own.paths], state.request.roadmap)
    if await asyncio.to_thread(_says_so, files, asked, library):
        return None
    targets = {
        path for path in base.entries if path != state.request.roadmap and own.names_file(path)
    }
    for name in own.names:
        targets.update(library.definers(name))
    if not targets and not own.marked:
        return None  # nothing that it names is a file or a definition, or has to become one
    if await asyncio.to_thread(_are_linked, files, targets, library, places):
        return None
    exact = {name for name in named if name in base.entries or library.definers(name)} | own.marked
    shown = ", ".join(f"`{name}`" for name in sorted(exact or named)[:_MOST_NAMED])
    message = (
        f"The task names {shown}, and the answer changes none of it, no file that it loads and no "
        "file that loads it."
    )
    return Complaint("", UNTOUCHED, message, advice="Do what the task asks for, there.")


def _says_so(files: Collection[ChangedFile], asked: TaskWords, library: Library) -> bool:
    """Whether a changed file makes what is named, or code that is no test has a name of it.

    What stands in a file that the task names is not made by another one that has such a name.
    """
    defined = {name: library.definers(name) for name in (*asked.names, *asked.paths)}
    theirs = {name for name, paths in defined.items() if any(map(asked.names_file, paths))}
    for file in files:
        names = defined.keys() - (file.definitions & theirs)
        if stem_of(file) in asked.names or file.definitions & names:
            return True
        if is_prose(file.path) or is_among_tests(file.path):
            continue
        # what is defined nowhere, such as ValueError, stands in many files and leads to none
        changed = "\n".join(file.changed_lines)
        if any(has_word(file.text if defined[name] else changed, name) for name in names):
            return True
    return False


def _are_linked(
    files: Collection[ChangedFile], targets: set[str], library: Library, places: ModulePaths
) -> bool:
    """Whether a changed file is loaded by a target, or loads one, directly or through others."""
    changed = {file.path: file for file in files}

    def loads(path: str) -> frozenset[str]:
        return changed[path].imports if path in changed else library.imports(path)

    def loaders(path: str) -> frozenset[str]:
        return library.importers(path) | {p for p, file in changed.items() if path in file.imports}

    for follow in (loads, loaders):
        seen, left = set(targets), list(targets)
        while left and len(seen) < _MOST_LINKED:
            new = follow(left.pop()) - seen
            seen |= new
            left += new
        if seen & changed.keys():
            return True
    folders = {path.rpartition("/")[0] for path in targets if path.endswith((".go", ".java"))}
    return any(
        file.path.endswith((".go", ".java")) and file.path.rpartition("/")[0] in folders
        for file in files
    )
