"""How a task is written on its line, and how another one is written beside it or into it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from runner.roadmap.misfit import tidied
from runner.roadmap.new_task import NewTask
from runner.roadmap.task import Task

_ITEM = re.compile(
    rb"(?P<outer>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*?)"
    rb"(?P<marker>(?:[-*+]|\d{1,9}[.)])[ \t]+)\[(?P<state>[ xX])\](?P<gap>[ \t]*)"
)
_MARK = re.compile(rb"[^\t]")
_BEFORE_ID = re.compile(r"[*_\[(]{0,4}(?:[^\W\d_]{1,12} )?")
_AFTER_ID = re.compile(r"[*_\]).:]{0,5}(?=\s|\Z)")
_BOLD = re.compile(r"\*\*|__")
_INLINE = MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True)
class Place:
    """A task's marks.

    ``outer`` are its indent and lists that open on the same line, ``gap`` what follows the box;
    ``state`` is where the byte between the brackets stands in the file.
    """

    outer: bytes
    marker: bytes
    gap: bytes
    state: int

    @property
    def first(self) -> bytes:
        """What stands before an item's text, box included."""
        return self.outer + self.marker + b"[ ]" + self.gap

    @property
    def beside(self) -> bytes:
        """The same for a further item of the same list."""
        return _blank(self.outer) + self.marker + b"[ ]" + self.gap

    @property
    def inside(self) -> bytes:
        """Blanks up to the column of the item's content; tabs stay, so that nothing is counted."""
        return _blank(self.outer + self.marker)

    @property
    def bullet(self) -> bytes:
        """The mark of a plain list below the item."""
        mark = self.marker[:1]
        return (mark if mark in b"-*+" else b"-") + b" "


@dataclass(frozen=True, slots=True)
class Written:
    """A new task as it is written: the lines of its own text, and those nested in it.

    ``text`` is what a parser must read back.
    """

    text: str
    own: tuple[bytes, ...]
    nested: tuple[bytes, ...]


def place_at(content: bytes, start: int) -> Place | None:
    """Return how the item on the line at ``start`` is written; None when no box is there."""
    found = _ITEM.match(content, start)
    if found is None:
        return None
    gap = found["gap"] or b" "
    return Place(found["outer"], found["marker"], gap, found.start("state"))


def own_text(task: NewTask, like: Task | None) -> str:
    """Return a new task's own text, its id and its bold as in the task it is written ``like``."""
    words = tidied(task.text)
    before, after = _manner(like) if like else ("", "")
    marks = _BOLD.findall(before + after)
    bold = marks[0] if len(marks) % 2 else ""
    led = f"{before}{task.id}{after}" if task.id else ""
    first, *rest = words.split("\n")
    marked = "\n".join(((f"{led} " if led else bold) + first + bold, *rest))
    if _shown(marked) == f"{_shown(led + bold)} {_shown(words)}".lstrip():
        return marked
    return f"{task.id} {words}".lstrip()


def written(task: NewTask, text: str, place: Place, *, first: bool) -> Written:
    """Return the lines of a new task; ``first`` for the one that takes the place itself."""
    head, *rest = text.encode().split(b"\n")
    own = ((place.first if first else place.beside) + head, *(place.inside + line for line in rest))
    deeper = place.inside + _blank(place.bullet)
    nested = [line for detail in task.details for line in _bullet(place.inside, place, detail)]
    if task.acceptance:
        nested.append(place.inside + place.bullet + b"Acceptance:")
    for criterion in task.acceptance:
        nested += _bullet(deeper, place, criterion)
    return Written(text, own, tuple(nested))


def _bullet(indent: bytes, place: Place, text: str) -> list[bytes]:
    head, *rest = tidied(text).encode().split(b"\n")
    further = indent + _blank(place.bullet)
    return [indent + place.bullet + head, *(further + line for line in rest)]


def _blank(marks: bytes) -> bytes:
    return _MARK.sub(b" ", marks)


def _manner(task: Task) -> tuple[str, str]:
    """What stands around the id of a task (``**Task `` and ``:**``), or before its bold title."""
    at = task.text.find(task.id) if task.id else -1
    if task.id and at >= 0 and _BEFORE_ID.fullmatch(task.text, 0, at):
        after = _AFTER_ID.match(task.text, at + len(task.id))
        return task.text[:at], after[0] if after else ""
    bold = _BOLD.match(task.text)
    return (bold[0] if bold else ""), ""


def _shown(text: str) -> str:
    """A text as it is read: without the marks of emphasis, code and links."""
    children = _INLINE.parseInline(text)[0].children or ()
    return "".join(child.content for child in children)
