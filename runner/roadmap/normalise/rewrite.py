"""Write the tasks of a file as items with checkboxes: lines change, every word stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from runner.roadmap.normalise.outline import OutlineBlock, OutlineItem, Part, status_of
from runner.roadmap.normalise.sorts import Mark, marked_lines, sort_of, title_mark, value_mark
from runner.roadmap.normalise.task_sources import (
    Above,
    TaskSource,
    is_id,
    status_column,
    title_column,
)
from runner.roadmap.source import Splice
from runner.roadmap.task import Task

Verdict = Literal["proposed", "nothing", "unclear", "unreadable"]
"""There is a proposal; nothing is to be done; the structure does not say what the tasks are (a
model may be asked); the file is larger than is read."""


@dataclass(frozen=True, slots=True)
class ReviewNote:
    """Something a reviewer should look at; ``line`` is a line of the old file, from 1."""

    line: int
    message: str


@dataclass(frozen=True)
class NormalizedRoadmap:
    """What to write instead of ``old``; ``new`` equals it unless the verdict is ``proposed``.

    ``why`` is one sentence for people; ``tasks`` are those of the new file, as the parser reads
    them; ``notes`` name every decision about a state; ``unread`` the lists and tables that were
    left as they are, ``left`` the first and last lines (from 1) of what may be tasks beside those
    that are; ``dropped`` what a model named that is not in the file. Texts quote the roadmap:
    sanitize them before they are published.
    """

    path: str
    old: bytes
    new: bytes
    verdict: Verdict
    why: str
    tasks: tuple[Task, ...] = ()
    notes: tuple[ReviewNote, ...] = ()
    unread: tuple[ReviewNote, ...] = ()
    left: tuple[tuple[int, int], ...] = ()
    dropped: tuple[str, ...] = ()
    by_model: bool = False


_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_BOX = re.compile(r"(?P<marker>[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[(?P<state>[ xX])\][ \t]*")
_CUSTOM = re.compile(r"\[[^\w\s\[\]]\]\s")
_ATX = re.compile(r"(?P<marks> {0,3}#{1,6})(?:[ \t]+(?P<text>.*?))?(?P<close>(?:[ \t]+#+)?[ \t]*)$")


@dataclass(frozen=True, slots=True)
class NewLine:
    """A line of the new file; ``box`` says whether it opens a task, and if it is done."""

    text: str
    box: bool | None = None


@dataclass
class RoadmapDraft:
    """The new file on the way: by old line its text, what follows it, and how far it moves in.

    Of the lines that are ``gone`` only what follows them stays.
    """

    lines: list[str]
    boxes: dict[int, bool] = field(default_factory=dict)
    after: dict[int, list[NewLine]] = field(default_factory=dict)
    indents: dict[int, str] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    notes: list[ReviewNote] = field(default_factory=list)

    def put(self, line: int, text: str) -> None:
        """Change a line."""
        self.lines[line] = text
        self.changed.add(line)

    def note(self, line: int, message: str) -> None:
        """Tell a reviewer something about a line (from 0)."""
        self.notes.append(ReviewNote(line + 1, message))

    def splices(self) -> list[Splice]:
        """Return what changes, in file order."""
        return [
            Splice(
                line + 1,
                line + 1,
                tuple(new.text.encode("utf-8", "surrogateescape") for new in self._at(line)),
            )
            for line in sorted({*self.changed, *self.gone, *self.after, *self.indents})
        ]

    def _at(self, line: int) -> list[NewLine]:
        """What becomes of an old line."""
        text = self.lines[line]
        own = NewLine(
            (self.indents.get(line, "") if text.strip() else "") + text, self.boxes.get(line)
        )
        return [*([] if line in self.gone else [own]), *self.after.get(line, [])]

    def touches(self, first: int, end: int) -> bool:
        """Say whether one of these lines becomes a task or a part of one."""
        marks = (self.boxes, self.gone, self.indents, self.after)
        return any(at in known for at in range(first, end) for known in marks)

    def meant(self) -> list[tuple[int, bool]]:
        """Return (line from 1, done) of every checkbox of the new file."""
        new = (line for old in range(len(self.lines)) for line in self._at(old))
        return [(at, line.box) for at, line in enumerate(new, 1) if line.box is not None]

    def decide(self, line: int, mark: Mark | None, above: Above | None) -> bool:
        """Say whether a task is done, and note why: its own mark before what is above it."""
        said = mark or above
        if said is None:
            return False
        where = "" if mark or not above else f" of line {above.line + 1}, above it"
        state = "done" if said.done else "open"
        self.note(line, f"{state}, because of “{said.text[:80]}”{where}")
        return said.done


def box(done: bool) -> str:
    """Return a checkbox as it is written."""
    return "[x]" if done else "[ ]"


def write(draft: RoadmapDraft, found: Sequence[TaskSource]) -> None:
    """Write each source of a task; those that cannot be written on their lines stay as they are."""
    for source in found:
        of, above = source.of, source.above
        if isinstance(of, Part):
            _write_part(draft, of, above)
        elif isinstance(of, OutlineItem):
            marked = title_mark(of.text.partition("\n")[0])
            if _CUSTOM.match(of.text):
                draft.note(of.start, "left as it is: only its author knows what this mark means")
            elif marked.title and _MARKER.match(draft.lines[of.start]):
                box_item(draft, of, done=draft.decide(of.start, marked.mark, above))
        elif of.kind == "table":
            _write_table(draft, of, above)
        else:  # a paragraph with lines that begin with the emoji of a state
            for line in (of.start + at for at in marked_lines(of.text)):
                marked = title_mark(draft.lines[line].strip())
                draft.boxes[line] = draft.decide(line, marked.mark, above)
                draft.put(line, f"- {box(draft.boxes[line])} {marked.whole}")


def unbox(draft: RoadmapDraft, lines: Sequence[int]) -> None:
    """Turn checkboxes that are checks into plain bullets; a ticked one gets a mark."""
    for line in lines:
        found = _BOX.match(draft.lines[line])
        if found is None:
            continue
        ticked = "✅ " if found["state"] != " " else ""
        draft.put(line, found["marker"] + ticked + draft.lines[line][found.end() :])
        if ticked:
            draft.note(line, "this check was ticked; it is shown with ✅")


def box_item(draft: RoadmapDraft, item: OutlineItem, *, done: bool, name: str = "") -> bool:
    """Give an item a checkbox, and ``name`` before its text; False if its line has no room."""
    line = draft.lines[item.start]
    marker = _MARKER.match(line)
    marked = title_mark(line[marker.end() :]) if marker else None
    if marker is None or marked is None or not marked.title:
        return False
    draft.put(item.start, f"{marker[0]}{box(done)} {f'{name} {marked.whole}'.lstrip()}")
    draft.boxes[item.start] = done
    return True


def content_indent(line: str) -> str:
    """Return the blanks up to an item's content; tabs stay tabs, so that none is counted."""
    marker = _MARKER.match(line)
    return re.sub(r"[^\t]", " ", marker[0]) if marker else ""


def _write_part(draft: RoadmapDraft, part: Part, above: Above | None) -> None:
    """Put a task below its heading, with everything under the heading inside it.

    The emoji and the checkbox of the heading go: the state is in the item now. Rulers and blank
    lines at the end of a part only divide.
    """
    marked = title_mark(part.title)
    if not marked.title:
        return
    status = status_of(part)
    line = part.start if marked.mark or not status else status[1]
    done = draft.decide(line, marked.mark or (status[0] if status else None), above)
    found = _ATX.fullmatch(draft.lines[part.start])
    plain = title_mark(found["text"]).title if found and found["text"] else ""
    if found and plain and plain != found["text"]:
        draft.put(part.start, f"{found['marks']} {plain}{found['close']}")
    *_, last = part.all()
    rules = {block.start for block in last.blocks if block.kind == "rule"}
    end = part.end
    while end > part.body and (not draft.lines[end - 1].strip() or end - 1 in rules):
        end -= 1
    inside = draft.lines[part.body : end]
    # the width of a tab depends on the column it starts at
    tabbed = any("\t" in text[: len(text) - len(text.lstrip())] for text in inside)
    width = 4 if tabbed else 2
    new = [NewLine(""), NewLine(f"-{' ' * (width - 1)}{box(done)} {marked.whole}", done)]
    if part.body < len(draft.lines) and draft.lines[part.body].strip():
        new.append(NewLine(""))
    draft.after[part.body - 1] = new
    draft.indents |= dict.fromkeys(range(part.body, end), " " * width)
    for below in list(part.all())[1:]:
        _label(draft, below)


def _label(draft: RoadmapDraft, part: Part) -> None:
    """Write the heading of a field inside a task as a label, which is what people write there."""
    found = _ATX.fullmatch(draft.lines[part.start])
    text = title_mark(part.title).title.rstrip(":")
    if found and sort_of(part.title) == "field" and text and not set(text) & set("*_`[]<>\\"):
        draft.put(part.start, f"**{text}**:")
        if part.body < len(draft.lines) and draft.lines[part.body].strip():
            draft.after[part.start] = [NewLine("")]


def _write_table(draft: RoadmapDraft, table: OutlineBlock, above: Above | None) -> None:
    """Write a list instead of a table: its header as a line, then an item for each row.

    A row with a single cell is a group's name. What is before the title stays before it: an id
    plainly, other cells in brackets; what is behind it becomes nested bullets.
    """
    names, status, title = table.rows[0], status_column(table), title_column(table)
    new = [NewLine(f"Columns: {' · '.join(filter(None, names))}"), NewLine("")]
    for line, cells in enumerate(table.rows[1:], table.start + 2):
        filled = [at for at, cell in enumerate(cells) if cell.strip(" -\u2013\u2014")]
        if title not in filled or (len(filled) == 1 and len(cells) > 2):
            group = " ".join(cells[at] for at in filled)
            new += [NewLine(""), NewLine(group), NewLine("")] if group else []
            continue
        marked = title_mark(cells[title])
        mark = value_mark(cells[status]) if status in filled and status is not None else None
        words: list[str] = []
        details: list[str] = []
        for at in filled:
            name, cell = names[at].strip("*_ "), cells[at]
            if at < title and at != status and (is_id(name) or not name):
                words.append(cell.strip("*_ "))
            elif at < title:
                cell = title_mark(cell).whole if at == status else cell
                words += [f"({cell})"] if cell else []
            elif at > title:
                cell = title_mark(cell).title if at == status and mark and mark.done else cell
                details += [f"**{name}**: {cell}" if name else cell] if cell else []
        done = draft.decide(line, mark or marked.mark, above)
        text = " ".join(filter(None, [*words, marked.whole]))
        new.append(NewLine(f"- {box(done)} {text}", done))
        new += [NewLine(f"  - {detail}") for detail in details]
    draft.gone.update(range(table.start, table.end))
    draft.after[table.end - 1] = new
