"""A tree's files together: search, who defines what, who imports whom, and the kind of project.

Facts are kept in memory by blob sha, so each content is read once per process.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from threading import Lock

from cachetools import LRUCache

from runner.code.imports import ModulePaths, imported
from runner.code.languages import language_of
from runner.code.symbols import NONE, Symbols, symbols_of
from runner.context.search import Search, Vectors, terms
from runner.state.changes import EXECUTABLE, FILE, SUBMODULE, Snapshot, TreeEntry
from runner.text.mask import is_secret_file


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Symbols and search terms of one file."""

    symbols: Symbols = NONE
    terms: tuple[str, ...] = ()

    @property
    def weight(self) -> int:
        """About how much memory it takes, in references."""
        symbols = self.symbols
        return 20 + len(self.terms) + 12 * len(symbols.definitions) + len(symbols.references)


NOTHING = FileFacts()


_LFS = b"version https://git-lfs.github.com/spec/"
_MINIFIED, _LONG_LINES = 10_000, 300


def no_source(content: bytes) -> str:
    """Why nobody would read a file: it is binary, a pointer of Git LFS, or minified; '' if not."""
    if b"\0" in content[:8_000]:
        return "is not text"
    if content.startswith(_LFS):
        return "is kept with Git LFS"
    if len(content) > _MINIFIED and len(content) > _LONG_LINES * (content.count(b"\n") + 1):
        return "has very long lines: it is probably generated"
    return ""


def facts_of(path: str, content: bytes) -> FileFacts:
    """Read a file; one that is no source has no facts. What it defines counts twice in search."""
    if no_source(content):
        return NOTHING
    symbols = symbols_of(path, content)
    names = " ".join(definition.name for definition in symbols.definitions)
    words = terms(content.decode("utf-8", "replace"), most=_MOST_TERMS)
    return FileFacts(symbols, (*words, *terms(names)))


_MOST_TERMS = 100_000


_PATH_COUNTS = 3


@dataclass(frozen=True)
class Library:
    """``imports`` and ``importers`` by path; ``definers`` by name, in order of path."""

    facts: Mapping[str, FileFacts]
    search: Search
    imports: Mapping[str, frozenset[str]]
    importers: Mapping[str, frozenset[str]]
    definers: Mapping[str, tuple[str, ...]]


def library(facts: Mapping[str, FileFacts]) -> Library:
    """Put what is known of single files together."""
    places = ModulePaths(facts)
    imports = {
        path: imported(path, known.symbols.imports, places)
        for path, known in facts.items()
        if known.symbols.imports
    }
    documents = {
        path: (*known.terms, *terms(_without_suffix(path)) * _PATH_COUNTS)
        for path, known in facts.items()
    }
    return Library(facts, Search(documents), imports, _reversed(imports), _definers(facts))


def _without_suffix(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(".")[0] or name)


def _reversed(imports: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    importers: dict[str, set[str]] = defaultdict(set)
    for path, targets in imports.items():
        for target in targets:
            importers[target].add(path)
    return {path: frozenset(found) for path, found in importers.items()}


def _definers(facts: Mapping[str, FileFacts]) -> dict[str, tuple[str, ...]]:
    definers: dict[str, dict[str, None]] = defaultdict(dict)
    for path in sorted(facts):
        for definition in facts[path].symbols.definitions:
            definers[definition.name][path] = None
    return {name: tuple(paths) for name, paths in definers.items()}


_MOST = 6_000_000
"""References held by all facts together, about 100 MB."""

Key = tuple[str, str]


class Index:
    """Shared by all runs of a process and used from worker threads, hence the lock."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._facts: LRUCache[Key, FileFacts] = LRUCache(
            _MOST, getsizeof=lambda facts: facts.weight
        )
        self.vectors = Vectors()
        self._libraries: LRUCache[frozenset[tuple[str, str]], Library] = LRUCache(2)

    def known(self, path: str, sha: str) -> FileFacts | None:
        """Return the facts of a blob, if it was read before."""
        with self._lock:
            facts: FileFacts | None = self._facts.get((sha, language_of(path)))
            return facts

    def learn(self, path: str, sha: str, content: bytes) -> FileFacts:
        """Read a blob and keep its facts."""
        facts = facts_of(path, content)
        with self._lock:
            self._facts[sha, language_of(path)] = facts
        return facts

    def library(self, facts: Mapping[str, FileFacts], shas: Mapping[str, str]) -> Library:
        """Return the library of these files; ``shas`` (by path) name it."""
        key = frozenset((path, shas[path]) for path in facts)
        with self._lock:
            kept: Library | None = self._libraries.get(key)
        if kept is None:
            kept = library(facts)
            with self._lock:
                self._libraries[key] = kept
        return kept


MAX_FILE = 1_000_000
"""Bytes of a file that is read."""

_MOST_DATA = 64_000
"""Bytes of a file that is read though its language is not known and no task names it."""

MAX_FILES, MAX_BYTES = 4_000, 24_000_000
"""Read of one tree at most; the rest is only listed."""

_FOREIGN = re.compile(
    r"(?:^|/)(?:node_modules|vendor|third_party|dist|build|target|\.venv|venv|__pycache__)/"
    r"|\.min\.(?:js|css)$|(?:^|[-./])lock(?:file)?(?:\.\w+)?$"
)
_BINARY = re.compile(
    r"\.(?:png|jpe?g|gif|ico|webp|bmp|pdf|zip|gz|bz2|xz|tar|jar|class|so|o|a|dll|exe|woff2?|ttf|otf"
    r"|eot|mp[34]|mov|avi|wav|ogg|pyc|bin|dat|db|sqlite3?|wasm|svg)$",
    re.IGNORECASE,
)


def readable(entries: Mapping[str, TreeEntry], path: str) -> bool:
    """Whether a path is a file that may be quoted: an ordinary one, not too large, no secrets."""
    entry = entries.get(path)
    if entry is None or is_secret_file(path):
        return False
    return entry.mode in (FILE, EXECUTABLE) and entry.size <= MAX_FILE


def chosen(entries: Mapping[str, TreeEntry], *, text: str, first: Iterable[str]) -> list[str]:
    """Return the paths to read, ``first`` before all, within the bounds on number and bytes.

    Code comes before other text, paths that share words with the task before others, those near
    the root before deep ones.
    """
    about = set(terms(text))
    fit = [p for p in entries if readable(entries, p) and not _is_data(p, entries[p].size)]
    kept: list[str] = []
    size = 0
    for path in dict.fromkeys([*first, *sorted(fit, key=lambda p: _order(p, about))]):
        if not readable(entries, path):
            continue
        size += entries[path].size
        if len(kept) == MAX_FILES or size > MAX_BYTES:
            break
        kept.append(path)
    return kept


def _is_data(path: str, size: int) -> bool:
    """Whether a file is read only if it is named: a picture, much data, a large copy of others."""
    if _BINARY.search(path):
        return True
    return size > _MOST_DATA and (not language_of(path) or bool(_FOREIGN.search(path)))


def _order(path: str, about: Collection[str]) -> tuple[bool, int, bool, int, str]:
    shared = len(set(terms(path)) & set(about))
    return bool(_FOREIGN.search(path)), -shared, not language_of(path), path.count("/"), path


_MOST_NAMED, _OF_FOLDER = 40, 30


def not_shown(named: Iterable[str], base: Snapshot, contents: Mapping[str, bytes]) -> Iterator[str]:
    """Say which named files are not shown: for their size, their secrets, or what they are."""
    for path in named:
        entry = base.entries.get(path)
        if entry is None:
            continue
        if is_secret_file(path):
            yield f"`{path}` may hold secrets and is not shown."
        elif entry.mode == SUBMODULE:
            yield f"`{path}` is a submodule: its files belong to another repository."
        elif entry.size > MAX_FILE:
            yield f"`{path}` has {entry.size:,} bytes and is not shown."
        elif why := no_source(contents.get(path, b"")):
            yield f"`{path}` {why}."


def near_misses(named: Iterable[str], base: Snapshot) -> list[str]:
    """Say which named path does not exist though a very similar one does."""
    notes = []
    for path in named:
        if path not in base.entries and (meant := _namesake(path, base)):
            notes.append(f"`{path}` does not exist, but `{meant}` does; it is probably meant.")
    return notes


def existing(named: Iterable[str], base: Snapshot) -> list[str]:
    """Named files, the files of named folders, and what is probably meant by a misspelt path."""
    found: dict[str, None] = {}
    for name in dict.fromkeys(named):
        if name in base.entries:
            found[name] = None
        elif name.endswith("/"):
            inside = (path for path in base.entries if path.startswith(name))
            found |= dict.fromkeys(islice(inside, _OF_FOLDER))
        elif meant := _namesake(name, base):
            found[meant] = None
    return list(found)[:_MOST_NAMED]


def _namesake(path: str, base: Snapshot) -> str | None:
    """The file of the same name in a folder of nearly the same name, if there is one."""
    name = path.rpartition("/")[2]
    same = [other for other in base.entries if other.rpartition("/")[2] == name]
    close = difflib.get_close_matches(path, same, n=1, cutoff=0.85)
    return close[0] if name and close else None


_MARKS = {
    "pyproject.toml": "Python",
    "setup.py": "Python",
    "setup.cfg": "Python",
    "requirements.txt": "Python",
    "package.json": "JavaScript",
    "tsconfig.json": "TypeScript",
    "go.mod": "Go",
    "Cargo.toml": "Rust",
    "pom.xml": "Java (Maven)",
    "build.gradle": "Java (Gradle)",
    "build.gradle.kts": "Kotlin or Java (Gradle)",
    "CMakeLists.txt": "C or C++ (CMake)",
    "Makefile": "make",
    "Gemfile": "Ruby",
    "composer.json": "PHP",
    "Dockerfile": "Docker",
}
_TESTS = frozenset({"test", "tests", "spec", "__tests__"})


def project_type(paths: Collection[str]) -> str:
    """Say in one line what the tree is made of, or ''."""
    marks = [f"{kind} ({name})" for name, kind in _MARKS.items() if name in paths]
    counts = Counter(filter(None, map(language_of, paths)))
    files = [f"{count} {name}" for name, count in counts.most_common(3)]
    tests = sorted({top for top in (path.split("/")[0] for path in paths) if top in _TESTS})
    parts = [
        ", ".join(marks),
        f"files: {', '.join(files)}" if files else "",
        f"tests in {', '.join(f'{name}/' for name in tests)}" if tests else "",
    ]
    return "; ".join(filter(None, parts))


def layout(paths: Collection[str], *, near: Collection[str], most: int) -> list[str]:
    """Return at most ``most`` lines: every path, or folders with counts and the paths ``near``.

    The folders of ``near`` files are listed in full first, for their neighbours matter most.
    """
    everything = sorted(paths)
    if len(everything) <= most:
        return everything
    folders = Counter(path.rpartition("/")[0] for path in everything)
    close = {path.rpartition("/")[0] for path in near}
    kept = [path for path in everything if path.rpartition("/")[0] in close][: most // 2]
    counted = [
        f"{folder}/ ({count} files)" if folder else f"({count} files at the root)"
        for folder, count in sorted(folders.items(), key=lambda item: (item[0].count("/"), item))
    ]
    room = most - len(kept) - 1
    rest = len(counted) - room
    return [*kept, *counted[:room], *([f"... and {rest} more folders"] if rest > 0 else [])]
