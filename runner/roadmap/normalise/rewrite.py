"""Write the tasks of a file as items with checkboxes: lines change, every word stays."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from runner.roadmap.normalise.outline import OutlineBlock, OutlineItem, Part, status_of
from runner.roadmap.normalise.sorts import Mark, is_custom, marked_lines, sort_of, title_mark
from runner.roadmap.normalise.task_sources import Above, TaskSource, header, rows
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
    them; ``splices`` are the lines that change; ``notes`` name every decision about a state;
    ``unread`` the lists and tables that were left as they are, ``left`` the first and last lines
    (from 1) of what may be tasks beside those that are; ``dropped`` what a model named that is not
    in the file. Texts quote the roadmap: sanitize them before they are published.
    """

    path: str
    old: bytes
    new: bytes
    verdict: Verdict
    why: str
    tasks: tuple[Task, ...] = ()
    splices: tuple[Splice, ...] = ()
    notes: tuple[ReviewNote, ...] = ()
    unread: tuple[ReviewNote, ...] = ()
    left: tuple[tuple[int, int], ...] = ()
    dropped: tuple[str, ...] = ()
    by_model: bool = False


_MARKER = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_BOX = re.compile(r"(?P<marker>[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[(?P<state>[ xX])\][ \t]*")
_ATX = re.compile(r"(?P<marks> {0,3}#{1,6})(?:[ \t]+(?P<text>.*?))?(?P<close>(?:[ \t]+#+)?[ \t]*)$")


@dataclass(frozen=True, slots=True)
class NewLine:
    """A line of the new file; ``box`` says whether it opens a task, and if it is done."""

    text: str
    box: bool | None = None


@dataclass
class RoadmapDraft:
    """The new file on the way: by old line its text, what follows it, and how far it moves in."""

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

    def add(self, line: int, new: Sequence[NewLine]) -> None:
        """Put lines after a line, behind what was put there before."""
        self.after.setdefault(line, []).extend(new)

    def splices(self) -> list[Splice]:
        """Return what changes, in file order."""
        touched = self.changed | self.gone | set(self.after) | set(self.indents)
        return [
            Splice(line + 1, line + 1, tuple(_bytes(new.text) for new in self.at(line)))
            for line in sorted(touched)
        ]

    def at(self, line: int) -> list[NewLine]:
        """Return what becomes of an old line."""
        own = [] if line in self.gone else [NewLine(self._moved(line), self.boxes.get(line))]
        return own + self.after.get(line, [])

    def _moved(self, line: int) -> str:
        text = self.lines[line]
        return self.indents.get(line, "") + text if text.strip() else text

    def touches(self, first: int, end: int) -> bool:
        """Say whether one of these lines becomes a task or a part of one."""
        marks = (self.boxes, self.gone, self.indents, self.after)
        return any(at in known for at in range(first, end) for known in marks)

    def meant(self) -> list[tuple[int, bool]]:
        """Return (line from 1, done) of every checkbox of the new file."""
        new = (line for old in range(len(self.lines)) for line in self.at(old))
        return [(at, line.box) for at, line in enumerate(new, 1) if line.box is not None]


def write(draft: RoadmapDraft, found: Sequence[TaskSource]) -> None:
    """Write each source of a task; those that cannot be written on their lines stay as they are."""
    for source in found:
        if isinstance(source.of, Part):
            _write_part(draft, source.of, source.above)
        elif isinstance(source.of, OutlineItem):
            _write_item(draft, source.of, source.above)
        elif source.of.kind == "paragraph":
            _write_lines(draft, source.of, source.above)
        else:
            _write_table(draft, source.of, source.above)


def unbox(draft: RoadmapDraft, lines: Sequence[int]) -> None:
    """Turn checkboxes that are checks into plain bullets; a ticked one gets a mark."""
    for line in lines:
        found = _BOX.match(draft.lines[line])
        if found is None:
            continue
        ticked = found["state"] != " "
        rest = draft.lines[line][found.end() :]
        draft.put(line, found["marker"] + ("✅ " if ticked else "") + rest)
        if ticked:
            draft.notes.append(ReviewNote(line + 1, "this check was ticked; it is shown with ✅"))


def _write_item(draft: RoadmapDraft, item: OutlineItem, above: Above | None) -> None:
    if is_custom(item.text):
        message = "left as it is: only its author knows what this mark means"
        draft.notes.append(ReviewNote(item.start + 1, message))
        return
    marked = title_mark(item.text.partition("\n")[0])
    if marked.title and _MARKER.match(draft.lines[item.start]):
        box_item(draft, item, done=_decide(draft, item.start, marked.mark, above))


def _write_lines(draft: RoadmapDraft, paragraph: OutlineBlock, above: Above | None) -> None:
    """Make items of the lines of a paragraph that begin with the emoji of a state."""
    for at in marked_lines(paragraph.text):
        line = paragraph.start + at
        marked = title_mark(draft.lines[line].strip())
        done = _decide(draft, line, marked.mark, above)
        title = " ".join(part for part in (marked.title, marked.left) if part)
        draft.put(line, f"- [{'x' if done else ' '}] {title}")
        draft.boxes[line] = done


def box_item(draft: RoadmapDraft, item: OutlineItem, *, done: bool, name: str = "") -> bool:
    """Give an item a checkbox, and ``name`` before its text; False if its line has no room."""
    line = draft.lines[item.start]
    marker = _MARKER.match(line)
    marked = title_mark(line[marker.end() :]) if marker else None
    if marker is None or marked is None or not marked.title:
        return False
    text = " ".join(part for part in (name, marked.title, marked.left) if part)
    draft.put(item.start, f"{marker[0]}[{'x' if done else ' '}] {text}")
    draft.boxes[item.start] = done
    return True


def content_indent(line: str) -> str:
    """Return the blanks up to an item's content; tabs stay tabs, so that none is counted."""
    marker = _MARKER.match(line)
    return re.sub(r"[^\t]", " ", marker[0]) if marker else ""


def _write_part(draft: RoadmapDraft, part: Part, above: Above | None) -> None:
    """Put a task below its heading, with everything under the heading inside it."""
    marked = title_mark(part.title)
    title = " ".join(p for p in (marked.title, marked.left) if p)
    if not marked.title:
        return
    status = status_of(part)
    mark = marked.mark or (status[0] if status else None)
    line = part.start if marked.mark or not status else status[1]
    done = _decide(draft, line, mark, above)
    _plain_heading(draft, part)
    end = _content_end(draft.lines, part)
    width = 4 if any(_tabbed(draft.lines[at]) for at in range(part.body, end)) else 2
    new = [NewLine(""), NewLine(f"-{' ' * (width - 1)}[{'x' if done else ' '}] {title}", done)]
    if part.body < len(draft.lines) and draft.lines[part.body].strip():
        new.append(NewLine(""))
    draft.after[part.body - 1] = new
    for at in range(part.body, end):
        draft.indents[at] = " " * width
    for below in part.parts:
        _label(draft, below)


def _plain_heading(draft: RoadmapDraft, part: Part) -> None:
    """Remove the emoji and the checkbox from a heading: the state is in the item now."""
    found = _ATX.fullmatch(draft.lines[part.start])
    if found and found["text"]:
        marked = title_mark(found["text"])
        if marked.title and marked.title != found["text"]:
            draft.put(part.start, f"{found['marks']} {marked.title}{found['close']}")


def _label(draft: RoadmapDraft, part: Part) -> None:
    """Write the heading of a field inside a task as a label, which is what people write there."""
    found = _ATX.fullmatch(draft.lines[part.start])
    text = title_mark(part.title).title.rstrip(":")
    if found and sort_of(part.title) == "field" and text and not set(text) & set("*_`[]<>\\"):
        draft.put(part.start, f"**{text}**:")
        if part.body < len(draft.lines) and draft.lines[part.body].strip():
            draft.after[part.start] = [NewLine("")]
    for below in part.parts:
        _label(draft, below)


def _content_end(lines: Sequence[str], part: Part) -> int:
    """Return where a part's content ends; rulers and blank lines at its end only divide."""
    rules = {block.start for block in _last(part).blocks if block.kind == "rule"}
    end = part.end
    while end > part.body and (not lines[end - 1].strip() or end - 1 in rules):
        end -= 1
    return end


def _last(part: Part) -> Part:
    return _last(part.parts[-1]) if part.parts else part


def _tabbed(line: str) -> bool:
    """Say whether a line is indented by tabs, whose width depends on the column they start at."""
    return "\t" in line[: len(line) - len(line.lstrip())]


def _write_table(draft: RoadmapDraft, table: OutlineBlock, above: Above | None) -> None:
    """Write a list instead of a table: its header as a line, then an item for each row."""
    new = [NewLine(f"Columns: {header(table)}"), NewLine("")]
    for at, row in enumerate(rows(table), table.start + 2):
        if row.is_task:
            done = _decide(draft, at, row.mark, above)
            new.append(NewLine(f"- [{'x' if done else ' '}] {row.title}", done))
            new += [NewLine(f"  - {detail}") for detail in row.details]
        elif row.title:
            new += [NewLine(""), NewLine(row.title), NewLine("")]
    draft.gone.update(range(table.start, table.end))
    draft.after[table.end - 1] = new


def _decide(draft: RoadmapDraft, line: int, mark: Mark | None, above: Above | None) -> bool:
    """Decide whether a task is done, and say why: its own mark before what is above it."""
    if mark:
        draft.notes.append(ReviewNote(line + 1, _because(mark.done, mark.text, "")))
        return mark.done
    if above:
        where = f" of line {above.line + 1}, above it"
        draft.notes.append(ReviewNote(line + 1, _because(above.done, above.text, where)))
        return above.done
    return False


def _because(done: bool, text: str, where: str) -> str:
    return f"{'done' if done else 'open'}, because of “{text[:80]}”{where}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
