"""What a task demands by name: replacements must keep all of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from runner.recovery.facts import unnumbered
from runner.roadmap.files import files
from runner.roadmap.new_task import NewTask
from runner.roadmap.task import Task

MOST_TOLD = 5
"""Losses that one complaint lists."""
_LONGEST = 200

_HIDDEN = re.compile(r"^[ \t]*<!--.*$", re.MULTILINE)
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_WORD = re.compile(r"`[^`\n]*`|[^\s`]+")
_EDGES = ".,;:!?()\"'*_"
_DENIES = frozenset({"not", "no", "never", "without", "except", "unless", "neither", "cannot"})


def is_clear(task: Task) -> bool:
    """Whether the task names its files, and what to write there or when it is done.

    Such a task is not too vague, whatever became of the answers to it.
    """
    return bool(_files(task)) and bool(_names(task) or task.acceptance)


def lost(task: Task, replacements: Sequence[NewTask], *, stays: str = "") -> list[str]:
    """Return what the task names and its replacements, taken together, do not.

    These are its file paths, what stands in backticks, and its acceptance criteria, which may be
    reworded only by adding words. ``stays`` is text of the task that is kept beside them.
    """
    lines = [line for new in replacements for line in (new.text, *new.details, *new.acceptance)]
    lines += _visible(stays).split("\n")
    whole = "\n".join(lines)
    gone = [f"`{name}`" for name in (*_files(task), *_names(task)) if not _stands(name, whole)]
    kept = [_words(line) for line in lines]
    for criterion in task.acceptance:
        if not any(_adds_only(_words(criterion), words) for words in kept):
            gone.append(f'the criterion "{" ".join(criterion.split())[:_LONGEST]}"')
    return list(dict.fromkeys(gone))


def told(gone: Sequence[str]) -> str:
    """A few of the losses in one line."""
    more = f" and {len(gone) - MOST_TOLD} more" if len(gone) > MOST_TOLD else ""
    return ", ".join(gone[:MOST_TOLD]) + more


def _files(task: Task) -> tuple[str, ...]:
    return files(_text(task))


def _names(task: Task) -> tuple[str, ...]:
    """What stands in backticks and is no path."""
    paths = {*_files(task)}
    found = (" ".join(span.split()) for span in _SPAN.findall(_text(task)))
    return tuple(dict.fromkeys(name for name in found if name and name not in paths))


def _text(task: Task) -> str:
    return f"{unnumbered(task)}\n{_visible(task.details)}"


def _visible(text: str) -> str:
    """The text without the trail of earlier recoveries."""
    return _HIDDEN.sub("", text) if "<!--" in text else text


def _stands(name: str, text: str) -> bool:
    """Whether a text has the name as a whole, not as part of a longer one."""
    before = r"(?<![\w/])" if re.match(r"\w", name) else ""
    after = r"(?![\w/])" if re.search(r"\w$", name) else ""
    return re.search(f"{before}{re.escape(name)}{after}", text) is not None


def _words(text: str) -> list[str]:
    """The words of a line without marks at their edges; code in backticks is one word."""
    return list(_each_word(text))


def _each_word(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        plain = word if word.startswith("`") else word.strip(_EDGES).casefold()
        if plain:
            yield plain


def _adds_only(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the new words are the old ones in their order, and added ones that deny nothing."""
    left = iter(new)
    added: set[str] = set()
    for word in old:
        for other in left:
            if other == word:
                break
            added.add(other)
        else:
            return False
    return not _DENIES & {*added, *left}
