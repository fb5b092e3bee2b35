"""Propose checkboxes for a roadmap, where its structure says what the tasks are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from runner.roadmap.limits import too_large, too_many
from runner.roadmap.lines import spliced
from runner.roadmap.normalise.carriers import carriers
from runner.roadmap.normalise.outline import outline, split_lines
from runner.roadmap.normalise.proposal import Proposal
from runner.roadmap.normalise.rewrite import Draft, unbox, write
from runner.roadmap.normalise.states import without_codes
from runner.roadmap.parse import parse_roadmap
from runner.roadmap.source import read
from runner.roadmap.task import Roadmap

_BOX = re.compile(r"\[[ xX]\]")
_WORD = re.compile(r"\w+")


def normalise(path: str, content: bytes) -> Proposal:
    """Return the file with checkboxes; whatever the bytes are, nothing is raised and nothing lost.

    A file with tasks that can be run needs nothing; one whose boxes are all checks gets tasks, and
    its checks become plain bullets inside them.
    """
    unread = too_large(len(content)) or too_many(read(content))
    if unread:
        return replace(_nothing(path, content, unread), verdict="unreadable")
    if not content.strip():
        return _nothing(path, content, "it is empty")
    before = parse_roadmap(path, content)
    if not before.asks and any(task.kind == "work" for task in before.tasks):
        return _nothing(path, content, "its tasks have checkboxes already")
    if any(task.template for task in before.tasks):
        return _nothing(path, content, "it is a template with placeholders; fill it in first")
    return _proposed(before)


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a file without their ends; bytes that are no UTF-8 can be put back."""
    text = content.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return split_lines(text)[0]


def _proposed(before: Roadmap) -> Proposal:
    draft = draft_of(before)
    write(draft, carriers(before.path, outline(lines_of(before.content))))
    return checked(before.path, before.content, draft)


def draft_of(before: Roadmap) -> Draft:
    """Return a draft of the file in which the boxes that are checks are plain bullets."""
    draft = Draft(lines_of(before.content))
    unbox(draft, [task.line - 1 for task in before.tasks])
    return draft


def checked(path: str, content: bytes, draft: Draft) -> Proposal:
    """Return a draft as a proposal if it is what was meant when it is read again."""
    meant = draft.meant()
    if not meant:
        return _unclear(path, content, "its structure does not say what the tasks are")
    splices = tuple(draft.splices())
    new = spliced(content, splices)
    after = parse_roadmap(path, new)
    if [(task.line, task.checked) for task in after.tasks] != meant:
        return _unclear(path, content, "boxes would not stand where they are meant to")
    if after.asks or all(task.kind != "work" for task in after.tasks):
        return _unclear(path, content, "the boxes would not be read as work")
    if not keeps_words(lines_of(content), lines_of(new)):
        return _unclear(path, content, "a word of it would be lost")
    why = f"{len(after.tasks)} tasks have checkboxes now; nothing of the text is lost"
    notes = tuple(sorted(draft.notes, key=lambda note: note.line))
    return Proposal(
        path, content, new, "proposed", why, tasks=after.tasks, splices=splices, notes=notes
    )


def keeps_words(old: Sequence[str], new: Sequence[str]) -> bool:
    """Say whether every word of the old lines occurs in the new ones, in order; a box is none."""
    rest = iter(_words(new))
    return all(word in rest for word in _words(old))


def _words(lines: Sequence[str]) -> list[str]:
    return _WORD.findall(without_codes(_BOX.sub(" ", "\n".join(lines))))


def _nothing(path: str, content: bytes, why: str) -> Proposal:
    return Proposal(path, content, content, "nothing", why)


def _unclear(path: str, content: bytes, why: str) -> Proposal:
    return replace(_nothing(path, content, why), verdict="unclear")
