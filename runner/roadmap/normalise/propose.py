"""Propose checkboxes for a roadmap, and show the proposal: a diff and a pull request's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import unified_diff

from runner.roadmap.normalise.outline import Part, outline
from runner.roadmap.normalise.rewrite import (
    NormalizedRoadmap,
    ReviewNote,
    RoadmapDraft,
    Verdict,
    unbox,
    write,
)
from runner.roadmap.normalise.sorts import CODES, marked_lines, starts_marked
from runner.roadmap.normalise.task_sources import task_sources
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.plans import form_of
from runner.roadmap.source import read, spliced, too_large, too_many
from runner.roadmap.task import Roadmap
from runner.text.counting import counted

_NO_WORD = re.compile(rf"\[[ xX]\]|{'|'.join(map(re.escape, CODES))}")
"""A checkbox, or the written name of a mark (":x:") that it replaces."""


def normalise(path: str, content: bytes) -> NormalizedRoadmap:
    """Return the file with checkboxes; for any bytes, nothing is raised and nothing lost.

    A file with tasks that can be run needs nothing; one whose checkboxes are all checks gets tasks,
    and its checks become plain bullets inside them.
    """
    unread = too_large(len(content)) or too_many(read(content))
    if unread:
        return _left(path, content, unread, "unreadable")
    if not content.strip():
        return _left(path, content, "it is empty")
    if form_of(path).read is not None:
        return _left(path, content, "it is another tool's plan and no Markdown", "unreadable")
    before = parse_roadmap(path, content)
    if not before.asks and any(task.kind == "work" for task in before.tasks):
        left = [each for each in before.candidates if each.why == "emoji"]
        lines = ", ".join(str(each.line) for each in left)
        more = f", but lines {lines} show a status and have none" if lines else ""
        found = _left(path, content, f"its tasks already have checkboxes{more}")
        return replace(found, left=tuple((each.line, each.end_line) for each in left))
    if any(task.marks.template for task in before.tasks):
        return _left(path, content, "it is a template with placeholders; fill it in first")
    return checked(path, content, structured(before))


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a file without their ends; bytes that are not UTF-8 can be put back."""
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    lines = re.split(r"\r\n|\n|\r", text)
    return lines if lines[-1] else lines[:-1]


def structured(before: Roadmap) -> RoadmapDraft:
    """Return a draft with the tasks that the file has, or those that its structure shows."""
    if not before.asks and any(task.kind == "work" for task in before.tasks):
        boxes = {task.place.line - 1: task.checked for task in before.tasks}
        return RoadmapDraft(lines_of(before.content), boxes)
    draft = draft_of(before)
    write(draft, task_sources(before.path, outline(lines_of(before.content))))
    return draft


def _unread(draft: RoadmapDraft, top: Part) -> Iterator[tuple[ReviewNote, tuple[int, int]]]:
    """Yield the lists, tables and lines with a state of which nothing became a task; and where."""
    for part, block in ((each, block) for each in top.all() for block in each.blocks):
        bare = len(marked_lines(block.text)) if block.kind == "paragraph" else 0
        size = len(block.items) or max(0, len(block.rows) - 1) or bare
        least = 1 if any(starts_marked(item.text) for item in block.items) else 2
        if size >= least and not draft.touches(block.start, block.end):
            what = "rows" if block.rows else "lines" if bare else "points"
            where = f" below “{' '.join(part.title.split())[:80]}”" if part.level else ""
            place = block.start + 1, block.end
            yield ReviewNote(block.start + 1, f"{size} {what}{where}"), place


def draft_of(before: Roadmap) -> RoadmapDraft:
    """Return a draft of the file in which checkboxes that are checks are plain bullets."""
    draft = RoadmapDraft(lines_of(before.content))
    unbox(draft, [task.place.line - 1 for task in before.tasks])
    return draft


def checked(path: str, content: bytes, draft: RoadmapDraft) -> NormalizedRoadmap:
    """Return a draft as a proposal if it is what was meant when it is read again."""
    meant = draft.meant()
    new = spliced(content, draft.splices())
    after = parse_roadmap(path, new)
    if not meant:
        why = "its structure does not show what the tasks are"
    elif [(task.place.line, task.checked) for task in after.tasks] != meant:
        why = "the checkboxes would end up in the wrong place"
    elif after.asks or all(task.kind != "work" for task in after.tasks):
        why = "the checkboxes would not be read as tasks"
    elif not keeps_words(lines_of(content), lines_of(new)):
        why = "a word of it would be lost"
    else:
        why = ""
    if why:
        return _left(path, content, why, "unclear")
    unread = list(_unread(draft, outline(lines_of(content))))
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
        unread=tuple(note for note, _ in unread),
        left=tuple(place for _, place in unread),
    )


def keeps_words(old: Sequence[str], new: Sequence[str]) -> bool:
    """Say whether the new lines have every word of the old, in order; checkboxes do not count."""
    had, rest = (re.findall(r"\w+", _NO_WORD.sub(" ", "\n".join(lines))) for lines in (old, new))
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
        "A model found the tasks; each one quotes the lines it comes from. Read them with care."
        if proposal.by_model
        else "Cairn found the tasks by the structure of the file; no model was asked.",
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
