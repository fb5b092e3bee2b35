"""A task's reach: the files its change may touch. Others are left out of an answer.

Inside are the files that the task names, those that define a name it mentions, and what is
connected with them by imports or by names; all tests and package files. A task that names nothing
of what changed has all its source files inside. No word of the task counts that is no name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from runner.checks.asked import (
    MANIFEST,
    TaskWords,
    has_word,
    is_beside,
    is_leftover,
    words_of,
)
from runner.checks.blanks import same_but_for_blanks, with_legal_lines, without_blank_changes
from runner.checks.paths import takes_effect
from runner.code.imports import ModulePaths, imported
from runner.code.languages import is_among_tests, language_of
from runner.code.symbols import symbols_of
from runner.state.changes import ChangeSet, Write
from runner.text.encoding import in_utf8

Read = Callable[[str], bytes | None]

_LONGEST = 400_000
"""Of a larger file only so many bytes are read."""
_PACKAGE_FILES = {"__init__.py", "py.typed", "mod.rs", "lib.rs", "index.ts", "index.js", "doc.go",
                  "setup.py", "conftest.py"}  # fmt: skip
_REQUIREMENTS = re.compile(r"(?:^|/)requirements[\w.-]*\.(?:txt|in)$")
_LINKED = {"python", "javascript", "typescript", "tsx", "go", "rust", "java", "php", "c", "cpp",
           "ruby"}  # fmt: skip
"""Languages whose imports show what belongs together."""


@dataclass(frozen=True)
class ChangedFile:
    """One changed file, old and new; read only as far as it is asked about."""

    path: str
    old: bytes | None
    new: bytes | None
    places: ModulePaths = field(repr=False)

    @cached_property
    def definitions(self) -> frozenset[str]:
        """The names that either version defines."""
        known = (symbols_of(self.path, text[:_LONGEST]) for text in self._versions)
        return frozenset(d.name for symbols in known for d in symbols.definitions)

    @cached_property
    def imports(self) -> frozenset[str]:
        """Paths of the files that either version imports."""
        found = (symbols_of(self.path, text[:_LONGEST]).imports for text in self._versions)
        return frozenset(t for each in found for t in imported(self.path, each, self.places))

    @property
    def _versions(self) -> Iterable[bytes]:
        return (text for text in (self.old, self.new) if text)

    @cached_property
    def lost(self) -> tuple[str, ...]:
        """The lines that only the old version has."""
        return tuple(_lines(self.old) - _lines(self.new))

    @cached_property
    def added(self) -> tuple[str, ...]:
        """The lines that only the new version has."""
        return tuple(_lines(self.new) - _lines(self.old))

    @property
    def changed_lines(self) -> tuple[str, ...]:
        """The lines that one version has and the other has not."""
        return (*self.lost, *self.added)

    @cached_property
    def changed_words(self) -> frozenset[str]:
        """The words of the changed lines, in which a name of two letters says nothing."""
        return frozenset(word for word in words_of(self.changed_lines) if len(word) > 2)

    @cached_property
    def touched(self) -> frozenset[str]:
        """The names it defines that stand in a changed line."""
        return self.definitions & self.changed_words

    @property
    def text(self) -> str:
        """Both versions, one after the other."""
        return "\n".join(text.decode("utf-8", "replace") for text in self._versions)


def _lines(text: bytes | None) -> Counter[str]:
    return Counter((text or b"")[:_LONGEST].decode("utf-8", "replace").split("\n"))


@dataclass(frozen=True)
class Trimmed:
    """What is left of an answer; ``left_out`` are paths, each with the reason.

    ``notes`` say what was put back in files that stay.
    """

    changes: ChangeSet
    left_out: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def trimmed(
    changes: ChangeSet,
    asked: TaskWords,
    *,
    paths: Collection[str],
    read: Read,
    guidance: Mapping[str, bytes],
    roadmap: str = "",
) -> Trimmed:
    """Remove from an answer what the task does not need, as far as the rest works without it.

    ``paths`` are those of the tree after the change, ``read`` returns what a file held before it,
    ``guidance`` are the project's rules for contributors, ``roadmap`` the file with the tasks.
    """
    places = ModulePaths(paths)
    files = {
        path: ChangedFile(
            path,
            None if (old := read(path)) is None else in_utf8(path, old),
            in_utf8(path, write.content) if write else None,
            places,
        )
        for path, write in changes.files.items()
    }
    left = {path: "only whitespace differs" for path in files if _is_blank(files[path], asked)}
    of_blanks = 2 * len(left) > len(files)  # then that is what the answer is about
    left = {} if of_blanks else left
    rest = {path: file for path, file in files.items() if path not in left}
    left |= _outside(rest, asked, guidance, roadmap)
    kept = ChangeSet({path: write for path, write in changes.files.items() if path not in left})
    found = _put_back(
        Trimmed(kept, dict(sorted(left.items()))),
        read,
        with_legal_lines,
        "put back its licence header",
    )
    if not of_blanks:
        found = _put_back(found, read, _tidy, "left out changes of whitespace only")
    return found


def _is_blank(file: ChangedFile, asked: TaskWords) -> bool:
    """Whether a file that the task does not name, or a test of it, differs in blanks alone."""
    return (
        file.old is not None
        and file.new not in (None, file.old)  # the same content is a change of its mode
        and (is_among_tests(file.path) or not asked.names_file(file.path))
        and same_but_for_blanks(file.path, file.old, file.new or b"")
    )


def _tidy(path: str, old: bytes, new: bytes) -> bytes:
    """Put the old blanks back where nothing else changed."""
    content = without_blank_changes(path, old, new)
    return new if content == old else content


def _put_back(
    found: Trimmed, read: Read, how: Callable[[str, bytes, bytes], bytes], text: str
) -> Trimmed:
    """Change what the answer made of files that were there; ``how`` takes path, old and new."""
    files, notes = dict(found.changes.files), list(found.notes)
    for path, write in found.changes.files.items():
        old = read(path)
        if write is None or old is None:
            continue
        content = how(path, old, write.content)
        if content != write.content:
            files[path] = Write(content, write.mode)
            notes.append(f"{path}: {text}")
    return replace(found, changes=ChangeSet(files), notes=tuple(notes))


DELETION = "the task does not name what is deleted"


def _outside(
    files: Mapping[str, ChangedFile],
    asked: TaskWords,
    guidance: Mapping[str, bytes],
    roadmap: str,
) -> dict[str, str]:
    """Return the files outside the task's reach, and why each is."""
    seeds = {path for path, file in files.items() if is_named(file, asked)}
    sure = any(_is_source(path) and not is_among_tests(path) for path in seeds)
    inside = _connected(files, seeds, asked) if sure else set(files)
    advice = TaskWords("\n".join(text.decode("utf-8", "replace") for text in guidance.values()))
    found: dict[str, str] = {}
    named = any(map(asked.names_file, files))
    for path, file in files.items():
        if asked.names_file(path):
            continue
        if path == roadmap:
            found[path] = "Cairn marks tasks as done itself"
        elif is_leftover(path):
            found[path] = "tools leave such files behind"
        elif takes_effect(path):
            found[path] = "it acts on machines or people, and the task does not name it"
        elif file.new is None:
            if (sure or is_beside(path)) and not _moved_or_named(file, files.values(), asked):
                found[path] = DELETION
        elif is_beside(path):
            if not (advice.names_file(path) or _is_told_of(file, files.values(), asked)):
                found[path] = "nothing in it is about what the task names or the answer changes"
        elif MANIFEST.search(path) and file.old is not None:
            told = _REQUIREMENTS.search(path) or _is_told_of(file, files.values(), asked)
            if (sure or named) and not told:
                found[path] = "the task needs no other package or version"
        elif path not in inside:
            found[path] = "the task does not need it"
    if any(path in seeds or _is_source(path) for path in files.keys() - found.keys()):
        return found
    # the others are what the answer is about
    certain = {path: why for path, why in found.items() if path == roadmap or is_leftover(path)}
    return certain if certain.keys() != files.keys() else {}


def _is_source(path: str) -> bool:
    """Whether a path is code: neither documentation nor settings."""
    return not is_beside(path) and language_of(path) != ""


def is_named(file: ChangedFile, asked: TaskWords) -> bool:
    """Whether the task names the file, or something that it defines."""
    return (
        asked.names_file(file.path)
        or stem_of(file) in asked.names
        or bool(file.definitions & asked.names)
    )


def _moved_or_named(file: ChangedFile, files: Collection[ChangedFile], asked: TaskWords) -> bool:
    """Whether a file that goes is named by the task, or stands under another path now."""
    return is_named(file, asked) or any(
        stem_of(other) == stem_of(file) or file.definitions & other.definitions
        for other in files
        if other.path != file.path and other.new is not None
    )


def stem_of(file: ChangedFile) -> str:
    """A file's name without its endings."""
    return file.path.rpartition("/")[2].partition(".")[0]


def _is_told_of(file: ChangedFile, files: Collection[ChangedFile], asked: TaskWords) -> bool:
    """Whether its changed lines name what the task names or the rest of the answer changes.

    A new file that another one names belongs to it as well.
    """
    others = [other for other in files if other.path != file.path]
    topic = asked.names | asked.paths | {name for each in others for name in each.touched}
    topic |= {stem_of(each) for each in others if each.old is None}
    lines, lost = "\n".join(file.added), [line for line in file.lost if line.strip()]
    about = [line for line in lost if any(has_word(line, each) for each in topic)]
    if any(has_word(lines, each) for each in topic) or 2 * len(about) > len(lost):
        return True
    name = file.path.rpartition("/")[2]
    if file.old is None and any(name in other.text for other in others):
        return True
    if set(_VERSION.findall(lines)) & set(_VERSION.findall(asked.text)):
        return True
    if not MANIFEST.search(file.path):
        return False
    words = {word.lower() for word in words_of(file.added) - words_of(file.lost)}
    used = (line for other in others for line in other.changed_lines if _LOADS.search(line))
    of_package = words_of(used) - _OF_LOADING | words_of([asked.text])
    return bool(words & {word.lower() for word in of_package})


_VERSION = re.compile(r"\d+(?:\.\d+)+")
_LOADS = re.compile(r"\b(?:import|require|use)\b")
_OF_LOADING = {"import", "require", "requires", "use", "from", "const"}


def _connected(files: Mapping[str, ChangedFile], seeds: set[str], asked: TaskWords) -> set[str]:
    """Return the files that lead to the named ones, by imports or by name."""
    inside = seeds | {
        path for path, file in files.items() if _stays(file) or file.changed_words & asked.names
    }
    grown = True
    while grown:
        more = {
            path
            for path, file in files.items()
            if path not in inside and any(_linked(file, files[other]) for other in inside)
        }
        inside |= more
        grown = bool(more)
    return inside


def _stays(file: ChangedFile) -> bool:
    """Whether imports cannot show this (no source file, a package file), or it is a test."""
    name = file.path.rpartition("/")[2]
    return (
        language_of(file.path) not in _LINKED or name in _PACKAGE_FILES or is_among_tests(file.path)
    )


def _linked(one: ChangedFile, other: ChangedFile) -> bool:
    """Whether one imports or names the other, or both are of one Go or Java package."""
    if other.path in one.imports or one.path in other.imports:
        return True
    if one.touched & other.changed_words or other.touched & one.changed_words:
        return True
    if stem_of(one) in other.changed_words or stem_of(other) in one.changed_words:
        return True
    folders = {each.path.rpartition("/")[0] for each in (one, other)}
    return len(folders) == 1 and all(each.path.endswith((".go", ".java")) for each in (one, other))
