"""A roadmap that gets checkboxes: the draft, its check, and how people are shown it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from typing import Literal

from runner.roadmap.markdown import parse
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.roadmap.source import Splice, read, spliced, too_large, too_many
from runner.roadmap.task import Roadmap, Task
from runner.text.counting import counted

Verdict = Literal["proposed", "nothing", "unclear", "unreadable"]
"""There is a proposal; nothing is to be done; a model has to say what the tasks are, or could not;
the file is larger than is read, or another tool's."""

_ITEM = re.compile(r"(?P<marker>[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)(?=\S)")
_BOX = re.compile(_ITEM.pattern + r"\[(?P<state>[ xX])\][ \t]*")


@dataclass(frozen=True, slots=True)
class ReviewNote:
    """Something a reviewer should look at; ``line`` is a line of the old file, from 1."""

    line: int
    message: str


@dataclass(frozen=True)
class NormalizedRoadmap:
    """What to write instead of ``old``; ``new`` equals it unless the verdict is ``proposed``.

    ``why`` is one sentence for people; ``tasks`` are those of the new file, as the parser reads
    them; ``notes`` name every decision about a state; ``unread`` the lists and tables in which no
    task was found; ``left`` the first and last lines (from 1) of what may be tasks beside those
    that have checkboxes; ``dropped`` what a model named that is not in the file. Texts quote the
    roadmap: sanitize them before they are published.
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


@dataclass
class RoadmapDraft:
    """The new file on the way; lines count from 0.

    ``lines`` are the old lines as they become, ``boxes`` says of those with a checkbox whether they
    are done, ``after`` has the lines that follow an old one, each with the state of its own
    checkbox (None: it has none).
    """

    lines: list[str]
    boxes: dict[int, bool] = field(default_factory=dict)
    after: dict[int, list[tuple[str, bool | None]]] = field(default_factory=dict)
    changed: set[int] = field(default_factory=set)
    notes: list[ReviewNote] = field(default_factory=list)

    def put(self, line: int, text: str) -> None:
        """Change a line."""
        self.lines[line] = text
        self.changed.add(line)

    def note(self, line: int, message: str) -> None:
        """Tell a reviewer something about a line."""
        self.notes.append(ReviewNote(line + 1, message))

    def add_box(self, line: int, *, done: bool, name: str) -> str | None:
        """Give an item a checkbox, and ``name`` before its text; None if there is no room for one.

        Return the blanks before its content; tabs stay tabs, for nobody knows how wide they are.
        """
        found = _ITEM.match(self.lines[line])
        if found is None or line in self.boxes:
            return None
        text = f"{name} {self.lines[line][found.end() :]}".lstrip()
        self.put(line, f"{found['marker']}{box(done)} {text}")
        self.boxes[line] = done
        return re.sub(r"[^\t]", " ", found["marker"])

    def remove_box(self, line: int) -> None:
        """Turn a checkbox that is a check into a plain bullet; a ticked one gets a mark."""
        found = _BOX.match(self.lines[line])
        if found is None:
            return
        ticked = "✅ " if found["state"] != " " else ""
        self.put(line, found["marker"] + ticked + self.lines[line][found.end() :])
        if ticked:
            self.note(line, "this check was ticked; it is shown with ✅")

    def splices(self) -> list[Splice]:
        """Return what changes, in file order."""
        found: list[Splice] = []
        for line in sorted({*self.changed, *self.after}):
            texts = [self.lines[line], *(text for text, _ in self.after.get(line, ()))]
            new = tuple(text.encode("utf-8", "surrogateescape") for text in texts)
            found.append(Splice(line + 1, line + 1, new))
        return found

    def meant(self) -> list[tuple[int, bool]]:
        """Return (line from 1, done) of every checkbox of the new file."""
        states = (
            state
            for line in range(len(self.lines))
            for state in (self.boxes.get(line), *(done for _, done in self.after.get(line, ())))
        )
        return [(at, done) for at, done in enumerate(states, 1) if done is not None]


def box(done: bool) -> str:
    """Return a checkbox as it is written."""
    return "[x]" if done else "[ ]"


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a file without their ends; bytes that are not UTF-8 can be put back."""
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    return lines if lines[-1] else lines[:-1]


def normalise(path: str, content: bytes) -> NormalizedRoadmap:
    """Say whether a file needs checkboxes; nothing is raised for any bytes.

    A file with tasks that can be run needs nothing, but ``left`` are the lines beside them that
    show a status. Where the verdict is ``unclear``, a model has to say what the tasks are.
    """
    unread = too_large(len(content)) or too_many(read(content))
    if unread:
        return _left(path, content, unread, "unreadable")
    if not content.strip():
        return _left(path, content, "it is empty")
    if form_of(path).read is not None:
        return _left(path, content, "it is another tool's plan and no Markdown", "unreadable")
    before = parse_roadmap(path, content)
    if has_work(before):
        left = [each for each in before.candidates if each.why == "emoji"]
        lines = ", ".join(str(each.line) for each in left)
        more = f", but lines {lines} show a status and have none" if lines else ""
        found = _left(path, content, f"its tasks already have checkboxes{more}")
        return replace(found, left=tuple((each.line, each.end_line) for each in left))
    if any(task.marks.template for task in before.tasks):
        return _left(path, content, "it is a template with placeholders; fill it in first")
    return _left(path, content, "it has no task with a checkbox", "unclear")


def has_work(roadmap: Roadmap) -> bool:
    """Whether a roadmap has a task that can be run, and nothing to ask first."""
    return not roadmap.asks and any(task.kind == "work" for task in roadmap.tasks)


def draft_of(before: Roadmap) -> RoadmapDraft:
    """Return a draft of the file with its tasks; if it has only checks, they become bullets."""
    draft = RoadmapDraft(lines_of(before.content))
    if has_work(before):
        draft.boxes = {task.place.line - 1: task.checked for task in before.tasks}
        return draft
    for task in before.tasks:
        draft.remove_box(task.place.line - 1)
    return draft


def checked(path: str, content: bytes, draft: RoadmapDraft) -> NormalizedRoadmap:
    """Return a draft as a proposal if it is what was meant when it is read again."""
    meant = draft.meant()
    new = spliced(content, draft.splices())
    after = parse_roadmap(path, new)
    if not meant:
        why = "no task was found in it"
    elif [(task.place.line, task.checked) for task in after.tasks] != meant:
        why = "the checkboxes would end up in the wrong place"
    elif not has_work(after):
        why = "the checkboxes would not be read as tasks"
    elif not keeps_words(lines_of(content), lines_of(new)):
        why = "a word of it would be lost"
    else:
        why = ""
    if why:
        return _left(path, content, why, "unclear")
    why = (
        f"{counted(len(after.tasks), 'task has a checkbox', 'tasks have checkboxes')} now; "
        "nothing of the text is lost"
    )
    return NormalizedRoadmap(
        path,
        content,
        new,
        "proposed",
        why,
        tasks=after.tasks,
        notes=tuple(sorted(draft.notes, key=lambda note: note.line)),
        unread=tuple(_unread(draft)),
    )


def _unread(draft: RoadmapDraft) -> list[ReviewNote]:
    """Name the lists and tables of several lines in which nothing became a task."""
    kinds = {"bullet_list_open": "list", "ordered_list_open": "list", "table_open": "table"}
    found: list[ReviewNote] = []
    for token in parse("\n".join(draft.lines))[0].tokens:
        start, end = token.map or (0, 0)
        bare = not any(at in draft.boxes or at in draft.after for at in range(start, end))
        if token.type in kinds and token.level == 0 and end - start > 1 and bare:
            found.append(ReviewNote(start + 1, f"the {kinds[token.type]} up to line {end}"))
    return found


def keeps_words(old: Sequence[str], new: Sequence[str]) -> bool:
    """Say whether the new lines have every word of the old, in order; checkboxes do not count."""
    had, rest = (
        re.findall(r"\w+", re.sub(r"\[[ xX]\]", " ", "\n".join(lines))) for lines in (old, new)
    )
    there = iter(rest)
    return all(word in there for word in had)


def _left(path: str, content: bytes, why: str, verdict: Verdict = "nothing") -> NormalizedRoadmap:
    return NormalizedRoadmap(path, content, content, verdict, why)


_MOST_NOTES = 100


def render_title(proposal: NormalizedRoadmap) -> str:
    """Return the title of a pull request."""
    return f"Give {proposal.path} checkboxes"


def render_diff(proposal: NormalizedRoadmap) -> str:
    """Return the change as a unified diff, or ''.

    Lines are shown without their ends, the last one too, and bytes that are not UTF-8 as U+FFFD.
    """
    old, new = (
        [
            line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
            for line in lines_of(each)
        ]
        for each in (proposal.old, proposal.new)
    )
    return "\n".join(unified_diff(old, new, proposal.path, proposal.path, lineterm=""))


def render_body(proposal: NormalizedRoadmap) -> str:
    """Return the text of a pull request in Markdown; whoever publishes it sanitizes it."""
    work = [task for task in proposal.tasks if task.kind == "work"]
    done = sum(task.checked for task in work)
    rest = "Every other task is open: nothing in the file says that it is done."
    parts = [
        f"`{proposal.path}` has no task that Cairn can run, so this pull request adds checkboxes: "
        f"{counted(len(work), 'task')}, {done} of them done. Every word of the file is kept.",
        "A model found the tasks; each one quotes the lines it comes from. Read them with care.",
        _section("How the states were decided", [*_lines(proposal.notes), rest]),
        _section("Not read as tasks", _lines(proposal.unread)),
        _section("Left out", proposal.dropped),
        "Correct what is wrong on this branch and merge it. Then Cairn can run the tasks.",
    ]
    return "\n\n".join(part for part in parts if part)


def _lines(notes: Sequence[ReviewNote]) -> list[str]:
    return [f"line {note.line}: {note.message}" for note in notes]


def _section(title: str, entries: Sequence[str]) -> str:
    if not entries:
        return ""
    shown = [f"- {' '.join(entry.split())}" for entry in entries[:_MOST_NOTES]]
    if len(entries) > _MOST_NOTES:
        shown.append(f"- and {len(entries) - _MOST_NOTES} more")
    return "\n".join([f"### {title}", "", *shown])
