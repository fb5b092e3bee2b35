"""Right answers that write only what changes: search and replace, diffs, patches."""

from __future__ import annotations

from collections.abc import Callable

from tests.answers.forms import Forms, has_edits
from tests.answers.projects import Task, fence_of
from tests.answers.writing import (
    Pair,
    blocks,
    hunks,
    search_replace,
    shifted,
    smallest,
    whole_lines,
)

FORMS = Forms()
Write = Callable[[str, list[Pair]], str]


def plain(task: Task) -> Write:
    """Write the blocks of a file in one fence under its path."""

    def write(path: str, pairs: list[Pair]) -> str:
        inside = "".join(search_replace(pair) for pair in whole_lines(task.base[path], pairs))
        return f"{path}\n```{fence_of(path)}\n{inside}```\n"

    return write


@FORMS.add("search-replace", has_edits)
def _plain(task: Task) -> str:
    return blocks(task, plain(task))


@FORMS.add("search-replace-a-fence-each", has_edits)
def _each(task: Task) -> str:
    def write(path: str, pairs: list[Pair]) -> str:
        return "\n".join(
            f"{path}\n```{fence_of(path)}\n{search_replace(pair)}```\n"
            for pair in whole_lines(task.base[path], pairs)
        )

    return blocks(task, write)


@FORMS.add("search-replace-path-inside", has_edits)
def _inside(task: Task) -> str:
    def write(path: str, pairs: list[Pair]) -> str:
        inside = "".join(search_replace(pair) for pair in whole_lines(task.base[path], pairs))
        return f"```{fence_of(path)}\n{path}\n{inside}```\n"

    return blocks(task, write)


@FORMS.add("search-replace-no-fence", has_edits)
def _bare(task: Task) -> str:
    def write(path: str, pairs: list[Pair]) -> str:
        inside = "".join(search_replace(pair) for pair in whole_lines(task.base[path], pairs))
        return f"{path}\n{inside}"

    return blocks(task, write)


@FORMS.add("search-replace-smallest", has_edits)
def _smallest(task: Task) -> str:
    def write(path: str, pairs: list[Pair]) -> str:
        text = task.base[path]
        small = [smallest(pair, text) for pair in whole_lines(text, pairs)]
        inside = "".join(map(search_replace, small))
        return f"**{path}**\n\n```{fence_of(path)}\n{inside}```\n"

    return blocks(task, write)


@FORMS.add("search-replace-trailing-blanks", has_edits)
def _blanks(task: Task) -> str:
    def write(path: str, pairs: list[Pair]) -> str:
        made = [
            (old.replace("\n", "  \n", 2), new) for old, new in whole_lines(task.base[path], pairs)
        ]
        return f"{path}\n```{fence_of(path)}\n{''.join(map(search_replace, made))}```\n"

    return blocks(task, write)


@FORMS.add("search-replace-explained", has_edits)
def _explained(task: Task) -> str:
    def write(path: str, pairs: list[Pair]) -> str:
        parts = [
            f"{number}. In `{path}`:\n\n{path}\n```{fence_of(path)}\n{search_replace(pair)}```\n"
            for number, pair in enumerate(whole_lines(task.base[path], pairs), 1)
        ]
        return "\n".join(parts)

    return f"I change as little as possible.\n\n{blocks(task, write)}\nNothing else changes.\n"


def _is_indented(task: Task) -> bool:
    return bool(task.edits) and all(
        line[:2].isspace()
        for path, pairs in task.edits.items()
        for pair in whole_lines(task.base[path], list(pairs))
        for line in "".join(pair).splitlines()
        if line.strip()
    )


@FORMS.add("search-replace-indentation-lost", _is_indented)
def _dedented(task: Task) -> str:
    """Both halves stand further to the left than the file, by the same width."""

    def write(path: str, pairs: list[Pair]) -> str:
        whole = whole_lines(task.base[path], pairs)
        lines = [line for pair in whole for line in "".join(pair).splitlines() if line.strip()]
        width = min(len(line) - len(line.lstrip()) for line in lines)
        made = [(shifted(old, -width), shifted(new, -width)) for old, new in whole]
        return f"{path}\n```{fence_of(path)}\n{''.join(map(search_replace, made))}```\n"

    return blocks(task, write)


@FORMS.add("search-replace-crlf", has_edits)
def _crlf(task: Task) -> str:
    return blocks(task, plain(task)).replace("\n", "\r\n")


@FORMS.add("search-replace-think", has_edits)
def _think(task: Task) -> str:
    edits = blocks(task, plain(task))
    return f"<think>\nEdits are shorter than the whole file.\n</think>\n\nThe edits:\n\n{edits}"


def _diff(
    head: str, *, wrong: int = 0, counts: bool = True, fence: str = "diff"
) -> Callable[[Task], Write]:
    def write_for(task: Task) -> Write:
        def write(path: str, pairs: list[Pair]) -> str:
            made = hunks(task.base[path], task.after[path], wrong=wrong, counts=counts)
            return f"```{fence}\n{head.format(path=path)}{made}```\n"

        return write

    return write_for


_GIT = "diff --git a/{path} b/{path}\nindex 1111111..2222222 100644\n--- a/{path}\n+++ b/{path}\n"
_DIFFS = {
    "diff-git": _diff(_GIT),
    "diff-prefixes": _diff("--- a/{path}\n+++ b/{path}\n"),
    "diff-no-prefixes": _diff("--- {path}\n+++ {path}\n"),
    "diff-wrong-lines": _diff("--- a/{path}\n+++ b/{path}\n", wrong=7),
    "diff-no-counts": _diff("--- a/{path}\n+++ b/{path}\n", counts=False),
    "diff-patch-fence": _diff("--- a/{path}\n+++ b/{path}\n", fence="patch"),
}
for _id, _write in _DIFFS.items():
    FORMS.add(_id, has_edits)(lambda task, write=_write: blocks(task, write(task)))


@FORMS.add("diff-under-path", has_edits)
def _under(task: Task) -> str:
    def write(path: str, pairs: list[Pair]) -> str:
        return f"{path}\n```diff\n{hunks(task.base[path], task.after[path])}```\n"

    return blocks(task, write)


@FORMS.add("diff-no-fence", has_edits)
def _unfenced(task: Task) -> str:
    def write(path: str, pairs: list[Pair]) -> str:
        made = hunks(task.base[path], task.after[path])
        return f"--- a/{path}\n+++ b/{path}\n{made}"

    return blocks(task, write)


@FORMS.add("diff-with-new-files", lambda task: has_edits(task) or bool(task.new))
def _new_files(task: Task) -> str:
    """One diff for everything: what is new comes from /dev/null, what goes leads there."""
    parts = []
    for path, text in task.change.items():
        before = task.base.get(path)
        old = "/dev/null" if before is None else f"a/{path}"
        new = "/dev/null" if text is None else f"b/{path}"
        parts.append(f"--- {old}\n+++ {new}\n{hunks(before or '', text or '')}")
    return f"```diff\n{''.join(parts)}```\n"


@FORMS.add("apply-patch", has_edits)
def _patch(task: Task) -> str:
    """The form some models are trained on: Begin Patch, Update File, hunks without numbers."""
    parts = []
    for path, text in task.change.items():
        if text is None:
            parts.append(f"*** Delete File: {path}\n")
        elif path in task.base:
            made = hunks(task.base[path], text, counts=False)
            parts.append(f"*** Update File: {path}\n{made}")
        else:
            added = "".join(f"+{line}\n" for line in text.splitlines())
            parts.append(f"*** Add File: {path}\n{added}")
    return f"*** Begin Patch\n{''.join(parts)}*** End Patch\n"
