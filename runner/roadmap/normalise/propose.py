"""Propose checkboxes for a roadmap, and show the proposal: a diff and a pull request's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from runner.roadmap.normalise.outline import Part, outline, split_lines
from runner.roadmap.normalise.rewrite import (
    NormalizedRoadmap,
    ReviewNote,
    RoadmapDraft,
    unbox,
    write,
)
from runner.roadmap.normalise.sorts import marked_lines, starts_marked, without_codes
from runner.roadmap.normalise.task_sources import task_sources
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import Splice, read, spliced, too_large, too_many
from runner.roadmap.task import Roadmap

_BOX = re.compile(r"\[[ xX]\]")
_WORD = re.compile(r"\w+")


def normalise(path: str, content: bytes) -> NormalizedRoadmap:
    """Return the file with checkboxes; for any bytes, nothing is raised and nothing lost.

    A file with tasks that can be run needs nothing; one whose checkboxes are all checks gets tasks,
    and its checks become plain bullets inside them.
    """
    unread = too_large(len(content)) or too_many(read(content))
    if unread:
        return replace(_nothing(path, content, unread), verdict="unreadable")
    if not content.strip():
        return _nothing(path, content, "it is empty")
    before = parse_roadmap(path, content)
    if not before.asks and any(task.kind == "work" for task in before.tasks):
        left = [each for each in before.candidates if each.why == "emoji"]
        lines = ", ".join(str(each.line) for each in left)
        more = f", but lines {lines} show a status and have none" if lines else ""
        found = _nothing(path, content, f"its tasks already have checkboxes{more}")
        return replace(found, left=tuple((each.line, each.end_line) for each in left))
    if any(task.marks.template for task in before.tasks):
        return _nothing(path, content, "it is a template with placeholders; fill it in first")
    return _proposed(before)


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a file without their ends; bytes that are not UTF-8 can be put back."""
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return split_lines(text)[0]


def _proposed(before: Roadmap) -> NormalizedRoadmap:
    return checked(before.path, before.content, structured(before))


def structured(before: Roadmap) -> RoadmapDraft:
    """Return a draft with the tasks that the file has, or those that its structure shows."""
    if not before.asks and any(task.kind == "work" for task in before.tasks):
        boxes = {task.place.line - 1: task.checked for task in before.tasks}
        return RoadmapDraft(lines_of(before.content), boxes)
    draft = draft_of(before)
    write(draft, task_sources(before.path, outline(lines_of(before.content))))
    return draft


_LEAST_LISTED = 2


def _unread(draft: RoadmapDraft, part: Part) -> Iterator[tuple[ReviewNote, tuple[int, int]]]:
    """Yield the lists, tables and lines with a state of which nothing became a task; and where."""
    for block in part.blocks:
        bare = len(marked_lines(block.text)) if block.kind == "paragraph" else 0
        size = len(block.items) or max(0, len(block.rows) - 1) or bare
        least = 1 if any(starts_marked(item.text) for item in block.items) else _LEAST_LISTED
        if size >= least and not draft.touches(block.start, block.end):
            what = "rows" if block.rows else "lines" if bare else "points"
            where = f" below “{' '.join(part.title.split())[:80]}”" if part.level else ""
            place = block.start + 1, block.end
            yield ReviewNote(block.start + 1, f"{size} {what}{where}"), place
    for below in part.parts:
        yield from _unread(draft, below)


def draft_of(before: Roadmap) -> RoadmapDraft:
    """Return a draft of the file in which checkboxes that are checks are plain bullets."""
    draft = RoadmapDraft(lines_of(before.content))
    unbox(draft, [task.place.line - 1 for task in before.tasks])
    return draft


def checked(path: str, content: bytes, draft: RoadmapDraft) -> NormalizedRoadmap:
    """Return a draft as a proposal if it is what was meant when it is read again."""
    meant = draft.meant()
    if not meant:
        return _unclear(path, content, "its structure does not show what the tasks are")
    splices = tuple(draft.splices())
    new = spliced(content, splices)
    after = parse_roadmap(path, new)
    if [(task.place.line, task.checked) for task in after.tasks] != meant:
        return _unclear(path, content, "the checkboxes would end up in the wrong place")
    if after.asks or all(task.kind != "work" for task in after.tasks):
        return _unclear(path, content, "the checkboxes would not be read as tasks")
    if not keeps_words(lines_of(content), lines_of(new)):
        return _unclear(path, content, "a word of it would be lost")
    unread = list(_unread(draft, outline(lines_of(content))))
    why = f"{len(after.tasks)} tasks have checkboxes now; nothing of the text is lost"
    return NormalizedRoadmap(
        path,
        content,
        new,
        "proposed",
        why,
        tasks=after.tasks,
        splices=splices,
        notes=tuple(sorted(draft.notes, key=lambda note: note.line)),
        unread=tuple(note for note, _ in unread),
        left=tuple(place for _, place in unread),
    )


def keeps_words(old: Sequence[str], new: Sequence[str]) -> bool:
    """Say whether the new lines have every word of the old, in order; checkboxes do not count."""
    rest = iter(_words(new))
    return all(word in rest for word in _words(old))


def _words(lines: Sequence[str]) -> list[str]:
    return _WORD.findall(without_codes(_BOX.sub(" ", "\n".join(lines))))


def _nothing(path: str, content: bytes, why: str) -> NormalizedRoadmap:
    return NormalizedRoadmap(path, content, content, "nothing", why)


def _unclear(path: str, content: bytes, why: str) -> NormalizedRoadmap:
    return replace(_nothing(path, content, why), verdict="unclear")


_AROUND = 3
_MOST_NOTES = 100


def render_title(proposal: NormalizedRoadmap) -> str:
    """Return the title of a pull request."""
    return f"Give {proposal.path} checkboxes"


def render_diff(proposal: NormalizedRoadmap) -> str:
    """Return the change as a unified diff, in time linear in the file, or ''.

    Lines are shown without their ends, the last one too, and bytes that are not UTF-8 as U+FFFD.
    """
    if not proposal.splices:
        return ""
    lines = [_shown(line) for line in lines_of(proposal.old)]
    shown = [f"--- {proposal.path}", f"+++ {proposal.path}"]
    grown = 0
    for hunk in _hunks(list(_merged(proposal.splices))):
        shown += _hunk(hunk, lines, grown)
        grown += sum(splice.growth for splice in hunk)
    return "\n".join(shown)


def render_body(proposal: NormalizedRoadmap) -> str:
    """Return the text of a pull request in Markdown; whoever publishes it sanitizes it."""
    work = [task for task in proposal.tasks if task.kind == "work"]
    done = sum(task.checked for task in work)
    parts = [
        f"`{proposal.path}` has no task that Cairn can run, so this pull request adds checkboxes: "
        f"{len(work)} tasks, {done} of them done. Every word of the file is kept.",
        "A model found the tasks; each one quotes the lines it comes from. Read them with care."
        if proposal.by_model
        else "Cairn found the tasks by the structure of the file; no model was asked.",
        _section("How the states were decided", _notes(proposal)),
        _section("Not read as tasks", _unread_lines(proposal)),
        _section("Left out", proposal.dropped),
        "Correct what is wrong on this branch and merge it. Then Cairn can run the tasks.",
    ]
    return "\n\n".join(part for part in parts if part)


def _notes(proposal: NormalizedRoadmap) -> list[str]:
    """Return the notes as lines; tasks without a mark of a state are open, as one line says."""
    rest = "Every other task is open: nothing in the file says that it is done."
    return [*(f"line {note.line}: {note.message}" for note in proposal.notes), rest]


def _unread_lines(proposal: NormalizedRoadmap) -> list[str]:
    return [f"line {note.line}: {note.message}" for note in proposal.unread]


def _section(title: str, entries: Sequence[str]) -> str:
    if not entries:
        return ""
    shown = [f"- {' '.join(entry.split())}" for entry in entries[:_MOST_NOTES]]
    if len(entries) > _MOST_NOTES:
        shown.append(f"- and {len(entries) - _MOST_NOTES} more")
    return "\n".join([f"### {title}", "", *shown])


def _merged(splices: Sequence[Splice]) -> Iterator[Splice]:
    """Put changes of lines that follow each other together, so that they are read as one."""
    run: list[Splice] = []
    for splice in splices:
        if run and splice.first > run[-1].last + 1:
            yield _as_one(run)
            run = []
        run.append(splice)
    if run:
        yield _as_one(run)


def _as_one(run: Sequence[Splice]) -> Splice:
    return Splice(run[0].first, run[-1].last, tuple(line for one in run for line in one.lines))


def _hunks(splices: Sequence[Splice]) -> Iterator[list[Splice]]:
    """Put changes together whose surroundings touch."""
    hunk = [splices[0]]
    for splice in splices[1:]:
        if splice.first - hunk[-1].last > 2 * _AROUND + 1:
            yield hunk
            hunk = []
        hunk.append(splice)
    yield hunk


def _hunk(hunk: Sequence[Splice], lines: Sequence[str], grown: int) -> list[str]:
    """Return the lines of one hunk; ``grown`` is how many lines came before it."""
    first = max(1, hunk[0].first - _AROUND)
    last = min(len(lines), hunk[-1].last + _AROUND)
    size = last - first + 1
    more = size + sum(splice.growth for splice in hunk)
    shown = [f"@@ -{first},{size} +{first + grown},{more} @@"]
    at = first
    for splice in hunk:
        shown += [f" {line}" for line in lines[at - 1 : splice.first - 1]]
        shown += _changed(lines[splice.first - 1 : splice.last], splice)
        at = splice.last + 1
    return shown + [f" {line}" for line in lines[at - 1 : last]]


def _changed(old: Sequence[str], splice: Splice) -> list[str]:
    """Return what goes and what comes; lines that stay at either end are not a change."""
    new = [line.decode("utf-8", "replace") for line in splice.lines]
    head = _alike(old, new)
    tail = _alike(old[head:][::-1], new[head:][::-1])
    return [
        *(f" {line}" for line in old[:head]),
        *(f"-{line}" for line in old[head : len(old) - tail]),
        *(f"+{line}" for line in new[head : len(new) - tail]),
        *(f" {line}" for line in old[len(old) - tail :]),
    ]


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many of the first lines are the same."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _shown(line: str) -> str:
    return line.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
