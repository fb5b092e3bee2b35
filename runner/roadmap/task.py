"""A task of a roadmap as a value, a new task to write, and the files that a task names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Kind = Literal["work", "check", "summary"]


@dataclass(frozen=True, slots=True)
class Heading:
    """One heading on the way to a task; ``line`` counts from 1."""

    level: int
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """What is below one heading, up to the next heading of any level.

    ``path`` is the heading path, this heading last; ``number`` the number it is written with
    ("1.2", "Phase 3" → "3"; '' without one). ``line`` is the heading's, ``end_line`` the last one
    of its own text; ``text`` is that text up to the first list of tasks, ``below`` what is written
    after that between and below its tasks.
    """

    path: tuple[Heading, ...]
    number: str
    line: int
    end_line: int
    text: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class TaskPlace:
    """Where a task is in its file.

    Lines count from 1; ``text_end_line`` is the last one of its own text, ``end_line`` includes
    nested content. ``parent`` is the key of the task it is nested in, ``section`` what its section
    says before the list, ``label`` the line that introduces the list. ``home`` is the path of a
    section elsewhere that says what an item of an overview is about (() for none), ``turn`` the
    line at which such an item is worked on (0 for its own).
    """

    line: int = 1
    text_end_line: int = 1
    end_line: int = 1
    depth: int = 0
    parent: str | None = None
    headings: tuple[Heading, ...] = ()
    home: tuple[Heading, ...] = ()
    turn: int = 0
    section: str = ""
    label: str = ""
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class TaskMarks:
    """What is stated of a task besides what to do.

    ``parallel`` is spec-kit's ``[P]``; ``template`` and ``struck`` tasks are placeholders and
    crossed-out ones.
    """

    optional: bool = False
    priority: str | None = None
    effort: str | None = None
    parallel: bool = False
    struck: bool = False
    template: bool = False


@dataclass(frozen=True)
class Task:
    """One task item of a roadmap.

    ``text`` is the item's own text, ``title`` that without id and markers, ``details`` what is
    nested in it. ``depends_on`` are keys, ``depends_text`` what could not be resolved to one.
    """

    key: str
    id: str | None
    title: str
    text: str
    checked: bool
    kind: Kind
    place: TaskPlace = field(default_factory=TaskPlace)
    details: str = ""
    acceptance: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ()
    depends_text: tuple[str, ...] = ()
    marks: TaskMarks = field(default_factory=TaskMarks)

    @property
    def name(self) -> str:
        """What people call it: its written id, else its key."""
        return self.id or self.key

    def with_note(self, note: str) -> Task:
        """Return the task with what a person adds to it for one run."""
        if not note:
            return self
        details = "\n\n".join(filter(None, [self.details, f"A person adds: {note}"]))
        named = dict.fromkeys((*self.files, *files(note)))
        return replace(self, details=details, files=tuple(named))

    def placed(self, places: Mapping[str, str]) -> Task:
        """Return the task with the files it names called as the whole repository calls them."""
        if not places:
            return self
        longest_first = sorted(map(re.escape, places), key=len, reverse=True)
        named = re.compile(rf"(?<![\w./@-])(?:{'|'.join(longest_first)})(?![\w/-]|\.\w)")

        def said(text: str) -> str:
            return named.sub(lambda found: places[found[0]], text)

        return replace(
            self,
            text=said(self.text),
            details=said(self.details),
            acceptance=tuple(map(said, self.acceptance)),
            place=replace(self.place, section=said(self.place.section)),
            files=tuple(places.get(path, path) for path in self.files),
        )

    @property
    def around(self) -> tuple[Heading, ...]:
        """The headings of what says what to do."""
        return self.place.home or self.place.headings

    @property
    def runnable(self) -> bool:
        """Whether a run takes it unasked."""
        marks = self.marks
        return self.kind == "work" and not (marks.optional or marks.struck or marks.template)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that reads like a task but has no checkbox: listed, never run.

    ``why`` names the form it was recognised by (heading, numbered, table, emoji).
    """

    line: int
    end_line: int
    title: str
    why: str


@dataclass(frozen=True, slots=True)
class Warning:
    """Something about the file a person can act on; ``line`` and ``column`` count from 1."""

    line: int
    column: int
    code: str
    message: str


@dataclass(frozen=True)
class Roadmap:
    """A parsed roadmap file; ``content`` is its bytes, untouched.

    ``eol`` is lf, crlf, cr or mixed. ``asks`` says why nothing of it is run unless a person asks
    for it (or ''): all checkboxes are checks, or it is a template.
    """

    path: str
    content: bytes
    tasks: tuple[Task, ...]
    warnings: tuple[Warning, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    sections: tuple[Section, ...] = ()
    eol: str = "lf"
    bom: bool = False
    asks: str = ""


@dataclass(frozen=True, slots=True)
class NewTask:
    """What to write, without marks: list marker, checkbox, indent and bold come from the file.

    ``text`` is the task's own text (further lines after ``\\n``), ``id`` the number written before
    it ('' for none), ``details`` become nested bullets, ``acceptance`` those below "Acceptance:".
    """

    text: str
    id: str = ""
    details: tuple[str, ...] = ()
    acceptance: tuple[str, ...] = ()


_SPAN = re.compile(r"`([^`\s]{1,200})`")
_LISTED = re.compile(
    r"(?:\*\*|\b)files?(?:\*\*)?\s{0,3}:(?:\*\*)?\s{0,3}([^\n()]{1,400})", re.IGNORECASE
)
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+\[\]()-]+)*/?")
_ROUTES = ("api/",)
# a recovery's trail names what the task before was about
_HIDDEN = re.compile(r"^[ \t]*<!--.*$", re.MULTILINE)


def files(text: str) -> tuple[str, ...]:
    """Return paths in code spans and after "Files:", each once, in the order they are named.

    Absolute paths, ``..``, URLs, routes and what a comment hides do not count.
    """
    if "<!--" in text:
        text = _HIDDEN.sub("", text)
    spans = _SPAN.findall(text) if "`" in text else []
    return tuple(dict.fromkeys(span for span in (*spans, *_listed(text)) if _is_path(span)))


def from_the_top(named: Iterable[str], folder: str, paths: Collection[str]) -> dict[str, str]:
    """Return those files that a plan names from its project's folder, with their whole paths.

    ``paths`` are all files of the repository. A file that is nowhere yet goes where the first
    folder of its path is, else into the project.
    """
    found: dict[str, str] = {}
    for path in named:
        inner, first = f"{folder}/{path}", path.partition("/")[0]
        if inner in paths:
            found[path] = inner
        elif path not in paths and not path.startswith(f"{folder}/"):
            tops = (f"{folder}/{first}/", f"{first}/") if "/" in path else ()
            there = [top for top in tops if any(each.startswith(top) for each in paths)]
            if there[:1] != [f"{first}/"]:
                found[path] = inner
    return found


def listed_files(text: str) -> tuple[str, ...]:
    """Return the paths after "Files:", where a task says which files it writes."""
    return tuple(dict.fromkeys(span for span in _listed(text) if _is_path(span)))


def _listed(text: str) -> list[str]:
    found = _LISTED.findall(text) if ":" in text else []
    return [part.strip("`*. ") for listed in found for part in re.split(r"[,;\s]+", listed)]


def _is_path(span: str) -> bool:
    if _PATH.fullmatch(span) is None or ".." in span:
        return False
    stem, dot, suffix = span.rstrip("/").rpartition(".")
    named = bool(
        dot and stem and 1 <= len(suffix) <= 5 and suffix.isalnum() and suffix[0].isalpha()
    )
    return named or ("/" in span and not span.startswith(_ROUTES))
