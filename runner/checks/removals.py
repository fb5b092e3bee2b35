"""The names that a task says to remove: "Remove the function `f` from `a.py`".

Only what the task calls a piece of code counts, and only in the files that it says to remove it
from: "remove the logging from `f`" and "remove `f` where it is not needed" ask for something else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from runner.checks.asked import TaskWords
from runner.checks.connected import LONGEST
from runner.checks.reach import Read
from runner.code.symbols import symbols_of
from runner.state.changes import ChangeSet
from runner.state.findings import Complaint
from runner.text.patterns import lazy_pattern

_NOUN = r"(?:functions?|class(?:es)?|types?|structs?|constants?|components?|helpers?|interfaces?)"
_SAID_OF_IT = (
    r"(?:(?:the|a|an|now|both|two|three|private|public|internal|global|deprecated|unused|obsolete"
    r"|dead|legacy|old|redundant|duplicated?|superseded|unneeded|unnecessary|orphaned)\s+)*"
)
_NAME = r"`[A-Za-z_]\w*(?:\(\))?`"
_AND = r"\s*(?:,\s*and|,|and|&)\s*"
_REMOVAL = lazy_pattern(
    r"(?:^|[.;:!?)]\s|\n|\band\s)\W*(?:[\w.]*\d[\w.]*\W+)?(?:please\s+)?(?:remove|delete|drop)\s+"
    rf"{_SAID_OF_IT}(?P<before>{_NOUN}\s+)?(?P<names>{_NAME}(?:{_AND}{_NAME})*)"
    rf"(?P<after>\s+{_NOUN})?\s+(?:from|in)\s+"
    rf"(?P<files>`[^`\n]+\.\w{{1,4}}`(?:{_AND}`[^`\n]+\.\w{{1,4}}`)*)",
    re.IGNORECASE,
)
_QUOTED = lazy_pattern(r"`([^`\n]+?)(?:\(\))?`")


def removals(asked: TaskWords, paths: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each name to remove with the path it is to go from, as far as that path exists."""
    for found in _REMOVAL.finditer(asked.text):
        if not (found["before"] or found["after"]):
            continue
        files = [file for file in _QUOTED.findall(found["files"]) if file in paths]
        yield from ((name, file) for name in _QUOTED.findall(found["names"]) for file in files)


def not_removed(
    changes: ChangeSet, asked: TaskWords, *, paths: Collection[str], read: Read
) -> tuple[Complaint, ...]:
    """Complain of each name that is defined as before where the task says to remove it.

    ``paths`` are those of the tree after the change, ``read`` returns what a file held before it.
    A name that is defined in another way now (an alias of the new one) was removed.
    """
    return tuple(
        Complaint(path, "NameKept", _KEPT.format(name=name, path=path), advice="Remove it.")
        for name, path in removals(asked, paths)
        if _as_before(name, path, changes, read(path) or b"")
    )


_KEPT = "The task says to remove `{name}` from {path}, but it is still defined there."


def _as_before(name: str, path: str, changes: ChangeSet, old: bytes) -> bool:
    write = changes.files.get(path)
    new = write.content if write else old
    before, after = (_definitions(name, path, text) for text in (old, new))
    return bool(before) and before <= after


def _definitions(name: str, path: str, text: bytes) -> Counter[str]:
    """The first lines of a name's definitions that stand in nothing else, and how often each."""
    lines = text.decode("utf-8", "replace").split("\n")
    found = symbols_of(path, text[:LONGEST]).definitions
    return Counter(lines[each.line - 1] for each in found if each.name == name and not each.depth)
