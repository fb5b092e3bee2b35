"""How the parts of an answer are written: fences, search and replace, diffs."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable

from tests.answers.projects import Files, Task, fence_of

Pair = tuple[str, str]

SEARCH, DIVIDER, REPLACE = "<<<<<<< SEARCH", "=======", ">>>>>>> REPLACE"


def fenced(content: str, info: str, *, mark: str = "`", ended: bool = True) -> str:
    """Put a content between fences that are longer than any inside it."""
    inside = [len(found) for found in re.findall(rf"^{mark}{{3,}}", content, re.MULTILINE)]
    fence = mark * max([3, *(length + 1 for length in inside)])
    end = "" if content.endswith("\n") or not ended else "\n"
    return f"{fence}{info}\n{content}{end}{fence}\n"


def under(path: str, content: str) -> str:
    """Write a file as the question asks for it: its path on a line of its own, then a fence."""
    return f"{path}\n{fenced(content, fence_of(path))}"


def whole(task: Task, write: Callable[[str, str], str] = under) -> str:
    """Write every file of a task's result, the one most is done in first, then what goes."""
    return "\n".join([*(write(*each) for each in contents(task).items()), *deletions(task)])


def contents(task: Task) -> Files:
    """Return the new contents a task's result has, the one most is done in first."""
    order = sorted(task.change.items(), key=lambda each: each[0] != task.subject)
    return {path: content for path, content in order if content is not None}


def deletions(task: Task) -> list[str]:
    """Return one line for each file that goes."""
    return [f"DELETE {path}\n" for path in task.gone]


def blocks(task: Task, write: Callable[[str, list[Pair]], str]) -> str:
    """Write edits for what is edited, whole files for what is new, then what goes."""
    edited = [write(path, list(pairs)) for path, pairs in task.edits.items()]
    new = [under(path, content) for path, content in task.new.items()]
    return "\n".join([*edited, *new, *deletions(task)])


def search_replace(pair: Pair, *, search: str = SEARCH, replace: str = REPLACE) -> str:
    """Write one block of search and replace."""
    return f"{search}\n{pair[0]}{DIVIDER}\n{pair[1]}{replace}\n"


def whole_lines(text: str, pairs: list[Pair]) -> list[Pair]:
    """Make pairs of whole lines from pairs that may begin or end within one."""
    made = []
    for old, new in pairs:
        at = text.index(old)
        start = text.rfind("\n", 0, at) + 1
        end = at + len(old)
        stop = end if old.endswith("\n") else text.index("\n", end) + 1
        before, behind = text[start:at], text[end:stop]
        made.append((before + old + behind, before + new + behind))
    return made


def smallest(pair: Pair, text: str) -> Pair:
    """Take lines at both ends of a pair away that stay the same, as long as it stays unique."""
    old, new = (part.splitlines(keepends=True) for part in pair)
    while len(old) > 1 and new and old[-1] == new[-1] and text.count("".join(old[:-1])) == 1:
        old, new = old[:-1], new[:-1]
    while len(old) > 1 and new and old[0] == new[0] and text.count("".join(old[1:])) == 1:
        old, new = old[1:], new[1:]
    return "".join(old), "".join(new)


def as_edits(path: str, before: str, after: str) -> str:
    """Write a change as search and replace blocks with some lines around, under the path."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    written = []
    for group in matcher.get_grouped_opcodes(4):
        first, last = group[0], group[-1]
        pair = "".join(old[first[1] : last[2]]), "".join(new[first[3] : last[4]])
        written.append(search_replace(pair))
    return f"{path}\n```{fence_of(path)}\n{''.join(written)}```\n"


def hunks(before: str, after: str, *, wrong: int = 0, counts: bool = True) -> str:
    """Write the hunks of a unified diff; ``wrong`` is added to their line numbers."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm=""))[2:]
    written = []
    for line in lines:
        if not line.startswith("@@ "):
            written.append(line)
        elif not counts:
            written.append("@@")
        else:
            written.append(re.sub(r"(?<=[-+])\d+", lambda at: str(int(at[0]) + wrong), line))
    return "".join(f"{line}\n" for line in written)


def shifted(text: str, width: int) -> str:
    """Move every line that is not empty; a negative width moves to the left."""
    lines = text.splitlines(keepends=True)
    if width < 0:
        return "".join(line[-width:] if line.strip() else line for line in lines)
    return "".join(" " * width + line if line.strip() else line for line in lines)
