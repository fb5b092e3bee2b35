"""The functions that a task is about: a new test shows something if it notices them emptied.

They are what the task names, letter by letter, and what of the change that reaches by the names in
its code; where it names nothing that is there, all functions that the change writes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from runner.checks.asked import TaskWords, words_of
from runner.checks.blanks import added_lines
from runner.code.imports import ModulePaths, imported
from runner.code.inline_tests import with_tests_of
from runner.code.languages import language_of
from runner.code.symbols import Definition, symbols_of
from runner.context.library import Library
from runner.nodes.context import library_of
from runner.nodes.work import NodeWork
from runner.text.patterns import lazy_pattern
from runner.verify.mutants import BREAKABLE, Mutant, emptied, lines_outside, with_old_heads
from runner.verify.rows import is_test_side

_MOST_DEFINERS, _MOST_LOADED = 10, 2_000


@dataclass(frozen=True, slots=True)
class Subject:
    """``faults`` are the files with these functions emptied, each with what it holds otherwise.

    In ``loud`` ones they fail when they are called, with ``heads`` those that lost parameters take
    them again. ``whole``: there is nothing else that the task may be about, and in which no fault
    can be put.
    """

    faults: Mapping[Mutant, bytes]
    loud: Mapping[Mutant, bytes]
    heads: Mapping[Mutant, bytes]
    whole: bool


async def subject_of(work: NodeWork) -> Subject:
    """Find the functions that the current attempt's task is about."""
    task, planned = work.state.task, work.state.attempt.planned
    written = {path: write.content for path, write in work.changes.files.items() if write}
    code = {p: text for p, text in written.items() if language_of(p) and not is_test_side(p)}
    old = await work.contents(code)
    both = {p: (text, with_tests_of(p, old.get(p, b""), text)) for p, text in code.items()}
    added = {
        p: added_lines(*(each.decode("utf-8", "replace") for each in texts))
        for p, texts in both.items()
    }
    asked = TaskWords("\n".join((task.text, task.details, *task.acceptance)), task.files)
    if planned.revision or planned.by_people or planned.members:
        asked = TaskWords("")
    library = await library_of(work.deps, work.base, "", (), work.state.request.roadmap)
    known = {
        path
        for name in asked.names
        for path in library.definers(name)[:_MOST_DEFINERS]
        if path not in work.changes.files and language_of(path) and not is_test_side(path)
    }
    files = {p: _File(p, text, added[p], old.get(p, b"")) for p, text in code.items()}
    unchanged = await work.contents(known)
    files |= {path: _File(path, text, frozenset()) for path, text in unchanged.items()}
    return await asyncio.to_thread(_subject, files, asked, library, ModulePaths(work.entries))


class _File:
    """A file of code that the change writes, or that defines what the task names."""

    def __init__(self, path: str, content: bytes, added: frozenset[int], old: bytes = b"") -> None:
        self.path, self.content, self.added, self.old = path, content, added, old
        self.lines = content.decode("utf-8", "replace").split("\n")
        self.symbols = symbols_of(path, content)
        self.outside = lines_outside(path, content, added)

    def words(self, numbers: Iterable[int]) -> frozenset[str]:
        """The identifiers in some lines."""
        return words_of(self.lines[number - 1] for number in numbers)

    def named(self, names: Collection[str]) -> frozenset[int]:
        """The lines of what has one of these names."""
        return frozenset(
            number
            for each in self.symbols.definitions
            if not _names(each).isdisjoint(names)
            for number in _lines(each)
        )

    def meant(self, names: Collection[str]) -> frozenset[int]:
        """The lines of what has one of these names.

        Of a class its methods of these names, otherwise those that change, otherwise all of it.
        """
        known, found = self.symbols.definitions, set[int]()
        for outer in (each for each in known if each.name in names):
            inside = [
                each
                for each in known
                if each is not outer
                and (each.line in _lines(outer) or outer.name in _names(each) - {each.name})
            ]
            named = [each for each in inside if each.name in names]
            changed = [each for each in inside if not self.added.isdisjoint(_lines(each))]
            found.update(*map(_lines, named or changed or [outer]))
        return frozenset(found)

    def emptied(self, numbers: Collection[int], *, loud: bool = False) -> Mutant | None:
        """The file with every function emptied that has one of these lines."""
        return emptied(self.path, self.content, numbers, loud=loud)


_RECEIVER = lazy_pattern(r"^func \([^)]*?(\w+)(?:\[[^\]]*\])?\)")


def _names(definition: Definition) -> set[str]:
    """Its name, and that of the type whose method it is in Go, where these stand outside of it."""
    return {definition.name, *_RECEIVER.findall(definition.signature)}


def _lines(definition: Definition) -> range:
    return range(definition.line, definition.end_line + 1)


def _subject(
    files: Mapping[str, _File], asked: TaskWords, library: Library, places: ModulePaths
) -> Subject:
    changed = {path: file for path, file in files.items() if file.added}
    lines = {path: file.meant(asked.names) for path, file in files.items()}
    if not any(file.emptied(lines[path]) for path, file in files.items()):
        lines = {p: f.added if asked.names_file(p) else frozenset() for p, f in changed.items()}
    about = _with_reached(files, lines, library, places)
    open_to = [f for f in changed.values() if asked.names & f.words(f.outside)]
    if not any(changed[path].emptied(about[path]) for path in changed):
        # it names nothing that has to do with the change
        about = {path: file.added for path, file in changed.items()}
        open_to = [f for f in changed.values() if language_of(f.path) not in BREAKABLE]
    quiet, loud = (
        {
            each: files[path].content
            for path, numbers in about.items()
            if (each := files[path].emptied(numbers, loud=loud))
        }
        for loud in (False, True)
    )
    heads = {
        each: file.content
        for path, file in changed.items()
        if (each := with_old_heads(path, file.old, file.content, about[path]))
    }
    return Subject(quiet, loud, heads, whole=not open_to)


def _with_reached(
    files: Mapping[str, _File],
    lines: Mapping[str, frozenset[int]],
    library: Library,
    places: ModulePaths,
) -> dict[str, frozenset[int]]:
    """These lines, and the changed ones that they lead to by name, also through other files."""
    reached = {path: lines.get(path, frozenset()) for path in files}
    loaded, left = set[str](), [path for path, numbers in reached.items() if numbers]
    while left and len(loaded) < _MOST_LOADED:
        path = left.pop()
        new = (
            imported(path, files[path].symbols.imports, places)
            if path in files
            else library.imports(path)
        )
        left += new - loaded
        loaded |= new
    between = {path for path in loaded - files.keys() if not is_test_side(path)}
    seen = -1
    while seen != (seen := sum(map(len, reached.values()))):
        words = frozenset().union(*(file.words(reached[path]) for path, file in files.items()))
        for path, file in files.items():
            names = set[str]().union(*map(_names, file.symbols.definitions))
            used = {n for n in names if n in words or not between.isdisjoint(library.users(n))}
            reached[path] |= file.named(used) if any(reached.values()) else frozenset()
    return {
        path: lines.get(path, frozenset()) | (reached[path] & file.added)
        for path, file in files.items()
    }
