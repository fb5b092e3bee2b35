"""Changed files, and what connects them: imports, names and the words of their changes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from runner.checks.asked import TaskWords, side_of, words_of
from runner.code.imports import ModulePaths, imported
from runner.code.languages import is_among_tests, language_of
from runner.code.symbols import symbols_of

LONGEST = 400_000
"""Of a larger file only so many bytes are read."""
COMMENT_SIGNS = ("#", "//", "/*", "*")
_PACKAGE_FILES = {"__init__.py", "py.typed", "mod.rs", "lib.rs", "index.ts", "index.js", "doc.go",
                  "setup.py", "conftest.py"}  # fmt: skip
_LINKED = {"python", "javascript", "typescript", "tsx", "go", "rust", "java", "php", "c", "cpp",
           "ruby"}  # fmt: skip
"""Languages whose imports show what belongs together."""
_COMMON_WORDS = (
    "self this that return import from class def func function const let var true false none null "
    "name value values data type types text string list dict path file files line lines index "
    "args kwargs item items key keys result results error errors test tests expected actual "
    "assert should with when then than each into only also must have make made take takes uses "
    "used using user add adds added new old set get put run code change changes changed update "
    "fix fixes remove removed number numbers int float bool str object module method call calls "
    "given default option options if else elif for while try except raise pass yield async await "
    "lambda not and the are was were is in or as it its an by be on to of at no do does use "
    "public private static void package main please same other more less some any all one two "
    "first last empty input output support export exports exported imports imported"
)
_COMMON = frozenset(_COMMON_WORDS.split())
"""Words that code of any kind has: sharing one connects nothing."""


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
        known = (symbols_of(self.path, text[:LONGEST]) for text in self._versions)
        return frozenset(d.name for symbols in known for d in symbols.definitions)

    @cached_property
    def new_definitions(self) -> frozenset[str]:
        """The names that only the new version defines."""
        old = symbols_of(self.path, (self.old or b"")[:LONGEST]).definitions
        return self.definitions - {definition.name for definition in old}

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of both versions."""
        return words_of([self.text])

    @cached_property
    def imports(self) -> frozenset[str]:
        """Paths of the files that either version imports."""
        found = (symbols_of(self.path, text[:LONGEST]).imports for text in self._versions)
        return frozenset(t for each in found for t in imported(self.path, each, self.places))

    @property
    def _versions(self) -> Iterable[bytes]:
        return (text for text in (self.old, self.new) if text)

    @cached_property
    def changed_lines(self) -> tuple[str, ...]:
        """The lines that one version has and the other has not."""
        old, new = (counted_lines((text or b"")[:LONGEST]) for text in (self.old, self.new))
        return (*(old - new), *(new - old))

    @cached_property
    def changed_words(self) -> frozenset[str]:
        """The words of the changed lines that connect files (see ``tells``)."""
        return frozenset(w for w in words_of(self.changed_lines) if tells(w))

    @property
    def text(self) -> str:
        """Both versions, one after the other."""
        return "\n".join(text.decode("utf-8", "replace") for text in self._versions)


def counted_lines(text: bytes) -> Counter[str]:
    """How often each line stands in a text."""
    return Counter(text.decode("utf-8", "replace").split("\n"))


def tells(word: str) -> bool:
    """Whether a word is rare enough in code that sharing it connects two files."""
    return len(word) > 2 and word.lower() not in _COMMON


def is_source(path: str) -> bool:
    """Whether a path is code: neither documentation nor settings."""
    return side_of(path) is None and language_of(path) != ""


def is_named(file: ChangedFile, asked: TaskWords) -> bool:
    """Whether the task names the file, or something that it defines."""
    if asked.names_file(file.path):
        return True
    return file.path.rpartition("/")[2].partition(".")[0] in asked.names or bool(
        file.definitions & asked.names
    )


def connected(files: Mapping[str, ChangedFile], seeds: set[str], asked: TaskWords) -> set[str]:
    """Return the files that lead to the named ones, by imports, by name or by their topic."""
    inside = set(seeds)
    topic = {word for word in asked.words | asked.names if tells(word)}
    inside |= {path for path, file in files.items() if stays(file) or topic & stem_words(path)}
    grown = True
    while grown:
        grown = False
        for path, file in files.items():
            if path in inside:
                continue
            others = [files[p] for p in inside]
            if _about(file, topic, others) or any(_linked(file, other) for other in others):
                inside.add(path)
                grown = True
    return inside


def stem_words(path: str) -> set[str]:
    """The words of a file's name, without its suffixes, in small letters."""
    stem = path.rpartition("/")[2].partition(".")[0].lower()
    return {stem, *re.split(r"[_-]", stem)}


def stays(file: ChangedFile) -> bool:
    """Whether imports cannot show this (no source file, a package file), or a test is new."""
    name = file.path.rpartition("/")[2]
    if language_of(file.path) not in _LINKED or name in _PACKAGE_FILES:
        return True
    return is_among_tests(file.path) and not only_comments(file)


def only_comments(file: ChangedFile) -> bool:
    """Whether nothing but comments and blanks changed in a file that was there."""
    lines = (line.strip() for line in file.changed_lines)
    return file.old is not None and not any(
        line and not line.startswith(COMMENT_SIGNS) for line in lines
    )


def _about(file: ChangedFile, topic: set[str], others: Iterable[ChangedFile]) -> bool:
    """Whether what changed in a file mentions the task, or what the others newly define."""
    words = file.changed_words
    if topic & words or {w.lower() for w in words} & topic:
        return True
    return any(words & other.changed_words & other.definitions for other in others) or any(
        words & file.definitions & other.changed_words for other in others
    )


def _linked(one: ChangedFile, other: ChangedFile) -> bool:
    """Whether one imports or names the other, or both are of one Go or Java package."""
    if other.path in one.imports or one.path in other.imports:
        return True
    if _names(one, other) or _names(other, one):
        return True
    if _tests(one, other) or _tests(other, one):
        return True
    same_folder = one.path.rpartition("/")[0] == other.path.rpartition("/")[0]
    return (
        same_folder
        and one.path.endswith((".go", ".java"))
        and other.path.endswith((".go", ".java"))
    )


def _tests(one: ChangedFile, other: ChangedFile) -> bool:
    """Whether one is a test file that uses a name the other defines."""
    defined = {name for name in other.definitions if tells(name)}
    return is_among_tests(one.path) and bool(defined & one.words)


def _names(one: ChangedFile, other: ChangedFile) -> bool:
    stem = other.path.rpartition("/")[2].partition(".")[0]
    return tells(stem) and stem in one.changed_words
