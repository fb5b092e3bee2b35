"""How to write tasks into a roadmap: their lines, their ids, and what a text must not contain.

A text from a model or a person is hostile: it must stay one paragraph, be visible to whoever
approves it, and hide nothing near it. We ask a parser what it would become.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import count, islice, product, takewhile
from string import ascii_lowercase

from markdown_it import MarkdownIt

from runner.roadmap.checks import is_checks
from runner.roadmap.headings import split
from runner.roadmap.markdown import parse
from runner.roadmap.task import NewTask, Roadmap, Task
from runner.text.patterns import lazy_pattern

LONGEST_TITLE = 10_000
"""Characters of one text."""
_MOST_LINES = 100
_PARSER = MarkdownIt("commonmark").enable("table")
_ID = lazy_pattern(r"#?[^\W_](?:[\w. -]{0,38}\w)?")
# GitHub shows a task as done when [x] is anywhere in its line
_DONE = lazy_pattern(r"\[[xX]\]")
_BOX = lazy_pattern(r"\[[ xX]\](?:\s|\Z)")
# GitHub takes such a line for the second one of a table, also without a pipe
_RULER = lazy_pattern(r"^[ |:=+-]+$", re.MULTILINE)
# controls, lone surrogates, and characters that are not seen or turn the direction of reading
_UNSEEN = lazy_pattern(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_BLOCKS = {
    "heading_open": "a heading",
    "fence": "a code block",
    "code_block": "a code block",
    "bullet_list_open": "a list",
    "ordered_list_open": "a list",
    "blockquote_open": "a block quote",
    "hr": "a ruler",
    "html_block": "HTML",
    "table_open": "a table",
}


def tidied(text: str) -> str:
    """Return a text as it is written: line ends are LF, and no line has spaces around it."""
    return "\n".join(line.strip() for line in re.split(r"\r\n|\n|\r", text.strip()))


def task_fault(task: NewTask) -> str:
    """Say what is wrong with a new task, or ''; its texts are tidied before they are judged."""
    if task.id and not _ID.fullmatch(task.id):
        return f"the id {task.id[:40]!r} is not a short word or number"
    if len(task.details) + len(task.acceptance) > _MOST_LINES:
        return f"it has more than {_MOST_LINES} details; split it"
    if _DONE.search(task.text):
        return "its text names [x], with which GitHub shows it as done; write it in other words"
    named = [("its text", task.text)]
    named += [(f"its detail {n}", text) for n, text in enumerate(task.details, 1)]
    named += [(f"its criterion {n}", text) for n, text in enumerate(task.acceptance, 1)]
    found = ((name, text_fault(tidied(text))) for name, text in named)
    return next((f"{name} {why}" for name, why in found if why), "")


def text_fault(text: str) -> str:
    """Say why a tidied text is not one plain paragraph, or ''."""
    if not text:
        return "is empty"
    if len(text) > LONGEST_TITLE:
        return f"has {len(text)} characters; at most {LONGEST_TITLE} are allowed"
    if found := _UNSEEN.search(text):
        name = unicodedata.name(found[0], "a control character")
        return f"has an invisible character (U+{ord(found[0]):04X}, {name}); remove it"
    faults = (
        (_BOX.match(text), "begins with a checkbox; leave it out, Cairn adds one"),
        ("<!--" in text or "-->" in text, "opens or closes a comment; leave <!-- and --> out"),
        (_RULER.search(text), "has a line of dashes, which makes a heading or a table; remove it"),
    )
    if why := next((why for is_so, why in faults if is_so), ""):
        return why
    tokens = _PARSER.parse(text)
    if block := next((token for token in tokens if token.type in _BLOCKS), None):
        line = block.map[0] + 1 if block.map else 1
        return f"begins {_BLOCKS[block.type]} in line {line}; write plain sentences"
    paragraphs = [token for token in tokens if token.type == "inline"]
    if len(paragraphs) > 1:
        return "has a blank line; write one paragraph"
    if not paragraphs or paragraphs[0].content != text:
        return "defines a link, which is not shown; write the link where it is used"
    if any(child.type == "html_inline" for child in paragraphs[0].children or ()):
        return "contains HTML, which is not shown; put it in backticks"
    return ""


_ITEM = lazy_pattern(
    rb"(?P<outer>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*?)"
    rb"(?P<marker>(?:[-*+]|\d{1,9}[.)])[ \t]*)\[(?P<state>[^\]\r\n])\](?P<gap>[ \t]*)"
)
_MARK = lazy_pattern(rb"[^\t]")
_BEFORE_ID = lazy_pattern(r"[*_\[(]{0,4}(?:[^\W\d_]{1,12} )?")
_AFTER_ID = lazy_pattern(r"[*_\]).:]{0,5}(?=\s|\Z)")
_BOLD = lazy_pattern(r"\*\*|__")
_INLINE = MarkdownIt("commonmark")


@dataclass(frozen=True, slots=True)
class TaskLayout:
    """A task's marks.

    ``outer`` are its indent and lists that open on the same line, ``gap`` what follows the
    checkbox; ``state`` is where the byte between the brackets is in the file.
    """

    outer: bytes
    marker: bytes
    gap: bytes
    state: int

    @property
    def first(self) -> bytes:
        """What is before an item's text, with the checkbox."""
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


def place_at(content: bytes, start: int) -> TaskLayout | None:
    """Return how the item on the line at ``start`` is written; None without a checkbox."""
    found = _ITEM.match(content, start)
    if found is None:
        return None
    gap = found["gap"] or b" "
    return TaskLayout(found["outer"], found["marker"], gap, found.start("state"))


def own_text(task: NewTask, like: Task) -> str:
    """Return a new task's own text, its id and its bold as in the task it is written ``like``.

    That may have ``**Task `` and ``:**`` around its id, or its title in bold.
    """
    words = tidied(task.text)
    at = like.text.find(like.id) if like.id else -1
    bold_title = _BOLD.match(like.text)
    before, after = bold_title[0] if bold_title else "", ""
    if like.id and at >= 0 and _BEFORE_ID.fullmatch(like.text, 0, at):
        follows = _AFTER_ID.match(like.text, at + len(like.id))
        before, after = like.text[:at], follows[0] if follows else ""
    marks = _BOLD.findall(before + after)
    bold = marks[0] if len(marks) % 2 else ""
    led = f"{before}{task.id}{after}" if task.id else ""
    first, *rest = words.split("\n")
    marked = "\n".join(((f"{led} " if led else bold) + first + bold, *rest))
    if _shown(marked) == f"{_shown(led + bold)} {_shown(words)}".lstrip():
        return marked
    return f"{task.id} {words}".lstrip()


def written(task: NewTask, text: str, place: TaskLayout, *, first: bool) -> Written:
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


def _bullet(indent: bytes, place: TaskLayout, text: str) -> list[bytes]:
    head, *rest = tidied(text).encode().split(b"\n")
    further = indent + _blank(place.bullet)
    return [indent + place.bullet + head, *(further + line for line in rest)]


def _blank(marks: bytes) -> bytes:
    return _MARK.sub(b" ", marks)


def _shown(text: str) -> str:
    """A text as it is read: without the marks of emphasis, code and links."""
    children = _INLINE.parseInline(text)[0].children or ()
    return "".join(child.content for child in children)


_LETTERED = lazy_pattern(r"(?P<number>[A-Z]{1,8}\d{1,6}|[\d.]+(?=[a-z]))[a-z]?")


def propose_ids(roadmap: Roadmap, task: Task, parts: int) -> tuple[str, ...]:
    """Return an id for each of ``parts`` replacements of a task.

    One keeps the id. 1.2 becomes 1.2.1, 1.2.2; T001 becomes T001a, T001b. What has no id gets
    none; neither do the parts of an issue (#12), nor of one of two tasks with the same id, which
    would belong to the other.
    """
    if task.id is not None and parts == 1:
        return (task.id,)
    twice = sum(other.id == task.id for other in roadmap.tasks) > 1
    if task.id is None or task.id.startswith("#") or twice:
        return ("",) * parts
    taken = {other.id.casefold() for other in roadmap.tasks if other.id}
    names = (f"{task.id}.{n}" for n in count(1))
    if found := _LETTERED.fullmatch(task.id):  # a to z, then aa to zz and so on
        letters = (each for n in count(1) for each in product(ascii_lowercase, repeat=n))
        names = (f"{found['number']}{''.join(each)}" for each in letters)
    return tuple(islice((name for name in names if name.casefold() not in taken), parts))


LONGEST_LIST = 20_000
"""Characters of a text that are read."""


def listed(text: str) -> tuple[NewTask, ...]:
    """Return the tasks of the first list of a text; () when it begins with none.

    A number or id a task is written with becomes its id; what is nested in it its details, below
    "Acceptance:" its criteria.
    """
    blocks, _ = parse(text[:LONGEST_LIST].replace("\r\n", "\n").replace("\r", "\n"))
    own = [item for item in blocks.items if not item.quoted]
    tops = [item for item in own if item.holder is None]
    words = [each.start for each in blocks.paragraphs if each.holder is None]
    after = [start for start in words if tops and start > tops[0].start]
    end = min(after, default=len(text))
    found: list[NewTask] = []
    for top in takewhile(lambda item: item.marker == tops[0].marker and item.start < end, tops):
        id, title = split(top.text.partition("\n")[0], top.text)
        rest = top.text.partition("\n")[2]
        nested = [item for item in own if item is not top and top.start <= item.start < top.end]
        checks = [item for item in nested if item.holder and is_checks(item.holder.text)]
        checks += [item for item in nested if item.check and item not in checks]
        details = [i for i in nested if i not in checks and not is_checks(i.text)]
        found.append(
            NewTask(
                text="\n".join(filter(None, (title, rest))) if id else top.text,
                id=id or "",
                details=tuple(item.text for item in details if item.text),
                acceptance=tuple(item.text for item in checks if item.text),
            )
        )
    return tuple(found)
