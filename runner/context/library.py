"""A tree's files together: search, who defines what, who imports whom, and the kind of project.

Facts are kept by blob sha, in memory and on disk, so each content is read once.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, islice
from threading import Lock
from typing import Protocol

from cachetools import LRUCache

from runner.code.imports import ModulePaths, imported
from runner.code.languages import language_of
from runner.context.facts import NOTHING, FileFacts, bytes_of, facts_of, no_source
from runner.context.search import Search, terms
from runner.state.changes import EXECUTABLE, FILE, SUBMODULE, Snapshot, TreeEntry
from runner.text.counting import counted
from runner.text.mask import is_secret_file


class Library:
    """The facts of a tree's files: search, who defines and uses a name, who imports whom.

    Who imports whom is worked out when it is asked for: of 20,000 files few matter for a task.
    """

    def __init__(self, facts: Mapping[str, FileFacts]) -> None:
        self.facts = facts
        self._paths = list(facts)
        rows = list(facts.values())
        sizes = [len(row.terms) // _HASH for row in rows]
        terms, counts = b"".join(r.terms for r in rows), b"".join(r.counts for r in rows)
        self.search = Search(self._paths, terms, counts, sizes)
        self._names = _Postings(self._paths, [row.names for row in rows])
        self._used = _Postings(self._paths, [row.references for row in rows])
        self._imports = _Postings(self._paths, [row.imports for row in rows])
        self._places = ModulePaths(facts)
        self._imported: dict[str, frozenset[str]] = {}

    def definers(self, name: str) -> tuple[str, ...]:
        """Files that define a name, in order of path."""
        found = self._names.having(name)
        if len(found) > _MOST_CHECKED:
            return tuple(found)
        return tuple(
            sorted(
                path
                for path in found
                if name in {d.name for d in self.facts[path].symbols.definitions}
            )
        )

    def users(self, name: str) -> list[str]:
        """Files that call or mention a name in code, in order of path."""
        return self._used.having(name)

    def imports(self, path: str) -> frozenset[str]:
        """Files that a file imports."""
        if path not in self._imported:
            known = self.facts.get(path, NOTHING)
            found = imported(path, known.statements, self._places) if known.imports else ()
            self._imported[path] = frozenset(found)
        return self._imported[path]

    def importers(self, path: str) -> frozenset[str]:
        """Files that import a file."""
        folder, _, name = path.rpartition("/")
        stem = name.partition(".")[0]
        near = dict.fromkeys(self._imports.having(stem))
        if stem in _NAMELESS or path.endswith(".go"):  # its folder's name is what is imported
            near |= dict.fromkeys(self._imports.having(folder.rpartition("/")[2]))
        if stem in _NAMELESS:  # ``from . import x`` names neither
            inside = f"{folder}/" if folder else ""
            near |= {p: None for p in self._imports.having(".") if p.startswith(inside)}
        return frozenset(p for p in list(near)[:_MOST_IMPORTERS] if path in self.imports(p))


_HASH = 4
_NAMELESS = frozenset({"__init__", "index", "mod", "lib"})
_MOST_IMPORTERS, _MOST_CHECKED = 5_000, 100


class _Postings:
    """Which files have a word, by its hash."""

    def __init__(self, paths: Sequence[str], rows: Sequence[bytes]) -> None:
        self._paths = paths
        self._hashes = b"".join(rows)
        self._ends = list(accumulate(map(len, rows)))

    def having(self, word: str) -> list[str]:
        """Return the paths, in their order."""
        wanted, found = bytes_of(word), list[str]()
        at = self._hashes.find(wanted)
        while at >= 0:
            if at % _HASH == 0:  # otherwise it only straddles two hashes
                found.append(self._paths[bisect_right(self._ends, at)])
            at = self._hashes.find(wanted, at + 1)
        return found


def library(facts: Mapping[str, FileFacts]) -> Library:
    """Put what is known of single files together, in order of path."""
    return Library({path: facts[path] for path in sorted(facts)})


_MOST = 256_000_000
"""Bytes of all facts together that are held in memory."""

Key = tuple[str, str]


class FactsStore(Protocol):
    """Where facts are kept from one process to the next; it fails without saying so."""

    def get(self, sha: str, language: str) -> FileFacts | None:
        """Return what was kept of a blob."""

    def put(self, new: Mapping[Key, FileFacts]) -> None:
        """Keep these."""


class Index:
    """Shared by all runs of a process and used from worker threads, hence the lock."""

    def __init__(self, store: FactsStore | None = None) -> None:
        self._lock = Lock()
        self._store = store
        self._new: dict[Key, FileFacts] = {}
        self._facts: LRUCache[Key, FileFacts] = LRUCache(
            _MOST, getsizeof=lambda facts: facts.weight
        )
        self._libraries: LRUCache[frozenset[tuple[str, str]], Library] = LRUCache(2)

    def known(self, path: str, sha: str) -> FileFacts | None:
        """Return the facts of a blob, if it was read before."""
        key = sha, language_of(path)
        with self._lock:
            facts: FileFacts | None = self._facts.get(key)
            if facts is None and self._store and (facts := self._store.get(*key)):
                self._facts[key] = facts
            return facts

    def learn(self, path: str, sha: str, content: bytes) -> FileFacts:
        """Read a blob and keep its facts."""
        facts = facts_of(path, content)
        key = sha, language_of(path)
        with self._lock:
            self._facts[key] = facts
            if self._store:
                self._new[key] = facts
        return facts

    def keep(self) -> None:
        """Store what was learned, for other processes."""
        with self._lock:
            new, self._new = self._new, {}
            if self._store and new:
                self._store.put(new)

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


def likely_to_have(index: Index, base: Snapshot, words: str) -> list[str]:
    """Return the files of a tree that have all of these words, as far as the index knows them."""
    wanted = [bytes_of(term) for term in dict.fromkeys(terms(words))]
    if not wanted:
        return []
    known = ((path, index.known(path, entry.sha)) for path, entry in base.entries.items())
    return [p for p, f in known if f and all(each in f.terms for each in wanted)]


MAX_FILE = 1_000_000
"""Bytes of a file that is read."""

_MOST_DATA = 64_000
"""Bytes of a file that is read though its language is not known and no task names it."""

MAX_FILES, MAX_BYTES = 30_000, 200_000_000
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
    about = frozenset(terms(text))
    named = [p for p in dict.fromkeys(first) if readable(entries, p)]
    fit = [p for p in entries if readable(entries, p) and not _is_data(p, entries[p].size)]
    kept: list[str] = []
    size = 0
    for path in dict.fromkeys([*named, *sorted(fit, key=lambda p: _order(p, about))]):
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


def _order(path: str, about: frozenset[str]) -> tuple[bool, int, bool, int, str]:
    shared = len(about.intersection(terms(path))) if about else 0
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
    shown = [
        f"{folder}/ ({counted(count, 'file')})"
        if folder
        else f"({counted(count, 'file')} at the root)"
        for folder, count in sorted(folders.items(), key=lambda item: (item[0].count("/"), item))
    ]
    room = most - len(kept) - 1
    rest = len(shown) - room
    return [
        *kept,
        *shown[:room],
        *([f"... and {counted(rest, 'more folder')}"] if rest > 0 else []),
    ]
