"""Answers that leave parts of a file out and say so in a line that stands for them."""

from __future__ import annotations

import random

from tests.answers.code import body_of, definitions
from tests.answers.harms import (
    Harmful,
    Harms,
    Make,
    edited_code,
    harmful,
    replaced_lines,
    sign,
    source,
    touched,
    untouched,
)
from tests.answers.projects import Task, fence_of, is_test
from tests.answers.writing import search_replace, under

HARMS = Harms()

ENGLISH = (
    "... existing code ...",
    "... rest of the file unchanged ...",
    "... (rest of the code remains the same) ...",
    "rest of the code unchanged",
    "same as before",
    "(other functions stay the same)",
    "[existing code here]",
    "... keep the existing functions ...",
    "The rest of the file is unchanged",
    "unchanged",
    "... other methods ...",
    "<previous implementation>",
)
FOREIGN = (
    "... restlicher Code unverändert ...",
    "... der Rest bleibt gleich ...",
    "... le reste du code reste inchangé ...",
    "... resto del código sin cambios ...",
    "... il resto del codice rimane invariato ...",
    "... o resto do código permanece igual ...",
    "... 其余代码保持不变 ...",
    "... 既存のコード ...",
    "... остальной код без изменений ...",
    "... 나머지 코드는 동일 ...",
)
BARE = ("...", "…", "[...]", "[unchanged]", "[rest of file]", "(...)")


def _mark(task: Task, draw: random.Random, words: tuple[str, ...] = ENGLISH) -> str:
    return f"{sign(task.subject)} {draw.choice(words)}"


def _subject(task: Task) -> str | None:
    paths = edited_code(task)
    return paths[0] if paths and untouched(task, paths[0]) else None


def _whole(task: Task, path: str, text: str) -> Harmful:
    """Answer with a whole file whatever the question showed: that is what elision is about."""
    rest = {other: content for other, content in task.change.items() if other != path}
    change = {path: text, **rest}
    parts = [
        under(other, content) if content is not None else f"DELETE {other}\n"
        for other, content in change.items()
    ]
    return Harmful(("\n".join(parts),), change)


def _around(words: tuple[str, ...], *, comment: bool = True) -> Make:
    """What changes stands between two such lines, below the first lines of the file."""

    def make(task: Task, draw: random.Random) -> Harmful | None:
        if (path := _subject(task)) is None:
            return None
        text = task.after[path]
        mark = _mark(task, draw, words) if comment else draw.choice(words)
        blanks = "    " if any("." in each.name for each in touched(task, path)) else ""
        parts = [text.splitlines()[0], "", blanks + mark, ""]
        for each in touched(task, path):
            parts += [*source(text, each).splitlines(), ""]
        return _whole(task, path, "\n".join([*parts, blanks + mark, ""]))

    return make


HARMS.add("elided-around")(_around(ENGLISH))
HARMS.add("elided-around-foreign")(_around(FOREIGN))
HARMS.add("elided-around-bare")(_around(BARE, comment=False))


@HARMS.add("elided-at-the-beginning")
def _beginning(task: Task, draw: random.Random) -> Harmful | None:
    """Everything above what changes is left out."""
    path = _subject(task)
    if (
        path is None
        or not touched(task, path)
        or touched(task, path)[0].start < untouched(task, path)[0].start
    ):
        return None
    lines = task.after[path].splitlines()[touched(task, path)[0].start :]
    return _whole(task, path, "\n".join([_mark(task, draw), "", *lines, ""]))


@HARMS.add("elided-at-the-end")
def _end(task: Task, draw: random.Random) -> Harmful | None:
    """Everything below what changes is left out."""
    path = _subject(task)
    if (
        path is None
        or not touched(task, path)
        or touched(task, path)[-1].start > untouched(task, path)[-1].start
    ):
        return None
    lines = task.after[path].splitlines()[: touched(task, path)[-1].end]
    return _whole(task, path, "\n".join([*lines, "", _mark(task, draw), ""]))


@HARMS.add("elided-in-the-middle")
def _middle(task: Task, draw: random.Random) -> Harmful | None:
    """Several functions in a row are one line."""
    path = _subject(task)
    if path is None or len(untouched(task, path)) < 3:
        return None
    text, others = task.after[path], untouched(task, path)
    kept = (touched(task, path) or others)[0]
    row = [each for each in others if each.start > kept.start] or others
    if len(row) < 3:
        row = [each for each in others if each.start < kept.start]
    if len(row) < 2:
        return None
    blanks = "    " if "." in row[0].name and path.endswith(".py") else ""
    first, last = row[0].start, row[max(1, len(row) - 2)].end
    return _whole(task, path, replaced_lines(text, first, last, [blanks + _mark(task, draw)]))


@HARMS.add("elided-bodies")
def _bodies(task: Task, draw: random.Random) -> Harmful | None:
    """The other functions have their first lines, and a line for what they do."""
    path = _subject(task)
    if path is None:
        return None
    text, mark = task.after[path], _mark(task, draw)
    for each in reversed(untouched(task, path)):
        start, end = body_of(text, each)
        if end - start < 1 or each.name.endswith("__init__"):
            continue
        head = text.splitlines()[start]
        blanks = head[: len(head) - len(head.lstrip())]
        filler = [f"{blanks}pass"] if path.endswith(".py") else []
        text = replaced_lines(text, start, end, [blanks + mark, *filler])
    return _whole(task, path, text)


@HARMS.add("elided-in-a-class")
def _in_class(task: Task, draw: random.Random) -> Harmful | None:
    """A class has the method that changes, and a line for all others."""
    path = _subject(task)
    methods = [each for each in untouched(task, path) if "." in each.name] if path else []
    if path is None or path.endswith(".go") or len(methods) < 3:
        return None
    text = task.after[path]
    blanks = "    " if path.endswith(".py") else "  "
    changing = [each for each in touched(task, path) if "." in each.name]
    if not changing:
        return None
    first = next((each for each in methods if each.name.endswith("__init__")), methods[0])
    kept = [*text.splitlines()[: first.end], "", f"{blanks}{_mark(task, draw)}", ""]
    for each in changing:
        kept += [*source(text, each).splitlines(), ""]
    closing = ["}"] if path.endswith(".js") else []
    return _whole(task, path, "\n".join([*kept, f"{blanks}{_mark(task, draw)}", *closing, ""]))


@HARMS.add("elided-in-a-replacement")
def _replacement(task: Task, draw: random.Random) -> Harmful | None:
    """The text searched for has another function, for which a line stands in the replacement."""
    path = _subject(task)
    if path is None or not touched(task, path):
        return None
    was = {each.name: each for each in definitions(path, task.base[path])}
    kept = {each.name for each in untouched(task, path)}
    changing = [was[each.name] for each in touched(task, path) if each.name in was]
    new = touched(task, path)
    anchor = changing[0] if changing else None
    names = list(was)
    if anchor is None:
        before = [each for each in untouched(task, path) if each.end <= new[0].start]
        anchor = was[before[-1].name] if before else None
    if anchor is None or names.index(anchor.name) == 0:
        return None
    other = was[names[names.index(anchor.name) - 1]]
    if other.name not in kept:
        return None
    base = task.base[path]
    old = "".join(base.splitlines(keepends=True)[other.start : anchor.end])
    blanks = "    " if "." in anchor.name and path.endswith(".py") else ""
    added = "\n".join(source(task.after[path], each) for each in new)
    replaced = f"{blanks}{_mark(task, draw)}\n\n{added}"
    answer = f"{path}\n```{fence_of(path)}\n{search_replace((old, replaced))}```\n"
    rest = {other: text for other, text in task.change.items() if other != path}
    more = [under(other, text) for other, text in rest.items() if text is not None]
    change = {path: base.replace(old, replaced), **rest}
    return Harmful(("\n".join([answer, *more]),), change)


@HARMS.add("elided-in-a-search")
def _search(task: Task, draw: random.Random) -> Harmful | None:
    """Both halves of an edit have such a line; nothing in the file is like the first."""
    path = _subject(task)
    if path is None or len(task.change) > 1 or not touched(task, path):
        return None
    text, new = task.after[path], touched(task, path)
    first = definitions(path, task.base[path])[0]
    mark = _mark(task, draw)
    old = f"{source(task.base[path], first)}\n{mark}\n"
    added = "\n".join(source(text, each) for each in new)
    answer = search_replace((old, f"{old}\n{added}"))
    return Harmful((f"{path}\n```{fence_of(path)}\n{answer}```\n",), {})


@HARMS.add("elided-tests")
def _tests(task: Task, draw: random.Random) -> Harmful | None:
    """A test file the task changes has the changed tests, and a line for the others."""
    paths = [path for path in task.edits if is_test(path)]
    if not paths or not untouched(task, paths[0]):
        return None
    text = task.after[paths[0]]
    changed = touched(task, paths[0])
    head = text.splitlines()[: definitions(paths[0], text)[0].start]
    kept = [line for each in changed for line in [*source(text, each).splitlines(), ""]]
    mark = _mark(task, draw)
    made = "\n".join([*head, mark, "", *kept, mark, ""])
    return harmful(task, {**task.change, paths[0]: made})


@HARMS.add("elided-markdown")
def _markdown(task: Task, draw: random.Random) -> Harmful | None:
    if not task.subject.endswith(".md"):
        return None
    added = task.after[task.subject][len(task.base[task.subject]) :]
    mark = draw.choice(("... (existing content unchanged) ...", "<!-- rest unchanged -->", "[...]"))
    text = f"{task.base[task.subject].splitlines()[0]}\n\n{mark}\n{added}"
    return harmful(task, {task.subject: text})


@HARMS.add("long-file-from-memory")
def _memory(task: Task, draw: random.Random) -> Harmful | None:
    """A long file the question showed in part is written whole, without what was not shown."""
    path = _subject(task)
    if path is None or not task.shown_in_part:
        return None
    text = task.after[path]
    lines = text.splitlines()
    new = touched(task, path)
    end = new[-1].end
    closing = ["}"] if path.endswith(".js") and "." in new[0].name else []
    return _whole(task, path, "\n".join([*lines[:end], *closing, ""]))
